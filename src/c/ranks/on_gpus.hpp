#pragma once

#include <cstddef>
#include <cstdint>

#include "src/c/along.hpp"
#include "src/c/gpu.hpp"
#include "src/c/operation.hpp"
#include "tally.h"

/// Calls on ranks whose parts lie in the memory of GPUs, by libtally_cuda.so.1. Its functions carry elements by NCCL,
/// and tell ranks of sizes and failures by the caller's transport. So a rank that fails before it gets there, or whose
/// array lies on the CPU, is heard of by those that are there.
namespace tally::c {

/// The GPU of a rank and its communicator, in libtally_cuda.so.1.
struct gpu_of_rank;

/// The outcome of a call: a message if it has failed.
struct outcome_on_gpus {
  char message[message_size] = {};
  std::int32_t failed_rank = -1;  ///< with TALLY_RANK_FAILED
  bool has_met = false;           ///< whether the ranks have met in the call, so that they know of a failure before
};

/// The arguments of reductions and scans of sequences. Each is a row: its elements lie side by side, and so do the
/// results of a scan. Of integers the type is one of 64 bits.
struct along_on_gpus {
  char const* name = nullptr;  ///< the call, as ranks compare it
  std::size_t op = 0;
  tally_type type{};
  std::size_t sequences = 0;
  sequences_call call;
  std::byte const* nothing = nullptr;  ///< the reduction of no elements
  bool begins_with_nothing = false;    ///< the first result of an exclusive scan is `nothing`
};

/// The arguments of calls on the segments that begin in a rank's part. `call.offsets` are places in the whole.
struct segments_on_gpus {
  char const* name = nullptr;
  std::size_t op = 0;
  tally_type type{};
  segments_call call;
};

/// The arguments of calls on the runs of equal keys that begin in a rank's part. `call` has no offsets, and one initial
/// value for all.
struct runs_on_gpus {
  segments_on_gpus values;
  std::byte const* keys = nullptr;  ///< of int64 or float64, side by side, and those of results too
  tally_type type_of_keys{};
  std::byte* keys_out = nullptr;  ///< null if they are not wanted
  std::size_t room = 0;           ///< of the outputs of a reduction
};

/// The arguments of recurrences of sequences.
struct recurrences_on_gpus {
  char const* name = nullptr;
  tally_type type{};
  std::size_t sequences = 0;
  recurrences_call call;
};

/// The functions of libtally_cuda.so.1 for ranks. Each returns a tally_status. Both libraries are of one version: the
/// struct may change with it.
struct gpu_functions_of_ranks {
  std::int32_t version;
  /// A call of all ranks.
  std::int32_t (*create)(tally_transport const& by, std::int32_t device, gpu_of_rank*& result,
                         outcome_on_gpus& outcome);
  void (*destroy)(gpu_of_rank* gpu);
  std::int32_t (*along)(gpu_of_rank& gpu, along_on_gpus const& call, outcome_on_gpus& outcome);
  std::int32_t (*segments)(gpu_of_rank& gpu, segments_on_gpus const& call, outcome_on_gpus& outcome);
  std::int32_t (*runs)(gpu_of_rank& gpu, runs_on_gpus const& call, std::size_t& found, outcome_on_gpus& outcome);
  std::int32_t (*recur)(gpu_of_rank& gpu, recurrences_on_gpus const& call, outcome_on_gpus& outcome);
};
/// The function of libtally_cuda.so.1 that gives them.
inline constexpr char const* name_of_gpu_functions_of_ranks = "tally_cuda_functions_of_ranks";

/// tally_ranks_use_gpu.
/// Throws    rank_error on every rank; error if the transport or NCCL fails.
void use_gpu(tally_ranks& all, std::int32_t device);
/// Gives back the GPU of a rank, if it has one.
void destroy_gpu_of_rank(gpu_of_rank* gpu);

/// Whether an argument lies in a GPU's memory.
inline bool lies_on_gpu(tally_array const* given)
{
  return given != nullptr && given->device.type == TALLY_CUDA;
}

/// tally_ranks_reduce and tally_ranks_scan of such arrays.
/// Throws    as run_along_on_ranks.
void run_along_on_gpus(call_kind kind, char const* function, tally_ranks& all, tally_array const* in, std::int32_t axis,
                       tally_array const* out, tally_operation const* op, tally_options const* options);
/// tally_ranks_linear_recurrence of such arrays.
void run_recurrence_on_gpus(char const* function, tally_ranks& all, tally_array const* a, tally_array const* b,
                            std::int32_t axis, tally_array const* out, tally_options const* options);
/// tally_ranks_reduce_segments and tally_ranks_scan_segments of such arrays.
void run_segments_on_gpus(call_kind kind, char const* function, tally_ranks& all, tally_array const* values,
                          tally_array const* offsets, tally_array const* out, tally_operation const* op,
                          tally_options const* options);
/// tally_ranks_reduce_by_key and, without `keys_out` and `runs`, tally_ranks_scan_by_key of such arrays.
void run_by_key_on_gpus(call_kind kind, char const* function, tally_ranks& all, tally_array const* keys,
                        tally_array const* values, tally_array const* keys_out, tally_array const* out,
                        std::int64_t* runs, tally_operation const* op, tally_options const* options);

}  // namespace tally::c
