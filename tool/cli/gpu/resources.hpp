#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <cuda_runtime_api.h>
#include <tally/detail/cuda/check.cuh>
#include <tally/error.hpp>

/// CUDA's streams, events and memory as objects that free themselves.
namespace tally::cli {

/// Makes `call`. If CUDA fails it throws `error` with the library's message, less the prefix "tally: ", with which
/// every message of the tool begins anyway.
template <class Call>
void checked(Call call)
{
  try {
    call();
  } catch (cuda_error const& problem) {
    std::string_view what = problem.what();
    constexpr std::string_view prefix = "tally: ";
    if (what.starts_with(prefix)) what.remove_prefix(prefix.size());
    throw error("the GPU failed at " + std::string(what));
  }
}

/// Throws `error` if a call of CUDA failed; `attempt` says what was tried.
inline void check(cudaError_t code, char const* attempt)
{
  checked([&] { cuda_backend::check_cuda(code, attempt); });
}

struct cuda_release {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using cuda_stream = std::unique_ptr<CUstream_st, cuda_release>;
using cuda_event = std::unique_ptr<CUevent_st, cuda_release>;

struct device_release {
  void operator()(void* memory) const { cudaFree(memory); }
};
using device_memory = std::unique_ptr<void, device_release>;

struct pinned_release {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};
using pinned_memory = std::unique_ptr<void, pinned_release>;

inline cuda_stream make_stream()
{
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  return cuda_stream(stream);
}

inline cuda_event make_event(unsigned flags)
{
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, flags), "making an event");
  return cuda_event(event);
}

inline pinned_memory take_pinned(std::size_t bytes)
{
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), "taking pinned memory");
  return pinned_memory(memory);
}

/// Null if the device does not have that much memory.
inline device_memory take_on_device(std::size_t bytes)
{
  void* memory = nullptr;
  cudaError_t const code = cudaMalloc(&memory, bytes);
  if (code == cudaErrorMemoryAllocation)
    cudaGetLastError();
  else
    check(code, "taking memory");
  return device_memory(memory);
}

}  // namespace tally::cli
