#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/atomic.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/histogram/add_copies.hpp"
#include "tally/detail/histogram/float_bins.hpp"
#include "tally/detail/path.hpp"
#include "tally/for_each.hpp"
#include "tally/teams.hpp"
#include "tally/temporary.hpp"

/// Histograms on a GPU: teams have copies of the slots in their memory, or, if there is no room for one there, all
/// threads add to copies in device memory.
namespace tally::detail::histogram {

/// Adds the weight of one value to one of several copies of the slots in device memory.
template <class I, class W, class Bins, class Sum>
struct add_to_copy {
  I first;
  W weights;
  Bins bins;
  Sum* sums;
  std::size_t copies;

  TALLY_HD void operator()(std::size_t k) const
  {
    // A warp's values go to one copy, the next warp's to the next one.
    std::size_t const copy = k / 32 % copies;
    auto const slot = bins(first[static_cast<std::iter_difference_t<I>>(k)]);
    auto const weight = static_cast<Sum>(weights[static_cast<std::iter_difference_t<W>>(k)]);
    add_atomically(sums + copy * bins.slots() + slot, weight);
  }
};

template <class Sum>
struct set_to_zero {
  Sum* sums;

  TALLY_HD void operator()(std::size_t k) const { sums[k] = Sum{}; }
};

/// Adds a block of values to slots in the team's memory, and then these to the slots of all teams by atomic additions.
template <class I, class W, class Bins, class Sum>
struct add_by_team {
  struct memory {
    Sum sums[48000 / sizeof(Sum)];
  };
  static constexpr int team_size = 512;
  static constexpr std::size_t most_slots = 48000 / sizeof(Sum);
  /// The number of values that a thread loads before it waits for any of them.
  static constexpr int at_once = 8;

  I first;
  W weights;
  Bins bins;
  Sum* sums;
  /// The copies of a slot, which lie next to each other. Each lane uses one of them: with one copy, lanes with equal
  /// values would wait for one another.
  unsigned copies;

