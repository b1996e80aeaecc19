#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "tally/config.hpp"
#include "tally/contract.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// What compaction is made of: some of n elements are chosen, and each chosen one learns how many were before it.
///
/// On a CPU an element of the scan stands for a block: its chosen ones are counted, and when the scan says how many were before the block it is moved, from the
/// cache. On a GPU an element stands for itself.
namespace tally::detail {

/// Elements of a block. Their counts are 0.1% of the memory that is read, and a block of eight bytes each is in every second-level cache.
inline constexpr std::size_t chosen_block = 4096;

/// What std::equal_to<> is, on a GPU too.
struct equal_values {
  template <class A, class B>
  TALLY_HD constexpr bool operator()(A const& a, B const& b) const
  {
    return static_cast<bool>(a == b);
  }
};

/// Who is chosen: element k if `of(at[k])`.
template <class I, class Pred>
struct chosen_by_value {
  static constexpr bool first = false;
  I at;
  mutable Pred of;

  TALLY_HD bool operator()(std::size_t k) const
  {
    return static_cast<bool>(of(at[static_cast<std::iter_difference_t<I>>(k)]));
  }
};

/// Element k if it differs from the one before it; the first element always.
template <class I, class Same>
struct chosen_if_new {
  static constexpr bool first = true;
  I at;
  mutable Same same;

  TALLY_HD bool operator()(std::size_t k) const
  {
    using distance = std::iter_difference_t<I>;
    return !static_cast<bool>(same(at[static_cast<distance>(k - 1)], at[static_cast<distance>(k)]));
  }
};

/// Element k if its flag is set; the first element always.
template <class I>
struct chosen_by_flag {
  static constexpr bool first = true;
  I at;

  TALLY_HD bool operator()(std::size_t k) const
  {
    return static_cast<bool>(at[static_cast<std::iter_difference_t<I>>(k)]);
  }
};

template <class Choice>
TALLY_HD bool is_chosen(Choice const& choice, std::size_t k)
{
  if constexpr (Choice::first)
    return k == 0 || choice(k);
  else
    return choice(k);
}

/// What a loop keeps at hand: a copy, which its stores cannot change, where copies are bytes.
template <class T>
using at_hand = std::conditional_t<std::is_trivially_copyable_v<T> && sizeof(T) <= 64, T const, T const&>;

/// How many of [begin, end) are chosen.
template <class Choice>
std::size_t count_chosen(Choice const& who, std::size_t begin, std::size_t end)
{
  at_hand<Choice> choice = who;
  // Narrow, so that a vector has many of them; a block is no longer than that.
  std::uint32_t count = 0;
  if constexpr (Choice::first)
    if (begin == 0 && end != 0) {
      ++count;
      ++begin;
    }
  for (std::size_t k = begin; k < end; ++k) count += static_cast<std::uint32_t>(choice(k));
  return count;
}

/// Counts of blocks, each found once: a scan asks for an element when it totals a tile, and again when it writes the tile's results.
template <class Choice>
struct counted_blocks {
  Choice const* choice;
  std::size_t n;
  std::uint32_t* counts;  // one more than the count, or 0: not yet known

  static constexpr auto relaxed = std::memory_order_relaxed;  // a value that anyone may find, and finds the same

  std::size_t begin(std::size_t b) const { return b * chosen_block; }
  std::size_t end(std::size_t b) const { return n - begin(b) < chosen_block ? n : begin(b) + chosen_block; }
  std::size_t operator()(std::size_t b) const
  {
    std::atomic_ref<std::uint32_t> const place(counts[b]);
    std::uint32_t count = place.load(relaxed);
    if (count == 0) {
      count = static_cast<std::uint32_t>(count_chosen(*choice, begin(b), end(b))) + 1;
      place.store(count, relaxed);
    }
    return count - 1;
  }
};

/// The counts' memory, of which nothing is known yet.
template <class P>
void forget(temporary<std::uint32_t, P> const& counts)
{
  for (std::uint32_t& count : counts) count = 0;
}

inline std::size_t blocks_of(std::size_t n)
{
  return n / chosen_block + (n % chosen_block != 0);
}

/// On a GPU: the element for k, and what is done with its result.
template <class Choice, class Count>
struct counted_one {
  Choice choice;
  TALLY_HD Count operator()(std::size_t k) const { return static_cast<Count>(is_chosen(choice, k)); }
};
template <class Choice, class Move>
struct move_one {
  Choice choice;
  Move move;
  std::size_t n;
  std::size_t* total;

  template <class Count>
  TALLY_HD void operator()(std::size_t k, Count upto) const
  {
    bool const chosen = is_chosen(choice, k);
    move.one(k, static_cast<std::size_t>(upto) - static_cast<std::size_t>(chosen), chosen);
    if (k == n - 1) *total = static_cast<std::size_t>(upto);
  }
};

/// Moves: `move.block(choice, begin, end, before, count)` for a block with `count` chosen elements and `before` of them before it, or
/// `move.one(k, before, chosen)`. Returns how many were chosen of n elements.
///
/// `bytes` is what an element reads.
template <class P, class Choice, class Move>
std::size_t move_chosen(P const& on, std::size_t n, std::size_t bytes, Choice const& choice, Move const& move)
{
  if (n == 0) return 0;
  if constexpr (runs_on_cpu<P>) {
    std::size_t const blocks = blocks_of(n);
    temporary<std::uint32_t, P> const counts(on, blocks);
    forget(counts);
    counted_blocks<Choice> const count{&choice, n, counts.data()};
    std::size_t total = 0;
    auto const use = [count, blocks, to = &move, sum = &total](std::size_t b, std::size_t upto) {
      std::size_t const own = count(b);
      to->block(*count.choice, count.begin(b), count.end(b), upto - own, own);
      if (b + 1 == blocks) *sum = upto;
    };
    auto const elements = elements_from(count, chosen_block * bytes);
    tally::inclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(blocks), results_to(use));
    return total;
  } else {
    temporary<std::size_t, P> const total(on, 1);
    auto const scan = [&]<class Count>(Count) {
      auto const elements = elements_from(counted_one<Choice, Count>{choice});
      tally::inclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(n),
                            results_to(move_one<Choice, Move>{choice, move, n, total.data()}));
    };
    if (n <= std::numeric_limits<std::uint32_t>::max())
      scan(std::uint32_t{});
    else
      scan(std::uint64_t{});
    return value_at(on, total.data());
  }
}

/// How many of n elements are chosen.
template <class P, class Choice>
std::size_t total_chosen(P const& on, std::size_t n, std::size_t bytes, Choice const& choice)
{
  if constexpr (runs_on_cpu<P>) {
    auto const count = [&choice, n](std::size_t b) {
      std::size_t const begin = b * chosen_block;
      return count_chosen(choice, begin, n - begin < chosen_block ? n : begin + chosen_block);
    };
    auto const elements = elements_from(count, chosen_block * bytes);
    return tally::reduce(on, elements, elements + static_cast<std::ptrdiff_t>(blocks_of(n)), std::size_t{0});
  } else {
    auto const elements = elements_from(counted_one<Choice, std::size_t>{choice});
    return tally::reduce(on, elements, elements + static_cast<std::ptrdiff_t>(n), std::size_t{0});
  }
}

/// Neighbours can be compared.
template <class Same, class Reference>
constexpr void check_equality()
{
  static_assert(std::is_invocable_r_v<bool, Same&, Reference, Reference>,
                "tally: the equality cannot be called with two elements, or its result is no truth value");
}

}  // namespace tally::detail
