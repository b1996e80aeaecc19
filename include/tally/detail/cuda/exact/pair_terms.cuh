#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// The 16 terms of a thread of exact scans by pairs (pair_kernel.cuh): their sums, and their results.
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

/// The sums of a thread's terms.
struct sums_of_thread {
  pair_sum open;           ///< of those behind the last end
  pair_sum closing;        ///< of those up to the first end
  std::size_t closed = 0;  ///< the sequence which ends there
  std::uint32_t ends = 0;  ///< bit i: a sequence ends with term i

  __device__ __forceinline__ bool has_end() const { return ends != 0; }
};

/// The ends among a thread's terms, as they were found when these were added up.
struct found_ends {
  std::uint32_t bits;

  __device__ __forceinline__ bool ends(int i) const { return (bits >> i & 1) != 0; }
};

/// Adds up a thread's terms by pairs, or plainly. The sums of sequences that begin and end among them are done.
template <class Sum, class P>
__device__ __forceinline__ sums_of_thread add_terms(P const& problem, typename P::element const* own,
                                                    [[maybe_unused]] auto ends)
{
  sums_of_thread all;
  Sum open;
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    open.add(term_of(own[i]));
    if constexpr (P::ends_type::has_ends) {
      if (ends.ends(i)) {
        std::size_t const sequence = ends.ended();
        if constexpr (P::reduces) {
          if (all.has_end()) {
            problem.put_sum(sequence, open);
          } else {
            all.closing = open;
            all.closed = sequence;
          }
        }
        all.ends |= std::uint32_t{1} << i;
        open = Sum{problem.initial};
      }
    }
  }
  all.open = open;
  return all;
}

template <class T>
inline constexpr bool adds_up_floats = std::is_same_v<working_type<T>, float>;

/// The sizes of a warp's terms, and of the values with which its sequences begin.
template <class P>
__device__ __forceinline__ float_sizes sizes_of_warp(P const& problem, typename P::element const* own)
{
  float_sizes sizes;
  if constexpr (P::ends_type::has_ends) sizes.add(static_cast<float>(problem.initial));
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) sizes.add(static_cast<float>(own[i]));
  sizes.most = __reduce_max_sync(whole_warp, sizes.most);
  sizes.least = __reduce_min_sync(whole_warp, sizes.least);
  return sizes;
}

/// Writes a thread's results over its terms. `sum` is that before them, and all sums are exact in a double.
template <bool IsExclusive, class P>
__device__ __forceinline__ void scan_plain_terms(P const& problem, double sum, typename P::element* own,
                                                 [[maybe_unused]] auto ends)
{
  using T = typename P::element;
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    double const x = term_of(own[i]);
    if (!IsExclusive) sum += x;
    own[i] = static_cast<T>(sum);
    if (IsExclusive) sum += x;
    if constexpr (P::ends_type::has_ends) {
      if (ends.ends(i)) {
        sum = problem.initial;
      }
    }
  }
}

/// The same if sums of a thread's terms are exact, and small beside the sum before.
template <bool IsExclusive, class P>
__device__ __forceinline__ bool scan_small_terms(P const& problem, pair_sum before, float* own,
                                                 [[maybe_unused]] auto ends)
{
  bool is_known = true;
  double sum = -0.0;
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    double const x = own[i];
    if (!IsExclusive) sum += x;
    float result;
    if (!detail::exact::round_on_large(before, sum, result)) {
      pair_sum all = before;
      all.add(sum);
      auto const closely = rounded_closely<float>(all);
      result = closely.value;
      is_known = closely.is_known && is_known;
    }
    if (IsExclusive) sum += x;
    own[i] = result;
    if constexpr (P::ends_type::has_ends) {
      if (ends.ends(i)) {
        before = pair_sum{-0.0, -0.0, 0};
        sum = problem.initial;
      }
    }
  }
  return is_known;
}

/// Writes a thread's results over its terms. `sum` is that before them.
template <bool IsExclusive, class P>
__device__ __forceinline__ bool scan_terms(P const& problem, pair_sum sum, typename P::element* own,
                                           [[maybe_unused]] auto ends)
{
  using T = typename P::element;
  bool is_known = true;
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    double const x = term_of(own[i]);
    T result;
    if (!IsExclusive) sum.add(x);
    is_known = round_pair(sum, result) && is_known;
    if (IsExclusive) sum.add(x);
    own[i] = result;
    if constexpr (P::ends_type::has_ends) {
      if (ends.ends(i)) {
        sum = pair_sum{problem.initial, 0, 0};
      }
    }
  }
  return is_known;
}

/// The same, in the way that suits a warp.
template <bool IsExclusive, class P>
__device__ __forceinline__ bool scan_in_own_way(P const& problem, pair_sum const& sum, bool is_plain,
                                                float_sizes const& sizes, typename P::element* own, auto ends)
{
  using T = typename P::element;
  if constexpr (adds_up_floats<T>) {
    if (is_plain) {
      if (__all_sync(whole_warp, sizes.have_plain_sums_on(sum))) {
        scan_plain_terms<IsExclusive>(problem, sum.high, own, ends);
        return true;
      }
      if constexpr (std::is_same_v<T, float>)
        if (__all_sync(whole_warp, sizes.are_small_beside(sum)))
          return scan_small_terms<IsExclusive>(problem, sum, own, ends);
    }
  }
  return scan_terms<IsExclusive>(problem, sum, own, ends);
}

}  // namespace tally::cuda_backend::exact
