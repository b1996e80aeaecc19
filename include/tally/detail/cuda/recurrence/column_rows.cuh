#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/recurrence/row_scan.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/half.hpp"

/// A row of the order of one column, in one lane, whose steps lie in shared memory.
namespace tally::cuda_backend {

/// Steps of one column. Neighbouring steps are `Pitch` elements apart.
template <class P, int Pitch>
struct recurrence_column_steps {
  using S = typename P::stored;
  using W = typename P::W;
  static constexpr int group = P::group;
  S const* a;
  S const* b;

  __device__ __forceinline__ affine<W> step(int k) const
  {
    return {static_cast<W>(a[k * Pitch]), static_cast<W>(b[k * Pitch])};
  }
  __device__ __forceinline__ affine<W> total_of_group(int g) const
  {
    affine<W> all = step(g * group);
#pragma unroll
    for (int j = 1; j < group; ++j) all = composed(all, step(g * group + j));
    return all;
  }
};

/// A row whose groups are all in registers at once. Of elements of 4 and 8 bytes, whose rows are 64 and 32 steps, this
/// is quicker than parts: 65536 columns of floats reach .87 of a copy for .84, of doubles .85 for .43.
template <class P, int Pitch>
class recurrence_row_at_once {
public:
  using S = typename P::stored;
  using W = typename P::W;
  static constexpr int group = P::group, groups = warp_lanes;

  __device__ __forceinline__ recurrence_row_at_once(S const* a, S const* b) : steps_{a, b}
  {
#pragma unroll
    for (int g = 0; g < groups; ++g) totals_[g] = steps_.total_of_group(g);
    // In place: downwards, no value is read after it has changed.
#pragma unroll
    for (int stride = 1; stride < groups; stride *= 2) {
#pragma unroll
      for (int g = groups - 1; g > 0; --g)
        if (g >= stride) totals_[g] = composed(totals_[g >= stride ? g - stride : 0], totals_[g]);
    }
  }
  __device__ __forceinline__ affine<W> const& total() const { return totals_[groups - 1]; }
  /// The tile-local value of the last step of a whole row.
  __device__ __forceinline__ affine<W> last(bool has_base, affine<W> const& base) const
  {
    return composed(composed_if(has_base, base, totals_[groups - 2]), steps_.total_of_group(groups - 1));
  }
  /// Calls take(0, k, y) for each step.
  template <class Take>
  __device__ __forceinline__ void for_each(bool has_base, affine<W> const& base, W const& carry, Take const& take) const
  {
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      affine<W> const before = g == 0 ? base : composed_if(has_base, base, totals_[g > 0 ? g - 1 : 0]);
      affine<W> own = steps_.step(g * group);
#pragma unroll
      for (int j = 0; j < group; ++j) {
        if (j > 0) own = composed(own, steps_.step(g * group + j));
        take(0, g * group + j, composed_if(g > 0 || has_base, before, own)(carry));
      }
    }
  }

private:
  recurrence_column_steps<P, Pitch> steps_;
  affine<W> totals_[groups];
};

/// A row whose groups are in registers eight at a time. The 128 steps of a row of elements of two bytes are some 4000
/// instructions without a loop, which warps wait for more than half of the time.
template <class P, int Pitch>
class recurrence_row_in_parts {
public:
  using S = typename P::stored;
  using W = typename P::W;
  static constexpr int group = P::group, part = groups_at_a_time * group;

