#pragma once

#include <cstddef>
#include <iterator>

#include "tally/config.hpp"

namespace tally::detail {

/// in[k] for an index of type std::size_t, to read the element or to assign to it.
TALLY_HD_AS_GIVEN
template <class I>
TALLY_HD constexpr decltype(auto) at_index(I const& in, std::size_t k)
{
  return in[static_cast<std::iter_difference_t<I>>(k)];
}

}  // namespace tally::detail
