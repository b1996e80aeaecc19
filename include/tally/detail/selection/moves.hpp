#pragma once

#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/backends.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/selection/selection.hpp"

/// What compaction does with the chosen elements of a block, or with one of them.
namespace tally::detail {

/// Whether a block is moved by a loop with a branch: it pays where it is foreseen 31 times of 32, and where a copy too
/// many costs more than bytes.
template <class T>
constexpr bool is_uneven(std::size_t count, std::size_t size)
{
  return !std::is_trivially_copyable_v<T> || count < size / 32 || size - count < size / 32;
}

/// Of `size` elements from `in` those with a bit, which are `room`, to `out`.
template <class I, class Out>
void compress_block(I in, block_bits const& bits, std::size_t size, Out out, std::size_t room)
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
    cpu_backend::compress<bytes>({from, bits.word, size, to, room});
}

/// Chosen elements to `chosen`, the others nowhere.
template <class I, class Out>
struct copy_chosen {
  I in;
  Out chosen;

  static constexpr bool by_bits = cpu_backend::compressible<I, Out>;
  void block(block_bits const& bits, std::size_t begin, std::size_t end, std::size_t before, std::size_t count) const
    requires(by_bits)
  {
    compress_block(in + place_of_index(begin), bits, end - begin,
                   chosen + static_cast<std::iter_difference_t<Out>>(before), count);
  }
  template <class Choice>
    requires(!by_bits)
  void block(Choice const& who, std::size_t begin, std::size_t end, std::size_t before, std::size_t count) const
  {
    at_hand<Choice> choice = who;
    I const from = in;
    Out const to = chosen;
    std::size_t const upto = before + count;
    std::size_t k = begin;
    if constexpr (Choice::first)
      if (k == 0 && count != 0) place(to, before++) = from[place_of_index(k++)];
    if (upto - before == end - k) {
      took("compact: a block without a question");
      for (; k < end; ++k) place(to, before++) = from[place_of_index(k)];
    } else if (is_uneven<std::iter_value_t<I>>(count, end - begin)) {
      took("compact: a block with a branch");
      for (; before < upto; ++k)
        if (choice(k)) place(to, before++) = from[place_of_index(k)];
    } else {
      took("compact: a block without a branch");
      // No branch: what is not chosen is written too, and the next one over it. It ends with the block's share, so it
      // never leaves it.
      while (before < upto) {
        bool const stays = choice(k);
        place(to, before) = from[place_of_index(k++)];
        before += static_cast<std::size_t>(stays);
      }
    }
  }
  TALLY_HD std::iter_value_t<I> take(std::size_t k) const { return in[place_of_index(k)]; }
  TALLY_HD void one(std::size_t, std::size_t before, bool is_chosen, std::iter_value_t<I> const& taken) const
  {
    if (is_chosen) place(chosen, before) = taken;
  }

  TALLY_HD static decltype(auto) place(Out const& to, std::size_t k)
  {
    return to[static_cast<std::iter_difference_t<Out>>(k)];
  }
  TALLY_HD static auto place_of_index(std::size_t k) { return static_cast<std::iter_difference_t<I>>(k); }
};

/// Chosen elements to `chosen`, the others to `rest`.
template <class I, class Out, class Rest>
struct part {
  I in;
  Out chosen;
  Rest rest;

  static constexpr bool by_bits = cpu_backend::compressible<I, Out> && cpu_backend::compressible<I, Rest>;
  void block(block_bits const& bits, std::size_t begin, std::size_t end, std::size_t before, std::size_t count) const
    requires(by_bits)
  {
    I const from = in + static_cast<std::iter_difference_t<I>>(begin);
    std::size_t const size = end - begin;
    compress_block(from, bits, size, chosen + static_cast<std::iter_difference_t<Out>>(before), count);
    compress_block(from, bits.complement(), size, rest + static_cast<std::iter_difference_t<Rest>>(begin - before),
                   size - count);
  }
  template <class Choice>
    requires(!by_bits)
  void block(Choice const& who, std::size_t begin, std::size_t end, std::size_t before, std::size_t count) const
  {
    at_hand<Choice> choice = who;
    I const from = in;
    Out const to = chosen;
    Rest const others = rest;
    std::size_t const upto = before + count;
    std::size_t rejected = begin - before;
    std::size_t const rejected_upto = end - upto;
    std::size_t k = begin;
    if (is_uneven<std::iter_value_t<I>>(count, end - begin)) {
      took("partition: a block with a branch");
      for (; k < end; ++k) {
        if (choice(k))
          at(to, before++) = at(from, k);
        else
          at(others, rejected++) = at(from, k);
      }
      return;
    }
    // Both are written, and one of the two stays. When one share is full, all that comes belongs to the other.
    while (before < upto && rejected < rejected_upto) {
      bool const here = choice(k);
      at(to, before) = at(from, k);
      at(others, rejected) = at(from, k++);
      before += static_cast<std::size_t>(here);
      rejected += static_cast<std::size_t>(!here);
    }
    took(before < upto ? "partition: the rest is chosen" : "partition: the rest is not chosen");
    while (before < upto) at(to, before++) = at(from, k++);
    while (rejected < rejected_upto) at(others, rejected++) = at(from, k++);
  }
  TALLY_HD std::iter_value_t<I> take(std::size_t k) const { return at(in, k); }
  TALLY_HD void one(std::size_t k, std::size_t before, bool is_chosen, std::iter_value_t<I> const& taken) const
  {
    if (is_chosen)
      at(chosen, before) = taken;
    else
      at(rest, k - before) = taken;
  }

  template <class J>
  TALLY_HD static decltype(auto) at(J const& of, std::size_t k)
  {
    return of[static_cast<std::iter_difference_t<J>>(k)];
  }
};

}  // namespace tally::detail
