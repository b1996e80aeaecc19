#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "tally/operators/traits.hpp"

/// The one order of operations, which docs/order.md specifies: its sizes, and the fold of tile totals into carries.
/// Every backend includes this file and none has sizes of its own.
namespace tally::order {

/// Sixteen bytes of consecutive elements, combined left to right; one element where it is larger.
template <class T>
inline constexpr std::size_t group = sizeof(T) < 16 ? 16 / sizeof(T) : 1;

inline constexpr std::size_t row_groups = 32;  ///< groups in a row: their totals are scanned by Kogge-Stone
inline constexpr std::size_t strip_rows = 8;   ///< rows in a strip: their totals are folded left to right
inline constexpr std::size_t tile_strips = 8;  ///< strips in a tile: likewise
inline constexpr std::size_t span_tiles = 32;  ///< tiles in a span: likewise, in the carry type

/// Elements in a row, a strip, a tile and a span: for float 128, 1024, 8192 and 262144.
template <class T>
inline constexpr std::size_t row = group<T> * row_groups;
template <class T>
inline constexpr std::size_t strip = row<T> * strip_rows;
template <class T>
inline constexpr std::size_t tile = strip<T> * tile_strips;
template <class T>
inline constexpr std::size_t span = tile<T> * span_tiles;

/// Linear recurrences have groups and rows of their own (docs/order.md): sixteen bytes of states, and sixteen groups.
/// Strips, tiles and spans have as many rows, strips and tiles as above.
namespace recurrence {

inline constexpr std::size_t row_groups = 16;
template <class T>
inline constexpr std::size_t group = 16 / sizeof(T);
/// Steps in a row, a strip and a tile: for float 64, 512 and 4096.
template <class T>
inline constexpr std::size_t row = group<T> * row_groups;
template <class T>
inline constexpr std::size_t strip = row<T> * strip_rows;
template <class T>
inline constexpr std::size_t tile = strip<T> * tile_strips;

}  // namespace recurrence

/// a + b, where either may be absent: a + absent = a. An absent value is not copied: GCC takes it for uninitialised.
template <class T, class Op>
constexpr std::optional<T> combine(std::optional<T> const& a, std::optional<T> const& b, Op& op)
{
  if (a && b) return static_cast<T>(op(*a, *b));
  if (a) return *a;
  if (b) return *b;
  return std::nullopt;
}

/// The fold of everything before a tile, from which the tile's carry is rounded. It is fed the totals of tiles in
/// order. A tile costs 3 applications of the operator; the first tile costs none without an initial value.
///
/// A carry is a value: it can be copied, kept between calls, and continued from. A scan of an array in pieces that are
/// whole tiles gives the bits of the scan in one piece.
template <class T, class Op>
class carry {
public:
  using element = T;
  using working = working_type<T>;
  using wide = carry_type<Op, T>;

  constexpr carry() = default;
  /// Begins with an initial value, which every result then contains as its first operand.
  constexpr explicit carry(working const& init) : spans_(static_cast<wide>(init)), last_(init) {}
  /// The same state, for an equivalent operator of another type.
  template <class Same>
    requires(!std::is_same_v<Same, Op> && std::is_same_v<carry_type<Same, T>, wide>)
  constexpr explicit carry(carry<T, Same> const& other)
      : spans_(other.spans_),
        tiles_(other.tiles_),
        last_(other.last_),
        count_(other.count_)
  {
  }

  /// The carry of the next tile; absent before the first one if there is no initial value.
  constexpr std::optional<working> next(Op& op) const
  {
    std::optional<wide> const sum = count_ == 0 ? spans_ : combine(spans_, tiles_, op);
    return sum ? std::optional<working>(static_cast<working>(*sum)) : std::nullopt;
  }

  /// The inclusive scan's value at the last element so far, which is also the reduction.
  constexpr std::optional<working> const& last() const { return last_; }

  /// Takes the total of the next tile.
  constexpr void push(working const& total, Op& op)
  {
    std::optional<working> const before = next(op);
    last_ = before ? static_cast<working>(op(*before, total)) : total;
    wide const tile = static_cast<wide>(total);
    tiles_ = count_ == 0 ? tile : static_cast<wide>(op(*tiles_, tile));
    ++count_;
    close_whole_span(op);
  }

  /// Takes the totals of `count` tiles at once, at most a whole span, folded left to right in the carry type. `last()`
  /// stays that of earlier tiles until the next `push`.
  /// Requires  that whole spans came before.
  constexpr void push_fold(wide const& fold, std::uint32_t count, Op& op)
  {
    tiles_ = fold;
    count_ = count;
    close_whole_span(op);
  }

private:
  template <class, class>
  friend class carry;

  constexpr void close_whole_span(Op& op)
  {
    if (count_ != span_tiles) return;
    spans_ = combine(spans_, tiles_, op);
    count_ = 0;
  }

  std::optional<wide> spans_;  // the initial value and the spans before this one
  std::optional<wide> tiles_;  // the earlier tiles of this span; meaningless if there are none
  std::optional<working> last_;
  std::uint32_t count_ = 0;  // earlier tiles of this span
};

}  // namespace tally::order
