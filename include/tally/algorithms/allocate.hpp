#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "tally/detail/allocation/allocation.hpp"
#include "tally/detail/allocation/places.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/block_results.hpp"
#include "tally/error.hpp"
#include "tally/for_each.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Many pieces out of one: sizes become the places where pieces begin.
namespace tally {

/// How pieces are placed. `alignment`: each begins at a multiple of it. `capacity`: none ends behind it.
struct allocation_rules {
  std::uint64_t alignment = 1;
  std::uint64_t capacity = std::numeric_limits<std::uint64_t>::max();
};

/// A piece that does not fit, or whose size is negative: the first one, by its number from 0. The message has its size,
/// the capacity and what is taken before it.
class allocation_error : public error {
public:
  allocation_error(std::string const& what, std::size_t piece) : error(what), piece_(piece) {}
  std::size_t piece() const { return piece_; }

private:
  std::size_t piece_;
};

namespace detail {

/// Where a call runs that names no execution and calls nothing of the caller's: on all threads, if what it reads and
/// writes is plain memory.
template <class... Iterators>
using threads_of_memory = std::conditional_t<(std::contiguous_iterator<Iterators> && ...), cpu, automatic>;

/// On a GPU: what is done with the places before piece k.
template <class Pieces, class Out>
struct place_one {
  Pieces pieces;
  Out offsets;
  std::size_t n;
  std::uint64_t* end;  // of the last piece

  TALLY_HD void operator()(std::size_t k, typename Pieces::element const& before) const
  {
    std::uint64_t const begin = pieces.begin_of(k, before);
    offsets[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<std::iter_value_t<Out>>(begin);
    if (k + 1 == n) *end = saturating_sum(begin, pieces.count(k));
  }
};
/// Its end, kept in full.
template <class Pieces>
struct note_end {
  Pieces pieces;
  std::uint64_t* ends;
  TALLY_HD void operator()(std::size_t k, typename Pieces::element const& before) const
  {
    ends[k] = saturating_sum(pieces.begin_of(k, before), pieces.count(k));
  }
};

template <class Pieces>
struct note_size {
  Pieces pieces;
  std::uint64_t* size;
  std::size_t piece;
  TALLY_HD void operator()(std::size_t) const { *size = pieces.count(piece); }
};

template <class P, class Pieces, class Use>
void scan_pieces(P const& on, std::size_t n, Pieces const& pieces, Use const& use)
{
  auto const elements = elements_from(pieces);
  tally::exclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(n), results_to(use), Pieces::nothing(),
                        typename Pieces::join{});
}

/// Says which piece is the first that ends behind `capacity`; there is one. Not quick: nothing goes on from here.
template <class P, class Pieces>
[[noreturn]] void say_what_does_not_fit(P const& on, std::size_t n, Pieces const& pieces, std::uint64_t capacity)
{
  took("allocate: says what does not fit");
  temporary<std::uint64_t, P> const ends(on, n);
  scan_pieces(on, n, pieces, note_end<Pieces>{pieces, ends.data()});
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
  tally::for_each_index(on, 1, note_size<Pieces>{pieces, ends.data(), piece});
  std::uint64_t const size = value_at(on, ends.data());
  std::string const which = "tally: piece " + std::to_string(piece);
  if (Pieces::may_be_negative && size == no_size)
    throw allocation_error(which + " has a negative size; sizes are 0 or more", piece);
  throw allocation_error(which + " of " + std::to_string(size) + " does not fit: " + std::to_string(taken) + " of " +
                             std::to_string(capacity) + " are taken before it",
                         piece);
}

/// Every allocation. Returns the end of the last piece.
template <class P, class Pieces, class Out>
std::uint64_t place_pieces(P const& on, std::size_t n, std::size_t bytes, Pieces const& pieces, Out offsets,
                           std::uint64_t capacity)
{
  static_assert(std::is_integral_v<std::iter_value_t<Out>>, "tally: offsets are integers");
  if (n == 0) return 0;
  // What offsets can hold is a capacity too.
  constexpr auto holds = static_cast<std::uint64_t>(std::numeric_limits<std::iter_value_t<Out>>::max());
  constexpr std::uint64_t most = holds < no_size ? holds : no_size - 1;
  if (capacity > most) capacity = most;
  std::uint64_t end = 0;
  if constexpr (host<P>) {
    constexpr std::size_t block = Pieces::block;
    std::size_t const blocks = n / block + (n % block != 0);
    using element = typename Pieces::element;
    notebook<typename Pieces::summary, P> const summaries(on, blocks);
    auto const summary = [all = &pieces, noted = summaries.pages(), n](std::size_t b) {
      return noted.get(b, [&] { return all->summary_of(b * block, n - b * block < block ? n : (b + 1) * block); });
    };
    auto const total = [summary](std::size_t b) { return Pieces::total_of(summary(b)); };
    auto const use = [all = &pieces, summary, offsets, n, last = &end](std::size_t b, element const& before) {
      std::size_t const block_end = n - b * block < block ? n : (b + 1) * block;
      std::uint64_t const at = all->place(b * block, block_end, before, summary(b), offsets);
      if (block_end == n) *last = at;
    };
    auto const elements = elements_from(total, block * bytes);
    tally::exclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(blocks), results_to(use),
                          Pieces::nothing(), typename Pieces::join{});
  } else {
    temporary<std::uint64_t, P> const last(on, 1);
    scan_pieces(on, n, pieces, place_one<Pieces, Out>{pieces, offsets, n, last.data()});
    end = value_at(on, last.data());
  }
  if (end > capacity) say_what_does_not_fit(on, n, pieces, capacity);
  return end;
}

}  // namespace detail

