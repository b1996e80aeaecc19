#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "tally/detail/cpu/held.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/detail/fixed_vector.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/steps_in_order.hpp"
#include "tally/detail/row_order.hpp"
#include "tally/sequences.hpp"

/// Tiles of any iterator, any type that can be copied and any operator.
namespace tally::cpu_backend {

/// The input of a tile: elements, transformed and converted to the type in which they are combined.
template <class T, class Iterator, class End, class Transform>
struct source {
  Iterator at;
  End end;
  Transform* transform;

  bool more() const { return at != end; }

  /// Writes the next elements, at most `most`, to `to`. Returns their number.
  template <class To>
  std::size_t take(To* to, std::size_t most)
  {
    if constexpr (std::random_access_iterator<Iterator> && std::sized_sentinel_for<End, Iterator>) {
      using distance = std::iter_difference_t<Iterator>;
      auto const left = static_cast<std::size_t>(end - at);
      std::size_t const count = left < most ? left : most;
      for (std::size_t k = 0; k < count; ++k) to[k] = static_cast<To>((*transform)(at[static_cast<distance>(k)]));
      at += static_cast<distance>(count);
      return count;
    } else {
      std::size_t count = 0;
      while (count < most && more()) to[count++] = take();
      return count;
    }
  }
  working_type<T> take()
  {
    // Converted to T first: an element has T's range and precision.
    working_type<T> value = static_cast<working_type<T>>(static_cast<T>((*transform)(*at)));
    ++at;
    return value;
  }
};

/// The output of a tile: inclusive results as they are, exclusive ones one place later.
template <class T, class Out>
class sink {
public:
  using working = working_type<T>;
  static constexpr bool to_function = detail::takes_results<Out>;

  /// `previous` is the result before the first: an exclusive scan has one.
  sink(Out out, direction shift, std::optional<working> const& previous) : out_(std::move(out))
  {
    if (shift == direction::exclusive) previous_.emplace_back(*previous);
  }

  void put(working const& value)
  {
    if (previous_.size() == 0)
      *out_ = value_of<T>(value);
    else  // keeps the value before it writes: `value` may be in `*out_`
      *out_ = value_of<T>(std::exchange(previous_.back(), value));
    ++out_;
  }

  Out position() && { return std::move(out_); }

private:
  Out out_;
  // Of exclusive scans only. With a std::optional GCC warns that it is read while it is empty.
  detail::fixed_vector<working, 1> previous_;
};

/// A tile's elements, gathered in contiguous memory for the compiled kernels.
template <class T, class Op>
class gathered_tile {
public:
  using element = typename kernel_element<Op, T>::type;

  template <class Source>
  explicit gathered_tile(Source& in) : size_(in.take(values_, order::tile<T>))
  {
    detail::took("cpu: a tile gathered for the kernels");
  }

  T total() const { return static_cast<T>(kernels_of<Op, element>().total(elements(), size_)); }

  /// Replaces the elements by their inclusive scan.
  void scan(std::optional<T> const& carry)
  {
    tile_job<element> job{};
    job.in = job.out = elements();
    job.size = size_;
    job.carry = static_cast<element>(carry.value_or(Op::template identity<T>()));
    last_ = static_cast<T>(kernels_of<Op, element>().scan(job).last);
  }
  /// The tile's total after `scan`, for an operator that is not exactly associative.
  T last() const { return last_; }

  T const* begin() const { return values_; }
  T const* end() const { return values_ + size_; }

private:
  element* elements() { return reinterpret_cast<element*>(values_); }
  element const* elements() const { return reinterpret_cast<element const*>(values_); }

