#pragma once

#include <cstddef>
#include <iterator>

#include "tally/config.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/sequences.hpp"

/// Actions at the head of a segment, its first element. A CPU calls `head(ordinal, k)`. A GPU reads by `head.take(k)`,
/// and calls `head.put(ordinal, taken)` when it knows the segment's ordinal.
namespace tally::detail::segments {

/// Keeps the segment's key.
template <class Keys, class Out>
struct keep_key {
  Keys keys;
  Out out;
  TALLY_HD void operator()(std::size_t ordinal, std::size_t k) const { put(ordinal, take(k)); }
  TALLY_HD_AS_GIVEN
  TALLY_HD std::iter_value_t<Keys> take(std::size_t k) const { return at_index(keys, k); }
  TALLY_HD_AS_GIVEN
  TALLY_HD void put(std::size_t ordinal, std::iter_value_t<Keys> const& key) const { at_index(out, ordinal) = key; }
};

struct keep_nothing {
  TALLY_HD void operator()(std::size_t, std::size_t) const {}
  TALLY_HD nothing_taken take(std::size_t) const { return {}; }
  TALLY_HD void put(std::size_t, nothing_taken) const {}
};

}  // namespace tally::detail::segments
