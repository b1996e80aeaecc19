#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/algorithms/bins.hpp"
#include "tally/config.hpp"
#include "tally/detail/atomic.hpp"
#include "tally/detail/backends.hpp"
#include "tally/detail/path.hpp"
#include "tally/for_each.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/teams.hpp"
#include "tally/temporary.hpp"

/// How a histogram is added up: by parts of the input that have slots of their own; by teams that have copies of the
/// slots in their memory; or, where there is no room for one, by atomic additions to several copies of the slots.
namespace tally::detail {

/// A part's own counts: row `part` of a table, which no other part writes.
template <class I, class Bins>
struct count_part {
  I first;
  Bins bins;
  std::uint64_t* counts;
  std::size_t part;

  /// A slot has so many counters, which values have in turn: equal values in a row would else wait for one another.
  static constexpr std::size_t turns = cpu_backend::bin_turns;
  /// Counters that stay in the first level of the cache. With more slots than half of them there are no turns.
  static constexpr std::size_t room = 2048;
  /// Slots found at a time, before any is counted: of which a compiler makes vector instructions.
  static constexpr std::size_t chunk = 64;

  void operator()(std::size_t begin, std::size_t end) const
  {
    std::size_t const slots = bins.slots();
    std::uint64_t* const own = counts + begin / part * slots;
    for (std::size_t s = 0; s < slots; ++s) own[s] = 0;
    std::size_t const tables = room / slots < turns ? room / slots : turns;
    took(tables < 2       ? "histogram: one counter a slot"
         : tables < turns ? "histogram: two or three counters a slot"
                          : "histogram: four counters a slot");
    if (tables < 2) {
      std::uint64_t* const same[turns] = {own, own, own, own};
      return count(begin, end, same);
    }
    std::uint64_t seen[room];
    for (std::size_t s = 0; s < tables * slots; ++s) seen[s] = 0;
    std::uint64_t* counters[turns];
    for (std::size_t t = 0; t < turns; ++t) counters[t] = seen + t % tables * slots;
    count(begin, end, counters);
    for (std::size_t t = 0; t < tables; ++t)
      for (std::size_t s = 0; s < slots; ++s) own[s] += seen[t * slots + s];
  }

private:
  using value = std::iter_value_t<I>;
  static constexpr bool by_kernel = std::is_same_v<Bins, even_bins> && std::is_pointer_v<I> &&
                                    !std::is_volatile_v<std::remove_pointer_t<I>> &&
                                    cpu_backend::has_kernels<minimum, value>;

  void count(std::size_t begin, std::size_t end, std::uint64_t* const (&counters)[turns]) const
  {
    Bins const own_bins = bins;  // here, where the compiler sees that no counter is a part of it
    using distance = std::iter_difference_t<I>;
    std::size_t k = begin;
    took(by_kernel ? "histogram: by a kernel" : "histogram: by chunks of slots");
    if constexpr (by_kernel) {
      using element = typename cpu_backend::kernel_element<minimum, value>::type;
      std::size_t const size = (end - begin) / cpu_backend::bin_chunk * cpu_backend::bin_chunk;
      cpu_backend::count_even_bins<element>({reinterpret_cast<element const*>(first + begin),
                                             size,
                                             bins.numbers(),
                                             {counters[0], counters[1], counters[2], counters[3]}});
      k += size;
    } else {
      std::decay_t<std::invoke_result_t<Bins const&, std::iter_reference_t<I>>> slots[chunk];
      for (; end - k >= chunk; k += chunk) {
        for (std::size_t j = 0; j < chunk; ++j) slots[j] = own_bins(first[static_cast<distance>(k + j)]);
        for (std::size_t j = 0; j < chunk; j += turns)
          for (std::size_t t = 0; t < turns; ++t) ++counters[t][slots[j + t]];
      }
    }
    for (; k < end; ++k) ++counters[0][own_bins(first[static_cast<distance>(k)])];
  }
};

/// A part's own sums of weights, each in the order of the values.
template <class I, class W, class Bins, class Sum>
struct weigh_part {
  I first;
  W weights;
  Bins bins;
  Sum* sums;
  std::size_t part;