  template <class Team>
  TALLY_HD void operator()(Team team, memory& own, std::size_t begin, std::size_t end) const
  {
    auto const rank = static_cast<std::size_t>(team.rank()), size = static_cast<std::size_t>(team.size());
    std::size_t const slots = bins.slots();
    for (std::size_t s = rank; s < slots * copies; s += size) own.sums[s] = Sum{};
    team.wait();
    unsigned const copy = static_cast<unsigned>(team.lane()) % copies;
    auto const count = [&](std::size_t slot, Sum weight) { team.add(own.sums[slot * copies + copy], weight); };
    std::size_t k = begin + rank;
    for (; k + (at_once - 1) * size < end; k += at_once * size) {
      std::size_t slot[at_once];
      Sum weight[at_once];
      for (int j = 0; j < at_once; ++j) {
        slot[j] = slot_of(k + static_cast<std::size_t>(j) * size);
        weight[j] = weight_of(k + static_cast<std::size_t>(j) * size);
      }
      for (int j = 0; j < at_once; ++j) count(slot[j], weight[j]);
    }
    for (; k < end; k += size) count(slot_of(k), weight_of(k));
    team.wait();
    for (std::size_t s = rank; s < slots; s += size) {
      Sum sum{};
      for (unsigned c = 0; c < copies; ++c) sum = static_cast<Sum>(sum + own.sums[s * copies + c]);
      if (sum != Sum{}) add_atomically(sums + s, sum);
    }
  }

private:
  TALLY_HD std::size_t slot_of(std::size_t k) const
  {
    return static_cast<std::size_t>(bins(first[static_cast<std::iter_difference_t<I>>(k)]));
  }
  TALLY_HD Sum weight_of(std::size_t k) const
  {
    return static_cast<Sum>(weights[static_cast<std::iter_difference_t<W>>(k)]);
  }
};

/// The weights of a histogram that counts: each is one.
struct ones {
  TALLY_HD std::uint32_t operator[](std::ptrdiff_t) const { return 1; }
  using difference_type = std::ptrdiff_t;
  using value_type = std::uint32_t;
};

/// The type in which integers are added up atomically. Unsigned words wrap, so that the result converts to the same sum
/// as one added up in `Sum`.
template <class Sum>
using sum_word = std::conditional_t<sizeof(Sum) <= 4, std::uint32_t, std::uint64_t>;

/// Adds up by atomic additions to copies of the slots in device memory: as many as have 2^16 slots together, 256 at
/// most.
template <class Sum, class P, class I, class W, class Bins, class Out>
void sum_by_atomics(P const& on, I first, std::size_t n, W weights, Bins const& bins, Out out)
{
  using word = sum_word<Sum>;
  constexpr std::size_t many = std::size_t{1} << 16, most = 256;
  std::size_t const enough = many / bins.slots();
  std::size_t const copies = enough < 1 ? 1 : enough > most ? most : enough;
  took(enough < 1      ? "histogram: one copy for atomics"
       : enough > most ? "histogram: the most copies for atomics"
                       : "histogram: copies for atomics by the slots");
  temporary<word, P> const sums(on, copies * bins.slots());
  tally::for_each_index(on, sums.size(), set_to_zero<word>{sums.data()});
  tally::for_each_index(on, n, add_to_copy<I, W, Bins, word>{first, weights, bins, sums.data(), copies});
  tally::for_each_index(on, bins.slots(), add_copies<word, Out, Sum>{sums.data(), copies, bins.slots(), out});
}

/// Adds up in the memory of teams. Teams add their slots to the output itself if it has integers of the word's size.
template <class Sum, class P, class I, class W, class Bins, class Out>
void sum_by_teams(P const& on, I first, std::size_t n, W weights, Bins const& bins, Out out)
{
  using word = sum_word<Sum>;
  using team = add_by_team<I, W, Bins, word>;
  // Sums of words wrap, whatever the sign is.
  constexpr bool in_place =
      sizeof(Sum) == sizeof(word) && (std::is_same_v<Out, word*> || std::is_same_v<Out, std::make_signed_t<word>*>);
  std::size_t const slots = bins.slots();
  took(in_place ? "histogram: teams add where it is wanted" : "histogram: teams add in memory of their own");
  temporary<word, P> const own_sums(on, in_place ? 0 : slots);
  word* sums = own_sums.data();
  if constexpr (in_place) sums = reinterpret_cast<word*>(out);
  tally::for_each_index(on, slots, set_to_zero<word>{sums});
  // There are as many blocks as teams run at a time on a large GPU, so that each team adds its slots to the output
  // once. The copies of all slots have 8 KiB, so that clearing them is little beside counting.
  constexpr std::size_t blocks = 512, least = std::size_t{1} << 13;
  std::size_t const share = n / blocks + (n % blocks != 0), block = share < least ? least : share;
  std::size_t const room = (std::size_t{1} << 13) / sizeof(word) / slots;
  unsigned copies = 1;
  while (2 * copies <= room && copies < 8) copies *= 2;
  took(copies == 1  ? "histogram: teams with one copy"
       : copies < 8 ? "histogram: teams with some copies"
                    : "histogram: teams with the most copies");
  took(share < least ? "histogram: teams on the least block" : "histogram: teams on blocks by the size");
  tally::for_each_block_by_team(on, n, block, team{first, weights, bins, sums, copies});
  if constexpr (!in_place) tally::for_each_index(on, slots, add_copies<word, Out, Sum>{sums, 1, slots, out});
}

/// Adds up by teams if their memory holds the slots, else by atomic additions.
template <class Sum, class P, class I, class W, class Bins, class Out>
void sum_in_any_order(P const& on, I first, std::size_t n, W weights, Bins const& bins, Out out)
{
  if (bins.slots() <= add_by_team<I, W, Bins, sum_word<Sum>>::most_slots)
    sum_by_teams<Sum>(on, first, n, weights, bins, out);
  else
    sum_by_atomics<Sum>(on, first, n, weights, bins, out);
}

/// Calls use(bins), with bins that are quicker on a GPU if there are any.
template <class T, class Bins, class Use>
void with_bins_for_device(Bins const& bins, Use const& use)
{
  if constexpr (std::is_same_v<Bins, even_bins> && is_exact_in_float<T>) {
    float_bins const by_floats(bins);
    took(by_floats.are_sure() ? "histogram: most bins by floats" : "histogram: bins by doubles");
    use(by_floats);
  } else {
    use(bins);
  }
}

/// Writes the number of values in each slot to `out`.
template <device P, class I, class Bins, class Out>
void count(P const& on, I values, std::size_t n, Bins const& bins, Out out)
{
  with_bins_for_device<std::iter_value_t<I>>(bins, [&](auto const& own) {
    if (n <= std::numeric_limits<std::uint32_t>::max())
      sum_in_any_order<std::uint32_t>(on, values, n, ones{}, own, out);
    else
      sum_in_any_order<std::uint64_t>(on, values, n, ones{}, own, out);
  });
}

/// Writes the sum of the weights of each slot to `out`.
template <class Sum, device P, class I, class W, class Bins, class Out>
void weigh(P const& on, I values, std::size_t n, W weights, Bins const& bins, Out out)
{
  static_assert(std::is_integral_v<Sum>,
                "tally: on a GPU the weights of a histogram are integers: sums of floating-point numbers would depend "
                "on which thread comes first");
  with_bins_for_device<std::iter_value_t<I>>(
      bins, [&](auto const& own) { sum_in_any_order<Sum>(on, values, n, weights, own, out); });
}

}  // namespace tally::detail::histogram
