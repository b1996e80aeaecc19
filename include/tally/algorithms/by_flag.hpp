#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/segments/segments.hpp"

/// Reductions and scans of segments that flags separate: a segment begins at element 0 and wherever a flag is set.
namespace tally {

/// As the calls by key (by_key.hpp), but `flags[k]` says whether element k begins a segment. The first flag is not
/// read.
///
///     reduce_by_flag([on,] first, last, flags, out [, op])
///     inclusive_scan_by_flag([on,] first, last, flags, out [, op])
///     exclusive_scan_by_flag([on,] first, last, flags, out, init [, op])
///
/// Result    `reduce_by_flag`: the number of segments; the scans: the end of what was written.
template <class Acc = void, execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Flags,
          detail::iterator Out, class Op = plus>
std::size_t reduce_by_flag(P const& on, I first, S last, Flags flags, Out out, Op op = {})
{
  using value = detail::accumulator<Acc, std::iter_value_t<I>>;
  detail::segments::check_call<Acc, value, I, Op, Flags, Out>();
  return detail::segments::reduce<value>(
      on, static_cast<std::size_t>(last - first), sizeof(std::iter_value_t<Flags>) + sizeof(value),
      detail::selection::by_flag<Flags>{flags}, first, out, detail::segments::keep_nothing{},
      detail::canonical_operator<value>(std::move(op)));
}

TALLY_WITHOUT_EXECUTION(reduce_by_flag,
                        "([on,] first, last, flags, out [, op]), where `on` is an execution such as tally::cpu{}, and "
                        "first, last, flags and out are iterators",
                        Acc);

template <class Acc = void, execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Flags,
          detail::iterator Out, class Op = plus>
Out inclusive_scan_by_flag(P const& on, I first, S last, Flags flags, Out out, Op op = {})
{
  using value = detail::accumulator<Acc, std::iter_value_t<I>>;
  detail::segments::check_call<Acc, value, I, Op, Flags, Out>();
  auto const n = static_cast<std::size_t>(last - first);
  detail::segments::scan<detail::direction::inclusive, value>(on, n, detail::selection::by_flag<Flags>{flags}, first,
                                                              out, std::nullopt,
                                                              detail::canonical_operator<value>(std::move(op)));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}

TALLY_WITHOUT_EXECUTION(inclusive_scan_by_flag,
                        "([on,] first, last, flags, out [, op]), where `on` is an execution such as tally::cpu{}, and "
                        "first, last, flags and out are iterators",
                        Acc);

template <class Acc = void, execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Flags,
          detail::iterator Out, class T, class Op = plus>
Out exclusive_scan_by_flag(P const& on, I first, S last, Flags flags, Out out, T init, Op op = {})
{
  using value = detail::accumulator<Acc, T>;
  detail::segments::check_call<Acc, value, I, Op, Flags, Out>();
  auto const n = static_cast<std::size_t>(last - first);
  detail::segments::scan<detail::direction::exclusive, value>(on, n, detail::selection::by_flag<Flags>{flags}, first,
                                                              out, detail::initial<value>(std::move(init)),
                                                              detail::canonical_operator<value>(std::move(op)));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}

TALLY_WITHOUT_EXECUTION(exclusive_scan_by_flag,
                        "([on,] first, last, flags, out, init [, op]), where `on` is an execution such as "
                        "tally::cpu{}, and first, last, flags and out are iterators",
                        Acc);

}  // namespace tally
