#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/cuda/elements.cuh"
#include "tally/cuda/striped_shape.cuh"
#include "tally/cuda/totals_between.cuh"
#include "tally/cuda/warp.cuh"

/// A warp's rows of 32 elements, an element a lane: loaded, scanned, and handed over with what comes before them.
namespace tally::cuda_backend {

template <class P, row_kind = kind_of_rows<P>>
class striped_rows {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  static constexpr int rows = striped_shape<P>::rows;
  using memory = typename striped_shape<P>::kept;

  /// The tile has one element at least. Its last one stands for those beyond, which may be given to the operator.
  __device__ __forceinline__ void load(P const& problem, std::size_t first, std::size_t end, int lane, Op& op,
                                       memory const& kept)
  {
    W values[rows];
    auto transform = problem.transform;
    load_rows(problem, first, end, lane, kept, [&](int r, std::size_t k, auto there) {
      values[r] = element_of<T>(element_at(problem, there ? k : end - 1), transform);
    });
    kogge_stone_scan(values, lane, op);
    W totals[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) totals[r] = shuffle_from(values[r], warp_lanes - 1);
    total_ = totals[0];
#pragma unroll
    for (int r = 1; r < rows; ++r) {
      values[r] = static_cast<W>(op(total_, values[r]));
      total_ = static_cast<W>(op(total_, totals[r]));
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) kept.value_at(r) = values[r];
  }

  __device__ __forceinline__ W total() const { return total_; }

  /// Hands the results on top of `before` over.
  __device__ __forceinline__ void store(P const& problem, std::size_t first, std::size_t end,
                                        running_fold<W> const& before, int lane, Op& op, memory const& kept)
  {
    W wrapped = before.value;  // what the last lane of the row before has
    auto const precede = [&](int r) {
      W value = kept.value_at(r);
      if (before.there) value = static_cast<W>(op(before.value, value));
      W const neighbour = shuffle_from(value, (lane + warp_lanes - 1) % warp_lanes);
      scan_step<W> const result{select(lane == 0, wrapped, neighbour), value};
      wrapped = neighbour;
      return result;
    };
    hand_over(problem, first, end, lane, kept, precede);
  }

private:
  W total_;
};

/// Truth values: a bit for each row. What is up to an element is counted again when it is asked for.
template <class P>
class striped_rows<P, row_kind::votes> {
public:
  using W = working_type<typename P::element>;
  using Op = typename P::operation;
  static constexpr int rows = striped_shape<P>::rows;
  using memory = typename striped_shape<P>::kept;

  __device__ __forceinline__ void load(P const& problem, std::size_t first, std::size_t end, int lane, Op&,
                                       memory const& kept)
  {
    flags_ = total_ = 0;
    load_rows(problem, first, end, lane, kept, [&](int r, std::size_t k, auto there) {
      if (there) flags_ |= static_cast<unsigned>(static_cast<bool>(element_at(problem, k))) << r;
    });
#pragma unroll
    for (int r = 0; r < rows; ++r) total_ += static_cast<unsigned>(__popc(vote(r)));
  }

  __device__ __forceinline__ W total() const { return static_cast<W>(total_); }

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
  __device__ __forceinline__ unsigned vote(int r) const { return __ballot_sync(whole_warp, flags_ >> r & 1u); }

  unsigned flags_;
  unsigned total_;
};

/// Segments and their numbers: values are scanned, heads are bits. A lane takes what is left of it only as far as its
/// segment goes.
template <class P>
class striped_rows<P, row_kind::numbered> {
public:
  using W = typename P::element;
  using Op = typename P::operation;
  using V = decltype(W::value);
  using Count = decltype(W::heads);
  static constexpr int rows = striped_shape<P>::rows;
  using memory = typename striped_shape<P>::kept;

  __device__ __forceinline__ void load(P const& problem, std::size_t first, std::size_t end, int lane, Op& op,
                                       memory const& kept)
  {
    flags_ = 0;
    V values[rows];
    load_rows(problem, first, end, lane, kept, [&](int r, std::size_t k, auto there) {
      W const element = element_at(problem, there ? k : end - 1);
      values[r] = element.value;
      if (there) flags_ |= static_cast<unsigned>(element.heads != 0) << r;
    });
    int reach[rows];  // how many lanes to the left are of the lane's segment
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned const heads = heads_up_to(r, lane);
      reach[r] = heads != 0 ? lane - 31 + __clz(static_cast<int>(heads)) : lane;
    }
    kogge_stone_scan(values, [&reach](int r) { return reach[r]; }, op.op);
    V last[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) last[r] = shuffle_from(values[r], warp_lanes - 1);
    total_ = {static_cast<Count>(__popc(vote(0))), last[0]};
#pragma unroll
    for (int r = 1; r < rows; ++r) {
      unsigned const heads = vote(r);
      values[r] = select(heads_up_to(r, lane) == 0, static_cast<V>(op.op(total_.value, values[r])), values[r]);
      total_.value = select(heads == 0, static_cast<V>(op.op(total_.value, last[r])), last[r]);
      total_.heads = static_cast<Count>(total_.heads + static_cast<Count>(__popc(heads)));
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) kept.value_at(r) = values[r];
  }

  __device__ __forceinline__ W total() const { return total_; }

  __device__ __forceinline__ void store(P const& problem, std::size_t first, std::size_t end,
                                        running_fold<W> const& before, int lane, Op& op, memory const& kept)
  {
    Count row = before.there ? before.value.heads : Count{};
    Count const beginning = row;
    V wrapped = before.value.value;  // what the last lane of the row before has
    auto const number = [&](int r) {
      unsigned const heads = vote(r), upto = heads & (0xffffffffu >> (31 - lane));
      V value = kept.value_at(r);
      if (before.there && row == beginning)
        value = select(upto == 0, static_cast<V>(op.op(before.value.value, value)), value);
      V const neighbour = shuffle_from(value, (lane + warp_lanes - 1) % warp_lanes);
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
  __device__ __forceinline__ unsigned vote(int r) const { return __ballot_sync(whole_warp, flags_ >> r & 1u); }
  __device__ __forceinline__ unsigned heads_up_to(int r, int lane) const
  {
    return vote(r) & (0xffffffffu >> (31 - lane));
  }

  unsigned flags_;
  W total_;
};

}  // namespace tally::cuda_backend
