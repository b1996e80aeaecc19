#pragma once

#include <cstddef>

#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/staging.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// One tile in the registers of one block. The last tile may be partial.
namespace tally::cuda_backend {

/// The tile-local values of the rows of each warp: `Warps` warps with `Rows` rows each, `Rows` a divisor of a strip's.
template <class T, class Op, class In, class Transform, int Warps, int Rows>
class block_tile {
public:
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  using rows = scanned_rows<T, Op, In, Transform, Rows>;
  using results = typename rows::results;
  static constexpr int strip_rows = static_cast<int>(order::strip_rows);
  static constexpr int strips = (Warps * Rows + strip_rows - 1) / strip_rows;
  static constexpr int threads = Warps * warp_lanes;
  static constexpr std::size_t capacity = Warps * Rows * order::row<T>;  ///< elements
  static constexpr int count = static_cast<int>(Rows * order::row<T>);   ///< of them in a warp

  struct shared {
    W row_totals[strips * strip_rows];
    W lasts[Warps];  ///< the value at the last element of each warp
  };

  /// Loads the elements of [begin, end), at most `capacity` of them. There is one at least.
  __device__ __forceinline__ void load(In const& in, std::size_t begin, std::size_t end, bool aligned)
  {
    rows_.load(in, begin + first_element(), end, aligned);
  }

  /// The same; elements that are not aligned by way of `staging`, if that is memory.
  template <class Staging>
  __device__ __forceinline__ void load(In const& in, std::size_t begin, std::size_t end, bool aligned, Staging& staging)
  {
    if constexpr (!std::is_same_v<Staging, no_staging> && is_strided<In>) {
      if (!aligned && is_near(in.step)) {
        using stored = std::remove_cv_t<std::iter_value_t<In>>;
        int const step = static_cast<int>(in.step);
        stored* const own = staging.template of_warp<stored>(warp());
        std::size_t const first = begin + first_row() * order::row<T>;
        __syncwarp();  // the results of the tile before have been read
        stored const* const from = &in[0] + static_cast<std::ptrdiff_t>(first) * in.step;
        int const there = first >= end ? 0 : static_cast<int>(end - first < count ? end - first : count);
        if (there == 0) {
          for (int k = lane(); k < count; k += warp_lanes) own[k] = in[static_cast<std::ptrdiff_t>(end - 1)];
        } else {
          copy_in_order<count>(
              lane(), [&](int k) { return from[(k < there ? k : there - 1) * step]; },
              [&](int k, stored const& value) { own[k] = value; });
        }
        __syncwarp();
        rows_.load(In{own, 1}, static_cast<std::size_t>(lane()) * order::group<T>, Rows * order::row<T>, true);
        __syncwarp();
        return;
      }
    }
    load(in, begin, end, aligned);
  }

