#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/detail/segments/in_order.hpp"
#include "tally/operators/traits.hpp"

/// A single segment by one thread of a device: the bits of `tally::reduce` and of the scans of [begin, end).
namespace tally::detail::segments {

template <class T, class I, class Op>
TALLY_HD optional_value<T> reduce_on_thread(I const& values, std::size_t begin, std::size_t end,
                                            optional_value<T> const& init, Op op)
{
  auto const at = [&](std::size_t k) -> decltype(auto) { return at_index(values, begin + k); };
  optional_value<T> last = init;
  if constexpr (tally::exactly_associative<Op, T> && std::is_same_v<working_type<T>, T>)
    for (std::size_t k = 0; k < end - begin; ++k) last.append(static_cast<T>(at(k)), op);
  else
    scan_in_order<T>(at, end - begin, init, op,
                     [&](std::size_t, working_type<T> const& result) { last = {static_cast<T>(result), true}; });
  return last;
}

/// Scans a segment to out[begin], out[begin + 1], ...
template <direction Shift, class T, class I, class Out, class Op>
TALLY_HD void scan_on_thread(I const& values, std::size_t begin, std::size_t end, Out const& out,
                             optional_value<T> const& init, Op op)
{
  auto const at = [&](std::size_t k) -> decltype(auto) { return at_index(values, begin + k); };
  T previous = init.value;
  scan_in_order<T>(at, end - begin, init, op, [&](std::size_t k, working_type<T> const& result) {
    at_index(out, begin + k) = Shift == direction::inclusive ? static_cast<T>(result) : previous;
    previous = static_cast<T>(result);
  });
}

}  // namespace tally::detail::segments