  __device__ __forceinline__ recurrence_row_in_parts(S const* a, S const* b) : steps_{a, b}
  {
    total_ = total_of_row<W>([&](int first, affine<W>(&totals)[groups_at_a_time]) { take_totals(first, totals); });
  }
  __device__ __forceinline__ affine<W> const& total() const { return total_; }
  /// The tile-local value of the last step of a whole row.
  __device__ __forceinline__ affine<W> last(bool has_base, affine<W> const& base) const
  {
    affine<W> const before = total_but_the_last<W>([&](int g) { return steps_.total_of_group(g); });
    return composed(composed_if(has_base, base, before),
                    steps_.total_of_group(static_cast<int>(order::row_groups) - 1));
  }
  /// Calls take(first, k, y) for each step first + k. `first` is the first one of a part, and k a constant.
  template <class Take>
  __device__ __forceinline__ void for_each(bool has_base, affine<W> const& base, W const& carry, Take const& take) const
  {
    row_scan<W> scan;
    affine<W> left{};  // the fold of the groups before
#pragma unroll 1
    for (int q = 0; q < row_parts; ++q) {
      affine<W> folds[groups_at_a_time];
      take_totals(q * groups_at_a_time, folds);
      scan.push(q, folds);
      // The steps are read again: the compiler would keep all of them, and spill.
      asm volatile("" ::: "memory");
      recurrence_column_steps<P, Pitch> const steps{steps_.a + q * part * Pitch, steps_.b + q * part * Pitch};
#pragma unroll
      for (int g = 0; g < groups_at_a_time; ++g) {
        fold_before_group<W> const before(q, g, left, has_base, base);
        affine<W> own = steps.step(g * group);
#pragma unroll
        for (int j = 0; j < group; ++j) {
          if (j > 0) own = composed(own, steps.step(g * group + j));
          take(q * part, g * group + j, before.up_to(g, own)(carry));
        }
        left = folds[g];
      }
    }
  }

private:
  __device__ __forceinline__ void take_totals(int first, affine<W> (&totals)[groups_at_a_time]) const
  {
#pragma unroll
    for (int g = 0; g < groups_at_a_time; ++g) totals[g] = steps_.total_of_group(first + g);
  }

  recurrence_column_steps<P, Pitch> steps_;
  affine<W> total_;
};

template <class P, int Pitch>
using recurrence_column_row =
    std::conditional_t<sizeof(typename P::T) == 2, recurrence_row_in_parts<P, Pitch>, recurrence_row_at_once<P, Pitch>>;

/// Stores the results of a column's row, of two bytes each, in turn: the first `end`, `step` elements apart.
template <class T>
class recurrence_column_results {
public:
  static_assert(sizeof(T) == 2);

  __device__ __forceinline__ recurrence_column_results(T* first, std::ptrdiff_t step, int end)
      : next_(reinterpret_cast<std::uintptr_t>(first)),
        step_(step * static_cast<std::ptrdiff_t>(sizeof(T))),
        end_(end)
  {
  }
  /// Takes result first + k, where k is a constant. A predicated store rounds in the register that it stores: the
  /// compiler would branch around it, compute its address anew and move the result, twelve instructions.
  __device__ __forceinline__ void put(int first, int k, float y)
  {
#ifdef __CUDACC__
    asm("max.NaN.f32 %0, %0, %1;" : "+f"(most_) : "f"(fabsf(y)));
    std::uint32_t rounded;  // of two numbers, of which one is 0
    if constexpr (std::is_same_v<T, bfloat16>)
      asm("cvt.rn.bf16x2.f32 %0, 0f00000000, %1;" : "=r"(rounded) : "f"(y));
    else
      asm("cvt.rn.f16x2.f32 %0, 0f00000000, %1;" : "=r"(rounded) : "f"(y));
    asm volatile("{\n"
                 ".reg .pred there;\n"
                 "setp.ne.u32 there, %0, 0;\n"
                 "@there st.global.b16 [%1], %2;\n"
                 "}" ::"r"(static_cast<std::uint32_t>(k < end_ - first)),
                 "l"(next_), "r"(rounded));
#else
    float const magnitude = std::fabs(y);
    most_ = most_ != most_ || magnitude <= most_ ? most_ : magnitude;
    if (k < end_ - first) *reinterpret_cast<T*>(next_) = static_cast<T>(y);
#endif
    next_ += static_cast<std::uintptr_t>(step_);
  }
  /// Whether all results, rounded, are finite.
  __device__ __forceinline__ bool are_finite() const { return is_number(zero_if_finite<T>(most_)); }

private:
  std::uintptr_t next_;
  std::ptrdiff_t step_;
  int end_;
  float most_ = 0;  ///< the largest magnitude, NaN if there was one
};

}  // namespace tally::cuda_backend
