#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "tally/algorithms/by_key.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/segments/segmented.hpp"

/// Reductions and scans of segments that offsets give, as the rows of a sparse matrix: segment s is [offsets[s],
/// offsets[s+1]), and may be empty.
namespace tally {

namespace detail {

template <class T, class Values, class Offsets, class Out, class Op>
struct reduce_between {
  Values values;
  Offsets offsets;
  Out out;
  maybe<T> init;
  Op op;

  TALLY_HD std::size_t offset(std::size_t s) const
  {
    return static_cast<std::size_t>(offsets[static_cast<std::iter_difference_t<Offsets>>(s)]);
  }
  TALLY_HD void operator()(std::size_t s) const
  {
    store(out, s, reduce_on_thread<T>(values, offset(s), offset(s + 1), init, op).value);
  }
};
template <direction Shift, class T, class Values, class Offsets, class Out, class Op>
struct scan_between {
  Values values;
  Offsets offsets;
  Out out;
  maybe<T> init;
  Op op;

  TALLY_HD void operator()(std::size_t s) const
  {
    using distance = std::iter_difference_t<Offsets>;
    scan_on_thread<Shift, T>(values, static_cast<std::size_t>(offsets[static_cast<distance>(s)]),
                             static_cast<std::size_t>(offsets[static_cast<distance>(s) + 1]), out, init, op);
  }
};

/// How many segments lie between so many offsets: one less, and none if there are none.
template <class Offsets, class S>
std::size_t segments_between(Offsets const& offsets, S const& last)
{
  static_assert(std::is_integral_v<std::iter_value_t<Offsets>>, "tally: offsets are integers");
  auto const count = static_cast<std::size_t>(last - offsets);
  return count == 0 ? 0 : count - 1;
}

/// `nothing` is the result of an empty segment.
template <class T, class P, class Values, class Offsets, class Out, class Op>
void reduce_offsets(P const& on, Values values, Offsets offsets, std::size_t segments, Out out, T const& nothing,
                    std::optional<T> const& init, Op op)
{
  if constexpr (host<P>) {
    work_between_offsets(on, offsets, segments,
                         [&](auto const& where, std::size_t s, std::size_t begin, std::size_t end) {
                           store(out, s, begin == end ? nothing : reduce_alone<T>(where, values, begin, end, init, op));
                         });
  } else {
    maybe<T> const start{nothing, init.has_value()};
    tally::for_each_index(on, segments, reduce_between<T, Values, Offsets, Out, Op>{values, offsets, out, start, op});
  }
}

template <direction Shift, class T, class P, class Values, class Offsets, class Out, class Op>
void scan_offsets(P const& on, Values values, Offsets offsets, std::size_t segments, Out out,
                  std::optional<T> const& init, Op op)
{
  if constexpr (host<P>) {
    work_between_offsets(on, offsets, segments,
                         [&](auto const& where, std::size_t, std::size_t begin, std::size_t end) {
                           scan_alone<Shift, T>(where, values, begin, end, out, init, op);
                         });
  } else {
    maybe<T> const start = init ? maybe<T>{*init, true} : maybe<T>{};
    tally::for_each_index(on, segments,
                          scan_between<Shift, T, Values, Offsets, Out, Op>{values, offsets, out, start, op});
  }
}

}  // namespace detail

/// Writes `out[s] = init + values[offsets[s]] + ... + values[offsets[s+1] - 1]` for each segment s, where `a + b` is
/// `op(a, b)`.
///
///     reduce_by_offset([on,] values, offsets, offsets_last, out [, init [, op]])
///
/// Requires  offsets do not decrease; there is one more than segments. Otherwise as `reduce_by_key`.
/// Result    the end of what was written: a result for each segment; of an empty one `init`, or 0 without. Each has the bits of
///           `tally::reduce` of its segment alone.
/// Cost      one pass; threads share elements and segments evenly, and long segments (of more than 2^18) are done by
///           all threads, one after another. On a GPU a thread combines a segment: many short ones are quick, few long
///           ones are not.
/// Blocks    until all is written; on a GPU returns at once.
/// Throws    as `reduce_by_key`.
template <class Acc = void, execution P, detail::iterator Values, detail::iterator Offsets, detail::end_of<Offsets> S,
          detail::iterator Out, class T, class Op = plus>
Out reduce_by_offset(P const& on, Values values, Offsets offsets, S offsets_last, Out out, T init, Op op = {})
{
  using value = detail::accumulator<Acc, T>;
  detail::check_groups<Acc, value, Values, Op, Offsets, Out>();
  std::size_t const segments = detail::segments_between(offsets, offsets_last);
  auto const start = detail::initial<value>(std::move(init));
  detail::reduce_offsets<value>(on, values, offsets, segments, out, *start, start,
                                detail::canonical_operator<value>(std::move(op)));
  return out + static_cast<std::iter_difference_t<Out>>(segments);
}

template <class Acc = void, execution P, detail::iterator Values, detail::iterator Offsets, detail::end_of<Offsets> S,
          detail::iterator Out>
Out reduce_by_offset(P const& on, Values values, Offsets offsets, S offsets_last, Out out)
{
  using value = detail::accumulator<Acc, std::iter_value_t<Values>>;
  detail::check_groups<Acc, value, Values, plus, Offsets, Out>();
  std::size_t const segments = detail::segments_between(offsets, offsets_last);
  detail::reduce_offsets<value>(on, values, offsets, segments, out, reduction_of_nothing<value>(plus{}),
                                std::optional<value>(), plus{});
  return out + static_cast<std::iter_difference_t<Out>>(segments);
}

TALLY_WITHOUT_EXECUTION(reduce_by_offset,
                        "([on,] values, offsets, offsets_last, out [, init [, op]]), where `on` is an execution such "
                        "as tally::cpu{}, and values, offsets and out are iterators",
                        Acc);

/// Within each segment writes the running results of its values, to the places in `out` at which they stand in
/// `values`.
///
///     inclusive_scan_by_offset([on,] values, offsets, offsets_last, out [, op])
///     exclusive_scan_by_offset([on,] values, offsets, offsets_last, out, init [, op])
///
/// Requires  as `reduce_by_offset`; `out` may be `values` (in place). Places that lie in no segment are left as they
///           are.
/// Result    each segment has the bits of a scan of it alone.
template <class Acc = void, execution P, detail::iterator Values, detail::iterator Offsets, detail::end_of<Offsets> S,
          detail::iterator Out, class Op = plus>
void inclusive_scan_by_offset(P const& on, Values values, Offsets offsets, S offsets_last, Out out, Op op = {})
{
  using value = detail::accumulator<Acc, std::iter_value_t<Values>>;
  detail::check_groups<Acc, value, Values, Op, Offsets, Out>();
  detail::scan_offsets<detail::direction::inclusive, value>(
      on, values, offsets, detail::segments_between(offsets, offsets_last), out, std::nullopt,
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
  detail::check_groups<Acc, value, Values, Op, Offsets, Out>();
  detail::scan_offsets<detail::direction::exclusive, value>(
      on, values, offsets, detail::segments_between(offsets, offsets_last), out,
      detail::initial<value>(std::move(init)), detail::canonical_operator<value>(std::move(op)));
}

TALLY_WITHOUT_EXECUTION(exclusive_scan_by_offset,
                        "([on,] values, offsets, offsets_last, out, init [, op]), where `on` is an execution such as "
                        "tally::cpu{}, and values, offsets and out are iterators",
                        Acc);

}  // namespace tally
