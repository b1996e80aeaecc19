#pragma once

#include <cstddef>
#include <span>

#include "tally/cuda.hpp"
#include "tally/detail/nccl/gpu.hpp"
#include "tally/detail/nccl/histogram.hpp"
#include "tally/detail/nccl/recurrences.hpp"
#include "tally/detail/nccl/refused.hpp"
#include "tally/detail/nccl/segments.hpp"
#include "tally/detail/nccl/segments_between.hpp"
#include "tally/rank_error.hpp"
#include "tally/ranks.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

namespace tally {

/// Runs a call on the GPUs of an NCCL communicator, with the bits of one machine.
///
///     tally::cuda::workspace space;
///     tally::nccl const gpus{communicator, stream, space};
///     tally::inclusive_scan(gpus, part, part + n, out);           // each rank has a part of one sequence
///     float const sum = tally::reduce(gpus, part, part + n);      // the same value on every rank
///     tally::reduce_into(gpus, part, part + n, sum_on_device);
///
/// The sequence is the parts of all ranks one after the other, in the order of ranks. Parts have any length, none too,
/// and lie in the memory of each rank's GPU. `reduce`, `transform_reduce`, the scans and all calls of ranks.hpp take
/// it: `reduce_into`, `histogram`, sequences along an axis, recurrences, and segments by key, by flag and between
/// offsets but for recurrences of these. A scan writes the results of the rank's own part, in place too. Calls are
/// compiled by nvcc.
///
/// Requires  all ranks make the same call, with the same operator and transformation: the same function and types, of
///           those that calls on tally::cuda take. The initial value is that of rank 0. All arrays lie in device
///           memory, those of `each` and `last_to` too. The communicator, the stream and the workspace outlive the
///           execution and the work of its calls; nothing else uses the communicator at the same time.
/// Result    the bits that one machine gives for the whole sequence, for every number of ranks and every division
///           (docs/order.md).
/// Cost      a part is read once by a reduction and twice by a scan. docs/distributed.md has messages and bytes as
///           formulas.
/// Memory    on the device 4 bytes for each tile of floats of a part, 8 for each MiB of the whole, and three tiles; for
///           several sequences as much for each.
/// Blocks    a call begins with a round in which all ranks tell the sizes of their parts and which call they make: it
///           waits for the stream and for the other ranks. With the sizes of all parts in the execution nothing waits,
///           and calls run in the order of the stream. `reduce` and `transform_reduce` wait for their value as well,
///           and calls on segments, recurrences of floating-point states and `on_each_rank` always meet.
/// Throws    rank_error on every rank, if one of them refuses its arguments, has no memory or makes another call than
///           the rest; without a round usage_error, cuda_error on that rank alone, and other calls are not noticed.
///           nccl_error if NCCL fails, on the ranks to which NCCL reports it.
class nccl : public nccl_backend::execution<nccl_backend::gpu<nccl_backend::transport>> {
public:
  /// Calls run in the devices' memory, in the order of a stream.
  static constexpr bool runs_on_device = true;

  /// Ranks that tell each other the sizes of their parts in each call.
  nccl(ncclComm* communicator, CUstream_st* stream, cuda::workspace& space) : nccl(communicator, stream, space, {}) {}
  /// Ranks that know the sizes of all parts, in the order of ranks: those of every call. All ranks give the same.
  nccl(ncclComm* communicator, CUstream_st* stream, cuda::workspace& space, std::span<std::size_t const> parts)
      : execution(made_by(communicator, cuda(stream, space)), machine(cuda(stream, space)), parts)
  {
  }

private:
  static nccl_backend::transport made_by(ncclComm* communicator, cuda const& on)
  {
    cuda_backend::prepared_call const call(on, "tally::nccl");  // chooses the stream's device
    return {communicator, on.stream()};
  }
};

template <>
inline constexpr bool is_execution<nccl> = true;

}  // namespace tally
