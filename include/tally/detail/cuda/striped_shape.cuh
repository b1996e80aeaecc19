#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>

#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/operators/numbered.hpp"
#include "tally/sequences.hpp"

/// What kinds of rows there are, how many a tile has, what is kept of it, and how a warp goes through them.
namespace tally::cuda_backend {

enum class row_kind {
  general,   ///< values that an operator combines
  votes,     ///< truth values whose sums are asked for: a vote counts 32 of them at once
  numbered,  ///< segments with their numbers: votes say where they begin
};

template <class Op>
inline constexpr bool numbers_segments = false;
template <class Op>
inline constexpr bool numbers_segments<numbered_segments<Op>> = true;

template <class P>
inline constexpr row_kind kind_of_rows = [] {
  using stored = std::remove_cv_t<std::iter_value_t<typename P::input>>;
  if (!std::is_same_v<typename P::transformation, std::identity>) return row_kind::general;
  if (numbers_segments<typename P::operation> && std::is_same_v<stored, typename P::element>) return row_kind::numbered;
  bool const sums = std::is_same_v<typename P::operation, plus> && std::is_integral_v<typename P::element> &&
                    sizeof(typename P::element) >= 4;
  return sums && std::is_same_v<stored, bool> ? row_kind::votes : row_kind::general;
}();

/// What is kept of an element in shared memory until its tile is finished: its value, up to it in its warp (of votes
/// there is a bit in a register)...
template <class P, row_kind = kind_of_rows<P>>
struct kept_value_of {
  using type = working_type<typename P::element>;
};
template <class P>
struct kept_value_of<P, row_kind::votes> {
  using type = detail::nothing_taken;
};
template <class P>
struct kept_value_of<P, row_kind::numbered> {
  using type = decltype(P::element::value);
};
/// ... and what its step takes, unless it is large: then it is taken when it is needed.
template <class Out>
struct kept_taken_of {
  using type = detail::nothing_taken;
};
template <class F>
  requires(sizeof(typename detail::step_place<F>::taken) <= 64)
struct kept_taken_of<detail::function_iterator<detail::step_place_of<F>>> {
  using type = typename detail::step_place<F>::taken;
};

/// How many rows, and how many such warps: as many rows as hide memory's latency, and registers and shared memory hold.
template <class P>
struct striped_shape {
  using value = typename kept_value_of<P>::type;
  using taken = typename kept_taken_of<typename P::output>::type;
  static constexpr std::size_t words = words_of<working_type<typename P::element>>;
  static constexpr row_kind kind = kind_of_rows<P>;
  static constexpr int warps = 16;
  static constexpr int threads = warps * warp_lanes;
  static constexpr int rows = [] {
    std::size_t const bytes =
        (std::is_empty_v<value> ? 0 : sizeof(value)) + (std::is_empty_v<taken> ? 0 : sizeof(taken));
    int most = kind == row_kind::votes || words == 1 ? 16 : words == 2 ? 8 : words <= 4 ? 4 : 2;
    while (most > 1 && static_cast<std::size_t>(most) * bytes > 64) most /= 2;  // 32 KiB a tile
    return most;
  }();
  static constexpr int blocks_a_processor = kind == row_kind::votes || words <= 2 ? 2 : 1;
  static constexpr std::size_t tile = static_cast<std::size_t>(threads) * rows;

  /// A tile's values in shared memory, warp by warp, then its takings: a place for each row of each thread, and none of
  /// what is empty. After each 128 bytes of values there is an empty place: lanes that each take `rows` neighbours meet
  /// in no bank then.
  static constexpr unsigned values_a_line = sizeof(value) < 128 ? 128 / sizeof(value) : 1;
  static constexpr unsigned places_of_a_warp = rows * warp_lanes + (rows == 1 ? 0 : rows * warp_lanes / values_a_line);
  static constexpr std::size_t value_bytes =
      std::is_empty_v<value> ? 0 : (warps * places_of_a_warp * sizeof(value) + 127) / 128 * 128;
  static constexpr std::size_t kept_bytes = value_bytes + (std::is_empty_v<taken> ? 0 : tile * sizeof(taken));
  struct kept {
    unsigned char* memory;

