#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "tally/cpu/kernels.hpp"
#include "tally/cpu/rows.hpp"

/// Tiles of any iterator, any type that can be copied and any operator.
namespace tally::cpu_backend {

/// Elements on their way in: transformed, and converted to the type in which they are combined.
template <class T, class Iterator, class End, class Transform>
struct source {
  Iterator at;
  End end;
  Transform* transform;

  bool more() const { return at != end; }
  working_type<T> take()
  {
    // Through T first: an element is what a T can hold.
    working_type<T> value = static_cast<working_type<T>>(static_cast<T>((*transform)(*at)));
    ++at;
    return value;
  }
};

/// Results on their way out: inclusive as they are, exclusive one place later.
template <class T, class Out>
class sink {
public:
  using working = working_type<T>;

  sink(Out out, direction shift, std::optional<working> const& previous) : out_(std::move(out)), shift_(shift)
  {
    if (shift == direction::exclusive) previous_ = previous;
  }

  void put(working const& value)
  {
    if (shift_ == direction::inclusive) {
      *out_ = static_cast<T>(value);
    } else {
      // The value is kept first: `out` may be where it lives.
      working next = value;
      *out_ = static_cast<T>(*previous_);
      previous_ = std::move(next);
    }
    ++out_;
  }

  Out position() && { return std::move(out_); }

private:
  Out out_;
  direction shift_;
  std::optional<working> previous_;
};

/// The tile-local value of the last element of a tile that begins at `in`; leaves `in` behind the tile. In order.
/// Requires  in.more().
template <class T, class Source, class Op>
working_type<T> total_tile(Source& in, Op& op)
{
  using working = working_type<T>;
  if constexpr (exactly_associative<Op, T>) {
    working total = in.take();
    for (std::size_t k = 1; k < order::tile<T> && in.more(); ++k) combine_into(total, in.take(), op);
    return total;
  } else {
    constexpr std::size_t rows = order::strip_rows * order::tile_strips;
    tile_prefix<working, Op> before;
    row_buffer<T> row;
    for (;;) {
      row.clear();
      while (row.size() < order::row<T> && in.more()) row.emplace_back(in.take());
      if (row.size() < order::row<T> || before.rows() == rows - 1 || !in.more()) break;
      before.push_row(total_row<T>(row, op), op);
    }
    scan_row<T>(row, before.base(op), op);
    return row.back();
  }
}

/// Scans a tile that begins at `in` into `out`, given its carry; returns its total. In order; each row is read before
/// its results are written, so `out` may be where `in` is.
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
  if constexpr (exactly_associative<Op, T>) {
    working local = in.take();
    put(local);
    for (std::size_t k = 1; k < order::tile<T> && in.more(); ++k) {
      combine_into(local, in.take(), op);
      put(local);
    }
    return local;
  } else {
    tile_prefix<working, Op> before;
    row_buffer<T> row;
    for (;;) {
      row.clear();
      while (row.size() < order::row<T> && in.more()) row.emplace_back(in.take());
      before.push_row(scan_row<T>(row, before.base(op), op), op);
      for (std::size_t k = 0; k < row.size(); ++k) put(row[k]);
      if (before.rows() == order::strip_rows * order::tile_strips || !in.more()) return row.back();
    }
  }
}

}  // namespace tally::cpu_backend
