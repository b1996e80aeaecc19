#include "groups/order.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "io/numbers/number.hpp"
#include "io/numbers/token.hpp"

namespace tally::cli {

namespace {

/// The number that a key is, exactly.
std::optional<io::number> number_of(std::string_view key)
{
  io::token_value const value = io::decode_rest(key.data(), key.data() + key.size());
  switch (value.kind) {
    case io::token_kind::narrow: return int128{value.narrow};
    case io::token_kind::wide: return value.wide;
    case io::token_kind::real:
    case io::token_kind::integer_too_large: return value.real;
    case io::token_kind::garbage:
    case io::token_kind::float_too_large: break;
  }
  return std::nullopt;
}

bool is_descending(group_order by)
{
  return by == group_order::key_descending || by == group_order::value_descending;
}

bool is_by_key(group_order by)
{
  return by == group_order::key || by == group_order::key_descending;
}

bool less(int128 const* a, int128 const* b)
{
  return a != nullptr && b != nullptr && *a < *b;
}

/// Whether a < b, for integers that are rounded to the same double.
bool is_less(group_result const& a, group_result const& b, group_order by)
{
  if (is_by_value(by)) return less(std::get_if<int128>(&a.results[0]), std::get_if<int128>(&b.results[0]));
  std::optional<io::number> const x = number_of(a.key);
  std::optional<io::number> const y = number_of(b.key);
  return x && y && less(std::get_if<int128>(&*x), std::get_if<int128>(&*y));
}

}  // namespace

double rank_of(group_result const& group, group_order by)
{
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double rank = 0;
  if (is_by_key(by)) {
    std::optional<io::number> const number = number_of(group.key);
    rank = number ? std::visit([](auto x) { return static_cast<double>(x); }, *number) : infinity;
  } else if (by != group_order::first) {
    rank = std::visit([](auto x) { return static_cast<double>(x); }, group.results[0]);
  }
  if (is_descending(by)) rank = -rank;
  return std::isnan(rank) ? infinity : rank;
}

bool stands_before(group_result const& a, group_result const& b, double rank, group_order by)
{
  bool const falls = is_descending(by);
  if (by != group_order::first && std::abs(rank) >= 0x1p53 && std::isfinite(rank)) {
    if (is_less(a, b, by)) return !falls;
    if (is_less(b, a, by)) return falls;
  }
  if (is_by_key(by)) return falls ? b.key < a.key : a.key < b.key;
  return a.first_row < b.first_row;
}

}  // namespace tally::cli
