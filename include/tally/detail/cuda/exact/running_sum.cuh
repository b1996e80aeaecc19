#pragma once

#include <cstdint>

#include "tally/detail/cuda/exact/accumulator.cuh"
#include "tally/detail/cuda/exact/level_sum.cuh"
#include "tally/detail/cuda/warp.cuh"

namespace tally::cuda_backend::exact {

/// The exact sum of the terms so far, in a scan.
///
/// It is a whole number of 126 bits, in units of 2^unit, and what is below a unit stays in an accumulator. As long as
/// terms are whole numbers of units, sums of 128 bits and one look at them give all results. The unit is chosen anew
/// where terms are too large or too small for it, so that the sum and 2^11 terms just have room. Terms that are further
/// apart go to accumulators, one for each lane.
///
/// Lanes that work together have `count` neighbouring terms each.
template <class T, lanes Lanes, class Accumulator>
class running_sum {
public:
  static constexpr bool together = Lanes == lanes::together;
  /// The terms of a lane.
  static constexpr int count = 8;

  /// Begins with the terms of `before`, after carry().
  __device__ explicit running_sum(Accumulator& before)
      : before_(before),
        kinds_(static_cast<std::uint8_t>(before.kinds))
  {
  }

  /// Gives the rounded sums up to each term, or before it. -0 stands for a term that is absent.
  __device__ __forceinline__ void scan(double const (&x)[count], T (&results)[count], bool exclusive)
  {
    std::uint32_t largest = 0;
    std::uint8_t own_kinds = 0;
#pragma unroll
    for (int k = 0; k < count; ++k) {
      std::uint32_t const magnitude = upper_half(x[k]) & ~sign_bit;
      largest = magnitude > largest ? magnitude : largest;
      own_kinds |= kind_of(x[k]);
    }
    std::uint32_t const most = together ? __reduce_max_sync(whole_warp, largest) : largest;
    std::uint8_t const kinds_before = kinds_before_lane(own_kinds);
    if (!detail::exact::terms::are_finite(kinds_)) {
      fill(x, results, exclusive, kinds_before);
      return;
    }
    if (most < infinite && most < too_large_ && scan_whole(x, results, exclusive, kinds_before)) return;
    if (most < infinite) {
      begin(most);
      if (scan_whole(x, results, exclusive, kinds_before)) return;
    }
    scan_apart(x, results, exclusive);
  }

  /// Moves everything to the accumulator, and carries.
  __device__ __forceinline__ void end()
  {
    close();
    if (speaks()) before_.kinds |= kinds_;
    if constexpr (together) __syncwarp();
  }

private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }
  __device__ static bool speaks() { return !together || lane() == 0; }
  __device__ static bool any(bool condition) { return together ? __any_sync(whole_warp, condition) : condition; }

  /// The kinds of all terms before this lane's. Those of this lane and all others are noted.
  __device__ __forceinline__ std::uint8_t kinds_before_lane(std::uint8_t own)
  {
    if constexpr (together) {
      std::uint32_t until = own;
      for (int distance = 1; distance < warp_lanes; distance *= 2) {
        std::uint32_t const other = __shfl_up_sync(whole_warp, until, distance);
        if (lane() >= distance) until |= other;
      }
      std::uint32_t const others = __shfl_up_sync(whole_warp, until, 1);
      next_kinds_ = static_cast<std::uint8_t>(kinds_ | __shfl_sync(whole_warp, until, warp_lanes - 1));
      return static_cast<std::uint8_t>(kinds_ | (lane() > 0 ? others : 0));
    } else {
      next_kinds_ = static_cast<std::uint8_t>(kinds_ | own);
      return kinds_;
    }
  }

