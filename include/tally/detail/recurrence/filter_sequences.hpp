#pragma once

#include <cstddef>
#include <iterator>

#include "tally/config.hpp"
#include "tally/counted.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/recurrence/filter_in_phases.hpp"

/// The places of the sequences that recursive filters go through: along an axis, or segments from either end.
namespace tally::detail::recurrence {

/// The elements or the outputs of one sequence: that of step k lies at first + k * step.
template <class I>
struct filter_places {
  using difference_type = std::ptrdiff_t;
  using value_type = std::iter_value_t<I>;

  I array;
  std::ptrdiff_t first, step;

  TALLY_HD_AS_GIVEN
  TALLY_HD decltype(auto) operator[](std::ptrdiff_t k) const { return array[first + k * step]; }
};

struct filter_quarter_place {
  filter_block_place at;
  std::size_t q;
};

/// Sequences of n > 0 steps along an axis.
template <class In, class Out>
struct filters_along {
  In in;
  Out out;
  batch::layout where;
  std::size_t count;   ///< of sequences
  std::size_t blocks;  ///< of each
  bool across;         ///< neighbours in memory are steps of different sequences

  TALLY_HD std::size_t sequences() const { return count; }
  TALLY_HD std::size_t size(std::size_t) const { return where.along.extent; }
  TALLY_HD std::size_t blocks_of(std::size_t) const { return blocks; }
  TALLY_HD std::size_t first_block(std::size_t s) const { return s * blocks; }
  TALLY_HD std::ptrdiff_t initial_of(std::size_t s) const { return where.place(s).initial; }
  TALLY_HD std::ptrdiff_t last_of(std::size_t s) const { return where.place(s).last; }
  TALLY_HD static bool has(filter_block_place const&) { return true; }
  TALLY_HD filter_block_place block_at(std::size_t block) const { return {block, block / blocks, block % blocks}; }
  /// Quarter number i, so that neighbouring threads read neighbours where they can.
  TALLY_HD filter_quarter_place quarter_at(std::size_t i) const
  {
    std::size_t const s = across ? i % count : i / (4 * blocks), rest = across ? i / count : i % (4 * blocks);
    return {{s * blocks + rest / 4, s, rest / 4}, rest % 4};
  }
  TALLY_HD filter_places<In> elements_of(std::size_t s) const { return {in, where.place(s).in, where.along.step.in}; }
  TALLY_HD filter_places<Out> outputs_of(std::size_t s) const
  {
    return {out, where.place(s).out, where.along.step.out};
  }
  /// Calls `use` with iterators of sequence s.
  template <class Use>
  auto with_iterators(std::size_t s, Use const& use) const
  {
    batch::distances const at = where.place(s), &step = where.along.step;
    if (step.in == 1 && step.out == 1) return use(in + at.in, out + at.out);
    return use(elements_of(s), outputs_of(s));
  }
};

/// Segments between offsets. Blocks are numbered through all segments; segment s begins with block block_offsets[s].
template <bool FromBack, class In, class Out, class Offsets>
struct filters_of_segments {
  In in;
  Out out;
  Offsets offsets;
  element_count segments;
  std::size_t const* block_offsets;

  TALLY_HD_AS_GIVEN
  TALLY_HD std::size_t offset(std::size_t s) const { return static_cast<std::size_t>(at_index(offsets, s)); }
  TALLY_HD std::size_t sequences() const { return segments.value(); }
  TALLY_HD std::size_t size(std::size_t s) const { return offset(s + 1) - offset(s); }
  TALLY_HD std::size_t first_block(std::size_t s) const { return block_offsets[s]; }
  TALLY_HD std::size_t blocks_of(std::size_t s) const
  {
    return s < sequences() ? block_offsets[s + 1] - block_offsets[s] : 0;
  }
  TALLY_HD static std::ptrdiff_t initial_of(std::size_t s) { return static_cast<std::ptrdiff_t>(s); }
  TALLY_HD static std::ptrdiff_t last_of(std::size_t s) { return static_cast<std::ptrdiff_t>(s); }
  TALLY_HD bool has(filter_block_place const& at) const { return at.s < sequences(); }
  TALLY_HD filter_block_place block_at(std::size_t block) const
  {
    std::size_t const count = sequences();
    if (count == 0 || block >= block_offsets[count]) return {block, count, 0};
    std::size_t s = 0;  // the last one that begins at the block or before
    for (std::size_t end = count; end - s > 1;) {
      std::size_t const middle = s + (end - s) / 2;
      (block_offsets[middle] <= block ? s : end) = middle;
    }
    return {block, s, block - block_offsets[s]};
  }
  TALLY_HD filter_quarter_place quarter_at(std::size_t i) const { return {block_at(i / 4), i % 4}; }
  TALLY_HD std::ptrdiff_t first_of(std::size_t s) const
  {
    return FromBack ? static_cast<std::ptrdiff_t>(offset(s + 1)) - 1 : static_cast<std::ptrdiff_t>(offset(s));
  }
  TALLY_HD filter_places<In> elements_of(std::size_t s) const { return {in, first_of(s), FromBack ? -1 : 1}; }
  TALLY_HD filter_places<Out> outputs_of(std::size_t s) const { return {out, first_of(s), FromBack ? -1 : 1}; }
  template <class Use>
  auto with_iterators(std::size_t s, Use const& use) const
  {
    if constexpr (FromBack)
      return use(elements_of(s), outputs_of(s));
    else
      return use(in + first_of(s), out + first_of(s));
  }
};

/// The number of blocks of segment s; none behind the last one.
template <class Offsets>
struct blocks_of_segment {
  Offsets offsets;
  element_count segments;

  TALLY_HD_AS_GIVEN
  TALLY_HD std::size_t operator()(std::size_t s) const
  {
    if (s >= segments.value()) return 0;
    std::size_t const size =
        static_cast<std::size_t>(at_index(offsets, s + 1)) - static_cast<std::size_t>(at_index(offsets, s));
    return (size + filter_block - 1) / filter_block;
  }
};

}  // namespace tally::detail::recurrence
