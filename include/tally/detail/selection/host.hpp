#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/selection/host_blocks.hpp"
#include "tally/detail/selection/host_moves.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Selection on a CPU. An element of the scan stands for a block: the block's selected elements are counted, and when
/// the scan says how many are selected before the block it is moved, from the cache.
namespace tally::detail::selection {

/// Moves the selected ones of n elements, and returns their number. An element reads `bytes`.
template <host P, class Criterion, class Move>
std::size_t move_selected(P const& on, std::size_t n, std::size_t bytes, Criterion const& criterion, Move const& move)
{
  if (n == 0) return 0;
  std::size_t const blocks = block_count(n);
  temporary<std::uint32_t, P> const counts(on, blocks);
  mark_uncounted(counts);
  constexpr bool by_bits = moves_by_bits<Move>;
  took(by_bits ? "compact: by bits" : "compact: by a second call");
  temporary<std::uint64_t, P> const words(on, by_bits ? blocks * block_bits::words : 0);
  auto const count = [&] {
    block_counts<Criterion> const counted{&criterion, n, counts.data()};
    if constexpr (by_bits)
      return block_selections<Criterion>{counted, words.data()};
    else
      return counted;
  }();
  std::size_t total = 0;
  auto const use = [count, blocks, by = &move, sum = &total](std::size_t b, std::size_t upto) {
    std::size_t const own = count(b);
    if constexpr (by_bits)
      move_block(*by, count.bits(b), count.begin(b), count.end(b), upto - own, own);
    else
      move_block(*by, *count.criterion, count.begin(b), count.end(b), upto - own, own);
    if (b + 1 == blocks) *sum = upto;
  };
  auto const elements = elements_from(count, block_size * bytes);
  tally::inclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(blocks), results_to(use));
  return total;
}

/// The number of selected ones of n elements.
template <host P, class Criterion>
std::size_t count_selected(P const& on, std::size_t n, std::size_t bytes, Criterion const& criterion)
{
  auto const count = [&criterion, n](std::size_t b) {
    std::size_t const begin = b * block_size;
    return count_between(criterion, begin, n - begin < block_size ? n : begin + block_size);
  };
  auto const elements = elements_from(count, block_size * bytes);
  return tally::reduce(on, elements, elements + static_cast<std::ptrdiff_t>(block_count(n)), std::size_t{0});
}

}  // namespace tally::detail::selection
