#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime_api.h>

#include "../cuda/device_array.hpp"
#include "../support/generator.hpp"
#include "device_ranks.hpp"
#include "nccl_communicators.hpp"
#include "tally/error.hpp"
#include "tally/nccl.hpp"

/// The same checks on ranks that share one GPU, and over NCCL on the first two GPUs, where they are.
namespace tally::test {

/// A rank of a check.
template <class On>
struct gpu_rank {
  On const& on;
  cudaStream_t stream;
  int rank, ranks;
  std::function<void()> meet;  ///< waits for the other ranks

  /// All ranks while no memory is taken or given back, which may wait for a GPU that waits for this rank. To be
  /// constructed after the arrays of a call.
  class together {
  public:
    explicit together(gpu_rank const& of) : of_(&of) { of.meet(); }
    ~together()
    {
      if (std::uncaught_exceptions() == 0) of_->meet();
    }
    together(together const&) = delete;

  private:
    gpu_rank const* of_;
  };
  together calls() const { return together(*this); }

  /// The bounds of this rank's part of n elements: those that `cuts` gives, once more each for further ranks.
  std::pair<std::size_t, std::size_t> part(std::size_t n, std::vector<std::size_t> cuts) const
  {
    for (std::size_t& cut : cuts) cut = std::min(cut, n);
    std::sort(cuts.begin(), cuts.end());
    cuts.resize(static_cast<std::size_t>(ranks) - 1, cuts.empty() ? n : cuts.back());
    cuts.insert(cuts.begin(), 0);
    cuts.push_back(n);
    return {cuts[static_cast<std::size_t>(rank)], cuts[static_cast<std::size_t>(rank) + 1]};
  }
  template <class T>
  std::vector<T> values_of(device_array<T> const& array) const
  {
    std::vector<T> values(array.size());
    check_cuda(cudaMemcpyAsync(values.data(), array.begin(), values.size() * sizeof(T), cudaMemcpyDefault, stream));
    check_cuda(cudaStreamSynchronize(stream));
    return values;
  }
  template <class T>
  static std::string shown(T const& got, T const& expected)
  {
    if constexpr (std::is_arithmetic_v<T>)
      return ": " + std::to_string(got) + " for " + std::to_string(expected);
    else
      return "";
  }
  /// Throws an error unless the array has the bits of `all` from `begin` on.
  template <class T>
  void expect(device_array<T> const& array, std::vector<T> const& all, std::size_t begin, char const* what) const
  {
    std::vector<T> const got = values_of(array);
    for (std::size_t k = 0; k < got.size(); ++k)
      if (std::memcmp(&got[k], &all[begin + k], sizeof(T)) != 0)
        throw error(std::string(what) + " differs first at element " + std::to_string(k) + " of " +
                    std::to_string(got.size()) + shown(got[k], all[begin + k]));
  }
};

/// A copy of some elements on the current GPU.
template <class T>
std::vector<T> slice(std::vector<T> const& all, std::pair<std::size_t, std::size_t> const& part)
{
  return {all.begin() + static_cast<std::ptrdiff_t>(part.first),
          all.begin() + static_cast<std::ptrdiff_t>(part.second)};
}

/// Runs check(gpu_rank) on every rank. A rank that throws ends the program, since the others wait for it.
template <class Check>
void on_gpu_ranks(Check const& check)
{
  auto const run = [&](auto const& on, cudaStream_t stream, int rank, std::function<void()> const& meet) {
    try {
      check(gpu_rank<std::remove_cvref_t<decltype(on)>>{on, stream, rank, on.size(), meet});
    } catch (std::exception const& e) {
      std::fprintf(stderr, "rank %d of %d: %s\n", rank, on.size(), e.what());
      std::_Exit(EXIT_FAILURE);
    }
  };
  on_device_ranks(3, [&](device_ranks const& on, cuda::workspace&, cudaStream_t stream, int rank) {
    run(on, stream, rank, [] {});
  });
  int devices = 0;
  check_cuda(cudaGetDeviceCount(&devices));
  if (devices < 2) return;
  static nccl_communicators const pair(2);
  if (!pair.found()) return;
  pair.each([&](ncclComm* communicator, int rank) {
    stream const own;
    cuda::workspace space;
    space.reserve(std::size_t{1} << 24, own);
    nccl const on(communicator, own, space);
    run(on, static_cast<cudaStream_t>(own), rank, [&] { pair.meet(); });
    pair.meet();
  });
}

}  // namespace tally::test
