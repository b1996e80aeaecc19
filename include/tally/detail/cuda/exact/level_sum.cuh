#pragma once

#include <cstdint>

#include "tally/detail/cuda/exact/accumulator.cuh"
#include "tally/detail/cuda/warp.cuh"

namespace tally::cuda_backend::exact {

/// Adds any number. This and the next are kept out of the loops over terms, which rarely call them.
template <class Accumulator>
__device__ __noinline__ void add_alone(Accumulator* all, double x)
{
  all->add(x);
}

template <class Accumulator>
__device__ __noinline__ void add_scaled_alone(Accumulator* all, std::int64_t value, int exponent)
{
  all->add_scaled(value, exponent);
}

/// The lanes that add up one sum: a whole warp, or each its own.
enum class lanes { together, alone };

/// An exact sum in registers, on its way to an accumulator.
///
/// It is held in levels. The first begins as 1.5 * 2^(g + 52), so that its last bit is worth 2^g. To add a term is to
/// round it to a whole multiple of 2^g. The rest, which is exact, goes to the next level, 42 bits further down. The
/// rest of the last level is usually zero. Where it is not it goes to two more levels, and what is left then to the
/// accumulator.
///
/// Terms are below 2^top, and g = top - 41. So a level takes 2^10 terms until it must be emptied. Lanes that work
/// together have the same levels, and these are added up as integers.
///
/// Source    Rump, Ogita and Oishi, Accurate floating-point summation part I (2008); Demmel and Nguyen, Parallel
///           reproducible summation (2015).
template <class T, lanes Lanes, class Accumulator>
class level_sum {
public:
  static constexpr bool together = Lanes == lanes::together;
  /// Every term passes these levels: two hold floats above 2^(top - 59), three hold doubles above 2^(top - 72).
  static constexpr int levels = sizeof(T) == 8 ? 3 : 2;
  /// Rests pass these too: five levels hold doubles above 2^(top - 156), four hold floats above 2^(top - 143).
  static constexpr int all_levels = levels + 2;
  /// Terms whose rests are looked at together.
  static constexpr int in_hand = 4;

  /// Whether this lane tells the accumulator what a sum has.
  __device__ static bool speaks() { return !together || threadIdx.x % warp_lanes == 0; }

  /// Adds Count terms of each lane. All lanes that work together take part; -0 stands for a term that is absent.
  template <int Count>
  __device__ __forceinline__ void add(double const (&x)[Count], Accumulator& all)
  {
    static_assert(Count % in_hand == 0);
    std::uint32_t largest = 0, lower = 0;
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      std::uint32_t const upper = upper_half(x[k]), magnitude = upper & ~sign_bit;
      largest = magnitude > largest ? magnitude : largest;
      signs_ &= upper;
      if constexpr (sizeof(T) == 8) lower |= static_cast<std::uint32_t>(__double2loint(x[k]));
    }
    if constexpr (sizeof(T) == 8)
      if (largest == 0 && lower != 0) largest = 1;  // the upper half of a double below 2^-1042 is zero
    std::uint32_t const most = together ? __reduce_max_sync(whole_warp, largest) : largest;
    if (most == 0) return;
    left_ -= Count;
    if (most >= too_large_ || most < too_small_ || left_ < 0) {
      has_nonzero_ = true;
      if (most >= largest_in_levels) {
        is_spilled_ = true;
#pragma unroll
        for (int k = 0; k < Count; ++k)
          if (x[k] != 0) add_alone(&all, x[k]);
        return;
      }
      empty(all);
      begin(most);
      left_ -= Count;
    }
#pragma unroll
    for (int k = 0; k < Count; k += in_hand) {
      double rest[in_hand];
      bool is_exact = true;
#pragma unroll
      for (int i = 0; i < in_hand; ++i) {
        rest[i] = x[k + i];
        pass<0, levels>(rest[i]);
        is_exact = is_exact && rest[i] == 0;
      }
      if (is_exact) continue;
      is_exact = true;
#pragma unroll
      for (int i = 0; i < in_hand; ++i) {
        pass<levels, all_levels>(rest[i]);
        is_exact = is_exact && rest[i] == 0;
      }
      if (is_exact) continue;
      is_spilled_ = true;
#pragma unroll
      for (int i = 0; i < in_hand; ++i)
        if (rest[i] != 0) add_alone(&all, rest[i]);
    }
  }

  /// Moves everything to the accumulator.
  __device__ __forceinline__ void end(Accumulator& all)
  {
    empty(all);
    std::uint8_t const seen = kinds();
    if (speaks()) all.note(seen);
  }

