#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// The 16 terms of a lane of exact scans by pairs (pair_kernel.cuh): their sums, and their results.
namespace tally::cuda_backend::exact {

using detail::exact::float_sizes;
using detail::exact::pair_sum;
using detail::exact::plain_sum;

/// A rounded sum, where the quick test fails. It is kept out of the loops over terms, which rarely call it.
template <class T>
struct close_result {
  T value;
  bool is_known;
};
template <class T>
__device__ __noinline__ close_result<T> rounded_closely(pair_sum sum)
{
  close_result<T> result;
  result.is_known = detail::exact::rounded(sum.high, sum.low, sum.lost, result.value);
  return result;
}

/// Rounds a sum. False if the pair does not tell the result.
template <class T>
__device__ __forceinline__ bool round_pair(pair_sum const& sum, T& result)
{
  if (detail::exact::rounded_quickly(sum, result)) return true;
  if constexpr (std::is_same_v<T, double>) return false;
  auto const closely = rounded_closely<T>(sum);
  result = closely.value;
  return closely.is_known;
}

template <class T>
__device__ __forceinline__ double term_of(T const& x)
{
  return static_cast<double>(static_cast<working_type<T>>(x));
}

/// The sums of a lane's terms.
struct sums_of_lane {
  pair_sum open;         ///< of those behind the last end
  pair_sum closing;      ///< of those up to the first end
  bool is_known = true;  ///< pairs tell the sums of sequences that begin and end among the terms
};

/// Whether a sequence ends with term i of a lane.
__device__ __forceinline__ bool ends_with(std::uint32_t ends, int i)
{
  return (ends >> i & 1) != 0;
}

/// Adds up a lane's terms by pairs, or plainly. Sums of sequences that begin and end among them take the places of
/// their last terms. `HasEnds` is false where no sequence ends among the warp's terms.
template <class Sum, bool HasEnds, bool Reduces, class T>
__device__ __forceinline__ sums_of_lane add_terms(double initial, own_terms<T> const& own, std::uint32_t ends)
{
  sums_of_lane all;
  Sum open, closing;
  [[maybe_unused]] std::uint32_t const first = ends & (0 - ends);
  word_of_terms<T> word;
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    if (i % terms_of_word<T> == 0) word = own.word(i / terms_of_word<T>);
    open.add(term_of(word.get(i % terms_of_word<T>)));
    if constexpr (HasEnds) {
      if (ends_with(ends, i)) {
        if constexpr (Reduces) {
          if (first == std::uint32_t{1} << i) {
            closing = open;
          } else {
            T result;
            all.is_known = round_pair(open, result) && all.is_known;
            own.set(i, result);
          }
        }
        open = Sum{initial};
      }
    }
  }
  all.open = open;
  all.closing = closing;
  return all;
}

/// The same by pairs. It is kept out of the loop over tiles, which rarely calls it.
__device__ __noinline__ inline sums_of_lane add_terms_closely(double initial, own_terms<double> const own,
                                                              std::uint32_t ends)
{
  return add_terms<pair_sum, true, true>(initial, own, ends);
}

/// The same of doubles, by pairs that lose nothing. If they do, false is returned, and neither sums nor results are
/// told. Most of the time a lane of a warp has an end at each place, so what is done there is short.
__device__ __forceinline__ bool add_exact_terms(double initial, own_terms<double> const& own, std::uint32_t ends,
                                                sums_of_lane& all)
{
  std::uint32_t const first = ends & (0 - ends);
  std::uint32_t lost = 0;
  double high = -0.0, low = 0, first_high = -0.0, first_low = 0;
  all.is_known = true;
  word_of_terms<double> word;
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    if (i % terms_of_word<double> == 0) word = own.word(i / terms_of_word<double>);
    auto const [next, error] = detail::exact::two_sum(high, word.get(i % terms_of_word<double>));
    auto const [rests, rest] = detail::exact::two_sum(low, error);
    lost |= static_cast<std::uint32_t>(__double2hiint(rest)) << 1 | static_cast<std::uint32_t>(__double2loint(rest));
    bool const is_end = ends_with(ends, i);
    if (is_end) {
      bool const is_first = first == std::uint32_t{1} << i;
      first_high = is_first ? next : first_high;
      first_low = is_first ? rests : first_low;
      own.set(i, rests == 0 ? next : next + rests);  // not if it is not finite: such a sum has lost something
    }
    high = is_end ? initial : next;
    low = is_end ? 0 : rests;
  }
  all.open = pair_sum{high, low, 0};
  all.closing = pair_sum{first_high, first_low, 0};
  return lost == 0;
}

template <class T>
inline constexpr bool adds_up_floats = std::is_same_v<working_type<T>, float>;

/// The sizes of all lanes' terms.
__device__ __forceinline__ float_sizes sizes_of_all(float_sizes const& of_lane)
{
  return {__reduce_max_sync(whole_warp, of_lane.most), __reduce_min_sync(whole_warp, of_lane.least)};
}

/// The sizes of a warp's terms, and of the values with which its sequences begin.
template <class P>
__device__ __forceinline__ float_sizes sizes_of_warp(P const& problem, own_terms<typename P::element> const& own)
{
  float_sizes sizes;
  if constexpr (P::ends_type::has_ends) sizes.add(static_cast<float>(problem.initial));
#pragma unroll
  for (int j = 0; j < own.words; ++j) {
    auto const word = own.word(j);
#pragma unroll
    for (int i = 0; i < own.in_word; ++i) sizes.add(static_cast<float>(word.get(i)));
  }
  return sizes_of_all(sizes);
}

