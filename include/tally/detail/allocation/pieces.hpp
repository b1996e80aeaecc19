#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/allocation/layout.hpp"
#include "tally/detail/allocation/sizes.hpp"
#include "tally/detail/path.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// The pieces of an allocation as the elements of a scan. On a GPU an element is a piece, on a CPU the summary of a
/// block of pieces.
namespace tally::detail::allocation {

/// 4096 sizes below 2^51, each rounded up to an alignment below 2^51, add up to less than 2^64: the sums of a block of
/// such pieces need no check.
inline constexpr std::uint64_t small_size = std::uint64_t{1} << 51;

/// Places the pieces [begin, end) and checks every sum. Returns the end of the last one.
template <class Pieces, class Out>
std::uint64_t place_one_by_one(Pieces const& pieces, std::size_t begin, std::size_t end,
                               typename Pieces::element before, Out offsets)
{
  std::uint64_t last = 0;
  for (std::size_t k = begin; k < end; ++k) {
    std::uint64_t const at = pieces.begin_of(k, before);
    last = saturating_sum(at, pieces.size(k));
    before = typename Pieces::combine{}(before, pieces(k));
    offsets[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<std::iter_value_t<Out>>(at);
  }
  return last;
}

/// Pieces that share one alignment, which may be any number.
template <class Sizes>
struct uniform_pieces {
  using element = std::uint64_t;
  using combine = saturating_plus;
  static constexpr bool may_be_negative = std::is_signed_v<std::iter_value_t<Sizes>>;
  static constexpr std::size_t block = 4096;

  Sizes sizes;
  std::uint64_t alignment;

  TALLY_HD_AS_GIVEN
  TALLY_HD std::uint64_t size(std::size_t k) const
  {
    return size_of(sizes[static_cast<std::iter_difference_t<Sizes>>(k)]);
  }
  TALLY_HD std::uint64_t operator()(std::size_t k) const { return round_up(size(k), alignment); }
  TALLY_HD std::uint64_t begin_of(std::size_t, std::uint64_t before) const { return before; }
  static TALLY_HD std::uint64_t empty() { return 0; }

  /// The room that a block takes.
  using summary = std::uint64_t;
  static std::uint64_t total_of(summary const& room) { return room; }
  summary summary_of(std::size_t begin, std::size_t end) const
  {
    uniform_pieces const own = *this;
    if (std::has_single_bit(own.alignment) && own.alignment < small_size) {
      std::uint64_t const low = own.alignment - 1;
      std::uint64_t sum = 0, any = 0;
      for (std::size_t k = begin; k < end; ++k) {
        std::uint64_t const size = own.size(k);
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
  /// Places the pieces [begin, end), which take `total`. Returns the end of the last one.
  template <class Out>
  std::uint64_t place(std::size_t begin, std::size_t end, std::uint64_t before, std::uint64_t total, Out offsets) const
  {
    uniform_pieces const own = *this;
    using offset = std::iter_value_t<Out>;
    if (std::has_single_bit(own.alignment) && saturating_sum(before, total) != invalid_size) {
      std::uint64_t const low = own.alignment - 1;
      took("allocate: places that cannot overflow");
      std::uint64_t at = before, last = before;
      for (std::size_t k = begin; k < end; ++k) {
        std::uint64_t const size = own.size(k);
        offsets[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<offset>(last = at);
        at += (size + low) & ~low;
      }
      return saturating_sum(last, own.size(end - 1));
    }
    took("allocate: places one by one");
    return place_one_by_one(own, begin, end, before, offsets);
  }
};

/// Pieces with an alignment each, a power of two.
template <class Sizes, class Alignments>
struct aligned_pieces {
  using element = layout;
  using combine = layout_composition;
  static constexpr bool may_be_negative = std::is_signed_v<std::iter_value_t<Sizes>>;
  static constexpr std::size_t block = 1024;

  Sizes sizes;
  Alignments alignments;

  TALLY_HD_AS_GIVEN
  TALLY_HD std::uint64_t size(std::size_t k) const
  {
    return size_of(sizes[static_cast<std::iter_difference_t<Sizes>>(k)]);
  }
  TALLY_HD std::uint64_t alignment(std::size_t k) const
  {
    return size_of(alignments[static_cast<std::iter_difference_t<Alignments>>(k)]);
  }
  TALLY_HD layout operator()(std::size_t k) const { return {0, alignment(k), size(k)}; }
  TALLY_HD std::uint64_t begin_of(std::size_t k, layout const& before) const
  {
    return round_up(before.end_from(0), alignment(k));
  }
  static TALLY_HD layout empty() { return {0, 1, 0}; }

  /// A block is computed in four parts, whose chains of dependent additions run side by side.
  static constexpr std::size_t parts = 4;
  struct summary {
    layout part[parts];   // if not `small`, the first one is the whole block
    std::uint64_t small;  // 1 if no sum of the block needs a check, else 0
  };
  static layout total_of(summary const& of)
  {
    layout all = of.part[0];
    for (std::size_t q = 1; q < parts; ++q) all = combine{}(all, of.part[q]);
    return all;
  }
  summary summary_of(std::size_t begin, std::size_t end) const
  {
    summary found{{empty(), empty(), empty(), empty()}, 0};
    found.small = small_parts(begin, end, found.part);
    took(found.small != 0 ? "allocate_aligned: sizes of four parts" : "allocate_aligned: sizes one by one");
    if (found.small == 0)
      for (std::size_t k = begin; k < end; ++k) found.part[0] = combine{}(found.part[0], (*this)(k));
    return found;
  }
  /// Places the pieces [begin, end), a block with the summary `of`. Returns the end of the last one.
  template <class Out>
  std::uint64_t place(std::size_t begin, std::size_t end, layout const& before, summary const& of, Out offsets) const
  {
    aligned_pieces const own = *this;
    std::uint64_t at[parts] = {before.end_from(0)};
    bool const slow = at[0] >= small_size || of.small == 0;
    took(slow ? "allocate_aligned: places one by one" : "allocate_aligned: places of four parts");
    if (slow) return place_one_by_one(own, begin, end, before, offsets);
    for (std::size_t q = 1; q < parts; ++q) at[q] = of.part[q - 1].end_from(at[q - 1]);
    auto const put = [&](std::size_t k, std::uint64_t x) {
      std::uint64_t const low = own.alignment(k) - 1;
      x = (x + low) & ~low;
      offsets[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<std::iter_value_t<Out>>(x);
      return x + own.size(k);
    };
    // Four variables, since the compiler cannot exclude that stores to `offsets` change an array.
    static_assert(parts == 4);
    std::size_t const size = (end - begin) / parts;
    std::uint64_t a = at[0], b = at[1], c = at[2], d = at[3];
    for (std::size_t k = begin; k < begin + size; ++k) {
      a = put(k, a);
      b = put(k + size, b);
      c = put(k + 2 * size, c);
      d = put(k + 3 * size, d);
    }
    for (std::size_t k = begin + parts * size; k < end; ++k) d = put(k, d);
    return d;
  }

private:
  /// The end of piece k behind a piece that ends at `at`.
  static std::uint64_t next(aligned_pieces const& own, std::size_t k, std::uint64_t at)
  {
    std::uint64_t const low = own.alignment(k) - 1;
    return ((at + low) & ~low) + own.size(k);
  }

  /// Computes the layouts of a block's parts. Returns false, and leaves them alone, if a size or an alignment is so
  /// large that sums need checks.
  bool small_parts(std::size_t begin, std::size_t end, layout (&part)[parts]) const
  {
    aligned_pieces const own = *this;
    std::size_t const size = (end - begin) / parts;
    std::uint64_t any_size = 0, greatest[parts], at[parts] = {};
    std::size_t first[parts], last[parts], common = size;
    for (std::size_t q = 0; q < parts; ++q) {
      first[q] = begin + q * size;
      last[q] = q + 1 == parts ? end : first[q] + size;
      std::uint64_t any = 0;
      for (std::size_t k = first[q]; k < last[q]; ++k) {
        any_size |= own.size(k);
        any |= own.alignment(k);
      }
      any_size |= any;
      greatest[q] = std::bit_floor(any);
      // Relative to the first piece with the part's greatest alignment, the places of all pieces after it are fixed.
      while (first[q] < last[q] && own.alignment(first[q]) != greatest[q]) ++first[q];
      common = last[q] - first[q] < common ? last[q] - first[q] : common;
    }
    if (any_size >= small_size) return false;
    for (std::size_t i = 0; i < common; ++i)
      for (std::size_t q = 0; q < parts; ++q) at[q] = next(own, first[q] + i, at[q]);
    for (std::size_t q = 0; q < parts; ++q) {
      for (std::size_t k = first[q] + common; k < last[q]; ++k) at[q] = next(own, k, at[q]);
      part[q] = empty();
      if (first[q] < last[q])
        part[q] = combine{}(before_the_greatest(begin + q * size, first[q]), {0, greatest[q], at[q]});
    }
    return true;
  }
  /// The layout of the pieces before the first one of a part's greatest alignment; as a rule they are few.
  layout before_the_greatest(std::size_t begin, std::size_t end) const
  {
    layout all = empty();
    while (begin < end) {
      std::uint64_t any = 0;
      for (std::size_t k = begin; k < end; ++k) any |= alignment(k);
      std::size_t first = begin;
      while (alignment(first) != std::bit_floor(any)) ++first;
      std::uint64_t at = 0;
      for (std::size_t k = first; k < end; ++k) at = next(*this, k, at);
      all = combine{}({0, std::bit_floor(any), at}, all);
      end = first;
    }
    return all;
  }
};

/// Calls use(k, before) for every piece k, where `before` is the exclusive scan of the pieces.
template <class P, class Pieces, class Use>
void scan_pieces(P const& on, std::size_t n, Pieces const& pieces, Use const& use)
{
  auto const elements = elements_from(pieces);
  tally::exclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(n), results_to(use), Pieces::empty(),
                        typename Pieces::combine{});
}

}  // namespace tally::detail::allocation
