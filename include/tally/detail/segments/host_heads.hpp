#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "tally/detail/backends.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/segments/heads.hpp"
#include "tally/detail/segments/tuning.hpp"
#include "tally/detail/selection/host_moves.hpp"

/// The heads of a block's segments on a CPU, at once.
namespace tally::detail::segments {

/// Calls head(ordinal + i, k) for the head k of each of those segments.
template <class Head>
void take_each_head(Head const& head, std::size_t ordinal, cpu_backend::segments_of_block const& those)
{
  std::size_t const end = ordinal + those.count;
  for (std::size_t at = 0; ordinal < end; at += cpu_backend::flags_a_word)
    for (std::uint64_t word = those.heads[at / cpu_backend::flags_a_word]; word != 0 && ordinal < end; word &= word - 1)
      head(ordinal++, those.begin + at + static_cast<std::size_t>(std::countr_zero(word)));
}

template <class Head>
void take_heads(Head const& head, std::size_t ordinal, cpu_backend::segments_of_block const& those)
{
  take_each_head(head, ordinal, those);
}
inline void take_heads(keep_nothing, std::size_t, cpu_backend::segments_of_block const&) {}

/// Many keys in memory are moved by a kernel, which reads all of the block.
template <class Keys, class Out>
  requires cpu_backend::compressible<Keys, Out>
void take_heads(keep_key<Keys, Out> const& head, std::size_t ordinal, cpu_backend::segments_of_block const& those)
{
  if (those.count * tuning_in_use.few_heads < those.size) {
    took("segments: few keys");
    take_each_head(head, ordinal, those);
  } else {
    took("segments: many keys");
    selection::compress_block(head.keys + static_cast<std::iter_difference_t<Keys>>(those.begin), those.heads,
                              those.size, head.out + static_cast<std::iter_difference_t<Out>>(ordinal), those.count);
  }
}

}  // namespace tally::detail::segments
