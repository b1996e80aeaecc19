#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "tally/batches.hpp"
#include "tally/detail/contract.hpp"

/// The calls on segments (batches.hpp) in the manner of calls by key: `reduce_by_offset(values, offsets, offsets_last,
/// out)` is `reduce(segments(values, offsets, offsets_last), out)`.
namespace tally {

namespace detail {

/// Iterators do not tell the size of a rank's part.
template <class P>
constexpr void check_not_on_ranks()
{
  static_assert(
      !requires(P const& on) { on.ranks(); },
      "tally: ranks take segments(part, offsets) in reduce and the scans, where the part is a range: calls by "
      "offset are for one machine");
}

}  // namespace detail

/// Writes `out[s] = init + values[offsets[s]] + ... + values[offsets[s+1] - 1]` for each segment s.
///
///     reduce_by_offset([on,] values, offsets, offsets_last, out [, init [, op]])
///
/// Result    the end of what was written. Otherwise as `reduce` of `segments`.
template <class Acc = void, execution P, detail::iterator Values, detail::iterator Offsets, detail::end_of<Offsets> S,
          detail::iterator Out, class... InitOp>
Out reduce_by_offset(P const& on, Values values, Offsets offsets, S offsets_last, Out out, InitOp... init_op)
{
  detail::check_not_on_ranks<P>();
  auto const batch = tally::segments(values, offsets, offsets_last);
  tally::reduce<Acc>(on, batch, out, std::move(init_op)...);
  return out + static_cast<std::iter_difference_t<Out>>(batch.count);
}

TALLY_WITHOUT_EXECUTION(reduce_by_offset,
                        "([on,] values, offsets, offsets_last, out [, init [, op]]), where `on` is an execution such "
                        "as tally::cpu{}, and values, offsets and out are iterators",
                        Acc);

/// Within each segment writes the running results of its values, to the places in `out` that the values have in
/// `values`.
///
///     inclusive_scan_by_offset([on,] values, offsets, offsets_last, out [, op [, init]])
///     exclusive_scan_by_offset([on,] values, offsets, offsets_last, out, init [, op])
///
/// As the scans of `segments`.
template <class Acc = void, execution P, detail::iterator Values, detail::iterator Offsets, detail::end_of<Offsets> S,
          detail::iterator Out, class... OpInit>
void inclusive_scan_by_offset(P const& on, Values values, Offsets offsets, S offsets_last, Out out, OpInit... op_init)
{
  detail::check_not_on_ranks<P>();
  tally::inclusive_scan<Acc>(on, tally::segments(values, offsets, offsets_last), out, std::move(op_init)...);
}

TALLY_WITHOUT_EXECUTION(inclusive_scan_by_offset,
                        "([on,] values, offsets, offsets_last, out [, op [, init]]), where `on` is an execution such "
                        "as tally::cpu{}, and values, offsets and out are iterators",
                        Acc);

template <class Acc = void, execution P, detail::iterator Values, detail::iterator Offsets, detail::end_of<Offsets> S,
          detail::iterator Out, class T, class... Op>
void exclusive_scan_by_offset(P const& on, Values values, Offsets offsets, S offsets_last, Out out, T init, Op... op)
{
  detail::check_not_on_ranks<P>();
  tally::exclusive_scan<Acc>(on, tally::segments(values, offsets, offsets_last), out, std::move(init),
                             std::move(op)...);
}

TALLY_WITHOUT_EXECUTION(exclusive_scan_by_offset,
                        "([on,] values, offsets, offsets_last, out, init [, op]), where `on` is an execution such as "
                        "tally::cpu{}, and values, offsets and out are iterators",
                        Acc);

}  // namespace tally
