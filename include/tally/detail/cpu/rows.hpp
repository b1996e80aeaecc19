#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// The order of docs/order.md for any type that can be copied and any operator, a row at a time.
namespace tally::cpu_backend {

/// Up to `Capacity` values. T need not be default-constructible.
template <class T, std::size_t Capacity>
class fixed_vector {
public:
  fixed_vector() = default;
  fixed_vector(fixed_vector const&) = delete;
  fixed_vector& operator=(fixed_vector const&) = delete;
  ~fixed_vector() { clear(); }

  template <class... Args>
  void emplace_back(Args&&... args)
  {
    std::construct_at(data() + size_, std::forward<Args>(args)...);
    ++size_;
  }
  void clear()
  {
    std::destroy_n(data(), size_);
    size_ = 0;
  }

  std::size_t size() const { return size_; }
  T* data() { return reinterpret_cast<T*>(bytes_); }
  T& operator[](std::size_t k) { return data()[k]; }
  T& back() { return data()[size_ - 1]; }

private:
  alignas(T) std::byte bytes_[Capacity * sizeof(T)];
  std::size_t size_ = 0;
};

/// A row of elements, in the type in which elements of T are combined.
template <class T>
using row_buffer = fixed_vector<working_type<T>, order::row<T>>;

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
using group_totals = fixed_vector<working_type<T>, order::row_groups>;

/// Replaces the elements of each group by their sums from its beginning, and scans the totals of the row's first
/// `count` groups into `totals`, by Kogge & Stone.
/// Cost  n applications for the elements less one a group. The scan of m totals takes m - 1, m - 2, m - 4, ... as far
///       as these are positive, 129 for 32 totals.
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
  for (std::size_t stride = 1; stride < count; stride *= 2)
    for (std::size_t g = count - 1; g >= stride; --g)
      totals[g] = static_cast<working>(op(totals[g - stride], totals[g]));
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

/// Only the last of the totals that `scan_groups` gives: of n elements in n - 1 applications. Overwrites the groups.
/// Requires  count > 0, whole groups.
template <class T, class Op, class Row>
working_type<T>& total_groups(Row& row, std::size_t count, Op& op)
{
  constexpr std::size_t group = order::group<T>;
  for (std::size_t k = 0; k < count * group; k += group)
    for (std::size_t i = 1; i < group; ++i) combine_into(row[k], row[k + i], op);
  // After the step at stride s, the last lane still needs every 2s-th lane before it, and no other.
  std::size_t const last = count - 1;
  for (std::size_t stride = 1; stride <= last; stride *= 2)
    for (std::size_t g = stride + (last - stride) % (2 * stride); g <= last; g += 2 * stride) {
      working_type<T>& to = row[g * group];
      to = static_cast<working_type<T>>(op(std::as_const(row[(g - stride) * group]), std::as_const(to)));
    }
  return row[last * group];
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

}  // namespace tally::cpu_backend
