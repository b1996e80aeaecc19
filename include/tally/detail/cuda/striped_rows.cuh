#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/striped_shape.cuh"
#include "tally/detail/cuda/totals_between.cuh"
#include "tally/detail/cuda/warp.cuh"

/// A warp's rows of 32 elements, an element a lane: loaded, scanned, and handed over with what comes before them.
namespace tally::cuda_backend {

/// Scans a warp's kept values in their place; returns what they add up to. A lane scans as many neighbours as there are
/// rows, and only the lanes' totals are scanned by shuffles, not each row. Bit j of `heads` says whether neighbour j
/// begins a segment, beyond which nothing goes.
template <class P, class Op>
__device__ __forceinline__ auto scan_kept(typename striped_shape<P>::kept const& kept, unsigned heads, int lane, Op& op)
{
  using V = typename striped_shape<P>::value;
  constexpr int rows = striped_shape<P>::rows;
  __syncwarp();
  V values[rows];
#pragma unroll
  for (int j = 0; j < rows; ++j) values[j] = kept.value_at(lane * rows + j);
#pragma unroll
  for (int j = 1; j < rows; ++j)
    values[j] = select((heads & 1u << j) == 0, static_cast<V>(op(values[j - 1], values[j])), values[j]);

  unsigned const begun = __ballot_sync(whole_warp, heads != 0) & (0xffffffffu >> (31 - lane));
  int const reach = begun != 0 ? lane - 31 + __clz(static_cast<int>(begun)) : lane;
  V upto[1] = {values[rows - 1]};
  kogge_stone_scan(upto, [reach](int) { return reach; }, op);
  V const left = shuffle_up(upto[0], 1);
#pragma unroll
  for (int j = 0; j < rows; ++j) {
    bool const goes_on = lane > 0 && (heads & ((2u << j) - 1)) == 0;
    kept.value_at(lane * rows + j) = select(goes_on, static_cast<V>(op(left, values[j])), values[j]);
  }
  __syncwarp();
  return shuffle_from(upto[0], warp_lanes - 1);
}

template <class P, row_kind = kind_of_rows<P>>
class striped_rows {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  static constexpr int rows = striped_shape<P>::rows;
  using memory = typename striped_shape<P>::kept;

  /// Returns what the warp's elements add up to. The tile has one element at least, and its last one stands for those
  /// beyond, which may be given to the operator.
  __device__ __forceinline__ W load(P const& problem, std::size_t first, std::size_t end, int lane, Op& op,
                                    memory const& kept)
  {
    W values[rows];
    auto transform = problem.transform;
    load_rows(problem, first, end, lane, kept, [&](int r, std::size_t k, auto there) {
      values[r] = element_of<T>(element_at(problem, there ? k : end - 1), transform);
    });
#pragma unroll
    for (int r = 0; r < rows; ++r) kept.value_at(r * warp_lanes + lane) = values[r];
    return scan_kept<P>(kept, 0, lane, op);
  }

  /// Hands the results on top of `before` over.
  __device__ __forceinline__ void store(P const& problem, std::size_t first, std::size_t end,
                                        running_fold<W> const& before, int lane, Op& op, memory const& kept)
  {
    W wrapped = before.value;  // what the last lane of the row before has
    auto const precede = [&](int r) {
      W value = kept.value_at(r * warp_lanes + lane);
      if (before.there) value = static_cast<W>(op(before.value, value));
      W const neighbour = shuffle_from(value, (lane - 1) & (warp_lanes - 1));
      scan_step<W> const result{select(lane == 0, wrapped, neighbour), value};
      wrapped = neighbour;
      return result;
    };
    hand_over(problem, first, end, lane, kept, precede);
  }
};

/// Truth values: a bit for each row. What is up to an element is counted again when it is asked for.
template <class P>
class striped_rows<P, row_kind::votes> {
public:
  using W = working_type<typename P::element>;
  using Op = typename P::operation;
  static constexpr int rows = striped_shape<P>::rows;
  using memory = typename striped_shape<P>::kept;

