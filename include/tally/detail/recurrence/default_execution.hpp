#pragma once

#include <iterator>
#include <type_traits>

#include "tally/detail/execution.hpp"
#include "tally/execution.hpp"

namespace tally::detail::recurrence {

/// The execution of a call that names none: all threads if the call runs no code of the caller's, as for reduce and
/// scan.
template <class T, class... Iterators>
auto default_execution()
{
  if constexpr (std::is_arithmetic_v<T> && (std::contiguous_iterator<Iterators> && ...))
    return cpu{};
  else
    return automatic{};
}

}  // namespace tally::detail::recurrence
