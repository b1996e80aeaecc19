#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/recurrence/row_tree.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/half.hpp"
#include "tally/operators/traits.hpp"

/// A row of the order of one column, in one lane, whose steps lie in shared memory.
namespace tally::cuda_backend {

/// The steps of a row of one column. Neighbouring steps are `Pitch` elements apart.
template <class P, int Pitch>
struct recurrence_column_steps {
  using S = typename P::stored;
  using W = typename P::W;
  static constexpr int group = P::group;
  S const* a;
  S const* b;

  struct part {
    S const* a;
    S const* b;

    __device__ __forceinline__ part(recurrence_column_steps const& row, int q)
        : a(row.a + q * part_groups * group * Pitch),
          b(row.b + q * part_groups * group * Pitch)
    {
    }
    __device__ __forceinline__ affine<W> step(int g, int j) const
    {
      return {static_cast<W>(a[(g * group + j) * Pitch]), static_cast<W>(b[(g * group + j) * Pitch])};
    }
  };
};

/// Calls take(first, k, y) for each step first + k of a row. `first` is the first one of a part, and k a constant.
template <class Steps, class Row, class Take>
__device__ __forceinline__ void for_each_state(Row const& row, typename Steps::W const& state, Take const& take)
{
  row.for_each_group(state, row_parts, [&](int first, int g, auto const& steps, typename Steps::W y) {
#pragma unroll
    for (int j = 0; j < Steps::group; ++j) {
      y = steps.step(g, j)(y);
      take(first * Steps::group, g * Steps::group + j, y);
    }
  });
}

/// Stores the results of a column's row in turn: the first `end`, `step` elements apart.
template <class T>
class recurrence_column_results {
public:
  using W = working_type<T>;

  __device__ __forceinline__ recurrence_column_results(T* first, std::ptrdiff_t step, int end)
      : next_(reinterpret_cast<std::uintptr_t>(first)),
        step_(step * static_cast<std::ptrdiff_t>(sizeof(T))),
        end_(end)
  {
  }
  /// Takes result first + k, where k is a constant. A predicated store, which rounds elements of two bytes in the
  /// register that it stores: the compiler would branch around it, compute its address anew and move the result, twelve
  /// instructions.
  __device__ __forceinline__ void put(int first, int k, W const& y)
  {
    look_at(y);
#ifdef __CUDACC__
    auto const is_there = static_cast<std::uint32_t>(k < end_ - first);
    if constexpr (sizeof(T) == 2) {
      std::uint32_t rounded;  // of two numbers, of which one is 0
      if constexpr (std::is_same_v<T, bfloat16>)
        asm("cvt.rn.bf16x2.f32 %0, 0f00000000, %1;" : "=r"(rounded) : "f"(y));
      else
        asm("cvt.rn.f16x2.f32 %0, 0f00000000, %1;" : "=r"(rounded) : "f"(y));
      asm volatile("{\n"
                   ".reg .pred there;\n"
                   "setp.ne.u32 there, %0, 0;\n"
                   "@there st.global.b16 [%1], %2;\n"
                   "}" ::"r"(is_there),
                   "l"(next_), "r"(rounded));
    } else if constexpr (sizeof(T) == 4) {
      asm volatile("{\n"
                   ".reg .pred there;\n"
                   "setp.ne.u32 there, %0, 0;\n"
                   "@there st.global.f32 [%1], %2;\n"
                   "}" ::"r"(is_there),
                   "l"(next_), "f"(y));
    } else {
      asm volatile("{\n"
                   ".reg .pred there;\n"
                   "setp.ne.u32 there, %0, 0;\n"
                   "@there st.global.f64 [%1], %2;\n"
                   "}" ::"r"(is_there),
                   "l"(next_), "d"(y));
    }
#else
    if (k < end_ - first) *reinterpret_cast<T*>(next_) = static_cast<T>(y);
#endif
    next_ += static_cast<std::uintptr_t>(step_);
  }
  /// Whether all results, rounded, are finite.
  __device__ __forceinline__ bool are_finite() const { return is_number(zero_if_finite<T>(seen_)); }

private:
  __device__ __forceinline__ void look_at(W const& y)
  {
    if constexpr (sizeof(T) == 2) {
#ifdef __CUDACC__
      asm("max.NaN.f32 %0, %0, %1;" : "+f"(seen_) : "f"(fabsf(y)));
#else
      float const magnitude = std::fabs(y);
      seen_ = seen_ != seen_ || magnitude <= seen_ ? seen_ : magnitude;
#endif
    } else {
      seen_ = marked_if_not_finite(seen_, y);
    }
  }

  std::uintptr_t next_;
  std::ptrdiff_t step_;
  int end_;
  W seen_{};  ///< of elements of two bytes the largest magnitude, which may round to infinity. NaN if there was one
};

}  // namespace tally::cuda_backend
