#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "../cuda/device_array.hpp"
#include "../support/virtual_ranks.hpp"
#include "tally/nccl.hpp"

namespace tally::test {

/// Communicators of NCCL between the first GPUs of this machine, if there is an NCCL. It stays in the process, as in a
/// program that uses it.
class nccl_communicators {
public:
  explicit nccl_communicators(int size) : all_(static_cast<std::size_t>(size)), meet_(size)
  {
    void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) return;
    auto const init = reinterpret_cast<int (*)(ncclComm**, int, int const*)>(dlsym(library, "ncclCommInitAll"));
    destroy_ = reinterpret_cast<int (*)(ncclComm*)>(dlsym(library, "ncclCommDestroy"));
    if (init == nullptr || destroy_ == nullptr || init(all_.data(), size, nullptr) != 0) {
      std::fprintf(stderr, "NCCL made no communicators\n");
      std::exit(EXIT_FAILURE);
    }
    found_ = true;
  }
  ~nccl_communicators()
  {
    if (found_)
      for (ncclComm* const each : all_) destroy_(each);
  }
  nccl_communicators(nccl_communicators const&) = delete;
  nccl_communicators& operator=(nccl_communicators const&) = delete;

  bool found() const { return found_; }

  /// Runs body(communicator, rank) on a thread for each, whose GPU is the current one. A rank that throws ends the
  /// program: the others wait for it.
  template <class Body>
  void each(Body const& body) const
  {
    std::vector<std::jthread> threads;
    for (std::size_t r = 0; r < all_.size(); ++r)
      threads.emplace_back([&, r] {
        int const rank = static_cast<int>(r);
        try {
          check_cuda(cudaSetDevice(rank));
          body(all_[r], rank);
        } catch (std::exception const& e) {
          std::fprintf(stderr, "rank %d: %s\n", rank, e.what());
          std::_Exit(EXIT_FAILURE);
        }
      });
  }
  /// Waits for the other threads of `each`: memory is freed while no GPU waits for another.
  void meet() const { meet_.arrive_and_wait(); }

private:
  std::vector<ncclComm*> all_;
  mutable sleeping_barrier meet_;
  int (*destroy_)(ncclComm*) = nullptr;
  bool found_ = false;
};

}  // namespace tally::test
