#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/algorithms/bins.hpp"
#include "tally/detail/backends.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/histogram/add_copies.hpp"
#include "tally/detail/path.hpp"
#include "tally/for_each.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/temporary.hpp"

/// Histograms on a CPU: each part of the input has its own copy of the slots, and the copies are added up.
namespace tally::detail::histogram {

/// Gives the compiled kernel the numbers of even bins.
struct even_bins_access {
  static cpu_backend::even_bin_numbers numbers(even_bins const& bins)
  {
    return {bins.lower_, bins.upper_, bins.scale_, bins.last_, bins.below_, bins.above_, bins.not_a_number_};
  }
};

/// Counts the values of a part into its own copy of the slots. No other part writes to that copy.
template <class I, class Bins>
struct count_part {
  I first;
  Bins bins;
  std::uint64_t* counts;
  std::size_t part;  ///< the number of values in a part

  /// The counters of a slot. Values use them in turn: with one counter, equal values in a row would wait for one
  /// another.
  static constexpr std::size_t turns = cpu_backend::bin_turns;
  /// The number of counters that stay in the first level of the cache. Histograms with more slots than half of this
  /// have one counter a slot.
  static constexpr std::size_t room = 2048;
  /// The number of values whose slots are found before any of them is counted, so that a compiler can find them with
  /// vector instructions.
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
    Bins const own_bins = bins;  // a copy: the compiler sees that no counter is a part of it
    using distance = std::iter_difference_t<I>;
    std::size_t k = begin;
    took(by_kernel ? "histogram: by a kernel" : "histogram: by chunks of slots");
    if constexpr (by_kernel) {
      using element = typename cpu_backend::kernel_element<minimum, value>::type;
      std::size_t const size = (end - begin) / cpu_backend::bin_chunk * cpu_backend::bin_chunk;
      cpu_backend::count_even_bins<element>({reinterpret_cast<element const*>(first + begin),
                                             size,
                                             even_bins_access::numbers(bins),
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

/// Adds up the weights of a part in its own copy of the slots, each slot's in the order of the values.
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

/// Returns the number of values in a part. Sums of floating-point weights depend on it, so it follows from the sizes of
/// the input and of the histogram alone: there are 64 parts, or fewer if a part would be short beside its slots.
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

/// Writes the sums of all slots to `out`. `make(sums, part)` returns the function that adds the values of a part,
/// `part` of them, to the part's copy of the slots.
template <class Sum, class P, class Out, class Make>
void sum_by_parts(P const& on, std::size_t n, std::size_t slots, Out out, Make make)
{
  std::size_t const part = values_of_part(n, slots), parts = n == 0 ? 1 : n / part + (n % part != 0);
  took(n == 0 ? "histogram: no values" : parts == 1 ? "histogram: one part" : "histogram: several parts");
  temporary<Sum, P> const sums(on, parts * slots);
  if (n == 0)
    for (Sum& each : sums) each = Sum{};
  tally::for_each_block(on, n, part, make(sums.data(), part));
  tally::for_each_index(on, slots, add_copies<Sum, Out>{sums.data(), parts, slots, out});
}

/// Writes the number of values in each slot to `out`.
template <host P, class I, class Bins, class Out>
void count(P const& on, I values, std::size_t n, Bins const& bins, Out out)
{
  sum_by_parts<std::uint64_t>(on, n, bins.slots(), out, [&](std::uint64_t* table, std::size_t size) {
    return count_part<I, Bins>{values, bins, table, size};
  });
}

/// Writes the sum of the weights of each slot to `out`.
template <class Sum, host P, class I, class W, class Bins, class Out>
void weigh(P const& on, I values, std::size_t n, W weights, Bins const& bins, Out out)
{
  sum_by_parts<Sum>(on, n, bins.slots(), out, [&](Sum* table, std::size_t size) {
    return weigh_part<I, W, Bins, Sum>{values, weights, bins, table, size};
  });
}

}  // namespace tally::detail::histogram
