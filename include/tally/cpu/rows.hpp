#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// The order of docs/order.md for any type that can be copied and any operator, a row at a time.
namespace tally::cpu_backend {

/// Up to `Capacity` values, without asking that T can be made from nothing.
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

/// A row of elements of T, in the type in which they are combined.
template <class T>
using row_buffer = fixed_vector<working_type<T>, order::row<T>>;

/// `a = op(a, b)`, also where the operator gives another type than T.
template <class T, class Op>
constexpr void combine_into(T& a, T const& b, Op& op)
{
  a = static_cast<T>(op(std::as_const(a), b));
}

/// What comes before a row within its tile.
template <class W, class Op>
class tile_prefix {
public:
  std::optional<W> base(Op& op) const { return order::combine(strips_, rows_, op); }

  void push_row(W const& total, Op& op)
  {
    rows_ = order::combine(rows_, std::optional<W>(total), op);
    if (++count_ % order::strip_rows == 0) {
      strips_ = order::combine(strips_, rows_, op);
      rows_.reset();
    }
  }

  std::size_t rows() const { return count_; }

private:
  std::optional<W> strips_;
  std::optional<W> rows_;
  std::size_t count_ = 0;
};

/// Replaces the elements of a row (or of the tile's last, shorter one) by their tile-local values, and returns the
/// row's total.
/// Cost  about 4 n applications for float, 7 n for elements of 16 bytes or more.
template <class T, class Op, class Row>
working_type<T> scan_row(Row& row, std::optional<working_type<T>> const& base, Op& op)
{
  using working = working_type<T>;
  constexpr std::size_t group = order::group<T>;
  std::size_t const n = row.size();
  fixed_vector<working, order::row_groups> total;
  for (std::size_t begin = 0; begin < n; begin += group) {
    std::size_t const end = begin + group < n ? begin + group : n;
    for (std::size_t k = begin + 1; k < end; ++k) row[k] = static_cast<working>(op(row[k - 1], row[k]));
    total.emplace_back(row[end - 1]);
  }
  for (std::size_t stride = 1; stride < total.size(); stride *= 2)
    for (std::size_t g = total.size() - 1; g >= stride; --g)
      total[g] = static_cast<working>(op(total[g - stride], total[g]));
  for (std::size_t g = 0; g < total.size(); ++g) {
    std::optional<working> const before =
        g == 0 ? base : order::combine(base, std::optional<working>(total[g - 1]), op);
    if (!before) continue;
    std::size_t const end = (g + 1) * group < n ? (g + 1) * group : n;
    for (std::size_t k = g * group; k < end; ++k) row[k] = static_cast<working>(op(*before, row[k]));
  }
  return total.back();
}

/// The total of a whole row, in n - 1 applications: the balanced tree over its groups. Uses up the row.
template <class T, class Op, class Row>
working_type<T> total_row(Row& row, Op& op)
{
  constexpr std::size_t group = order::group<T>;
  for (std::size_t k = 0; k < row.size(); k += group)
    for (std::size_t i = 1; i < group; ++i) combine_into(row[k], row[k + i], op);
  for (std::size_t stride = group; stride < row.size(); stride *= 2)
    for (std::size_t k = 0; k < row.size(); k += 2 * stride) combine_into(row[k], row[k + stride], op);
  return row[0];
}

}  // namespace tally::cpu_backend
