#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "tally/detail/execution.hpp"
#include "tally/error.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/order.hpp"

struct CUmemPoolHandle_st;  // and a cudaMemPool_t
struct CUstream_st;  // what a cudaStream_t points to; the toolkit's headers are not needed to call compiled operators

namespace tally {

/// A CUDA call failed, or a kernel before it. The error of a kernel is permanent: nothing works on that device any
/// more.
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
/// Iterators are dereferenced on the device, so pointers are to device or managed memory. A call is one kernel. It
/// allocates nothing if the workspace is large enough. It can be captured into a CUDA graph, which then refers to the
/// workspace's memory. Only `reduce` and `transform_reduce` wait, for their value.
///
/// Operators and transformations may be called more often than the contract says: a transformation twice for an
/// element, and an operator on values that no result depends on. Elements must convert to the accumulator's type, which
/// must be trivially copyable: the CPU's path for elements that do not convert has no counterpart here.
///
/// Throws    usage_error: a pointer to ordinary host memory, a workspace of another device, or one that is too small
///           and cannot grow; cuda_error: whatever CUDA reports, a stream that it refuses included. The use of a
///           destroyed stream is undefined, as everywhere in CUDA, which dereferences the handle.
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

/// Device memory in which the blocks of a call exchange the totals of their tiles. Calls on one stream share a
/// workspace; calls that run at the same time need one each.
///
/// Size     `bytes_for<T>(n)`: 8 bytes for each 32 KiB of floats (16 for doubles), and 16.1 KiB more. A call whose
///          elements come from a function, or whose results go to one, takes a few times as much if the workspace can
///          grow. So does a call on segments, for all that lies behind their values in the same allocation.
/// Pool     the intermediate values of algorithms (tally::temporary) come from a pool of the workspace's own, which
///          keeps its memory until the workspace is destroyed. The device's default pool would return the memory to the
///          system at each wait for the stream, and 2^28 bytes took 0.1 ms to come back.
/// Growth   a call that needs more frees the old memory and allocates new. That waits for the stream, which `reserve`
///          does beforehand. While the stream is being captured, new memory is allocated and cleared beside the graph.
///          Memory that a graph may use is kept until the workspace is destroyed.
/// Threads  one call at a time.
class execution::workspace {
public:
  /// Takes device memory from CUDA when a call needs it.
  workspace() = default;
  /// Takes device memory from `memory`, which must be a resource of the device that calls run on.
  explicit workspace(std::pmr::memory_resource& memory) : resource_(&memory) {}
  /// Uses `bytes` bytes of device memory at `memory`, aligned to 128, and never more.
  workspace(void* memory, std::size_t bytes) : memory_(memory), bytes_(bytes), borrowed_(true) {}
  ~workspace();
  workspace(workspace&& other) noexcept;
  workspace& operator=(workspace&& other) noexcept;

  std::size_t bytes() const { return bytes_; }

  /// Ensures that there are `bytes` bytes, on the device of `stream`. May wait for the stream.
  void reserve(std::size_t bytes, CUstream_st* stream);

  /// The bytes that a call on n elements needs; T is the accumulator's type.
  template <class T>
  static std::size_t bytes_for(std::size_t n)
  {
    std::size_t const tiles = n / order::tile<T> + 1;
    return header_bytes + tiles * ((sizeof(working_type<T>) + 3) / 4) * sizeof(std::uint64_t);
  }

  /// The bytes with which a call on a batch of sequences of n elements each never has to grow. Columns and segments
  /// take more where the workspace can grow, and are quicker for it.
  template <class T>
  static std::size_t bytes_for(std::size_t n, std::size_t sequences)
  {
    std::size_t const tiles = n / order::tile<T> + 1;
    return header_bytes + sequences * (tiles * ((sizeof(working_type<T>) + 3) / 4) + 1) * sizeof(std::uint64_t);
  }

  static constexpr std::size_t alignment = 128;
  static constexpr std::size_t header_bytes = alignment + 16 * 1024;

  /// For tests: which kernels calls use. The bits do not depend on it.
  enum class path {
    automatic,
    registers,  ///< tiles in registers, drawn by their blocks
    ring,
    own_tiles,  ///< one tile for each block
    backwards,  ///< the same in reverse: the first block takes the last tile, so every block waits for later blocks
  };
  void prefer(path which, int blocks = 0)
  {
    path_ = which;
    blocks_ = blocks;
  }

private:
  friend class prepared_call;
  void allocate(std::size_t bytes);
  void free(void* memory, std::size_t bytes);
  void give_back();
  void release();

  std::pmr::memory_resource* resource_ = nullptr;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  int device_ = -1;
  bool borrowed_ = false;
  bool zeroed_ = false;
  bool in_graph_ = false;                            // the memory was used by a call that was captured
  std::vector<std::pair<void*, std::size_t>> kept_;  // such memory from before it grew
  void* host_result_ = nullptr;                      // pinned; where kernels leave values that the host waits for
  std::size_t host_result_bytes_ = 0;
  void* done_ = nullptr;                // a cudaEvent_t
  CUmemPoolHandle_st* pool_ = nullptr;  // of intermediate values (tally::temporary), which it keeps for the next call
  int pool_device_ = -1;
  path path_ = path::automatic;
  int blocks_ = 0;  // the most blocks of a launch; 0 for no limit
};

}  // namespace cuda_backend

using cuda = cuda_backend::execution;

template <>
inline constexpr bool is_execution<cuda> = true;

}  // namespace tally