/// Writes a lane's results over its terms, a word at a time: result_of(i, term) gives that of term i.
template <class T, class Result>
__device__ __forceinline__ void replace_terms(own_terms<T> const& own, Result const& result_of)
{
#pragma unroll
  for (int j = 0; j < own.words; ++j) {
    auto word = own.word(j);
    word_of_terms<T> results;
#pragma unroll
    for (int i = 0; i < own.in_word; ++i) results.set(i, result_of(j * own.in_word + i, term_of(word.get(i))));
    own.set_word(j, results);
  }
}

/// Writes a lane's results over its terms. `sum` is that before them, and all sums are exact in a double.
template <bool IsExclusive, bool HasEnds, class P>
__device__ __forceinline__ void scan_plain_terms(P const& problem, double sum,
                                                 own_terms<typename P::element> const& own,
                                                 [[maybe_unused]] std::uint32_t ends)
{
  using T = typename P::element;
  replace_terms(own, [&](int i, double x) {
    if (!IsExclusive) sum += x;
    T const result = static_cast<T>(sum);
    if (IsExclusive) sum += x;
    if constexpr (HasEnds)
      if (ends_with(ends, i)) sum = problem.initial;
    return result;
  });
}

/// The same if sums of a lane's terms are exact, but not together with the sum before, one by one. It is kept out of
/// the loop that rounds them quickly, which rarely calls it.
template <bool IsExclusive, class P>
__device__ __noinline__ bool scan_exact_terms_closely(double initial, pair_sum before, own_terms<float> const own,
                                                      [[maybe_unused]] std::uint32_t ends)
{
  bool is_known = true;
  double sum = -0.0;
  for (int i = 0; i < pair_terms; ++i) {
    double const x = own.get(i);
    if (!IsExclusive) sum += x;
    pair_sum all = before;
    all.add(sum);
    float result;
    is_known = detail::exact::rounded(all.high, all.low, all.lost, result) && is_known;
    if (IsExclusive) sum += x;
    own.set(i, result);
    if constexpr (P::ends_type::has_ends) {
      if (ends_with(ends, i)) {
        before = pair_sum{-0.0, -0.0, 0};
        sum = initial;
      }
    }
  }
  return is_known;
}

/// The same, all at a time: the results are independent of each other, so a lane waits for none of them. Sums of the
/// terms need not be small beside the sum before unless `AreSmall`, if that has lost nothing.
template <bool IsExclusive, bool HasEnds, bool AreSmall, class P>
__device__ __forceinline__ bool scan_exact_terms(P const& problem, pair_sum const& before, own_terms<float> const& own,
                                                 [[maybe_unused]] std::uint32_t ends)
{
  bool is_known = true;
  word_of_terms<float> results[own_terms<float>::words];
  double sum = -0.0, high = before.high, low = before.low;
#pragma unroll
  for (int j = 0; j < own.words; ++j) {
    auto const word = own.word(j);
#pragma unroll
    for (int i = 0; i < own.in_word; ++i) {
      double const x = word.get(i);
      if (!IsExclusive) sum += x;
      float result;
      is_known = (AreSmall ? detail::exact::round_on_large(high, low, sum, result)
                           : detail::exact::round_beside(high, low, sum, result)) &&
                 is_known;
      results[j].set(i, result);
      if (IsExclusive) sum += x;
      if constexpr (HasEnds) {
        if (ends_with(ends, j * own.in_word + i)) {
          high = low = -0.0;
          sum = problem.initial;
        }
      }
    }
  }
  if (!is_known) return scan_exact_terms_closely<IsExclusive, P>(problem.initial, before, own, ends);
#pragma unroll
  for (int j = 0; j < own.words; ++j) own.set_word(j, results[j]);
  return true;
}

/// Writes a lane's results over its terms. `sum` is that before them.
template <bool IsExclusive, bool HasEnds, class P>
__device__ __forceinline__ bool scan_terms(P const& problem, pair_sum sum, own_terms<typename P::element> const& own,
                                           [[maybe_unused]] std::uint32_t ends)
{
  using T = typename P::element;
  bool is_known = true;
  replace_terms(own, [&](int i, double x) {
    T result;
    if (!IsExclusive) sum.add(x);
    is_known = round_pair(sum, result) && is_known;
    if (IsExclusive) sum.add(x);
    if constexpr (HasEnds)
      if (ends_with(ends, i)) sum = pair_sum{problem.initial, 0, 0};
    return result;
  });
  return is_known;
}

/// The same, in the way that suits a warp.
template <bool IsExclusive, bool HasEnds, class P>
__device__ __forceinline__ bool scan_in_own_way(P const& problem, pair_sum const& sum, bool is_plain,
                                                float_sizes const& sizes, own_terms<typename P::element> const& own,
                                                std::uint32_t ends)
{
  using T = typename P::element;
  if constexpr (adds_up_floats<T>) {
    if (is_plain) {
      if (__all_sync(whole_warp, sizes.have_plain_sums_on(sum))) {
        scan_plain_terms<IsExclusive, HasEnds>(problem, sum.high, own, ends);
        return true;
      }
      if constexpr (std::is_same_v<T, float>) {
        if (__all_sync(whole_warp, sizes.are_small_beside(sum)))
          return scan_exact_terms<IsExclusive, HasEnds, true>(problem, sum, own, ends);
        if (__all_sync(whole_warp, sum.lost == 0)) {
          auto const [high, low] = detail::exact::two_sum(sum.high, sum.low);
          return scan_exact_terms<IsExclusive, HasEnds, false>(problem, {high, low, 0}, own, ends);
        }
      }
    }
  }
  return scan_terms<IsExclusive, HasEnds>(problem, sum, own, ends);
}

}  // namespace tally::cuda_backend::exact
