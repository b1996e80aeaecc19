#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>

#include "tally/detail/at_index.hpp"
#include "tally/detail/backends.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/selection/host_blocks.hpp"
#include "tally/detail/selection/moves.hpp"

/// Moves on a CPU: `move_block(move, selected, begin, end, before, count)` moves the block [begin, end), of which
/// `count` elements are selected and before which `before` are. `selected` is the block's bits if
/// `moves_by_bits<Move>`, else the criterion.
namespace tally::detail::selection {

/// Moves of elements that a compiled kernel moves as bytes.
template <class Move>
inline constexpr bool moves_by_bits = false;
template <class I, class Out>
inline constexpr bool moves_by_bits<copy_selected<I, Out>> = cpu_backend::compressible<I, Out>;
template <class I, class Out, class Rest>
inline constexpr bool moves_by_bits<copy_both<I, Out, Rest>> =
    cpu_backend::compressible<I, Out> && cpu_backend::compressible<I, Rest>;

/// Whether a loop with a branch moves a block quicker. It does where the branch is predicted 31 times of 32, and where
/// elements are more than bytes, so that a needless copy is dear.
template <class T>
constexpr bool is_uneven(std::size_t count, std::size_t size)
{
  return !std::is_trivially_copyable_v<T> || count < size / 32 || size - count < size / 32;
}

/// Copies those of `size` elements from `in` whose bit is set, `room` elements, to `out`.
template <class I, class Out>
void compress_block(I in, std::uint64_t const* bits, std::size_t size, Out out, std::size_t room)
{
  took(room == 0      ? "compact: nothing of a block"
       : room == size ? "compact: a whole block"
                      : "compact: a part of a block");
  if (room == 0) return;
  constexpr std::size_t bytes = sizeof(std::iter_value_t<I>);
  auto const* const from = reinterpret_cast<std::byte const*>(std::to_address(in));
  auto* const to = reinterpret_cast<std::byte*>(std::to_address(out));
  if (room == size)
    std::memcpy(to, from, size * bytes);
  else
    cpu_backend::compress<bytes>({from, bits, size, to, room});
}

template <class I, class Out>
void move_block(copy_selected<I, Out> const& move, block_bits const& bits, std::size_t begin, std::size_t end,
                std::size_t before, std::size_t count)
{
  compress_block(move.in + static_cast<std::iter_difference_t<I>>(begin), bits.word, end - begin,
                 move.out + static_cast<std::iter_difference_t<Out>>(before), count);
}

template <class I, class Out, class Criterion>
void move_block(copy_selected<I, Out> const& move, Criterion const& criterion, std::size_t begin, std::size_t end,
                std::size_t before, std::size_t count)
{
  loop_copy<Criterion> selects = criterion;
  I const in = move.in;
  Out const out = move.out;
  std::size_t const upto = before + count;
  std::size_t k = begin;
  if constexpr (Criterion::always_first)
    if (k == 0 && count != 0) at_index(out, before++) = at_index(in, k++);
  if (upto - before == end - k) {
    took("compact: a block without a call");
    for (; k < end; ++k) at_index(out, before++) = at_index(in, k);
  } else if (is_uneven<std::iter_value_t<I>>(count, end - begin)) {
    took("compact: a block with a branch");
    for (; before < upto; ++k)
      if (selects(k)) at_index(out, before++) = at_index(in, k);
  } else {
    took("compact: a block without a branch");
    // No branch: an element that is not selected is written too, and the next one over it. The loop ends when the
    // block's share is full, so it writes nothing beyond it.
    while (before < upto) {
      bool const stays = selects(k);
      at_index(out, before) = at_index(in, k++);
      before += static_cast<std::size_t>(stays);
    }
  }
}

template <class I, class Out, class Rest>
void move_block(copy_both<I, Out, Rest> const& move, block_bits const& bits, std::size_t begin, std::size_t end,
                std::size_t before, std::size_t count)
{
  I const from = move.in + static_cast<std::iter_difference_t<I>>(begin);
  std::size_t const size = end - begin;
  compress_block(from, bits.word, size, move.selected + static_cast<std::iter_difference_t<Out>>(before), count);
  compress_block(from, bits.complement().word, size,
                 move.rest + static_cast<std::iter_difference_t<Rest>>(begin - before), size - count);
}

template <class I, class Out, class Rest, class Criterion>
void move_block(copy_both<I, Out, Rest> const& move, Criterion const& criterion, std::size_t begin, std::size_t end,
                std::size_t before, std::size_t count)
{
  loop_copy<Criterion> selects = criterion;
  I const in = move.in;
  Out const selected = move.selected;
  Rest const rest = move.rest;
  std::size_t const upto = before + count;
  std::size_t rejected = begin - before;
  std::size_t const rejected_upto = end - upto;
  std::size_t k = begin;
  if (is_uneven<std::iter_value_t<I>>(count, end - begin)) {
    took("partition: a block with a branch");
    for (; k < end; ++k) {
      if (selects(k))
        at_index(selected, before++) = at_index(in, k);
      else
        at_index(rest, rejected++) = at_index(in, k);
    }
    return;
  }
  // Each element is written to both, and stays in one of them. When one share is full, all that follow belong to the
  // other.
  while (before < upto && rejected < rejected_upto) {
    bool const here = selects(k);
    at_index(selected, before) = at_index(in, k);
    at_index(rest, rejected) = at_index(in, k++);
    before += static_cast<std::size_t>(here);
    rejected += static_cast<std::size_t>(!here);
  }
  took(before < upto ? "partition: the rest is selected" : "partition: the rest is not selected");
  while (before < upto) at_index(selected, before++) = at_index(in, k++);
  while (rejected < rejected_upto) at_index(rest, rejected++) = at_index(in, k++);
}

}  // namespace tally::detail::selection
