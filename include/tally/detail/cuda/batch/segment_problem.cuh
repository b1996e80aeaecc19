#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/counted.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/warp.cuh"
#include "tally/operators/traits.hpp"

namespace tally::cuda_backend {

enum class segment_work { reduce, scan };

/// The arguments of the kernel for segments. Those that are taken from the back are the segments of the mirror image:
/// the functions below count elements and segments from its beginning.
template <segment_work What, class From, class T, class Op, class In, class Offsets, class Out>
struct segment_problem {
  using element = T;
  using operation = Op;
  using input = In;
  using output = Out;
  using offset_iterator = Offsets;
  static constexpr bool reduces = What == segment_work::reduce;
  static constexpr bool from_back = std::is_same_v<From, detail::batch::from_back>;
  static constexpr std::ptrdiff_t step = from_back ? -1 : 1;  ///< from an element to the next one

  In in;
  Offsets offsets;  ///< segment s is [offsets[s], offsets[s + 1])
  std::size_t segments;
  Out out;  ///< element for element; a reduction writes a value for each segment
  initial_value<T, Op> init;
  T const* initials;         ///< one for each segment, if not null
  T* lasts;                  ///< likewise; takes the inclusive value of each last element
  uninitialized<T> nothing;  ///< the reduction of an empty segment, or its last value
  bool has_nothing;          ///< an empty segment has a last value, though there is no initial one
  Op op;
  bool exclusive;  ///< of a scan
  control* shared;
  std::uint64_t* words;  ///< of totals, words_of<working_type<T>> for each of `chunks_with_words`; then of the search
  std::size_t chunks_with_words;
  std::size_t capacity;           ///< words in the workspace
  detail::count_in_memory fewer;  ///< the number of segments, if it lies in the device's memory
  /// Of a reduction by warps, see tuning.
  std::size_t reduced_by_trees = ~std::size_t{}, reduced_along = ~std::size_t{};
  std::uint64_t const* call = nullptr;  ///< if not null, the word by which the kernel ahead calls for the general one
  /// Of a scan by words: if not null, segments of more than `longest` elements are another kernel's. They have so many
  /// elements together.
  std::uint64_t const* in_long_ones = nullptr;
  std::size_t longest = 0;

  /// Whether the general kernel has anything to do in this epoch.
  __device__ bool is_called_for(std::uint32_t epoch) const
  {
    return call == nullptr || static_cast<std::uint32_t>(load_relaxed(call) >> 32) == epoch;
  }
  __device__ void read_count()
  {
    if (fewer.place != nullptr) segments = fewer.up_to(segments);
  }
  __device__ __forceinline__ std::size_t offset(std::size_t s) const
  {
    if constexpr (from_back)
      return offset_at(segments) - offset_at(segments - s);
    else
      return offset_at(s);
  }
  /// The lower word of an offset in memory. `relative` makes an offset from `from` of it.
  __device__ __forceinline__ std::uint32_t low_word(std::size_t s) const
  {
    return static_cast<std::uint32_t>(offset_at(static_cast<std::size_t>(place_of_offset(s))));
  }
  __device__ __forceinline__ std::ptrdiff_t place_of_offset(std::size_t s) const
  {
    return static_cast<std::ptrdiff_t>(from_back ? segments - s : s);
  }
  /// The lower word of what the offset `from` is in memory.
  __device__ __forceinline__ std::uint32_t base_word(std::size_t from) const
  {
    return static_cast<std::uint32_t>(from_back ? offset_at(segments) - from : from);
  }
  __device__ __forceinline__ static int relative(std::uint32_t word, std::uint32_t base)
  {
    return static_cast<int>(from_back ? base - word : word - base);
  }
  /// The place of element k in the arrays.
  __device__ __forceinline__ std::ptrdiff_t place(std::size_t k) const
  {
    return static_cast<std::ptrdiff_t>(from_back ? offset_at(segments) - 1 - k : k);
  }
  __device__ __forceinline__ initial_value<T, Op> init_of(std::size_t segment) const
  {
    initial_value<T, Op> own = init;
    if (initials != nullptr) {
      own.is_present = true;
      own.value = static_cast<working_type<T>>(initials[number(segment)]);
      own.wide = static_cast<carry_type<Op, T>>(own.value);
    }
    return own;
  }
  __device__ __forceinline__ void put_result(std::size_t segment, T const& result) const
  {
    detail::at_index(out, number(segment)) = result;
  }
  __device__ __forceinline__ void put_reduced(std::size_t segment, working_type<T> const& value) const
  {
    put_result(segment, static_cast<T>(value));
  }
  /// The reduction of an empty segment.
  __device__ __forceinline__ T of_nothing(initial_value<T, Op> const& init) const
  {
    return init.is_present ? static_cast<T>(init.value) : reinterpret_cast<T const&>(nothing.bytes);
  }
  __device__ __forceinline__ void put_last(std::size_t segment, working_type<T> const& value) const
  {
    if (lasts != nullptr) lasts[number(segment)] = static_cast<T>(value);
  }
  /// The last value of an empty segment is its initial value.
  __device__ __forceinline__ void put_empty(std::size_t segment) const
  {
    bool const has_init = initials != nullptr || init.is_present;
    if (lasts != nullptr && (has_init || has_nothing)) lasts[number(segment)] = of_nothing(init_of(segment));
  }

private:
  __device__ __forceinline__ std::size_t offset_at(std::size_t s) const
  {
    return static_cast<std::size_t>(detail::at_index(offsets, s));
  }
  __device__ __forceinline__ std::size_t number(std::size_t segment) const
  {
    return from_back ? segments - 1 - segment : segment;
  }
};

}  // namespace tally::cuda_backend
