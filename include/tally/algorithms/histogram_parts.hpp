#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/for_each.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/temporary.hpp"

/// How a histogram is added up: by parts of the input that have slots of their own, or by atomic additions to several copies of the slots.
namespace tally::detail {

/// A part's own counts: row `part` of a table, which no other part writes.
template <class I, class Bins>
struct count_part {
  I first;
  Bins bins;
  std::uint64_t* counts;
  std::size_t part;

  /// So many tables, one after the other in turn: equal values in a row would else wait for one another's counter.
  static constexpr std::size_t tables = 4;
  /// With more slots the tables would not stay in the first level of the cache.
  static constexpr std::size_t most_slots = 1024;
  /// Slots found at a time, before any is counted: of which a compiler makes vector instructions.
  static constexpr std::size_t chunk = 64;

  void operator()(std::size_t begin, std::size_t end) const
  {
    std::uint64_t* const own = counts + begin / part * bins.slots();
    for (std::size_t s = 0; s < bins.slots(); ++s) own[s] = 0;
    if (bins.slots() > most_slots) {
      count(begin, end, [own](std::size_t, auto slot) { ++own[slot]; });
      return;
    }
    // Counters of 32 bits do for 2^31 values.
    constexpr std::size_t most_values = std::size_t{1} << 31;
    for (std::size_t from = begin; from < end; from += most_values) {
      std::uint32_t seen[tables][most_slots];
      for (auto& table : seen)
        for (std::size_t s = 0; s < bins.slots(); ++s) table[s] = 0;
      count(from, end - from < most_values ? end : from + most_values,
            [&seen](std::size_t k, auto slot) { ++seen[k % tables][slot]; });
      for (auto const& table : seen)
        for (std::size_t s = 0; s < bins.slots(); ++s) own[s] += table[s];
    }
  }

private:
  template <class Add>
  void count(std::size_t begin, std::size_t end, Add add) const
  {
    Bins const own_bins = bins;  // here, where the compiler sees that no counter is a part of it
    using distance = std::iter_difference_t<I>;
    using slot = std::decay_t<std::invoke_result_t<Bins const&, std::iter_reference_t<I>>>;
    std::size_t k = begin;
    for (; end - k >= chunk; k += chunk) {
      slot slots[chunk];
      if constexpr (requires { own_bins.find(first + k, slots); })
        own_bins.find(first + k, slots);
      else
        for (std::size_t j = 0; j < chunk; ++j) slots[j] = own_bins(first[static_cast<distance>(k + j)]);
      for (std::size_t j = 0; j < chunk; ++j) add(j, slots[j]);
    }
    for (; k < end; ++k) add(k, own_bins(first[static_cast<distance>(k)]));
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

template <class T>
TALLY_HD void add_atomically(T* to, T value)
{
#ifdef __CUDA_ARCH__
  using word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  atomicAdd(reinterpret_cast<word*>(to), static_cast<word>(value));
#else
  std::atomic_ref<T>(*to).fetch_add(value, std::memory_order_relaxed);
#endif
}

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

/// A weight of one for each value.
struct ones {
  TALLY_HD std::uint32_t operator[](std::ptrdiff_t) const { return 1; }
  using difference_type = std::ptrdiff_t;
  using value_type = std::uint32_t;
};

/// The sum of the parts' slots k, in their order.
template <class Sum, class Out>
struct sum_of_parts {
  Sum const* sums;
  std::size_t parts;
  std::size_t slots;
  Out out;

  TALLY_HD void operator()(std::size_t k) const
  {
    Sum sum = sums[k];
    for (std::size_t part = 1; part < parts; ++part) sum = plus{}(sum, sums[part * slots + k]);
    out[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<std::iter_value_t<Out>>(sum);
  }
};

/// Values of a part. By the size of the input alone, since sums depend on it: 64 parts, and fewer if a part were short beside its slots.
inline std::size_t values_of_part(std::size_t n, std::size_t slots)
{
  constexpr std::size_t parts = 64, least = std::size_t{1} << 14;
  std::size_t const enough = 8 * slots < least ? least : 8 * slots;
  std::size_t const share = n / parts + (n % parts != 0);
  return share < enough ? enough : share;
}

/// `make(table, values of a part)` is what fills the parts' rows.
template <class Sum, class P, class Out, class Make>
void sum_by_parts(P const& on, std::size_t n, std::size_t slots, Out out, Make make)
{
  std::size_t const part = values_of_part(n, slots), parts = n == 0 ? 1 : n / part + (n % part != 0);
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
  constexpr std::size_t many = std::size_t{1} << 16, most = 256;
  std::size_t const enough = many / bins.slots();
  std::size_t const copies = enough < 1 ? 1 : enough > most ? most : enough;
  temporary<Sum, P> const sums(on, copies * bins.slots());
  tally::for_each_index(on, sums.size(), set_to_zero<Sum>{sums.data()});
  tally::for_each_index(on, n, add_to_copy<I, W, Bins, Sum>{first, weights, bins, sums.data(), copies});
  tally::for_each_index(on, bins.slots(), sum_of_parts<Sum, Out>{sums.data(), copies, bins.slots(), out});
}

}  // namespace tally::detail
