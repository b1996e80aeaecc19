#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/cuda_execution.hpp"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/tuning.hpp"

/// The host's part of a call on a GPU, before and after the kernel. It is compiled into the library and needs no nvcc.
namespace tally::cuda_backend {

/// The properties of a device that decide how a kernel is launched.
struct device_facts {
  int processors;          ///< multiprocessors
  int compute_capability;  ///< 90 for 9.0
};

/// Makes the stream's device the current one for its lifetime, and prepares the workspace.
class prepared_call {
public:
  /// Profilers show `name` (an NVTX range). Throws cuda_error if the stream is not valid or the device has failed.
  prepared_call(execution const& on, char const* name);
  ~prepared_call();
  prepared_call(prepared_call const&) = delete;
  prepared_call& operator=(prepared_call const&) = delete;

  device_facts const& facts() const { return *facts_; }
  /// The number of multiprocessors that launches are planned for.
  int processors() const
  {
    int const requested = tuning_in_use().processors;
    return requested > 0 ? requested : facts_->processors;
  }
  int device() const { return device_; }
  CUstream_st* stream() const { return stream_; }
  execution::workspace::path path() const { return space_->path_; }
  int most_blocks() const { return space_->blocks_; }

  /// Throws usage_error unless `pointer` can be dereferenced on the device. `what` names the argument.
  void check_pointer(void const* pointer, char const* what) const;
  /// The bytes from `pointer` to the end of its allocation.
  std::size_t bytes_from(void const* pointer) const;

  /// Ensures that the workspace has room for `words` words.
  void reserve_words(std::size_t words);
  /// Whether the workspace may take more memory. It may not if its memory is the caller's.
  bool can_grow() const;
  /// Whether the stream is being captured.
  bool is_captured() const;
  control* shared() const { return static_cast<control*>(space_->memory_); }
  std::uint64_t* words() const
  {
    return reinterpret_cast<std::uint64_t*>(static_cast<char*>(space_->memory_) + execution::workspace::header_bytes);
  }
  std::size_t capacity() const { return (space_->bytes_ - execution::workspace::header_bytes) / sizeof(std::uint64_t); }

  /// The pool of memory for intermediate values.
  CUmemPoolHandle_st* pool() const;

  /// Host memory in which a kernel can leave a value of `bytes` bytes.
  void* host_result(std::size_t bytes);
  /// Waits for the work in the stream so far.
  void wait();
  /// The same in two parts: work that is queued in between is not waited for.
  void mark();
  void wait_for_mark();

private:
  CUstream_st* stream_;
  execution::workspace* space_;
  device_facts const* facts_;
  int device_ = 0;
  int previous_device_ = 0;
};

/// Device memory of the stream's pool, in the order of the stream.
void* backend_allocate(execution const& on, std::size_t bytes);
void backend_free(execution const& on, void* memory) noexcept;
/// Waits for the stream.
void copy_to_host(execution const& on, void* to, void const* from, std::size_t bytes);
template <class T>
T backend_value(execution const& on, T const* at)
{
  T value;
  copy_to_host(on, &value, at, sizeof(T));
  return value;
}
/// The same, where work() queues more work in the stream, which is not waited for.
void copy_to_host_at(prepared_call& call, void* to, void const* from, std::size_t bytes);
template <class T, class F>
T backend_value_ahead_of(execution const& on, T const* at, F const& work)
{
  prepared_call call(on, "tally::value_at");
  auto* const value = static_cast<T*>(call.host_result(sizeof(T)));
  copy_to_host_at(call, value, at, sizeof(T));
  call.mark();
  work();
  call.wait_for_mark();
  return *value;
}

}  // namespace tally::cuda_backend
