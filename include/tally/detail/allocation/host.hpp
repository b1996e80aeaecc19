#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/block_cache.hpp"
#include "tally/detail/execution.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// Allocation on a CPU: the scan goes over blocks of pieces. A block's summary gives its total, and places the block's
/// pieces from the cache when the scan knows where the block begins.
namespace tally::detail::allocation {

/// Places n > 0 pieces. `bytes` are read and written for each. Returns the end of the last one.
template <host P, class Pieces, class Out>
std::uint64_t place_pieces(P const& on, std::size_t n, std::size_t bytes, Pieces const& pieces, Out offsets)
{
  constexpr std::size_t block = Pieces::block;
  std::size_t const blocks = n / block + (n % block != 0);
  using element = typename Pieces::element;
  std::uint64_t end = 0;
  block_cache<typename Pieces::summary, P> const summaries(on, blocks);
  auto const summary = [all = &pieces, cache = summaries.view(), n](std::size_t b) {
    return cache.get(b, [&] { return all->summary_of(b * block, n - b * block < block ? n : (b + 1) * block); });
  };
  auto const total = [summary](std::size_t b) { return Pieces::total_of(summary(b)); };
  auto const place = [all = &pieces, summary, offsets, n, last = &end](std::size_t b, element const& before) {
    std::size_t const block_end = n - b * block < block ? n : (b + 1) * block;
    std::uint64_t const at = all->place(b * block, block_end, before, summary(b), offsets);
    if (block_end == n) *last = at;
  };
  auto const elements = elements_from(total, block * bytes);
  tally::exclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(blocks), results_to(place),
                        Pieces::empty(), typename Pieces::combine{});
  return end;
}

}  // namespace tally::detail::allocation
