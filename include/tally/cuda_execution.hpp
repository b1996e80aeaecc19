#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>

#include "tally/detail/execution.hpp"
#include "tally/error.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/order.hpp"

struct CUmemPoolHandle_st;  // and a cudaMemPool_t
struct CUstream_st;  // what a cudaStream_t points to; the toolkit's headers are not needed to call compiled operators

namespace tally {

/// A call of CUDA that failed, or a kernel before it (such an error stays: nothing works on that device any more).
class cuda_error : public error {
public:
  cuda_error(int code, std::string const& what) : error(what), code_(code) {}
  int code() const { return code_; }  ///< a cudaError_t

private:
  int code_;
};

namespace cuda_backend {

class prepared_call;

/// Runs a call on the GPU of `stream`, in the order of that stream.
///
///     tally::cuda::workspace space;                               // one a stream
///     tally::inclusive_scan(tally::cuda{stream, space}, in, out); // returns at once
///
/// Iterators are dereferenced on the device: pointers are to device or managed memory. A call is one kernel; it
/// allocates nothing if the workspace is large enough, and can be captured into a CUDA graph, which then holds on to
/// the workspace's memory. Only `reduce` and `transform_reduce` wait, for their value.
///
/// Operators and transformations may be called more often than the contract says: a transformation twice for an
/// element, and an operator for values of which nothing depends. On the CPU's path for values that do not convert there
/// is no counterpart: elements convert to the accumulator's type, which is trivially copyable.
///
/// Throws    usage_error: a pointer to ordinary host memory, a workspace of another device, or one that cannot grow and
///           is too small; cuda_error: whatever CUDA reports. A stream that CUDA refuses is reported as cuda_error; a
///           handle that has been destroyed is undefined, as everywhere in CUDA, which dereferences it.
class execution {
public:
  class workspace;

  /// Calls run in the device's memory, in the order of a stream.
  static constexpr bool runs_on_device = true;

  /// `stream` and `space` outlive the work of the calls.
  execution(CUstream_st* stream, workspace& space) : stream_(stream), space_(&space) {}

  CUstream_st* stream() const { return stream_; }
  workspace& space() const { return *space_; }

private:
  CUstream_st* stream_;
  workspace* space_;
};

/// Device memory in which the blocks of a call tell each other the totals of their tiles. Calls on one stream share
/// one; calls that run at the same time need one each.
///
/// Size     `bytes_for<T>(n)`: 8 bytes for each 32 KiB of floats (16 for doubles), 128 more. A call whose elements come
///          from a function, or whose results go to one, takes some times that where it may.
/// Pool     what algorithms keep intermediate values in (tally::temporary) comes from a pool of the workspace's own,
///          which gives memory back with it: at each wait for the stream the device's own pool would give it to the
///          system, and 2^28 bytes took 0.1 ms to come back.
/// Growth   a call that needs more gives back the old memory and takes new: that waits for the stream, and cannot
///          happen while the stream is being captured. `reserve` does it beforehand.
/// Threads  one call at a time.
class execution::workspace {
public:
  /// Takes device memory from CUDA when a call needs it.
  workspace() = default;
  /// Takes it from `memory`, which gives memory of the device that calls run on.
  explicit workspace(std::pmr::memory_resource& memory) : resource_(&memory) {}
  /// Uses `bytes` bytes of device memory at `memory`, aligned to 128, and never more.
  workspace(void* memory, std::size_t bytes) : memory_(memory), bytes_(bytes), borrowed_(true) {}
  ~workspace();
  workspace(workspace&& other) noexcept;
  workspace& operator=(workspace&& other) noexcept;

  std::size_t bytes() const { return bytes_; }

  /// Makes sure of `bytes` bytes, on the device of `stream`. May wait for the stream.
  void reserve(std::size_t bytes, CUstream_st* stream);

  /// What a call on n elements needs, T being the accumulator's type.
  template <class T>
  static std::size_t bytes_for(std::size_t n)
  {
    std::size_t const tiles = n / order::tile<T> + 1;
    return header_bytes + tiles * ((sizeof(working_type<T>) + 3) / 4) * sizeof(std::uint64_t);
  }

  static constexpr std::size_t header_bytes = 128;

  /// For tests: which kernels calls use. The bits do not depend on it.
  enum class path {
    automatic,
    registers,  ///< tiles in registers, drawn by their blocks
    ring,
    own_tiles,  ///< a tile a block
    backwards,  ///< the same from the last tile on, so that every block waits for blocks that come after
  };
  void prefer(path which, int blocks = 0)
  {
    path_ = which;
    blocks_ = blocks;
  }

private:
  friend class prepared_call;
  void give_back();
  void release();

  std::pmr::memory_resource* resource_ = nullptr;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  int device_ = -1;
  bool borrowed_ = false;
  bool zeroed_ = false;
  void* host_result_ = nullptr;  // pinned; where kernels leave values that the host waits for
  std::size_t host_result_bytes_ = 0;
  void* done_ = nullptr;                // a cudaEvent_t
  CUmemPoolHandle_st* pool_ = nullptr;  // of intermediate values (tally::temporary), which it keeps for the next call
  int pool_device_ = -1;
  path path_ = path::automatic;
  int blocks_ = 0;  // at most so many, if not 0
};

}  // namespace cuda_backend

using cuda = cuda_backend::execution;

template <>
inline constexpr bool is_execution<cuda> = true;

}  // namespace tally