    /// Element k of the warp's.
    __device__ __forceinline__ value& value_at(int k) const
    {
      unsigned const warp = threadIdx.x / warp_lanes, own = static_cast<unsigned>(k);
      unsigned const place = warp * places_of_a_warp + own + (rows == 1 ? 0 : own / values_a_line);
      return reinterpret_cast<value*>(memory)[place];
    }
    /// What the lane's element of row r takes.
    __device__ __forceinline__ taken& taken_at(int r) const
    {
      return reinterpret_cast<taken*>(memory + value_bytes)[r * threads + static_cast<int>(threadIdx.x)];
    }
  };

  __host__ __device__ static std::size_t tiles(std::size_t n) { return n / tile + (n % tile != 0); }
};

/// True, as a type (std::true_type is for the host).
struct surely {
  __device__ constexpr operator bool() const { return true; }
};

/// Calls f(r, k, there) for the lane's element k of each row, which is there if it is before `end`.
template <int Rows, class F>
__device__ __forceinline__ void for_each_row(std::size_t first, std::size_t end, int lane, F f)
{
  std::size_t const own = first + static_cast<std::size_t>(lane);
  auto const of_row = [own](int r) {
    std::size_t const k = own + static_cast<std::size_t>(r) * warp_lanes;
    if (r > 0) __builtin_assume(k > 0);  // so nothing asks whether it is the first of all
    return k;
  };
  if (first + Rows * warp_lanes <= end) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) f(r, of_row(r), surely{});
  } else {
#pragma unroll
    for (int r = 0; r < Rows; ++r) f(r, of_row(r), of_row(r) < end);
  }
}

template <class P>
__device__ __forceinline__ decltype(auto) element_at(P const& problem, std::size_t k)
{
  return problem.in[static_cast<std::iter_difference_t<typename P::input>>(k)];
}
template <class P>
__device__ __forceinline__ decltype(auto) place_at(P const& problem, std::size_t k)
{
  return problem.out[static_cast<std::iter_difference_t<typename P::output>>(k)];
}

/// What is before an element, and what is up to it.
template <class W>
struct scan_step {
  W before, upto;
};

/// Calls load(r, k, there) for each row, and takes what its steps take with it: from the same lines, and on its way at
/// the same time.
template <class P, class Load>
__device__ __forceinline__ void load_rows(P const& problem, std::size_t first, std::size_t end, int lane,
                                          typename striped_shape<P>::kept const& kept, Load load)
{
  constexpr int rows = striped_shape<P>::rows;
  using taken = typename striped_shape<P>::taken;
  if constexpr (std::is_empty_v<taken>) {
    for_each_row<rows>(first, end, lane, load);
  } else {
    taken own[rows];
    for_each_row<rows>(first, end, lane, [&](int r, std::size_t k, auto there) {
      load(r, k, there);
      if (there) own[r] = place_at(problem, k).take();
    });
#pragma unroll
    for (int r = 0; r < rows; ++r) kept.taken_at(r) = own[r];
  }
}

/// Hands a warp's steps over. All lanes call `step_of(r)` for each row, one after the other.
template <class P, class StepOf>
__device__ __forceinline__ void hand_over(P const& problem, std::size_t first, std::size_t end, int lane,
                                          typename striped_shape<P>::kept const& kept, StepOf step_of)
{
  using T = typename P::element;
  constexpr int rows = striped_shape<P>::rows;
  for_each_row<rows>(first, end, lane, [&](int r, std::size_t k, auto there) {
    auto const step = step_of(r);
    if (!there) return;
    if constexpr (detail::takes_steps<typename P::output>) {
      auto const place = place_at(problem, k);
      using taken = typename striped_shape<P>::taken;
      if constexpr (!std::is_empty_v<taken> && std::is_same_v<taken, typename decltype(place_at(problem, k))::taken>)
        place.put(static_cast<T>(step.before), static_cast<T>(step.upto), kept.taken_at(r));
      else
        place.put(static_cast<T>(step.before), static_cast<T>(step.upto), place.take());
      // Where all rows are there, only the last one can have the last element.
      constexpr bool all_there = std::is_same_v<decltype(there), surely>;
      if ((!all_there || r == rows - 1) && k + 1 == problem.size) place.end(static_cast<T>(step.upto));
    } else {
      place_at(problem, k) = static_cast<T>(problem.what == work::exclusive_scan ? step.before : step.upto);
    }
  });
}

}  // namespace tally::cuda_backend
