#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tally::ranks_backend {

/// The totals that a rank shares: those of the tiles that it begins, in their order. Folds begin where spans begin, so
/// that every rank can go on from them.
struct shared_totals {
  std::uint64_t single = 0;  ///< totals of single tiles, up to the first span that the rank begins
  std::uint64_t spans = 0;   ///< folds of whole spans
  std::uint32_t part = 0;    ///< tiles of a span that has begun, in one fold; or none
  std::uint32_t last = 0;    ///< totals of the last two tiles, or of one: they give the results at their ends

  std::uint64_t values() const { return single + spans + (part > 0) + last; }

  /// Those of a rank that begins `count` tiles, the first of which has the number `first`.
  static shared_totals of(std::uint64_t count, std::uint64_t first, std::uint64_t span_tiles)
  {
    shared_totals all;
    all.last = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, 2));
    std::uint64_t left = count - all.last;
    std::uint64_t const to_span = (span_tiles - first % span_tiles) % span_tiles;
    all.single = std::min(left, to_span);
    left -= all.single;
    all.spans = left / span_tiles;
    all.part = static_cast<std::uint32_t>(left % span_tiles);
    return all;
  }
};

/// A sequence that is cut into parts, one a rank, of any lengths. A rank holds the tiles whose first element is in its
/// part, and computes them. The elements before its first tile are its head: they belong to a tile that an earlier rank
/// holds. Only the last tile of a rank can have elements of later ranks.
class division {
public:
  /// Part r is [offsets[r], offsets[r + 1]).
  division(std::span<std::uint64_t const> offsets, std::uint64_t tile, std::uint64_t span_tiles)
      : offsets_(offsets),
        tile_(tile),
        span_tiles_(span_tiles)
  {
  }

  int ranks() const { return static_cast<int>(offsets_.size()) - 1; }
  std::uint64_t begin(int rank) const { return offsets_[static_cast<std::size_t>(rank)]; }
  std::uint64_t end(int rank) const { return offsets_[static_cast<std::size_t>(rank) + 1]; }
  std::uint64_t size() const { return offsets_.back(); }

  std::uint64_t first_tile(int rank) const { return tiles_before(begin(rank)); }
  std::uint64_t tiles(int rank) const { return tiles_before(end(rank)) - first_tile(rank); }

  /// Elements that belong to a tile of an earlier rank, less than a tile.
  std::size_t head(int rank) const
  {
    return static_cast<std::size_t>(std::min(first_tile(rank) * tile_, end(rank)) - begin(rank));
  }
  /// The rank that holds the tile of the head.
  int holder_of_head(int rank) const
  {
    int before = rank - 1;
    while (tiles(before) == 0) --before;
    return before;
  }

  /// Elements of the last tile in the part of the rank, if it has others in later parts; else 0.
  std::size_t tail(int rank) const
  {
    if (tiles(rank) == 0 || end(rank) % tile_ == 0 || end(rank) == size()) return 0;
    return static_cast<std::size_t>(end(rank) % tile_);
  }
  /// Elements of the last tile in all parts.
  std::size_t border_tile(int rank) const
  {
    std::uint64_t const first = (tiles_before(end(rank)) - 1) * tile_;
    return static_cast<std::size_t>(std::min(tile_, size() - first));
  }
  /// Calls f(r, elements, place) for each later rank that has elements of the last tile of `rank`: from `place` of the
  /// tile on.
  template <class F>
  void for_each_contributor(int rank, F const& f) const
  {
    std::size_t place = tail(rank);
    if (place == 0) return;
    std::size_t const whole = border_tile(rank);
    for (int r = rank + 1; place < whole; ++r) {
      std::size_t const count = head(r);
      if (count > 0) f(r, count, place);
      place += count;
    }
  }

  shared_totals totals(int rank) const { return shared_totals::of(tiles(rank), first_tile(rank), span_tiles_); }

private:
  /// Tiles that begin before an element.
  std::uint64_t tiles_before(std::uint64_t element) const { return element / tile_ + (element % tile_ != 0); }

  std::span<std::uint64_t const> offsets_;
  std::uint64_t tile_;
  std::uint64_t span_tiles_;
};

}  // namespace tally::ranks_backend
