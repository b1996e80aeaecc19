#pragma once

#include <optional>

#include "tally/detail/mpi/transport.hpp"
#include "tally/detail/ranks/refused.hpp"
#include "tally/execution.hpp"
#include "tally/rank_error.hpp"
#include "tally/ranks.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

namespace tally {

/// Runs a call on all ranks of an MPI communicator, with the bits of one machine.
///
///     tally::mpi const ranks{MPI_COMM_WORLD, tally::cpu{}};
///     tally::inclusive_scan(ranks, part, out);          // each rank has a part of one sequence
///     double const sum = tally::reduce(ranks, part);    // the same value on every rank
///
/// The sequence is the parts of all ranks one after the other, in the order of ranks. Parts have any length, none too.
/// `reduce`, `transform_reduce` and the scans take it; a scan writes the results of the rank's own part. So do
/// `reduce_into`, whose value goes to some ranks only, and `histogram` (ranks.hpp).
///
/// Requires  all ranks make the same call, with the same operator and transformation: the same function, types and kind
///           of arguments. The accumulator's type is trivially copyable, and elements convert to it. The initial value
///           is that of rank 0. All ranks have machines of one kind. One thread of a rank calls at a time, one that may
///           call MPI (MPI_THREAD_FUNNELED suffices).
/// Result    the bits that one machine gives for the whole sequence, for every number of ranks and every division
///           (docs/order.md).
/// Cost      a part is read once by a reduction and twice by a scan. One round of messages for operators that are
///           exactly associative, two or three for others; docs/distributed.md has messages and bytes as formulas.
///           Elements that can be read only once are kept.
/// Memory    two tiles of the order (64 KiB), and the totals of all ranks: 8 bytes for each MiB of floats.
/// Blocks    until this rank's results are there, and the call cannot fail on another rank any more.
/// Throws    rank_error on every rank, if one of them throws or makes another call than the rest; mpi_error if MPI
///           fails, on the ranks to which MPI reports it.
class mpi : public ranks_backend::execution<mpi_backend::transport> {
public:
  /// Ranks on which operators of the caller's stay on the calling thread, as in calls without an execution.
  ///
  /// A collective call, as MPI_Comm_dup is, and so is the destruction of the last copy. That comes before MPI_Finalize.
  /// Throws    usage_error: MPI is not initialised, or the communicator is none, or one between two groups.
  explicit mpi(MPI_Comm ranks) : execution(mpi_backend::transport(ranks), std::nullopt) {}
  /// Each rank uses the threads of `on`, and its own processors: mpirun's options bind them.
  mpi(MPI_Comm ranks, cpu on) : execution(mpi_backend::transport(ranks), on) {}
};

template <>
inline constexpr bool is_execution<mpi> = true;

}  // namespace tally
