#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/segments/segments.hpp"

/// Reductions and scans of segments between offsets, such as the rows of a sparse matrix: segment s is [offsets[s],
/// offsets[s+1]), and may be empty.
namespace tally {

/// Writes `out[s] = init + values[offsets[s]] + ... + values[offsets[s+1] - 1]` for each segment s, where `a + b` is
/// `op(a, b)`.
///
///     reduce_by_offset([on,] values, offsets, offsets_last, out [, init [, op]])
///
/// Requires  offsets do not decrease; there is one more than segments. Otherwise as `reduce_by_key`.
/// Result    the end of what was written: a result for each segment, which has the bits of `tally::reduce` of that
///           segment alone. The result of an empty segment is `init`, or 0 without one.
/// Cost      one pass. Threads share elements and segments evenly; all threads share each long segment (of more than
///           2^18), one after another. On a GPU one thread combines each segment: many short ones are quick, few long
///           ones are not.
/// Blocks    until all is written; on a GPU returns at once.
/// Throws    as `reduce_by_key`.
template <class Acc = void, execution P, detail::iterator Values, detail::iterator Offsets, detail::end_of<Offsets> S,
          detail::iterator Out, class T, class Op = plus>
Out reduce_by_offset(P const& on, Values values, Offsets offsets, S offsets_last, Out out, T init, Op op = {})
{
  using value = detail::accumulator<Acc, T>;
  detail::segments::check_call<Acc, value, Values, Op, Offsets, Out>();
  std::size_t const segments = detail::segments::count_between(offsets, offsets_last);
  auto const start = detail::initial<value>(std::move(init));
  detail::segments::reduce_between<value>(on, values, offsets, segments, out, *start, start,
                                          detail::canonical_operator<value>(std::move(op)));
  return out + static_cast<std::iter_difference_t<Out>>(segments);
}

template <class Acc = void, execution P, detail::iterator Values, detail::iterator Offsets, detail::end_of<Offsets> S,
          detail::iterator Out>
Out reduce_by_offset(P const& on, Values values, Offsets offsets, S offsets_last, Out out)
{
  using value = detail::accumulator<Acc, std::iter_value_t<Values>>;
  detail::segments::check_call<Acc, value, Values, plus, Offsets, Out>();
  std::size_t const segments = detail::segments::count_between(offsets, offsets_last);
  detail::segments::reduce_between<value>(on, values, offsets, segments, out, reduction_of_nothing<value>(plus{}),
                                          std::optional<value>(), plus{});
  return out + static_cast<std::iter_difference_t<Out>>(segments);
}

TALLY_WITHOUT_EXECUTION(reduce_by_offset,
                        "([on,] values, offsets, offsets_last, out [, init [, op]]), where `on` is an execution such "
                        "as tally::cpu{}, and values, offsets and out are iterators",
                        Acc);

/// Within each segment writes the running results of its values, to the places in `out` that the values have in
/// `values`.
///
///     inclusive_scan_by_offset([on,] values, offsets, offsets_last, out [, op])
///     exclusive_scan_by_offset([on,] values, offsets, offsets_last, out, init [, op])
///
/// Requires  as `reduce_by_offset`; `out` may be `values` (in place). Places outside all segments are not
///           written.
/// Result    each segment has the bits of a scan of it alone.
template <class Acc = void, execution P, detail::iterator Values, detail::iterator Offsets, detail::end_of<Offsets> S,
          detail::iterator Out, class Op = plus>
void inclusive_scan_by_offset(P const& on, Values values, Offsets offsets, S offsets_last, Out out, Op op = {})
{
  using value = detail::accumulator<Acc, std::iter_value_t<Values>>;
  detail::segments::check_call<Acc, value, Values, Op, Offsets, Out>();
  detail::segments::scan_between<detail::direction::inclusive, value>(
      on, values, offsets, detail::segments::count_between(offsets, offsets_last), out, std::nullopt,
      detail::canonical_operator<value>(std::move(op)));
}

TALLY_WITHOUT_EXECUTION(inclusive_scan_by_offset,
                        "([on,] values, offsets, offsets_last, out [, op]), where `on` is an execution such as "
                        "tally::cpu{}, and values, offsets and out are iterators",
                        Acc);

template <class Acc = void, execution P, detail::iterator Values, detail::iterator Offsets, detail::end_of<Offsets> S,
          detail::iterator Out, class T, class Op = plus>
void exclusive_scan_by_offset(P const& on, Values values, Offsets offsets, S offsets_last, Out out, T init, Op op = {})
{
  using value = detail::accumulator<Acc, T>;
  detail::segments::check_call<Acc, value, Values, Op, Offsets, Out>();
  detail::segments::scan_between<detail::direction::exclusive, value>(
      on, values, offsets, detail::segments::count_between(offsets, offsets_last), out,
      detail::initial<value>(std::move(init)), detail::canonical_operator<value>(std::move(op)));
}

TALLY_WITHOUT_EXECUTION(exclusive_scan_by_offset,
                        "([on,] values, offsets, offsets_last, out, init [, op]), where `on` is an execution such as "
                        "tally::cpu{}, and values, offsets and out are iterators",
                        Acc);

}  // namespace tally
