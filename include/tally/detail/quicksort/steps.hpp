#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/config.hpp"
#include "tally/detail/execution.hpp"
#include "tally/operators/segmented.hpp"

/// The functions that a level of the segmented quicksort applies to each key.
namespace tally::detail::quicksort {

/// The numbers of keys, from the beginning of a segment up to some key, that are less than the pivot and equal to it.
/// The others are greater.
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

/// The arrays of a quicksort. Keys lie in segments, and no level moves a key out of its segment.
template <class Key, class Less>
struct arrays {
  Key* keys;
  Key* moved_keys;
  std::uint8_t* heads;  ///< 1 where a segment begins
  std::uint8_t* moved_heads;
  std::uint32_t* segment;  ///< of each key
  std::uint32_t* starts;   ///< of each segment, and n behind the last one
  Key* pivots;             ///< of each segment
  pivot_ranks* ranks;      ///< of each key in its segment, inclusive
  std::uint32_t n;
  std::uint32_t level;
  Less less;
};

/// 1 if a segment begins at k, else 0. The running sum numbers the segments.
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

/// Draws a pivot for the segment that begins at k: some key of the segment, the same one in every run.
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

/// The ranks of key k alone, and whether it is the head of its segment. A segmented scan adds them up.
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

/// Moves key k behind the keys that come before it in its segment: lesser ones than the pivot first, then equal ones,
/// then greater ones. The first key of each kind is the head of a new segment.
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

/// The number of keys that one call of `out_of_order` looks through.
template <class P>
inline constexpr std::size_t block_of_order_check = 1;
template <host P>
inline constexpr std::size_t block_of_order_check<P> = 4096;

/// 1 if some key of block b comes before its predecessor, else 0.
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

}  // namespace tally::detail::quicksort
