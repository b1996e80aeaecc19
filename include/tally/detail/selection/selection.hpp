#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "tally/config.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/selection/blocks.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// What compaction is made of: some of n elements are chosen, and each chosen one learns how many were before it.
///
/// On a CPU an element of the scan stands for a block: its chosen ones are counted, and when the scan says how many
/// were before the block it is moved, from the cache. On a GPU an element stands for itself.
namespace tally::detail {

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

  TALLY_HD_AS_GIVEN
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

/// On a GPU: the element for k, and what is done with its result.
template <class Choice>
struct chosen_one {
  Choice choice;
  TALLY_HD bool operator()(std::size_t k) const { return is_chosen(choice, k); }
};
template <class Move>
struct move_one {
  Move move;
  std::size_t* total;

  TALLY_HD auto take(std::size_t k) const { return move.take(k); }
  template <class Count, class Taken>
  TALLY_HD void operator()(std::size_t k, Count before, Count upto, Taken const& taken) const
  {
    move.one(k, static_cast<std::size_t>(before), before != upto, taken);
  }
  template <class Count>
  TALLY_HD void end(Count count) const
  {
    *total = static_cast<std::size_t>(count);
  }
};

/// Moves: `move.block(choice, begin, end, before, count)` for a block with `count` chosen elements and `before` of them
/// before it (with the block's bits in place of the choice if `Move::by_bits`), or `move.one(k, before, chosen)`.
/// Returns how many were chosen of n elements.
///
/// `bytes` is what an element reads.
template <class P, class Choice, class Move>
std::size_t move_chosen(P const& on, std::size_t n, std::size_t bytes, Choice const& choice, Move const& move)
{
  if (n == 0) return 0;
  if constexpr (host<P>) {
    std::size_t const blocks = blocks_of(n);
    temporary<std::uint32_t, P> const counts(on, blocks);
    forget(counts);
    constexpr bool by_bits = requires { requires Move::by_bits; };
    took(by_bits ? "compact: by bits" : "compact: by asking again");
    temporary<std::uint64_t, P> const words(on, by_bits ? blocks * block_bits::words : 0);
    auto const count = [&] {
      counted_blocks<Choice> const counted{&choice, n, counts.data()};
      if constexpr (by_bits)
        return chosen_blocks<Choice>{counted, words.data()};
      else
        return counted;
    }();
    std::size_t total = 0;
    auto const use = [count, blocks, to = &move, sum = &total](std::size_t b, std::size_t upto) {
      std::size_t const own = count(b);
      if constexpr (by_bits)
        to->block(count.bits(b), count.begin(b), count.end(b), upto - own, own);
      else
        to->block(*count.choice, count.begin(b), count.end(b), upto - own, own);
      if (b + 1 == blocks) *sum = upto;
    };
    auto const elements = elements_from(count, chosen_block * bytes);
    tally::inclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(blocks), results_to(use));
    return total;
  } else {
    temporary<std::size_t, P> const total(on, 1);
    auto const scan = [&]<class Count>(Count) {
      auto const elements = elements_from(chosen_one<Choice>{choice});
      tally::inclusive_scan<Count>(on, elements, elements + static_cast<std::ptrdiff_t>(n),
                                   steps_to(move_one<Move>{move, total.data()}));
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
  if constexpr (host<P>) {
    auto const count = [&choice, n](std::size_t b) {
      std::size_t const begin = b * chosen_block;
      return count_chosen(choice, begin, n - begin < chosen_block ? n : begin + chosen_block);
    };
    auto const elements = elements_from(count, chosen_block * bytes);
    return tally::reduce(on, elements, elements + static_cast<std::ptrdiff_t>(blocks_of(n)), std::size_t{0});
  } else {
    auto const elements = elements_from(chosen_one<Choice>{choice});
    return tally::reduce<std::size_t>(on, elements, elements + static_cast<std::ptrdiff_t>(n));
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
