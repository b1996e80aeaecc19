#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "tally/algorithms/bins.hpp"
#include "tally/contract.hpp"
#include "tally/for_each.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/temporary.hpp"

namespace tally {

namespace detail {

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
  static constexpr std::size_t chunk = 256;

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

template <class I, class Bins>
constexpr void check_histogram()
{
  static_assert(std::random_access_iterator<I>, "tally: a histogram takes random-access iterators");
  static_assert(
      requires(Bins const& bins, std::iter_reference_t<I> value) {
        bins.slots();
        bins(value);
      }, "tally: the bins of a histogram are even_bins, edge_bins of the values' type, or have slots() and (value)");
  static_assert(std::is_trivially_copyable_v<Bins>, "tally: the bins of a histogram are copied as bytes");
}

/// All threads where nothing of the caller's is called, else the calling one.
template <class I, class Bins>
auto histogram_threads()
{
  if constexpr (std::contiguous_iterator<I> && own_bins<Bins>)
    return cpu{};
  else
    return automatic{};
}

}  // namespace detail

/// Counts values by bins: `counts[s]` becomes how many k have `bins(first[k]) == s`, for each of `bins.slots()` slots.
///
///     histogram([on,] first, last, bins, counts)        histogram([on,] range, bins, counts)
///
/// Requires  `counts` has room for bins.slots(): those of the bins, then bins.below(), bins.above() and bins.not_a_number(). `bins` is even_bins,
///           edge_bins, or a function object with slots() whose results are less than that, copied as bytes.
/// Result    the end of what was written.
/// Cost      each value is read once and put into its bin once; O(n/p + bins) on p threads.
/// Memory    8 bytes for each slot and part of the input, of 64 parts at most (fewer where bins are many beside values); on a GPU 4 or 8 bytes for
///           each slot and copy, 256 KiB or one copy.
/// Blocks    until all is counted; on a GPU returns at once.
/// Throws    what bins and iterators throw, usage_error, std::bad_alloc, cuda_error.
/// Source    privatisation: Kirk & Hwu, Programming massively parallel processors (2010): every part counts for itself, then the copies are added up.
template <execution P, detail::iterator I, detail::end_of<I> S, class Bins, detail::iterator Out>
Out histogram(P const& on, I first, S last, Bins const& bins, Out counts)
{
  detail::check_histogram<I, Bins>();
  auto const n = static_cast<std::size_t>(last - first);
  if constexpr (detail::runs_on_cpu<P>) {
    detail::sum_by_parts<std::uint64_t>(on, n, bins.slots(), counts, [&](std::uint64_t* table, std::size_t part) {
      return detail::count_part<I, Bins>{first, bins, table, part};
    });
  } else if (n <= std::numeric_limits<std::uint32_t>::max()) {
    detail::sum_by_atomics<std::uint32_t>(on, first, n, detail::ones{}, bins, counts);
  } else {
    detail::sum_by_atomics<std::uint64_t>(on, first, n, detail::ones{}, bins, counts);
  }
  return counts + static_cast<std::iter_difference_t<Out>>(bins.slots());
}

template <execution P, detail::range R, class Bins, detail::iterator Out>
Out histogram(P const& on, R&& values, Bins const& bins, Out counts)
{
  return tally::histogram(on, std::ranges::begin(values), std::ranges::end(values), bins, counts);
}

template <detail::iterator I, detail::end_of<I> S, class Bins, detail::iterator Out>
Out histogram(I first, S last, Bins const& bins, Out counts)
{
  return tally::histogram(detail::histogram_threads<I, Bins>(), first, last, bins, counts);
}
template <detail::range R, class Bins, detail::iterator Out>
Out histogram(R&& values, Bins const& bins, Out counts)
{
  return tally::histogram(std::ranges::begin(values), std::ranges::end(values), bins, counts);
}

/// Adds up weights by bins: `sums[s]` becomes the sum of the `weights[k]` with `bins(first[k]) == s`.
///
///     weighted_histogram([on,] first, last, weights, bins, sums)
///
/// Result    the same bits for every number of threads: weights are added in the order of the values within a part, then part by part, in the carry type of
///           `plus` (double for float). Integers wrap. On a GPU weights are integers.
/// As `histogram` otherwise.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator W, class Bins, detail::iterator Out>
Out weighted_histogram(P const& on, I first, S last, W weights, Bins const& bins, Out sums)
{
  detail::check_histogram<I, Bins>();
  using sum = carry_type<plus, std::iter_value_t<W>>;
  auto const n = static_cast<std::size_t>(last - first);
  if constexpr (detail::runs_on_cpu<P>) {
    detail::sum_by_parts<sum>(on, n, bins.slots(), sums, [&](sum* table, std::size_t part) {
      return detail::weigh_part<I, W, Bins, sum>{first, weights, bins, table, part};
    });
  } else {
    static_assert(
        std::is_integral_v<sum>,
        "tally: on a GPU the weights of a histogram are integers: sums of floating-point numbers would depend "
        "on which thread comes first");
    detail::sum_by_atomics<std::conditional_t<sizeof(sum) <= 4, std::uint32_t, std::uint64_t>>(on, first, n, weights,
                                                                                               bins, sums);
  }
  return sums + static_cast<std::iter_difference_t<Out>>(bins.slots());
}
template <detail::iterator I, detail::end_of<I> S, detail::iterator W, class Bins, detail::iterator Out>
Out weighted_histogram(I first, S last, W weights, Bins const& bins, Out sums)
{
  return tally::weighted_histogram(detail::histogram_threads<I, Bins>(), first, last, weights, bins, sums);
}

}  // namespace tally
