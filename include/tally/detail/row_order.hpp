#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "tally/detail/fixed_vector.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// The order of docs/order.md within a row and from row to row of a tile, for any type that can be copied and any
/// operator. Elements are combined where they lie.
namespace tally::order {

/// A row of elements, in the type in which elements of T are combined.
template <class T>
using row_buffer = detail::fixed_vector<working_type<T>, order::row<T>>;

/// `a = op(a, b)`, also where the operator gives another type than T.
template <class T, class Op>
constexpr void combine_into(T& a, T const& b, Op& op)
{
  a = static_cast<T>(op(std::as_const(a), b));
}

/// The fold of everything before a row within its tile.
template <class W, class Op>
class tile_prefix {
public:
  std::optional<W> base(Op& op) const
  {
    return count_ % order::strip_rows == 0 ? strips_ : order::combine(strips_, rows_, op);
  }

  void push_row(W const& total, Op& op)
  {
    rows_ = count_ % order::strip_rows == 0 ? total : static_cast<W>(op(*rows_, total));
    if (++count_ % order::strip_rows == 0) strips_ = order::combine(strips_, rows_, op);
  }

  std::size_t rows() const { return count_; }

private:
  std::optional<W> strips_;
  std::optional<W> rows_;  // of this strip; meaningless if there are none
  std::size_t count_ = 0;
};

/// Groups in a row of n elements; the last one may be shorter.
template <class T>
constexpr std::size_t groups_of(std::size_t n)
{
  return (n + order::group<T> - 1) / order::group<T>;
}

/// The totals of a row's groups.
template <class T>
using group_totals = detail::fixed_vector<working_type<T>, order::row_groups>;

/// Replaces totals[0], ..., totals[count - 1] by their scan, by Kogge & Stone.
/// Cost  count - 1, count - 2, count - 4, ... applications as far as these are positive, 129 for 32 totals.
template <class W, class Totals, class Op>
void scan_totals(Totals& totals, std::size_t count, Op& op)
{
  for (std::size_t stride = 1; stride < count; stride *= 2)
    for (std::size_t g = count - 1; g >= stride; --g) totals[g] = static_cast<W>(op(totals[g - stride], totals[g]));
}

/// Only the last of the results of `scan_totals`, at the last total. Overwrites the others.
/// Requires  count > 0.
/// Cost      count - 1 applications: after the step at stride s, the last total still needs every 2s-th before it, and
///           no other.
template <class W, class Totals, class Op>
void combine_totals(Totals& totals, std::size_t count, Op& op)
{
  std::size_t const last = count - 1;
  for (std::size_t stride = 1; stride <= last; stride *= 2)
    for (std::size_t g = stride + (last - stride) % (2 * stride); g <= last; g += 2 * stride)
      totals[g] = static_cast<W>(op(std::as_const(totals[g - stride]), std::as_const(totals[g])));
}

/// Replaces the elements of each group by their sums from its beginning, and scans the totals of the row's first
/// `count` groups into `totals`.
/// Cost  n applications for the elements less one a group, and those of `scan_totals`.
template <class T, class Op, class Row>
void scan_groups(Row& row, std::size_t count, group_totals<T>& totals, Op& op)
{
  using working = working_type<T>;
  constexpr std::size_t group = order::group<T>;
  std::size_t const n = row.size();
  totals.clear();
  for (std::size_t begin = 0; begin < n; begin += group) {
    std::size_t const end = begin + group < n ? begin + group : n;
    for (std::size_t k = begin + 1; k < end; ++k) row[k] = static_cast<working>(op(row[k - 1], row[k]));
    if (totals.size() < count) totals.emplace_back(row[end - 1]);
  }
  scan_totals<working>(totals, count, op);
}

/// After `scan_groups`: combines each group's elements with everything before the group, as the left operand. They
/// become tile-local values.
/// Cost  n applications, and one a group.
template <class T, class Op, class Row>
void put_in_front(std::optional<working_type<T>> const& base, group_totals<T>& totals, Row& row, Op& op)
{
  using working = working_type<T>;
  constexpr std::size_t group = order::group<T>;
  std::size_t const n = row.size();
  for (std::size_t begin = 0; begin < n; begin += group) {
    std::optional<working> const before =
        begin == 0 ? base : order::combine(base, std::optional<working>(totals[begin / group - 1]), op);
    if (!before) continue;
    std::size_t const end = begin + group < n ? begin + group : n;
    for (std::size_t k = begin; k < end; ++k) row[k] = static_cast<working>(op(*before, row[k]));
  }
}

/// The first elements of a row's groups.
template <class T, class Row>
struct group_heads {
  Row& row;
  working_type<T>& operator[](std::size_t g) const { return row[g * order::group<T>]; }
};

/// Only the last of the totals that `scan_groups` gives: of n elements in n - 1 applications. Overwrites the groups.
/// Requires  count > 0, whole groups.
template <class T, class Op, class Row>
working_type<T>& total_groups(Row& row, std::size_t count, Op& op)
{
  constexpr std::size_t group = order::group<T>;
  for (std::size_t k = 0; k < count * group; k += group)
    for (std::size_t i = 1; i < group; ++i) combine_into(row[k], row[k + i], op);
  group_heads<T, Row> const totals{row};
  combine_totals<working_type<T>>(totals, count, op);
  return totals[count - 1];
}

/// The tile-local value of the last element of the tile's last row: of n elements in n - 1 applications, and one more
/// if there is a base. Overwrites the row.
template <class T, class Op, class Row>
working_type<T> last_of_row(Row& row, std::optional<working_type<T>> const& base, Op& op)
{
  using working = working_type<T>;
  std::size_t const before = groups_of<T>(row.size()) - 1;  // groups
  std::size_t const begin = before * order::group<T>;
  for (std::size_t k = begin + 1; k < row.size(); ++k) combine_into(row[begin], row[k], op);
  std::optional<working> const left =
      before == 0 ? base : order::combine(base, std::optional<working>(total_groups<T>(row, before, op)), op);
  return left ? static_cast<working>(op(*left, row[begin])) : row[begin];
}

}  // namespace tally::order
