#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/detail/backends.hpp"
#include "tally/detail/contract.hpp"

/// Work on blocks of elements by teams with fast memory of their own. On a GPU a team is the threads of a block with
/// their shared memory; on a CPU it is one thread with its cache.
namespace tally {

/// Calls `work(team, own, begin, end)` for [0, block), [block, 2 * block), ... up to n, in any order. On a GPU all
/// threads of a team make the call together and divide its work; `own` is the team's memory, in shared memory.
///
///     struct count_zeros {
///       struct memory { std::uint32_t count; };
///       static constexpr int team_size = 256;
///       float const* values;
///       std::uint32_t* counts;  // one for each block of 4096
///
///       template <class Team>
///       TALLY_HD void operator()(Team team, memory& own, std::size_t begin, std::size_t end) const
///       {
///         if (team.rank() == 0) own.count = 0;
///         team.wait();
///         for (std::size_t k = begin + team.rank(); k < end; k += team.size())
///           if (values[k] == 0) team.add(own.count, 1u);
///         team.wait();
///         if (team.rank() == 0) counts[begin / 4096] = own.count;
///       }
///     };
///     for_each_block_by_team(on, n, 4096, count_zeros{values, counts});
///
/// The team has
///
///     size(), rank()      the number of threads, and the caller's index among them
///     rows(), row()       the number of rows (threads that run together), and the index of the caller's row
///     lanes(), lane()     the number of threads of a row, and the caller's index in its row
///     wait()              waits for all threads of the team; each then sees what the others wrote to the team's memory
///     wait_for_row()      the same for the row
///     from_lane(x, l)     the x of lane l; all threads of the row call it
///     vote(x)             the truth values x of the row: bit l is that of lane l; all threads of the row call it
///     add(to, x)          to += x, atomically, for integers of 4 or 8 bytes in the team's memory
///     join(to, bits)      to |= bits, atomically, for 4 bytes in the team's memory
///
/// Requires  block > 0. `Work::memory` has at most 48 KiB; its values are not initialised. `Work::team_size` is the
///           number of threads of a team on a GPU: a multiple of 32, at most 1024. Work is copied as bytes. No call
///           depends on another.
/// Cost      one call for each block. On a GPU a limited number of teams run at a time, each on one block after
///           another.
/// Blocks    until all calls are done; on a GPU it returns at once.
/// Throws    the first exception of `work`, and then some calls may not have been made; usage_error; cuda_error.
template <execution P, class Work>
void for_each_block_by_team(P const& on, std::size_t n, std::size_t block, Work const& work)
{
  static_assert(std::is_trivially_copyable_v<Work>, "tally: the work of teams is copied as bytes");
  static_assert(std::is_trivial_v<typename Work::memory> && sizeof(typename Work::memory) <= 48 * 1024,
                "tally: a team's memory holds trivial values, 48 KiB of them at most");
  static_assert(Work::team_size >= 32 && Work::team_size <= 1024 && Work::team_size % 32 == 0,
                "tally: a team has 32 to 1024 threads, a multiple of 32");
  using detail::backend_for_each_block_by_team;
  backend_for_each_block_by_team(on, n, block, work);
}
template <class Work>
void for_each_block_by_team(std::size_t n, std::size_t block, Work const& work)
{
  tally::for_each_block_by_team(detail::automatic{}, n, block, work);
}

}  // namespace tally
