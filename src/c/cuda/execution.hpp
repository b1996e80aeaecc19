#pragma once

#include <algorithm>
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
#include <vector>

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

/// The workspaces of graphs: one for each stream that was captured into a graph, which keeps it. When the graph and all
/// that was made of it are gone, another graph may have it.
class graph_workspaces {
public:
  static graph_workspaces& all()
  {
    static auto* const self = new graph_workspaces;  // a graph may end after this library's variables do
    return *self;
  }

  /// The workspace of calls on `stream`, which is being captured.
  shared_workspace& of(int device, CUstream_st* stream)
  {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long number = 0;
    cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
    cudaError_t const code = cudaStreamGetCaptureInfo(stream, &status, &number, &graph);
#else
    cudaError_t const code = cudaStreamGetCaptureInfo_v2(stream, &status, &number, &graph);
#endif
    cuda_backend::check_cuda(code, "asking for the graph of a capture");
    key const place{number, stream};
    std::lock_guard const lock(alone_);
    if (auto const found = used_.find(place); found != used_.end()) return found->second->space;
    auto const free =
        std::ranges::find_if(free_, [&](std::unique_ptr<entry> const& each) { return each->device == device; });
    std::unique_ptr<entry> taken;
    if (free == free_.end()) {
      taken = std::make_unique<entry>();
      taken->device = device;
    } else {
      taken = std::move(*free);
      free_.erase(free);
    }
    taken->place = place;
    cudaUserObject_t keeper = nullptr;
    cuda_backend::check_cuda(cudaUserObjectCreate(&keeper, taken.get(), give_back, 1, cudaUserObjectNoDestructorSync),
                             "giving memory to a graph");
    entry& kept = *(used_[place] = std::move(taken));
    cuda_backend::check_cuda(cudaGraphRetainUserObject(graph, keeper, 1, cudaGraphUserObjectMove),
                             "giving memory to a graph");
    return kept.space;
  }

private:
  using key = std::pair<unsigned long long, CUstream_st*>;  // the number of a capture, and the stream
  struct entry {
    shared_workspace space;
    int device = 0;
    key place;
  };

  /// CUDA calls it, and allows no call of CUDA in it.
  static void CUDART_CB give_back(void* given)
  {
    graph_workspaces& self = all();
    std::lock_guard const lock(self.alone_);
    auto const found = self.used_.find(static_cast<entry*>(given)->place);
    self.free_.push_back(std::move(found->second));
    self.used_.erase(found);
  }

  std::mutex alone_;
  std::map<key, std::unique_ptr<entry>> used_;
  std::vector<std::unique_ptr<entry>> free_;
};

inline bool is_capturing(CUstream_st* stream)
{
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cuda_backend::check_cuda(cudaStreamIsCapturing(stream, &status), "asking a stream");
  return status != cudaStreamCaptureStatusNone;
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
  shared_workspace& shared =
      is_capturing(stream) ? graph_workspaces::all().of(gpu.device, stream) : workspace_of(gpu.device, stream);
  std::lock_guard const lock(shared.one_at_a_time);
  use(cuda(stream, shared.space));
}

/// Throws    not_supported if the stream of a call is being captured: the call waits for a value.
inline void check_may_wait(place_on_gpu const& gpu)
{
  current_device const device(gpu.device);
  if (is_capturing(static_cast<CUstream_st*>(gpu.stream)))
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
