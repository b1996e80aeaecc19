#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "values.hpp"

namespace tally::cli {

/// The order in which groups are printed.
enum class group_order { first, key, key_descending, value, value_descending };

/// A group and its results. Views are those of the caller.
struct group_result {
  std::string_view key;
  std::uint64_t first_row;
  std::span<result const> results;
};

/// A number that orders groups nearly: groups of different ranks are in the order of their ranks. By key, text has the
/// rank +inf and stands behind numbers. NaN stands behind all.
double rank_of(group_result const& group, group_order by);

/// Whether `a` stands before `b`, which has the same rank. Ties by key go by the bytes of the keys, other ties by the
/// first rows: no two groups are equal.
bool stands_before(group_result const& a, group_result const& b, double rank, group_order by);

/// Whether the order needs results.
inline bool is_by_value(group_order by)
{
  return by == group_order::value || by == group_order::value_descending;
}

}  // namespace tally::cli
