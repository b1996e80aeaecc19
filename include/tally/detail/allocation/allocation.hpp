#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>

#include "tally/algorithms/allocation_error.hpp"
#include "tally/config.hpp"
#include "tally/detail/allocation/device.hpp"
#include "tally/detail/allocation/host.hpp"
#include "tally/detail/allocation/pieces.hpp"
#include "tally/detail/allocation/sizes.hpp"
#include "tally/detail/path.hpp"
#include "tally/execution.hpp"
#include "tally/for_each.hpp"
#include "tally/temporary.hpp"

/// Allocation within a capacity.
namespace tally::detail::allocation {

/// The execution of a call that names none: all threads where all iterators go through contiguous memory, since such a
/// call runs no code of the caller's.
template <class... Iterators>
using default_execution = std::conditional_t<(std::contiguous_iterator<Iterators> && ...), cpu, automatic>;

/// Writes the end of piece k as 64 bits.
template <class Pieces>
struct write_end {
  Pieces pieces;
  std::uint64_t* ends;
  TALLY_HD void operator()(std::size_t k, typename Pieces::element const& before) const
  {
    ends[k] = saturating_sum(pieces.begin_of(k, before), pieces.size(k));
  }
};

template <class Pieces>
struct write_size {
  Pieces pieces;
  std::uint64_t* size;
  std::size_t piece;
  TALLY_HD void operator()(std::size_t) const { *size = pieces.size(piece); }
};

/// Throws the allocation_error that names the first piece that ends behind `capacity`. There is one. It is found by
/// another scan and a binary search; an error need not be quick.
template <class P, class Pieces>
[[noreturn]] void report_first_misfit(P const& on, std::size_t n, Pieces const& pieces, std::uint64_t capacity)
{
  took("allocate: says what does not fit");
  temporary<std::uint64_t, P> const ends(on, n);
  scan_pieces(on, n, pieces, write_end<Pieces>{pieces, ends.data()});
  std::size_t piece = 0;
  for (std::size_t size = n; size > 0;) {
    std::size_t const half = size / 2;
    if (value_at(on, ends.data() + piece + half) <= capacity) {
      piece += half + 1;
      size -= half + 1;
    } else {
      size = half;
    }
  }
  std::uint64_t const taken = piece == 0 ? 0 : value_at(on, ends.data() + piece - 1);
  tally::for_each_index(on, 1, write_size<Pieces>{pieces, ends.data(), piece});
  std::uint64_t const size = value_at(on, ends.data());
  std::string const which = "tally: piece " + std::to_string(piece);
  if (Pieces::may_be_negative && size == invalid_size)
    throw allocation_error(which + " has a negative size; sizes are 0 or more", piece);
  throw allocation_error(which + " of " + std::to_string(size) + " does not fit: " + std::to_string(taken) + " of " +
                             std::to_string(capacity) + " are taken before it",
                         piece);
}

/// Places n pieces within `capacity`, and within the values of an offset's type. `bytes` are read and written for each
/// piece. Returns the end of the last one.
template <class P, class Pieces, class Out>
std::uint64_t place_within(P const& on, std::size_t n, std::size_t bytes, Pieces const& pieces, Out offsets,
                           std::uint64_t capacity)
{
  static_assert(std::is_integral_v<std::iter_value_t<Out>>, "tally: offsets are integers");
  if (n == 0) return 0;
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::iter_value_t<Out>>::max());
  constexpr std::uint64_t limit = largest < invalid_size ? largest : invalid_size - 1;
  if (capacity > limit) capacity = limit;
  std::uint64_t const end = place_pieces(on, n, bytes, pieces, offsets);
  if (end > capacity) report_first_misfit(on, n, pieces, capacity);
  return end;
}

}  // namespace tally::detail::allocation
