#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/run_lengths/decoding.hpp"
#include "tally/detail/run_lengths/device.hpp"
#include "tally/detail/run_lengths/host.hpp"
#include "tally/detail/run_lengths/runs.hpp"
#include "tally/detail/selection/criteria.hpp"
#include "tally/scan.hpp"
#include "tally/temporary.hpp"

/// Run-length encoding: a sequence as its runs of equal elements, and back.
namespace tally {

/// Writes the first element of every run of equal elements to `values`, and the length of the run to `lengths`.
///
///     run_length_encode([on,] first, last, values, lengths [, same])
///
/// Requires  as `unique_copy`; lengths fit into the value type of `lengths`.
/// Result    the number of runs, 0 if there are no elements.
/// Cost      one pass, as `copy_if`.
/// Blocks    until all is written, on a GPU too: the number of runs is not known before.
/// Throws    as `copy_if`.
/// Source    Golomb, Run-length encodings (1966): the part before the codes.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Values, detail::iterator Lengths,
          class Same = detail::selection::equal_values>
std::size_t run_length_encode(P const& on, I first, S last, Values values, Lengths lengths, Same same = {})
{
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<Values> &&
                    std::random_access_iterator<Lengths>,
                "tally: run_length_encode reads and writes by index: give it iterators of arrays");
  detail::selection::check_equality<Same, std::iter_reference_t<I>>();
  return detail::run_lengths::encode(on, static_cast<std::size_t>(last - first), sizeof(std::iter_value_t<I>),
                                     detail::selection::by_change<I, Same>{first, std::move(same)},
                                     detail::run_lengths::run_output<I, Values, Lengths>{first, values, lengths});
}

TALLY_WITHOUT_EXECUTION(run_length_encode, "([on,] first, last, values, lengths [, same]), where `on` is an execution "
                                           "such as tally::cpu{}, and all but `same` are iterators");

/// Writes value r of [first, last) as often as `lengths[r]` says, one run behind the other.
///
///     run_length_decode([on,] first, last, lengths, out)
///
/// Requires  no length is negative; their sum, for which `out` has room, fits into 64 bits: `tally::reduce(lengths,
///           std::uint64_t{0})` gives it.
/// Result    the end of what was written. A length of 0 writes nothing.
/// Cost      two passes: one over the lengths, one over the output, which threads share evenly however long single runs
///           are. On a GPU a binary search for each element of the output.
/// Memory    8 bytes a run.
/// Blocks    until all is written; on a GPU until the sum of the lengths is known.
/// Throws    what the iterators throw, and then `out` is partly written; usage_error; std::bad_alloc; cuda_error.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Lengths, detail::iterator Out>
Out run_length_decode(P const& on, I first, S last, Lengths lengths, Out out)
{
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<Lengths> &&
                    std::random_access_iterator<Out>,
                "tally: run_length_decode reads and writes by index: give it iterators of arrays");
  static_assert(std::is_integral_v<std::iter_value_t<Lengths>>, "tally: lengths of runs are integers");
  auto const runs = static_cast<std::size_t>(last - first);
  if (runs == 0) return out;
  temporary<std::uint64_t, P> const ends(on, runs);
  tally::inclusive_scan<std::uint64_t>(on, lengths, lengths + static_cast<std::iter_difference_t<Lengths>>(runs),
                                       ends.data());
  auto const total = static_cast<std::size_t>(value_at(on, ends.data() + runs - 1));
  detail::run_lengths::decode(on, total, detail::run_lengths::decoding<I, Out>{first, ends.data(), runs, out});
  return out + static_cast<std::iter_difference_t<Out>>(total);
}

TALLY_WITHOUT_EXECUTION(
    run_length_decode,
    "([on,] first, last, lengths, out), where `on` is an execution such as tally::cpu{}, and all others are iterators");

}  // namespace tally
