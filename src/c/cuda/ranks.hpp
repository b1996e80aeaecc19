#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <utility>

#include <cuda_runtime_api.h>

#include "src/c/cuda/execution.hpp"
#include "src/c/ranks/on_gpus.hpp"
#include "src/c/ranks/transport.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/nccl/gpu.hpp"
#include "tally/detail/nccl/transport.hpp"
#include "tally/rank_error.hpp"

/// The GPU of a rank in libtally_cuda.so.1.
namespace tally::c {

class stream_of_rank;

/// nccl_backend::device_transport that carries elements by NCCL, and rounds by the caller's functions: calls on the CPU
/// tell each other of failures by the same ones.
class gpu_transport : public nccl_backend::transport {
public:
  gpu_transport(callbacks rounds, ncclComm* communicator, stream_of_rank& stream);

  void allgather(std::byte const* mine, std::byte* all, std::size_t bytes);
  void broadcast(std::byte* data, std::size_t bytes, int from);

private:
  callbacks rounds_;
  stream_of_rank* stream_;
};

/// A stream of the library's own, in which all calls of a rank's GPU are queued: they share memory. Each comes behind
/// what is in the caller's stream when it begins, and before what is queued there when it has returned.
class stream_of_rank {
public:
  stream_of_rank()
  {
    nccl_backend::check_cuda(cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking), "creating a stream");
    nccl_backend::check_cuda(cudaEventCreateWithFlags(&reached_, cudaEventDisableTiming), "creating an event");
  }
  stream_of_rank(stream_of_rank const&) = delete;
  ~stream_of_rank()
  {
    if (reached_ != nullptr) cudaEventDestroy(reached_);
    if (own_ != nullptr) cudaStreamDestroy(own_);
  }

  CUstream_st* get() const { return own_; }

  /// Calls `work()`, whose work belongs into a caller's stream.
  template <class Work>
  void as_part_of(CUstream_st* callers, Work const& work)
  {
    callers_ = callers;
    follow(own_, callers_);
    try {
      work();
    } catch (...) {
      cudaEventRecord(reached_, own_);  // what is queued already still uses the caller's memory
      cudaStreamWaitEvent(callers_, reached_, 0);
      throw;
    }
    join();
  }
  /// Work that is queued in the caller's stream from now on comes behind that in this one. So collective calls of other
  /// communicators, which the caller's functions may make there, come in the same order on all ranks.
  void join() { follow(callers_, own_); }

private:
  void follow(CUstream_st* later, CUstream_st* earlier)
  {
    nccl_backend::check_cuda(cudaEventRecord(reached_, earlier), "recording an event");
    nccl_backend::check_cuda(cudaStreamWaitEvent(later, reached_, 0), "ordering two streams");
  }

  CUstream_st* own_ = nullptr;
  CUstream_st* callers_ = nullptr;
  cudaEvent_t reached_ = nullptr;
};

inline gpu_transport::gpu_transport(callbacks rounds, ncclComm* communicator, stream_of_rank& stream)
    : transport(communicator, stream.get()),
      rounds_(std::move(rounds)),
      stream_(&stream)
{
}
inline void gpu_transport::allgather(std::byte const* mine, std::byte* all, std::size_t bytes)
{
  stream_->join();
  rounds_.allgather(mine, all, bytes);
}
inline void gpu_transport::broadcast(std::byte* data, std::size_t bytes, int from)
{
  stream_->join();
  rounds_.broadcast(data, bytes, from);
}

using machine_of_rank = nccl_backend::gpu<gpu_transport>;
using execution_of_rank = nccl_backend::execution<machine_of_rank>;

struct gpu_of_rank {
  int device;
  stream_of_rank stream;
  cuda::workspace space;
  ncclComm* communicator;
  execution_of_rank on;

  gpu_of_rank(callbacks const& by, int number, ncclComm* made)
      : device(number),
        communicator(made),
        on(gpu_transport(by, made, stream), machine_of_rank(cuda(stream.get(), space)), std::span<std::size_t const>())
  {
  }
};

/// Runs a body; no exception leaves it.
template <class Body>
std::int32_t guarded_on_ranks(outcome_on_gpus& outcome, Body const& body) noexcept
{
  return guarded(outcome.message, [&]() -> std::int32_t {
    try {
      body();
      return TALLY_OK;
    } catch (rank_error const& e) {
      outcome.failed_rank = e.rank();
      std::snprintf(outcome.message, message_size, "%s", e.what());
      return TALLY_RANK_FAILED;
    }
  });
}

/// The calls on elements of type E, by the number of the operator: E is float, double, or std::uint64_t for integers.
/// Throws    not_supported: there is no such operator.
template <class E>
void along_of(execution_of_rank const& on, along_on_gpus const& call, bool& has_met);
template <class E>
void segments_of(execution_of_rank const& on, segments_on_gpus const& call);
template <class E>
std::size_t runs_of(execution_of_rank const& on, runs_on_gpus const& call);
void recur_on_ranks(execution_of_rank const& on, recurrences_on_gpus const& call);

/// The first `count` segments, which lie in the rank's part alone. The part begins at place `begin` of the whole.
void segments_within(cuda const& on, segments_on_gpus const& call, std::uint64_t begin, std::size_t count);
/// The runs in the places [begin, end) of the rank's part. Returns their number.
std::size_t runs_within(cuda const& on, runs_on_gpus const& call, std::size_t begin, std::size_t end);

}  // namespace tally::c

template <>
inline constexpr bool tally::is_execution<tally::c::execution_of_rank> = true;