  __device__ __forceinline__ W load(P const& problem, std::size_t first, std::size_t end, int lane, Op&,
                                    memory const& kept)
  {
    flags_ = 0;
    load_rows(problem, first, end, lane, kept, [&](int r, std::size_t k, auto there) {
      if (there) flags_ |= static_cast<unsigned>(static_cast<bool>(element_at(problem, k))) << r;
    });
    unsigned total = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) total += static_cast<unsigned>(__popc(vote(r)));
    return static_cast<W>(total);
  }

  __device__ __forceinline__ void store(P const& problem, std::size_t first, std::size_t end,
                                        running_fold<W> const& before, int lane, Op&, memory const& kept)
  {
    unsigned const left = (1u << lane) - 1;
    W row = before.there ? before.value : W{};
    auto const count = [&](int r) {
      unsigned const set = vote(r);
      W const own = static_cast<W>(row + static_cast<W>(__popc(set & left)));
      row = static_cast<W>(row + static_cast<W>(__popc(set)));
      return scan_step<W>{own, static_cast<W>(own + static_cast<W>(flags_ >> r & 1u))};
    };
    hand_over(problem, first, end, lane, kept, count);
  }

private:
  __device__ __forceinline__ unsigned vote(int r) const { return __ballot_sync(whole_warp, (flags_ & 1u << r) != 0); }

  unsigned flags_;
};

/// Segments and their numbers: values are scanned, heads are bits.
template <class P>
class striped_rows<P, row_kind::numbered> {
public:
  using W = typename P::element;
  using Op = typename P::operation;
  using V = decltype(W::value);
  using Count = decltype(W::heads);
  static constexpr int rows = striped_shape<P>::rows;
  using memory = typename striped_shape<P>::kept;

  __device__ __forceinline__ W load(P const& problem, std::size_t first, std::size_t end, int lane, Op& op,
                                    memory const& kept)
  {
    flags_ = 0;
    V values[rows];
    load_rows(problem, first, end, lane, kept, [&](int r, std::size_t k, auto there) {
      W const element = element_at(problem, there ? k : end - 1);
      values[r] = element.value;
      if (there) flags_ |= static_cast<unsigned>(element.heads != 0) << r;
    });
#pragma unroll
    for (int r = 0; r < rows; ++r) kept.value_at(r * warp_lanes + lane) = values[r];
    unsigned heads = 0;  // of the row in which the lane's neighbours are
    Count count{};
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned const row = vote(r);
      count = static_cast<Count>(count + static_cast<Count>(__popc(row)));
      heads = r == lane * rows / warp_lanes ? row : heads;
    }
    heads = heads >> (lane * rows % warp_lanes) & ((1u << rows) - 1);
    return {count, scan_kept<P>(kept, heads, lane, op.op)};
  }

  __device__ __forceinline__ void store(P const& problem, std::size_t first, std::size_t end,
                                        running_fold<W> const& before, int lane, Op& op, memory const& kept)
  {
    Count row = before.there ? before.value.heads : Count{};
    Count const beginning = row;
    V wrapped = before.value.value;  // what the last lane of the row before has
    auto const number = [&](int r) {
      unsigned const heads = vote(r), upto = heads & (0xffffffffu >> (31 - lane));
      V value = kept.value_at(r * warp_lanes + lane);
      if (before.there && row == beginning)
        value = select(upto == 0, static_cast<V>(op.op(before.value.value, value)), value);
      V const neighbour = shuffle_from(value, (lane - 1) & (warp_lanes - 1));
      auto const own = static_cast<Count>(row + static_cast<Count>(__popc(upto)));
      scan_step<W> const result{
          {static_cast<Count>(own - static_cast<Count>(flags_ >> r & 1u)), select(lane == 0, wrapped, neighbour)},
          {own, value}};
      wrapped = neighbour;
      row = static_cast<Count>(row + static_cast<Count>(__popc(heads)));
      return result;
    };
    hand_over(problem, first, end, lane, kept, number);
  }

private:
  __device__ __forceinline__ unsigned vote(int r) const { return __ballot_sync(whole_warp, (flags_ & 1u << r) != 0); }

  unsigned flags_;
};

}  // namespace tally::cuda_backend
