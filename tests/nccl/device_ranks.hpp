#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "../cuda/device_array.hpp"
#include "../support/virtual_ranks.hpp"
#include "tally/nccl.hpp"

namespace tally::test {

/// A device_transport between threads whose arrays lie on one GPU, or on several that reach each other.
class device_ranks_transport {
public:
  device_ranks_transport(world& all, int rank, cudaStream_t stream) : by_(all, rank), stream_(stream) {}

  int rank() const { return by_.rank(); }
  int size() const { return by_.size(); }
  void allgather(std::byte const* mine, std::byte* all, std::size_t bytes) { by_.allgather(mine, all, bytes); }
  void broadcast(std::byte* data, std::size_t bytes, int from) { by_.broadcast(data, bytes, from); }

  void gather(std::byte const* mine, std::byte* all, std::size_t bytes)
  {
    wait();
    std::vector<std::byte> here(bytes), everyones(bytes * static_cast<std::size_t>(size()));
    check_cuda(cudaMemcpy(here.data(), mine, bytes, cudaMemcpyDefault));
    by_.allgather(here.data(), everyones.data(), bytes);
    check_cuda(cudaMemcpyAsync(all, everyones.data(), everyones.size(), cudaMemcpyDefault, stream_));
    wait();
  }
  void add_up(std::uint64_t* numbers, std::size_t count)
  {
    wait();
    std::vector<std::uint64_t> here(count);
    check_cuda(cudaMemcpy(here.data(), numbers, count * sizeof(std::uint64_t), cudaMemcpyDefault));
    by_.add_up(here.data(), count);
    check_cuda(cudaMemcpyAsync(numbers, here.data(), count * sizeof(std::uint64_t), cudaMemcpyDefault, stream_));
    wait();
  }
  void send(int to, std::byte const* data, std::size_t bytes)
  {
    wait();
    std::vector<std::byte> here(bytes);
    check_cuda(cudaMemcpy(here.data(), data, bytes, cudaMemcpyDefault));
    by_.send(to, here.data(), bytes, 1);
  }
  void receive(int from, std::byte* data, std::size_t bytes)
  {
    coming_.push_back({data, std::vector<std::byte>(bytes)});
    by_.receive(from, coming_.back().second.data(), bytes, 1);
  }
  void exchange()
  {
    by_.wait();
    for (auto const& [to, bytes] : coming_)
      check_cuda(cudaMemcpyAsync(to, bytes.data(), bytes.size(), cudaMemcpyDefault, stream_));
    wait();
    coming_.clear();
  }
  void wait() { check_cuda(cudaStreamSynchronize(stream_)); }

private:
  virtual_transport by_;
  cudaStream_t stream_;
  std::vector<std::pair<std::byte*, std::vector<std::byte>>> coming_;
};

using device_ranks = nccl_backend::execution<nccl_backend::gpu<device_ranks_transport>>;

/// Runs body(on, rank) on `size` ranks, threads whose streams are on the current GPU.
template <class Body>
void on_device_ranks(int size, Body const& body)
{
  world all(size);
  on_threads(all, [&](int rank) {
    stream const own;
    cuda::workspace space;
    cuda const local(own, space);
    body(device_ranks(device_ranks_transport(all, rank, own), nccl_backend::gpu<device_ranks_transport>(local), {}),
         space, static_cast<cudaStream_t>(own), rank);
  });
}

}  // namespace tally::test

template <>
inline constexpr bool tally::is_execution<tally::test::device_ranks> = true;