  T values_[order::tile<T>];
  std::size_t size_;
  T last_{};
};

/// The total of a tile that begins at `in`: the tile-local value of its last element, or the map of a recurrence's
/// steps. Leaves `in` after the tile. Elements are read in order.
/// Requires  in.more().
template <class T, class Source, class Op>
working_type<T> total_tile(Source& in, Op& op)
{
  using working = working_type<T>;
  if constexpr (has_kernels<Op, T>) {
    return gathered_tile<T, Op>(in).total();
  } else if constexpr (detail::recurrence::is_in_order<Op, T>) {
    detail::took("cpu: a total step after step");
    using state = detail::recurrence::state_of<T>;
    detail::recurrence::steps_in_order<state> steps(working_type<state>{});
    for (std::size_t k = 0; k < order::tile<T> && in.more(); ++k) steps.next(in.take());
    return steps.total();
  } else if constexpr (exactly_associative<Op, T>) {
    detail::took("cpu: a total one element after the other");
    working total = in.take();
    for (std::size_t k = 1; k < order::tile<T> && in.more(); ++k) order::combine_into(total, in.take(), op);
    return total;
  } else {
    detail::took("cpu: a total row after row");
    constexpr std::size_t rows = order::strip_rows * order::tile_strips;
    order::tile_prefix<working, Op> before;
    order::row_buffer<T> row;
    for (;;) {
      row.clear();
      while (row.size() < order::row<T> && in.more()) row.emplace_back(in.take());
      if (row.size() < order::row<T> || before.rows() == rows - 1 || !in.more()) break;
      before.push_row(order::total_groups<T>(row, order::row_groups, op), op);
    }
    return order::last_of_row<T>(row, before.base(op), op);
  }
}

/// Scans a tile that begins at `in` into `out`, given its carry; returns its total. Elements are read in order, and
/// before their results are written, so `out` may be where `in` is.
template <class T, class Source, class Sink, class Op>
working_type<T> scan_tile(Source& in, Sink& out, std::optional<working_type<T>> const& carry, Op& op)
{
  using working = working_type<T>;
  auto const put = [&](working const& local) {
    if (carry)
      out.put(static_cast<working>(op(*carry, local)));
    else
      out.put(local);
  };
  // If a function takes the results, one loop that the compiler sees as a whole is quicker than a kernel and a loop.
  if constexpr (has_kernels<Op, T> && !(exactly_associative<Op, T> && Sink::to_function)) {
    gathered_tile<T, Op> tile(in);
    T total{};
    if constexpr (exactly_associative<Op, T>) total = tile.total();
    tile.scan(carry);
    for (T const& value : tile) out.put(value);
    return exactly_associative<Op, T> ? total : tile.last();
  } else if constexpr (detail::recurrence::is_in_order<Op, T>) {
    // The carry of a recurrence is the map to the state before the tile, and a result that to a state.
    detail::took("cpu: a tile step after step");
    using state = detail::recurrence::state_of<T>;
    detail::recurrence::steps_in_order<state> steps(carry->offset);
    for (std::size_t k = 0; k < order::tile<T> && in.more(); ++k)
      out.put(detail::recurrence::beginning_with(steps.next(in.take())));
    return steps.total();
  } else if constexpr (exactly_associative<Op, T>) {
    detail::took("cpu: a tile one element after the other");
    working local = in.take();
    put(local);
    for (std::size_t k = 1; k < order::tile<T> && in.more(); ++k) {
      order::combine_into(local, in.take(), op);
      put(local);
    }
    return local;
  } else {
    detail::took("cpu: a tile row after row");
    order::tile_prefix<working, Op> before;
    order::row_buffer<T> row;
    order::group_totals<T> totals;
    for (;;) {
      row.clear();
      while (row.size() < order::row<T> && in.more()) row.emplace_back(in.take());
      bool const last = before.rows() == order::strip_rows * order::tile_strips - 1 || !in.more();
      // The last group's total is for the next row only.
      order::scan_groups<T>(row, order::groups_of<T>(row.size()) - (last ? 1 : 0), totals, op);
      order::put_in_front<T>(before.base(op), totals, row, op);
      for (std::size_t k = 0; k < row.size(); ++k) put(row[k]);
      if (last) return row.back();
      before.push_row(totals.back(), op);
    }
  }
}

}  // namespace tally::cpu_backend
