#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include <cuda_runtime_api.h>

#include "src/c/failure.hpp"
#include "src/c/gpu.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/cuda/check.cuh"

/// Where calls of libtally_cuda.so.1 run: the device, its stream and the stream's workspace.
namespace tally::c {

/// Makes a device the current one of this thread, for its lifetime.
class current_device {
public:
  explicit current_device(int device)
  {
    cuda_backend::check_cuda(cudaGetDevice(&previous_), "asking for the current device");
    if (device != previous_) cuda_backend::check_cuda(cudaSetDevice(device), "choosing the device of the arrays");
    changed_ = device != previous_;
  }
  ~current_device()
  {
    if (changed_) cudaSetDevice(previous_);
  }
  current_device(current_device const&) = delete;
  current_device& operator=(current_device const&) = delete;

private:
  int previous_ = 0;
  bool changed_ = false;
};

/// A workspace that calls on one stream share. A call at a time is put into the stream.
struct shared_workspace {
  std::mutex one_at_a_time;
  cuda::workspace space;
};

/// The workspace of a stream. It lives as long as the process: a stream's end is not known here.
inline shared_workspace& workspace_of(int device, CUstream_st* stream)
{
  static std::mutex alone;
  static auto* const all = new std::map<std::pair<int, CUstream_st*>, std::unique_ptr<shared_workspace>>;
  std::lock_guard const lock(alone);
  auto& found = (*all)[{device, stream}];
  if (found == nullptr) found = std::make_unique<shared_workspace>();
  return *found;
}

/// Calls `use(on)` with the stream and the workspace of a call.
template <class Use>
void with_execution(place_on_gpu const& gpu, Use const& use)
{
  current_device const device(gpu.device);
  auto* const stream = static_cast<CUstream_st*>(gpu.stream);
  if (gpu.workspace != nullptr) {
    if (gpu.workspace_bytes < cuda::workspace::header_bytes ||
        reinterpret_cast<std::uintptr_t>(gpu.workspace) % 128 != 0)
      throw usage_error("options->workspace has " + std::to_string(gpu.workspace_bytes) +
                        " bytes; it has tally_workspace_bytes, at an address that is a multiple of 128");
    cuda::workspace space(gpu.workspace, gpu.workspace_bytes);
    use(cuda(stream, space));
    return;
  }
  shared_workspace& shared = workspace_of(gpu.device, stream);
  std::lock_guard const lock(shared.one_at_a_time);
  use(cuda(stream, shared.space));
}

/// Throws    not_supported if the stream of a call is being captured: the call waits for a value.
inline void check_may_wait(place_on_gpu const& gpu)
{
  current_device const device(gpu.device);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cuda_backend::check_cuda(cudaStreamIsCapturing(static_cast<CUstream_st*>(gpu.stream), &status), "asking a stream");
  if (status != cudaStreamCaptureStatusNone)
    throw not_supported("this call waits for the GPU, so that a graph cannot capture it");
}

/// Runs a body; no exception leaves it.
template <class Body>
std::int32_t guarded(char* message, Body const& body) noexcept
{
  auto const say = [message](char const* what) { std::snprintf(message, message_size, "%s", what); };
  try {
    return body();
  } catch (usage_error const& e) {
    say(e.what());
    return TALLY_WRONG_ARGUMENT;
  } catch (not_supported const& e) {
    say(e.what());
    return TALLY_NOT_SUPPORTED;
  } catch (std::bad_alloc const&) {
    say("not enough memory");
    return TALLY_NO_MEMORY;
  } catch (std::exception const& e) {
    say(e.what());
    return TALLY_FAILED;
  } catch (...) {
    say("an exception of an unknown type");
    return TALLY_FAILED;
  }
}

}  // namespace tally::c