  /// Results of a sum that is not finite, and stays so.
  __device__ void fill(double const (&x)[count], T (&results)[count], bool exclusive, std::uint8_t kinds)
  {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      if (exclusive) results[k] = detail::exact::not_finite<T>(kinds);
      kinds |= kind_of(x[k]);
      if (!exclusive) results[k] = detail::exact::not_finite<T>(kinds);
    }
    kinds_ = next_kinds_;
  }

  /// The units in a term. `is_whole` is cleared if there are not only whole ones.
  __device__ __forceinline__ __int128 units_of(double x, bool& is_whole) const
  {
    auto const of = detail::exact::parts_of(x);
    int const shift = of.exponent - unit_;
    if (of.significand == 0) return 0;
    if (shift >= 0) return static_cast<__int128>(of.significand) << shift;
    std::int64_t const units = shift > -64 ? of.significand >> -shift : 0;
    is_whole = is_whole && shift > -64 && (units << -shift) == of.significand;
    return units;
  }

  /// Tries it with terms that are whole numbers of units. False if they are not, or if a result needs more.
  __device__ __forceinline__ bool scan_whole(double const (&x)[count], T (&results)[count], bool exclusive,
                                             std::uint8_t kinds)
  {
    bool is_whole = too_large_ != 0;
    __int128 units[count], own = 0;
#pragma unroll
    for (int k = 0; k < count; ++k) own += units[k] = units_of(x[k], is_whole);
    if (any(!is_whole)) return false;
    __int128 before = number_, all = own;
    if constexpr (together) {
      __int128 until = own;
#pragma unroll
      for (int distance = 1; distance < warp_lanes; distance *= 2) {
        __int128 const other = shuffle_up(until, distance);
        if (lane() >= distance) until += other;
      }
      before += until - own;
      all = shuffle_from(until, warp_lanes - 1);
    }
    bool is_known = true;
#pragma unroll
    for (int k = 0; k < count; ++k) {
      if (!exclusive) {
        before += units[k];
        kinds |= kind_of(x[k]);
      }
      results[k] = nearest_of<T>(before, unit_, kinds, has_part_);
      is_known = is_known && (!has_part_ || has_bits_for<T>(before));
      if (exclusive) {
        before += units[k];
        kinds |= kind_of(x[k]);
      }
    }
    if (any(!is_known)) return false;
    number_ += all;
    kinds_ = next_kinds_;
    constexpr __int128 most = static_cast<__int128>(1) << 124;
    if (number_ > most || number_ < -most) close();
    return true;
  }

  /// Chooses units for terms whose greatest magnitude has this upper half.
  __device__ __noinline__ void begin(std::uint32_t most)
  {
    close();
    int const field = most >> 20 == 0 ? 1 : static_cast<int>(most >> 20), top = field - 1022 + 1;
    int const before = before_.top();
    // 2^11 terms below 2^top; or the sum before, and as many.
    int const highest = top + 12 > before + 1 ? top + 12 : before + 1;
    unit_ = highest - 124 > -1074 ? highest - 124 : -1074;
    // Terms below 2^(unit + 112).
    int const limit = unit_ + 112 + 1023;
    too_large_ = limit < 2047 ? static_cast<std::uint32_t>(limit) << 20 : infinite;
    number_ = start_ = before_.whole_units(unit_, has_part_);
  }

  /// Moves the number to the accumulator.
  __device__ __noinline__ void close()
  {
    if (too_large_ == 0) return;
    too_large_ = 0;
    if (speaks()) {
      __int128 const more = number_ - start_;
      constexpr int bits = 62;
      before_.add_scaled(static_cast<std::int64_t>(more) & ((std::int64_t{1} << bits) - 1), unit_);
      before_.add_scaled(static_cast<std::int64_t>(more >> bits), unit_ + bits);
      before_.carry();
    }
    if constexpr (together) __syncwarp();
  }

  /// Terms that are far apart: each lane adds up all before its own in an accumulator.
  __device__ __noinline__ void scan_apart(double const (&x)[count], T (&results)[count], bool exclusive)
  {
    close();
    accumulator<T, false> sum, copy;
    sum.assign(before_);
    sum.kinds = kinds_;
    if constexpr (together) {
      __syncwarp();
      for (int from = 0; from < warp_lanes; ++from)
        for (int k = 0; k < count; ++k) {
          double const other = __shfl_sync(whole_warp, x[k], from);
          if (from < lane()) sum.add(other);
        }
    }
    for (int k = 0; k < count; ++k) {
      if (!exclusive) sum.add(x[k]);
      copy.assign(sum);
      copy.carry();
      results[k] = copy.template nearest<T>();
      if (exclusive) sum.add(x[k]);
    }
    for (int k = 0; k < count; ++k)
      if (x[k] - x[k] == 0) before_.add(x[k]);
    if constexpr (together) __syncwarp();
    if (speaks()) before_.carry();
    if constexpr (together) __syncwarp();
    kinds_ = next_kinds_;
  }

  Accumulator& before_;
  __int128 number_ = 0, start_ = 0;
  int unit_ = 0;
  std::uint32_t too_large_ = 0;  ///< upper halves from here on are too large for the unit; 0 if none is chosen
  bool has_part_ = false;
  std::uint8_t kinds_, next_kinds_ = 0;
};

}  // namespace tally::cuda_backend::exact
