#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/algorithms/placement.hpp"
#include "tally/config.hpp"

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

  TALLY_HD std::uint64_t count(std::size_t k) const
  {
    return size_of_count(counts[static_cast<std::iter_difference_t<Counts>>(k)]);
  }
  TALLY_HD std::uint64_t operator()(std::size_t k) const { return round_up(count(k), alignment); }
  TALLY_HD std::uint64_t begin_of(std::size_t, std::uint64_t before) const { return before; }
  static TALLY_HD std::uint64_t nothing() { return 0; }
  static TALLY_HD std::uint64_t end_of(std::uint64_t before) { return before; }

  /// What [begin, end) takes: without a branch while no sum of so many can overflow, else one by one.
  std::uint64_t total(std::size_t begin, std::size_t end) const
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
      if (any < small_size) return sum;
    }
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
      std::uint64_t at = before, last = before;
      for (std::size_t k = begin; k < end; ++k) {
        std::uint64_t const size = own.count(k);
        offsets[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<offset>(last = at);
        at += (size + low) & ~low;
      }
      return saturating_sum(last, own.count(end - 1));
    }
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

  /// The pieces of [begin, end). Those from the first of the greatest alignment on are placed as if it stood at 0; those before it likewise.
  placement total(std::size_t begin, std::size_t end) const
  {
    aligned_pieces const own = *this;
    placement all = nothing();
    if (!are_small(begin, end)) {
      for (std::size_t k = begin; k < end; ++k) all = join{}(all, own(k));
      return all;
    }
    while (begin < end) {
      std::uint64_t any = 0;
      for (std::size_t k = begin; k < end; ++k) any |= own.alignment_of(k);
      std::uint64_t const greatest = std::bit_floor(any);
      std::size_t first = begin;
      while (own.alignment_of(first) != greatest) ++first;
      std::uint64_t at = 0;
      for (std::size_t k = first; k < end; ++k) {
        std::uint64_t const low = own.alignment_of(k) - 1;
        at = ((at + low) & ~low) + own.count(k);
      }
      all = join{}({0, greatest, at}, all);
      end = first;
    }
    return all;
  }
  template <class Out>
  std::uint64_t place(std::size_t begin, std::size_t end, placement const& before, placement const&, Out offsets) const
  {
    aligned_pieces const own = *this;
    std::uint64_t at = end_of(before);
    if (at >= small_size || !are_small(begin, end)) return place_slowly(own, begin, end, before, offsets);
    for (std::size_t k = begin; k < end; ++k) {
      std::uint64_t const low = own.alignment_of(k) - 1;
      at = (at + low) & ~low;
      offsets[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<std::iter_value_t<Out>>(at);
      at += own.count(k);
    }
    return at;
  }

private:
  bool are_small(std::size_t begin, std::size_t end) const
  {
    std::uint64_t any = 0;
    for (std::size_t k = begin; k < end; ++k) any |= count(k) | alignment_of(k);
    return any < small_size;
  }
};

}  // namespace tally::detail