  /// Turns the elements into tile-local values. Waits for the block. A tile whose warps are not all there begins with
  /// `warps` of them.
  __device__ __forceinline__ void scan(shared& memory, Transform& transform, Op& op, int warps = Warps)
  {
    W totals[Rows];
    rows_.scan_groups(totals, lane(), transform, op);
    rows_.keep_packed();
    if (lane() == warp_lanes - 1) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) memory.row_totals[first_row() + r] = totals[r];
    }
    __syncthreads();
    left const strips = strips_before(memory, (warps * Rows + strip_rows - 1) / strip_rows, op);
    left rows = rows_before(memory, op);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      rows_.precede(r, strips.before(rows, op), op);
      rows = left::present(rows.before(memory.row_totals[first_row() + r], op));
    }
  }

  /// Calls f(value) in the thread that holds the tile-local value of element k.
  template <class F>
  __device__ __forceinline__ void with(std::size_t k, Transform& transform, Op& op, F f) const
  {
    place<T> const at(k);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (at.row == first_row() + r && at.lane == lane()) {
        results values;
        rows_.scan(r, values, transform, op);
        f(values.at(at.in_group));
      }
    }
  }

  /// Writes the results on top of `carry`. Those of an exclusive scan begin with `previous`. Waits for the block if the
  /// scan is exclusive.
  template <class Destination>
  __device__ __forceinline__ void store(Destination const& to, std::size_t begin, left const& carry,
                                        left const& previous, shared& memory, Transform& transform, Op& op) const
  {
    W left_neighbour = previous.value;
    if (to.exclusive) {
      results values;
      rows_.scan(Rows - 1, values, transform, op);
      if (lane() == warp_lanes - 1) memory.lasts[warp()] = carry.before(values.last(), op);
      __syncthreads();
      if (warp() > 0) left_neighbour = memory.lasts[warp() - 1];
    }
    constexpr int batch = batch_rows<results, Rows>;
#pragma unroll
    for (int r = 0; r < Rows; r += batch) {
      results values[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        rows_.scan(r + k, values[k], transform, op);
        values[k].precede(carry, op);
      }
      W const next = to.last_of(values);
      to.store(begin + first_element() + r * order::row<T>, values, left_neighbour, lane());
      left_neighbour = next;
    }
  }

  /// The same; results that are not aligned by way of `staging`, if that is memory.
  template <class Out, class Staging>
  __device__ __forceinline__ void store(destination<T, Out> const& to, std::size_t begin, left const& carry,
                                        left const& previous, shared& memory, Transform& transform, Op& op,
                                        Staging& staging) const
  {
    if constexpr (!std::is_same_v<Staging, no_staging> && is_strided<Out>) {
      if (!to.aligned && is_near(to.out.step)) {
        using stored = std::iter_value_t<Out>;
        int const step = static_cast<int>(to.out.step);
        stored* const own = staging.template of_warp<stored>(warp());
        std::size_t const first = begin + first_row() * order::row<T>;
        store(staged_destination<T, Out, stored>{to, own, first}, begin, carry, previous, memory, transform, op);
        __syncwarp();
        if (first >= to.end) return;
        stored* const target = &to.out[0] + static_cast<std::ptrdiff_t>(first) * to.out.step;
        int const there = static_cast<int>(to.end - first < count ? to.end - first : count);
        copy_in_order<count>(
            lane(), [&](int k) { return own[k]; },
            [&](int k, stored const& value) {
              if (k < there) target[k * step] = value;
            });
        return;
      }
    }
    store(to, begin, carry, previous, memory, transform, op);
  }

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / warp_lanes; }

private:
  /// A warp's elements are at distances of 32 bits.
  __device__ static bool is_near(std::ptrdiff_t step)
  {
    constexpr std::ptrdiff_t most = 0x7fffffff / count;
    return -most < step && step < most;
  }
  __device__ static int first_row() { return warp() * Rows; }
  __device__ static std::size_t first_element()
  {
    return static_cast<std::size_t>(first_row()) * order::row<T> + static_cast<std::size_t>(lane()) * order::group<T>;
  }

  /// The fold of the strips before the warp's, of `count` strips.
  __device__ __forceinline__ left strips_before(shared const& memory, int count, Op& op) const
  {
    int const strip = first_row() / strip_rows;
    left before = left::absent(op, memory.row_totals[0]);
    if constexpr (strips > 1) {
      // Lane s folds strip s.
      W const* const rows = memory.row_totals + lane() % count * strip_rows;
      W strip_total = rows[0];
#pragma unroll
      for (int r = 1; r < strip_rows; ++r) strip_total = static_cast<W>(op(strip_total, rows[r]));
#pragma unroll
      for (int s = 0; s < strips - 1; ++s) {
        W const total = shuffle_from(strip_total, s);
        if (s < strip) before = left::present(before.before(total, op));
      }
    }
    return before;
  }

  /// The fold of the rows of its strip that come before the warp's.
  __device__ __forceinline__ left rows_before(shared const& memory, Op& op) const
  {
    left before = left::absent(op, memory.row_totals[0]);
    if constexpr (Rows < strip_rows) {
      int const first_of_strip = first_row() / strip_rows * strip_rows;
#pragma unroll
      for (int r = 0; r < strip_rows; ++r) {
        if (first_of_strip + r < first_row())
          before = left::present(before.before(memory.row_totals[first_of_strip + r], op));
      }
    }
    return before;
  }

  rows rows_;
};

}  // namespace tally::cuda_backend