  /// Gives the rounded sum, if nothing has gone to the accumulator and two levels hold all of it.
  __device__ __forceinline__ bool round(T& result)
  {
    bool const is_spilled = together ? __any_sync(whole_warp, is_spilled_) : is_spilled_;
    if (is_spilled) return false;
    std::uint8_t const seen = kinds();
    if (too_large_ == 0) {
      result = detail::exact::rounded_to<T>({0, 0}, false, seen);
      return true;
    }
    bool has_more = false;
#pragma unroll
    for (int l = 2; l < all_levels; ++l) has_more = has_more || level_[l] != __longlong_as_double(start(l));
    if (together ? __any_sync(whole_warp, has_more) : has_more) return false;
    __int128 const sum =
        (static_cast<__int128>(sum_of_level(0)) << (unit(0) - unit(1))) + static_cast<__int128>(sum_of_level(1));
    result = nearest_of<T>(sum, unit(1), seen);
    return true;
  }

private:
  /// The number of terms of a level, and what is between `top` and the last bit of the first level for that.
  static constexpr int most_terms = 1 << 10;
  static constexpr int depth = 41;
  /// Upper halves from here on are too large for a level: it would overflow.
  static constexpr std::uint32_t largest_in_levels = (1012u + 1022u) << 20;
  /// Levels begin anew where terms are smaller by so many bits: their last bits would go beyond the levels.
  static constexpr int most_slack = 16;

  __device__ __forceinline__ std::uint8_t kinds() const
  {
    namespace terms = detail::exact::terms;
    std::uint32_t const signs = together ? __reduce_and_sync(whole_warp, signs_) : signs_;
    return has_nonzero_ || (signs & sign_bit) == 0 ? terms::others : terms::minus_zero;
  }

  template <int First, int Last>
  __device__ __forceinline__ void pass(double& rest)
  {
#pragma unroll
    for (int l = First; l < Last; ++l) {
      double const with = level_[l] + rest, rounded = with - level_[l];
      rest -= rounded;
      level_[l] = with;
    }
  }

  /// The exponent of the last bit of level l.
  __device__ __forceinline__ int unit(int l) const
  {
    int const exponent = top_ - depth - l * (depth + 1);
    return exponent > -1074 ? exponent : -1074;
  }
  __device__ __forceinline__ long long start(int l) const
  {
    return static_cast<long long>(unit(l) + 52 + 1023) << 52 | 1ll << 51;
  }

  /// Chooses levels for terms whose greatest magnitude has this upper half, and twice as large ones.
  __device__ __forceinline__ void begin(std::uint32_t most)
  {
    int const field = most >> 20 == 0 ? 1 : static_cast<int>(most >> 20);
    top_ = field - 1022 + 1;
    too_large_ = static_cast<std::uint32_t>(field + 2) << 20;
    too_small_ = field > most_slack ? static_cast<std::uint32_t>(field - most_slack) << 20 : 0;
    left_ = most_terms;
#pragma unroll
    for (int l = 0; l < all_levels; ++l) level_[l] = __longlong_as_double(start(l));
  }

  /// The sum that level l holds, of all lanes.
  __device__ __forceinline__ std::int64_t sum_of_level(int l) const
  {
    long long sum = __double_as_longlong(level_[l]) - start(l);
    if constexpr (together) {
#pragma unroll
      for (int mask = warp_lanes / 2; mask > 0; mask /= 2) sum += __shfl_xor_sync(whole_warp, sum, mask);
    }
    return sum;
  }

  __device__ __forceinline__ void empty(Accumulator& all)
  {
    if (too_large_ == 0) return;
    is_spilled_ = true;
    if constexpr (together) {
      // A lane for each level, so that none waits for another one's additions.
      std::int64_t own = 0;
      int exponent = 0;
#pragma unroll
      for (int l = 0; l < all_levels; ++l) {
        std::int64_t const sum = sum_of_level(l);
        if (threadIdx.x % warp_lanes != static_cast<unsigned>(l)) continue;
        own = sum;
        exponent = unit(l);
      }
      if (own != 0) add_scaled_alone(&all, own, exponent);
      __syncwarp();
    } else {
#pragma unroll
      for (int l = 0; l < all_levels; ++l)
        if (std::int64_t const sum = sum_of_level(l); sum != 0) add_scaled_alone(&all, sum, unit(l));
    }
    too_large_ = 0;
  }

  double level_[all_levels];
  std::uint32_t too_large_ = 0, too_small_ = 0, signs_ = sign_bit;
  int top_ = 0, left_ = 0;
  bool has_nonzero_ = false, is_spilled_ = false;
};

}  // namespace tally::cuda_backend::exact
