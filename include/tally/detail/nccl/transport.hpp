#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <cuda_runtime_api.h>

#include "tally/detail/cuda/check.cuh"
#include "tally/detail/nccl/library.hpp"
#include "tally/error.hpp"

namespace tally::nccl_backend {

using cuda_backend::check_cuda;

/// Memory that CUDA gives, of a device or pinned on the host. Its device is the current one when it is taken.
class cuda_memory {
public:
  enum class kind { device, pinned };

  cuda_memory() = default;
  cuda_memory(kind of, std::size_t bytes) : kind_(of), bytes_(bytes)
  {
    // Not from a pool: NCCL reads memory of other GPUs of a process directly, and that of a pool cannot be.
    if (of == kind::device)
      check_cuda(cudaMalloc(&at_, bytes), "taking device memory for what ranks share");
    else
      check_cuda(cudaHostAlloc(&at_, bytes, cudaHostAllocPortable), "taking pinned memory for what ranks share");
  }
  cuda_memory(cuda_memory&& other) noexcept
      : kind_(other.kind_),
        at_(std::exchange(other.at_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0))
  {
  }
  cuda_memory& operator=(cuda_memory&& other) noexcept
  {
    std::swap(kind_, other.kind_);
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~cuda_memory()
  {
    if (at_ == nullptr) return;
    if (kind_ == kind::device)
      cudaFree(at_);
    else
      cudaFreeHost(at_);
  }

  std::byte* get() const { return static_cast<std::byte*>(at_); }
  std::size_t bytes() const { return bytes_; }

private:
  kind kind_ = kind::device;
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

/// device_transport over NCCL: everything is queued in a stream. The device of the stream is the current one.
class transport {
public:
  transport(ncclComm* communicator, CUstream_st* stream) : in_(communicator), stream_(stream)
  {
    if (communicator == nullptr) throw usage_error("tally::nccl: the communicator is null");
    nccl_ = &library::get();
    check(nccl_->CommUserRank(in_, &rank_), in_, -1, "ncclCommUserRank");
    check(nccl_->CommCount(in_, &size_), in_, rank_, "ncclCommCount");
    std::size_t const bytes = (static_cast<std::size_t>(size_) + 1) * most_bytes;
    host_ = cuda_memory(cuda_memory::kind::pinned, bytes);
    device_ = cuda_memory(cuda_memory::kind::device, bytes);
    check_cuda(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "creating an event");
  }
  transport(transport&& other) noexcept
      : nccl_(other.nccl_),
        in_(other.in_),
        stream_(other.stream_),
        rank_(other.rank_),
        size_(other.size_),
        host_(std::move(other.host_)),
        device_(std::move(other.device_)),
        done_(std::exchange(other.done_, nullptr))
  {
  }
  transport& operator=(transport&&) = delete;
  ~transport()
  {
    if (done_ != nullptr) cudaEventDestroy(done_);
  }

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Blocks until the bytes of all ranks are on the host.
  void allgather(std::byte const* mine, std::byte* all, std::size_t bytes)
  {
    to_device(mine, bytes);
    gather(device_.get(), device_.get() + most_bytes, bytes);
    to_host(device_.get() + most_bytes, all, bytes * static_cast<std::size_t>(size_));
  }
  void broadcast(std::byte* data, std::size_t bytes, int from)
  {
    to_device(data, bytes);
    checked(nccl_->Broadcast(device_.get(), device_.get() + most_bytes, bytes, nccl_char, from, in_, stream_),
            "ncclBroadcast");
    to_host(device_.get() + most_bytes, data, bytes);
  }

  // Queued in the stream.

  void gather(std::byte const* mine, std::byte* all, std::size_t bytes)
  {
    checked(nccl_->AllGather(mine, all, bytes, nccl_char, in_, stream_), "ncclAllGather");
  }
  void add_up(std::uint64_t* numbers, std::size_t count)
  {
    checked(nccl_->AllReduce(numbers, numbers, count, nccl_uint64, nccl_sum, in_, stream_), "ncclAllReduce");
  }
  void send(int to, std::byte const* data, std::size_t bytes)
  {
    begin_group();
    in_group(nccl_->Send(data, bytes, nccl_char, to, in_, stream_), "ncclSend");
  }
  void receive(int from, std::byte* data, std::size_t bytes)
  {
    begin_group();
    in_group(nccl_->Recv(data, bytes, nccl_char, from, in_, stream_), "ncclRecv");
  }
  void exchange()
  {
    if (!std::exchange(in_group_, false)) return;
    checked(nccl_->GroupEnd(), "ncclGroupEnd");
  }

  /// Waits for the stream's work so far, and throws if the communicator has an error meanwhile.
  void wait()
  {
    check_cuda(cudaEventRecord(done_, stream_), "recording an event");
    for (unsigned polls = 0;; ++polls) {
      cudaError_t const state = cudaEventQuery(done_);
      if (state == cudaSuccess) return;
      if (state != cudaErrorNotReady) check_cuda(state, "waiting for the other GPUs");
      if (polls % 1024 != 1023) continue;
      int code = nccl_success;
      check(nccl_->CommGetAsyncError(in_, &code), in_, rank_, "ncclCommGetAsyncError");
      if (code != nccl_in_progress) check(code, in_, rank_, "the communicator");
    }
  }

private:
  static constexpr std::size_t most_bytes = 512;  // of a rank in a round

  void to_device(std::byte const* mine, std::size_t bytes)
  {
    if (bytes > most_bytes) throw usage_error("tally::nccl: a round of more bytes than there is room for");
    std::memcpy(host_.get(), mine, bytes);
    check_cuda(cudaMemcpyAsync(device_.get(), host_.get(), bytes, cudaMemcpyHostToDevice, stream_),
               "copying to the device");
  }
  void to_host(std::byte const* from, std::byte* to, std::size_t bytes)
  {
    std::byte* const here = host_.get() + most_bytes;
    check_cuda(cudaMemcpyAsync(here, from, bytes, cudaMemcpyDeviceToHost, stream_), "copying to the host");
    wait();
    std::memcpy(to, here, bytes);
  }

  void begin_group()
  {
    if (in_group_) return;
    checked(nccl_->GroupStart(), "ncclGroupStart");
    in_group_ = true;
  }
  void in_group(int code, char const* function)
  {
    if (code == nccl_success || code == nccl_in_progress) return;
    in_group_ = false;
    nccl_->GroupEnd();
    check(code, in_, rank_, function);
  }
  /// Waits for a communicator that does not block: its functions return before they have queued their work.
  void checked(int code, char const* function)
  {
    while (code == nccl_in_progress) check(nccl_->CommGetAsyncError(in_, &code), in_, rank_, "ncclCommGetAsyncError");
    check(code, in_, rank_, function);
  }

  library const* nccl_ = nullptr;
  ncclComm* in_;
  CUstream_st* stream_;
  int rank_ = 0;
  int size_ = 1;
  cuda_memory host_, device_;
  cudaEvent_t done_ = nullptr;
  bool in_group_ = false;
};

}  // namespace tally::nccl_backend
