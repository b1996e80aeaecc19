#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/allocation/places.hpp"
#include "tally/detail/path.hpp"

/// Pieces to be placed: what one takes, what a block of them takes, and where they begin.
namespace tally::detail {

/// 4096 of twice this are 2^64: sizes and alignments below it can be added up for a block without looking.
inline constexpr std::uint64_t small_size = std::uint64_t{1} << 51;

/// Places pieces one by one, minding overflow; returns where the last ends.
template <class Pieces, class Out>
std::uint64_t place_slowly(Pieces const& pieces, std::size_t begin, std::size_t end, typename Pieces::element before,
                           Out offsets)
{
  std::uint64_t last = 0;
  for (std::size_t k = begin; k < end; ++k) {
    std::uint64_t const at = pieces.begin_of(k, before);
    last = saturating_sum(at, pieces.count(k));
    before = typename Pieces::join{}(before, pieces(k));
    offsets[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<std::iter_value_t<Out>>(at);
  }
  return last;
}

/// Pieces of one alignment.
template <class Counts>
struct even_pieces {
  using element = std::uint64_t;
  using join = join_sizes;
  static constexpr bool may_be_negative = std::is_signed_v<std::iter_value_t<Counts>>;
  static constexpr std::size_t block = 4096;

  Counts counts;
  std::uint64_t alignment;

  TALLY_HD_AS_GIVEN
  TALLY_HD std::uint64_t count(std::size_t k) const
  {
    return size_of_count(counts[static_cast<std::iter_difference_t<Counts>>(k)]);
  }
  TALLY_HD std::uint64_t operator()(std::size_t k) const { return round_up(count(k), alignment); }
  TALLY_HD std::uint64_t begin_of(std::size_t, std::uint64_t before) const { return before; }
  static TALLY_HD std::uint64_t nothing() { return 0; }
  static TALLY_HD std::uint64_t end_of(std::uint64_t before) { return before; }

  /// What [begin, end) takes: without a branch while no sum of so many can overflow, else one by one.
  using summary = std::uint64_t;
  static std::uint64_t total_of(summary const& found) { return found; }
  summary summary_of(std::size_t begin, std::size_t end) const
  {
    even_pieces const own = *this;
    if (std::has_single_bit(own.alignment) && own.alignment < small_size) {
      std::uint64_t const low = own.alignment - 1;
      std::uint64_t sum = 0, any = 0;
      for (std::size_t k = begin; k < end; ++k) {
        std::uint64_t const size = own.count(k);
        any |= size;
        sum += (size + low) & ~low;
      }
      if (any < small_size) {
        took("allocate: sizes that cannot overflow");
        return sum;
      }
    }
    took("allocate: sizes one by one");
    std::uint64_t sum = 0;
    for (std::size_t k = begin; k < end; ++k) sum = saturating_sum(sum, own(k));
    return sum;
  }
  /// Writes where [begin, end) are, which take `total`; returns where the last ends.
  template <class Out>
  std::uint64_t place(std::size_t begin, std::size_t end, std::uint64_t before, std::uint64_t total, Out offsets) const
  {
    even_pieces const own = *this;
    using offset = std::iter_value_t<Out>;
    if (std::has_single_bit(own.alignment) && saturating_sum(before, total) != no_size) {
      std::uint64_t const low = own.alignment - 1;
      took("allocate: places that cannot overflow");
      std::uint64_t at = before, last = before;
      for (std::size_t k = begin; k < end; ++k) {
        std::uint64_t const size = own.count(k);
        offsets[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<offset>(last = at);
        at += (size + low) & ~low;
      }
      return saturating_sum(last, own.count(end - 1));
    }
    took("allocate: places one by one");
    return place_slowly(own, begin, end, before, offsets);
  }
};

/// Pieces each of its own alignment, a power of two.
template <class Counts, class Alignments>
struct aligned_pieces {
  using element = placement;
  using join = join_placements;
  static constexpr bool may_be_negative = std::is_signed_v<std::iter_value_t<Counts>>;
  static constexpr std::size_t block = 1024;

  Counts counts;
  Alignments alignments;

  TALLY_HD_AS_GIVEN
  TALLY_HD std::uint64_t count(std::size_t k) const
  {
    return size_of_count(counts[static_cast<std::iter_difference_t<Counts>>(k)]);
  }
  TALLY_HD std::uint64_t alignment_of(std::size_t k) const
  {
    return size_of_count(alignments[static_cast<std::iter_difference_t<Alignments>>(k)]);
  }
  TALLY_HD placement operator()(std::size_t k) const { return {0, alignment_of(k), count(k)}; }
  TALLY_HD std::uint64_t begin_of(std::size_t k, placement const& before) const
  {
    return round_up(end_of(before), alignment_of(k));
  }
  static TALLY_HD placement nothing() { return {0, 1, 0}; }
  static TALLY_HD std::uint64_t end_of(placement const& before) { return before.end_from(0); }

  /// So many chains of dependent additions run side by side, each through a part of the block.
  static constexpr std::size_t ways = 4;
  struct summary {
    placement part[ways];
    std::uint64_t small;  // nothing has to be looked at; else the first part is the block
  };
  static placement total_of(summary const& found)
  {
    placement all = found.part[0];
    for (std::size_t q = 1; q < ways; ++q) all = join{}(all, found.part[q]);
    return all;
  }
  summary summary_of(std::size_t begin, std::size_t end) const
  {
    summary found{{nothing(), nothing(), nothing(), nothing()}, 0};
    found.small = small_parts(begin, end, found.part);
    took(found.small != 0 ? "allocate_aligned: sizes of four parts" : "allocate_aligned: sizes one by one");
    if (found.small == 0)
      for (std::size_t k = begin; k < end; ++k) found.part[0] = join{}(found.part[0], (*this)(k));
    return found;
  }
  template <class Out>
  std::uint64_t place(std::size_t begin, std::size_t end, placement const& before, summary const& found,
                      Out offsets) const
  {
    aligned_pieces const own = *this;
    std::uint64_t at[ways] = {end_of(before)};
    bool const slow = at[0] >= small_size || found.small == 0;
    took(slow ? "allocate_aligned: places one by one" : "allocate_aligned: places of four parts");
    if (slow) return place_slowly(own, begin, end, before, offsets);
    for (std::size_t q = 1; q < ways; ++q) at[q] = found.part[q - 1].end_from(at[q - 1]);
    auto const put = [&](std::size_t k, std::uint64_t x) {
      std::uint64_t const low = own.alignment_of(k) - 1;
      x = (x + low) & ~low;
      offsets[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<std::iter_value_t<Out>>(x);
      return x + own.count(k);
    };
    // Four variables rather than an array, which stores to `offsets` might change for all that a compiler sees.
    static_assert(ways == 4);
    std::size_t const size = (end - begin) / ways;
    std::uint64_t a = at[0], b = at[1], c = at[2], d = at[3];
    for (std::size_t k = begin; k < begin + size; ++k) {
      a = put(k, a);
      b = put(k + size, b);
      c = put(k + 2 * size, c);
      d = put(k + 3 * size, d);
    }
    for (std::size_t k = begin + ways * size; k < end; ++k) d = put(k, d);
    return d;
  }

private:
  static std::uint64_t next(aligned_pieces const& own, std::size_t k, std::uint64_t at)
  {
    std::uint64_t const low = own.alignment_of(k) - 1;
    return ((at + low) & ~low) + own.count(k);
  }

  /// The parts of a block, unless its sizes or alignments are so large that sums would have to be looked at.
  bool small_parts(std::size_t begin, std::size_t end, placement (&part)[ways]) const
  {
    aligned_pieces const own = *this;
    std::size_t const size = (end - begin) / ways;
    std::uint64_t any_size = 0, greatest[ways], at[ways] = {};
    std::size_t first[ways], last[ways], common = size;
    for (std::size_t q = 0; q < ways; ++q) {
      first[q] = begin + q * size;
      last[q] = q + 1 == ways ? end : first[q] + size;
      std::uint64_t any = 0;
      for (std::size_t k = first[q]; k < last[q]; ++k) {
        any_size |= own.count(k);
        any |= own.alignment_of(k);
      }
      any_size |= any;
      greatest[q] = std::bit_floor(any);
      // From the first piece of the greatest alignment on, pieces are placed as if it stood at 0.
      while (first[q] < last[q] && own.alignment_of(first[q]) != greatest[q]) ++first[q];
      common = last[q] - first[q] < common ? last[q] - first[q] : common;
    }
    if (any_size >= small_size) return false;
    for (std::size_t i = 0; i < common; ++i)
      for (std::size_t q = 0; q < ways; ++q) at[q] = next(own, first[q] + i, at[q]);
    for (std::size_t q = 0; q < ways; ++q) {
      for (std::size_t k = first[q] + common; k < last[q]; ++k) at[q] = next(own, k, at[q]);
      part[q] = nothing();
      if (first[q] < last[q])
        part[q] = join{}(before_the_greatest(begin + q * size, first[q]), {0, greatest[q], at[q]});
    }
    return true;
  }
  /// The same for what stands before it, of which there is little as a rule.
  placement before_the_greatest(std::size_t begin, std::size_t end) const
  {
    placement all = nothing();
    while (begin < end) {
      std::uint64_t any = 0;
      for (std::size_t k = begin; k < end; ++k) any |= alignment_of(k);
      std::size_t first = begin;
      while (alignment_of(first) != std::bit_floor(any)) ++first;
      std::uint64_t at = 0;
      for (std::size_t k = first; k < end; ++k) at = next(*this, k, at);
      all = join{}({0, std::bit_floor(any), at}, all);
      end = first;
    }
    return all;
  }
};

}  // namespace tally::detail
