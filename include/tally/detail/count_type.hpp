#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tally::detail {

/// Calls f(Count{}), where Count is the narrowest of std::uint32_t and std::uint64_t that holds `n`. A scan of narrow
/// counts on a GPU is quicker.
template <class F>
void with_count_type(std::size_t n, F const& f)
{
  if (n <= std::numeric_limits<std::uint32_t>::max())
    f(std::uint32_t{});
  else
    f(std::uint64_t{});
}

}  // namespace tally::detail
