#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "tally/config.hpp"
#include "tally/detail/allocation/pieces.hpp"
#include "tally/detail/allocation/sizes.hpp"
#include "tally/detail/execution.hpp"
#include "tally/temporary.hpp"

/// Allocation on a GPU: a scan over the pieces.
namespace tally::detail::allocation {

/// Writes the offset of piece k, and the end of the last piece.
template <class Pieces, class Out>
struct write_offset {
  Pieces pieces;
  Out offsets;
  std::size_t n;
  std::uint64_t* end;

  TALLY_HD void operator()(std::size_t k, typename Pieces::element const& before) const
  {
    std::uint64_t const begin = pieces.begin_of(k, before);
    offsets[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<std::iter_value_t<Out>>(begin);
    if (k + 1 == n) *end = saturating_sum(begin, pieces.size(k));
  }
};

/// Places n > 0 pieces. Returns the end of the last one.
template <device P, class Pieces, class Out>
std::uint64_t place_pieces(P const& on, std::size_t n, std::size_t /*bytes*/, Pieces const& pieces, Out offsets)
{
  temporary<std::uint64_t, P> const end(on, 1);
  scan_pieces(on, n, pieces, write_offset<Pieces, Out>{pieces, offsets, n, end.data()});
  return value_at(on, end.data());
}

}  // namespace tally::detail::allocation
