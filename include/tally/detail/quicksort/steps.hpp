#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/config.hpp"
#include "tally/operators/segmented.hpp"

/// What a level of the segmented quicksort does for each key.
namespace tally::detail {

/// How many keys of a segment, up to one of them, are less than its pivot, and how many equal to it. The others are
/// greater.
struct pivot_ranks {
  std::uint32_t less;
  std::uint32_t equal;
};
struct add_ranks {
  static constexpr bool exactly_associative = true;
  static constexpr bool commutative = true;

  TALLY_HD constexpr pivot_ranks operator()(pivot_ranks const& a, pivot_ranks const& b) const
  {
    return {a.less + b.less, a.equal + b.equal};
  }
  TALLY_HD static constexpr pivot_ranks identity() { return {0, 0}; }
};

/// The arrays of a quicksort: keys in segments, each of which is sorted on its own, and none of which has a key that
/// belongs into another.
template <class Key, class Less>
struct quicksort_arrays {
  Key* keys;
  Key* moved_keys;
  std::uint8_t* heads;  ///< 1 where a segment begins
  std::uint8_t* moved_heads;
  std::uint32_t* segment;  ///< of key k
  std::uint32_t* starts;   ///< of segment s, and behind the last one n
  Key* pivots;             ///< of segment s
  pivot_ranks* ranks;      ///< of key k in its segment, inclusive
  std::uint32_t n;
  std::uint32_t level;
  Less less;
};

/// Whether a segment begins at k: their running sum numbers the segments.
template <class Arrays>
struct head_of_key {
  Arrays arrays;

  TALLY_HD std::uint32_t operator()(std::size_t k) const { return arrays.heads[k]; }
};
template <class Arrays>
struct number_segments {
  Arrays arrays;

  TALLY_HD void operator()(std::size_t k, std::uint32_t segments) const
  {
    auto const& a = arrays;
    a.segment[k] = segments - 1;
    if (a.heads[k] != 0) a.starts[segments - 1] = static_cast<std::uint32_t>(k);
    if (k == a.n - 1) a.starts[segments] = a.n;
  }
};

/// The head of a segment draws its pivot: some key of the segment, the same one in every run.
template <class Arrays>
struct draw_pivot {
  Arrays arrays;

  TALLY_HD void operator()(std::size_t k) const
  {
    auto const& a = arrays;
    if (a.heads[k] == 0) return;
    std::uint32_t const s = a.segment[k], size = a.starts[s + 1] - a.starts[s];
    // The finaliser of splitmix64 (Steele, Lea, Flood, 2014).
    std::uint64_t random = (std::uint64_t{a.level} << 32 | k) + 0x9E3779B97F4A7C15u;
    random = (random ^ (random >> 30)) * 0xBF58476D1CE4E5B9u;
    random = (random ^ (random >> 27)) * 0x94D049BB133111EBu;
    a.pivots[s] = a.keys[k + (random ^ (random >> 31)) % size];
  }
};

/// What key k adds to the ranks of its segment.
template <class Arrays>
struct rank_of_key {
  Arrays arrays;

  TALLY_HD flagged<pivot_ranks> operator()(std::size_t k) const
  {
    auto const& a = arrays;
    auto const& key = a.keys[k];
    auto const& pivot = a.pivots[a.segment[k]];
    std::uint32_t const less = a.less(key, pivot), greater = a.less(pivot, key);
    return {{less, 1 - less - greater}, a.heads[k] != 0};
  }
};
template <class Arrays>
struct store_ranks {
  Arrays arrays;

  TALLY_HD void operator()(std::size_t k, flagged<pivot_ranks> const& ranks) const { arrays.ranks[k] = ranks.value; }
};

/// Key k goes behind those of its segment that come before it; the first of each kind is a head.
template <class Arrays>
struct move_key {
  Arrays arrays;

  TALLY_HD void operator()(std::size_t k) const
  {
    auto const& a = arrays;
    std::uint32_t const s = a.segment[k], start = a.starts[s];
    auto const all = a.ranks[a.starts[s + 1] - 1];
    auto const own = a.ranks[k];
    auto const before = k == start ? pivot_ranks{0, 0} : a.ranks[k - 1];
    std::uint32_t begin, rank;
    if (own.less != before.less) {
      begin = start;
      rank = before.less;
    } else if (own.equal != before.equal) {
      begin = start + all.less;
      rank = before.equal;
    } else {
      begin = start + all.less + all.equal;
      rank = static_cast<std::uint32_t>(k) - start - before.less - before.equal;
    }
    a.moved_keys[begin + rank] = a.keys[k];
    a.moved_heads[begin + rank] = rank == 0;
  }
};

/// Whether some key of a block comes before the one in front of it: 1 or 0.
template <class Key, class Less>
struct out_of_order {
  Key const* keys;
  std::size_t n;
  std::size_t block;
  Less less;

  TALLY_HD std::uint32_t operator()(std::size_t b) const
  {
    std::size_t const end = n - b * block < block ? n : (b + 1) * block;
    for (std::size_t k = b == 0 ? 1 : b * block; k < end; ++k)
      if (less(keys[k], keys[k - 1])) return 1;
    return 0;
  }
};

struct first_is_head {
  std::uint8_t* heads;
  TALLY_HD void operator()(std::size_t k) const { heads[k] = k == 0; }
};

template <class Key>
struct copy_key {
  Key const* from;
  Key* to;
  TALLY_HD void operator()(std::size_t k) const { to[k] = from[k]; }
};

}  // namespace tally::detail