  void operator()(std::size_t begin, std::size_t end) const
  {
    Sum* const own = sums + begin / part * bins.slots();
    for (std::size_t s = 0; s < bins.slots(); ++s) own[s] = plus::identity<Sum>();
    for (std::size_t k = begin; k < end; ++k) {
      Sum& sum = own[bins(first[static_cast<std::iter_difference_t<I>>(k)])];
      sum = plus{}(sum, static_cast<Sum>(weights[static_cast<std::iter_difference_t<W>>(k)]));
    }
  }
};

/// One value, or its weight, into one of several copies of the slots: what threads that no memory belongs to can do.
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

/// A team's block of values into the team's own slots, which then go to those of all by atomic additions.
template <class I, class W, class Bins, class Sum>
struct add_by_team {
  struct memory {
    Sum sums[48000 / sizeof(Sum)];
  };
  static constexpr int team_size = 512;
  static constexpr std::size_t most_slots = 48000 / sizeof(Sum);
  /// Values that a thread has on their way at a time.
  static constexpr int at_once = 8;

  I first;
  W weights;
  Bins bins;
  Sum* sums;
  /// A slot has so many copies next to each other, of which a lane takes one: equal values would else wait for one
  /// another.
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

/// A weight of one for each value.
struct ones {
  TALLY_HD std::uint32_t operator[](std::ptrdiff_t) const { return 1; }
  using difference_type = std::ptrdiff_t;
  using value_type = std::uint32_t;
};

/// The sum of the parts' slots k, in their order, as a `Result`.
template <class Sum, class Out, class Result = Sum>
struct sum_of_parts {
  Sum const* sums;
  std::size_t parts;
  std::size_t slots;
  Out out;

  TALLY_HD void operator()(std::size_t k) const
  {
    Sum sum = sums[k];
    for (std::size_t part = 1; part < parts; ++part) sum = plus{}(sum, sums[part * slots + k]);
    out[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<std::iter_value_t<Out>>(static_cast<Result>(sum));
  }
};

/// In which integers are added up in any order: their words wrap, and so become what their sum in `Sum` would be.
template <class Sum>
using sum_word = std::conditional_t<sizeof(Sum) <= 4, std::uint32_t, std::uint64_t>;

/// Values of a part. By the size of the input alone, since sums depend on it: 64 parts, and fewer if a part were short
/// beside its slots.
inline std::size_t values_of_part(std::size_t n, std::size_t slots)
{
  constexpr std::size_t parts = 64, least = std::size_t{1} << 14;
  std::size_t const enough = 8 * slots < least ? least : 8 * slots;
  std::size_t const share = n / parts + (n % parts != 0);
  took(share >= enough     ? "histogram: parts by the size"
       : 8 * slots < least ? "histogram: parts of the least size"
                           : "histogram: parts by the slots");
  return share < enough ? enough : share;
}

/// `make(table, values of a part)` is what fills the parts' rows.
template <class Sum, class P, class Out, class Make>
void sum_by_parts(P const& on, std::size_t n, std::size_t slots, Out out, Make make)
{
  std::size_t const part = values_of_part(n, slots), parts = n == 0 ? 1 : n / part + (n % part != 0);
  took(n == 0 ? "histogram: no values" : parts == 1 ? "histogram: one part" : "histogram: several parts");
  temporary<Sum, P> const sums(on, parts * slots);
  if (n == 0)
    for (Sum& each : sums) each = Sum{};
  tally::for_each_block(on, n, part, make(sums.data(), part));
  tally::for_each_index(on, slots, sum_of_parts<Sum, Out>{sums.data(), parts, slots, out});
}

/// Copies that all add to: as many as a few thousand slots have, 256 at most.
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
  tally::for_each_index(on, bins.slots(), sum_of_parts<word, Out, Sum>{sums.data(), copies, bins.slots(), out});
}

/// Slots of teams, added up. Where the result is integers of that word, they are added up where they are wanted.
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
  // As many blocks as teams run at a time on a large GPU, so that each hands its slots over once; copies in 8 KiB, so
  // that setting them is little beside counting.
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
  if constexpr (!in_place) tally::for_each_index(on, slots, sum_of_parts<word, Out, Sum>{sums, 1, slots, out});
}

/// Without a CPU's caches: by teams if their memory holds the slots.
template <class Sum, class P, class I, class W, class Bins, class Out>
void sum_in_any_order(P const& on, I first, std::size_t n, W weights, Bins const& bins, Out out)
{
  if (bins.slots() <= add_by_team<I, W, Bins, sum_word<Sum>>::most_slots)
    sum_by_teams<Sum>(on, first, n, weights, bins, out);
  else
    sum_by_atomics<Sum>(on, first, n, weights, bins, out);
}

}  // namespace tally::detail