/// Places pieces of the given sizes one behind the other: writes to `offsets[k]` where piece k begins.
///
///     allocate([on,] sizes, sizes_last, offsets [, rules])
///
/// Equation  offsets[k] = a * ceil(sizes[0] / a) + ... + a * ceil(sizes[k-1] / a), where a is rules.alignment
/// Requires  random-access iterators over integers; `offsets` overlaps nothing that is read.
/// Result    where the last piece ends: what is needed of memory, or 0 of no pieces. A size of 0 takes no room.
/// Cost      one pass; O(n/p + log p) on p threads. Without `on` all threads, if the sizes are in contiguous memory.
/// Memory    12 bytes for each 4096 sizes; where they have alignments of their own, 108 for each 1024.
/// Blocks    until the result is there, on a GPU too.
/// Throws    allocation_error, which names the first piece that ends behind rules.capacity, or behind what `offsets`
///           can hold, or behind 2^64 - 2, or whose size is negative: then offsets are partly written. usage_error if
///           the alignment is 0; cuda_error; std::bad_alloc.
/// Source    Blelloch, Prefix sums and their applications (1990), section 1.3, as "allocating".
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out>
std::uint64_t allocate(P const& on, I sizes, S sizes_last, Out offsets, allocation_rules const& rules = {})
{
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<Out>,
                "tally: allocate reads and writes by index: give it iterators of arrays");
  if (rules.alignment == 0) throw usage_error("tally: allocate: the alignment is 0; it must be at least 1");
  return detail::place_pieces(on, static_cast<std::size_t>(sizes_last - sizes),
                              sizeof(std::iter_value_t<I>) + sizeof(std::iter_value_t<Out>),
                              detail::even_pieces<I>{sizes, rules.alignment}, offsets, rules.capacity);
}
template <detail::iterator I, detail::end_of<I> S, detail::iterator Out>
std::uint64_t allocate(I sizes, S sizes_last, Out offsets, allocation_rules const& rules = {})
{
  return tally::allocate(detail::threads_of_memory<I, Out>{}, sizes, sizes_last, offsets, rules);
}

/// The same where each piece has an alignment of its own: so are the members of a structure laid out.
///
///     allocate_aligned([on,] sizes, sizes_last, alignments, offsets [, rules])
///
/// Equation  offsets[k] = (the end of piece k-1, rounded up to a multiple of alignments[k]); offsets[0] = 0
/// Requires  alignments are powers of two. rules.alignment is not looked at. As `allocate` otherwise.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Alignments, detail::iterator Out>
std::uint64_t allocate_aligned(P const& on, I sizes, S sizes_last, Alignments alignments, Out offsets,
                               allocation_rules const& rules = {})
{
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<Alignments> &&
                    std::random_access_iterator<Out>,
                "tally: allocate_aligned reads and writes by index: give it iterators of arrays");
  return detail::place_pieces(on, static_cast<std::size_t>(sizes_last - sizes),
                              sizeof(std::iter_value_t<I>) + sizeof(std::iter_value_t<Out>),
                              detail::aligned_pieces<I, Alignments>{sizes, alignments}, offsets, rules.capacity);
}
template <detail::iterator I, detail::end_of<I> S, detail::iterator Alignments, detail::iterator Out>
std::uint64_t allocate_aligned(I sizes, S sizes_last, Alignments alignments, Out offsets,
                               allocation_rules const& rules = {})
{
  return tally::allocate_aligned(detail::threads_of_memory<I, Out>{}, sizes, sizes_last, alignments, offsets, rules);
}

}  // namespace tally
