#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>

#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/optional_value.hpp"
#include "tally/operators/numbered.hpp"
#include "tally/sequences.hpp"

/// The kernel for scans whose elements a function gives or whose results a function takes, by operators that are
/// exactly associative.
///
/// Neighbouring lanes have neighbouring elements, so functions read and write neighbouring memory at each step. With
/// the groups of the order each lane would access a line of its own.
namespace tally::cuda_backend {

// The kinds of rows, their number in a tile, the memory that keeps a tile, and the loop over a warp's rows.

enum class row_kind {
  general,   ///< values that an operator combines
  votes,     ///< sums of truth values: a vote counts 32 of them at once
  numbered,  ///< segments with their numbers: votes find where segments begin
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

/// The values that shared memory keeps of each element until its tile is finished. First, the scan of its warp up to it
/// (votes have a bit in a register instead).
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
/// Second, the result of its step's `take`, unless that is large: then `take` is called when the result is needed.
template <class Out>
struct kept_taken_of {
  using type = detail::nothing_taken;
};
template <class F>
  requires(sizeof(typename detail::step_place<F>::taken) <= 64)
struct kept_taken_of<detail::function_iterator<detail::step_place_of<F>>> {
  using type = typename detail::step_place<F>::taken;
};

/// The number of rows of a warp, and of warps: as many rows as hide memory's latency, as far as registers and shared
/// memory hold them.
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

  /// A tile's values in shared memory, warp by warp, and after them the results of `take`. There is a place for each
  /// row of each thread; empty types have none. After each 128 bytes of values a place is left empty, so that lanes
  /// that each read `rows` neighbours have no bank conflicts.
  static constexpr unsigned values_a_line = sizeof(value) < 128 ? 128 / sizeof(value) : 1;
  static constexpr unsigned places_of_a_warp = rows * warp_lanes + (rows == 1 ? 0 : rows * warp_lanes / values_a_line);
  static constexpr std::size_t value_bytes =
      std::is_empty_v<value> ? 0 : (warps * places_of_a_warp * sizeof(value) + 127) / 128 * 128;
  static constexpr std::size_t kept_bytes = value_bytes + (std::is_empty_v<taken> ? 0 : tile * sizeof(taken));
  struct kept {
    unsigned char* memory;

    /// The value of the warp's element k.
    __device__ __forceinline__ value& value_at(int k) const
    {
      unsigned const warp = threadIdx.x / warp_lanes, own = static_cast<unsigned>(k);
      unsigned const place = warp * places_of_a_warp + own + (rows == 1 ? 0 : own / values_a_line);
      return reinterpret_cast<value*>(memory)[place];
    }
    /// The result of `take` of the lane's element of row r.
    __device__ __forceinline__ taken& taken_at(int r) const
    {
      return reinterpret_cast<taken*>(memory + value_bytes)[r * threads + static_cast<int>(threadIdx.x)];
    }
  };

  __host__ __device__ static std::size_t tiles(std::size_t n) { return n / tile + (n % tile != 0); }
};

/// True, as a type (std::true_type is for the host).
struct always {
  __device__ constexpr operator bool() const { return true; }
};

/// Calls f(r, k, there) for the lane's element k of each row, which is there if it is before `end`.
template <int Rows, class F>
__device__ __forceinline__ void for_each_row(std::size_t first, std::size_t end, int lane, F f)
{
  std::size_t const own = first + static_cast<std::size_t>(lane);
  auto const of_row = [own](int r) {
    std::size_t const k = own + static_cast<std::size_t>(r) * warp_lanes;
    if (r > 0) __builtin_assume(k > 0);  // removes tests for the first of all elements
    return k;
  };
  if (first + Rows * warp_lanes <= end) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) f(r, of_row(r), always{});
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

/// The exclusive and the inclusive result at an element.
template <class W>
struct scan_step {
  W before, upto;
};

/// Calls load(r, k, there) for each row, and `take` of its steps with it: these read the same lines at the same time.
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
    for_each_row<rows>(first, end, lane, [&](int r, std::size_t k, auto is_inside) {
      load(r, k, is_inside);
      if (is_inside) own[r] = place_at(problem, k).take();
    });
#pragma unroll
    for (int r = 0; r < rows; ++r) kept.taken_at(r) = own[r];
  }
}

/// Passes a warp's steps to the output. All lanes call `step_of(r)` for each row, one row after the other.
template <class P, class StepOf>
__device__ __forceinline__ void hand_over(P const& problem, std::size_t first, std::size_t end, int lane,
                                          typename striped_shape<P>::kept const& kept, StepOf step_of)
{
  using T = typename P::element;
  constexpr int rows = striped_shape<P>::rows;
  for_each_row<rows>(first, end, lane, [&](int r, std::size_t k, auto is_inside) {
    auto const step = step_of(r);
    if (!is_inside) return;
    if constexpr (detail::takes_steps<typename P::output>) {
      auto const place = place_at(problem, k);
      using taken = typename striped_shape<P>::taken;
      if constexpr (!std::is_empty_v<taken> && std::is_same_v<taken, typename decltype(place_at(problem, k))::taken>)
        place.put(static_cast<T>(step.before), static_cast<T>(step.upto), kept.taken_at(r));
      else
        place.put(static_cast<T>(step.before), static_cast<T>(step.upto), place.take());
      // If all rows are there, only the last one can have the last element.
      constexpr bool all_inside = std::is_same_v<decltype(is_inside), always>;
      if ((!all_inside || r == rows - 1) && k + 1 == problem.size) place.end(static_cast<T>(step.upto));
    } else {
      place_at(problem, k) = static_cast<T>(problem.what == work::exclusive_scan ? step.before : step.upto);
    }
  });
}

// The fold before a tile, under an exactly associative operator. The threads of a block together fold the totals of the
// tiles between its own. No prefix is handed over, as it is in Merrill and Garland's look-back (2016): totals wait for
// nothing.

/// The fold of the first `count` values of a warp's lanes, 1 <= count <= Most, for lane 0. Most is a power of two.
template <int Most = warp_lanes, class W, class Op>
__device__ __forceinline__ W fold_lanes(W value, int count, int lane, Op& op)
{
#pragma unroll
  for (int stride = 1; stride < Most; stride *= 2) {
    W const right = shuffle_down(value, stride);
    value = select(lane + stride < count, static_cast<W>(op(value, right)), value);
  }
  return value;
}

/// The totals of tiles [from, to) on their way to a block's threads, one for each thread. If there are more totals than
/// threads, the others follow after these.
template <int Warps, class W>
class totals_between {
public:
  /// Starts to read the first of them; returns at once.
  __device__ __forceinline__ void ask(std::uint64_t const* words, std::size_t from, std::size_t to)
  {
    from_ = from;
    to_ = to;
    if (from_ + threadIdx.x < to_) read_.load(words + (from_ + threadIdx.x) * words_of<W>);
  }

  /// Appends all of them to the `before` of the last warp, after the warps that wait for totals. All threads call.
  /// Waits, so tiles must be drawn in order by blocks that run. `parts` is shared memory that nothing else uses until
  /// the block's next barrier.
  template <class Op>
  __device__ __forceinline__ void append_to(detail::optional_value<W>& before, std::uint64_t const* words,
                                            std::uint32_t epoch, W (&parts)[Warps], int lane, Op& op)
  {
    while (from_ < to_) {
      constexpr std::size_t threads = static_cast<std::size_t>(Warps) * warp_lanes;
      int const now = static_cast<int>(to_ - from_ < threads ? to_ - from_ : threads);
      int const first = static_cast<int>(threadIdx.x) - lane;
      if (first < now) {
        W total{};
        if (first + lane < now) total = awaited(words, epoch);
        __syncwarp();
        total = fold_lanes(total, min(now - first, warp_lanes), lane, op);
        if (lane == 0) parts[first / warp_lanes] = total;
      }
      __syncthreads();
      if (first == (Warps - 1) * warp_lanes) {
        int const warps = (now + warp_lanes - 1) / warp_lanes;
        before.append(shuffle_from(fold_lanes<Warps>(parts[lane < warps ? lane : 0], warps, lane, op), 0), op);
      }
      ask(words, from_ + static_cast<std::size_t>(now), to_);
      if (from_ < to_) __syncthreads();  // the parts have been read
    }
  }

private:
  __device__ __forceinline__ W awaited(std::uint64_t const* words, std::uint32_t epoch)
  {
    W total{};
    for (unsigned sleep = 16; !read_.decode(total, epoch); sleep = sleep < 128 ? 2 * sleep : sleep) {
      __nanosleep(sleep);
      read_.load(words + (from_ + threadIdx.x) * words_of<W>);
    }
    return total;
  }

  std::size_t from_, to_;
  read_words<W> read_;
};

// A warp's rows of 32 elements, one for each lane: loaded, scanned, and passed to the output on top of the fold before
// them.

/// Scans a warp's kept values in place; returns their total. A lane scans as many neighbours as there are rows, and
/// only the lanes' totals are scanned by shuffles, not each row. Bit j of `heads` says that neighbour j begins a
/// segment; no value crosses the beginning of a segment.
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

  /// Returns the total of the warp's elements. The tile has one element at least. Its last one stands for those beyond
  /// `end`, since the operator may be called with them.
  __device__ __forceinline__ W load(P const& problem, std::size_t first, std::size_t end, int lane, Op& op,
                                    memory const& kept)
  {
    W values[rows];
    auto transform = problem.transform;
    load_rows(problem, first, end, lane, kept, [&](int r, std::size_t k, auto is_inside) {
      values[r] = element_of<T>(element_at(problem, is_inside ? k : end - 1), transform);
    });
#pragma unroll
    for (int r = 0; r < rows; ++r) kept.value_at(r * warp_lanes + lane) = values[r];
    return scan_kept<P>(kept, 0, lane, op);
  }

  /// Passes the results on top of `before` to the output.
  __device__ __forceinline__ void store(P const& problem, std::size_t first, std::size_t end,
                                        detail::optional_value<W> const& before, int lane, Op& op, memory const& kept)
  {
    W wrapped = before.value;  // what the last lane of the row before has
    auto const precede = [&](int r) {
      W value = kept.value_at(r * warp_lanes + lane);
      if (before.is_present) value = static_cast<W>(op(before.value, value));
      W const neighbour = shuffle_from(value, (lane - 1) & (warp_lanes - 1));
      scan_step<W> const result{select(lane == 0, wrapped, neighbour), value};
      wrapped = neighbour;
      return result;
    };
    hand_over(problem, first, end, lane, kept, precede);
  }
};

/// Truth values: a bit for each row. `store` counts again instead of keeping counts.
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
    load_rows(problem, first, end, lane, kept, [&](int r, std::size_t k, auto is_inside) {
      if (is_inside) flags_ |= static_cast<unsigned>(static_cast<bool>(element_at(problem, k))) << r;
    });
    unsigned total = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) total += static_cast<unsigned>(__popc(vote(r)));
    return static_cast<W>(total);
  }

  __device__ __forceinline__ void store(P const& problem, std::size_t first, std::size_t end,
                                        detail::optional_value<W> const& before, int lane, Op&, memory const& kept)
  {
    unsigned const left = (1u << lane) - 1;
    W row = before.is_present ? before.value : W{};
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
    load_rows(problem, first, end, lane, kept, [&](int r, std::size_t k, auto is_inside) {
      W const element = element_at(problem, is_inside ? k : end - 1);
      values[r] = element.value;
      if (is_inside) flags_ |= static_cast<unsigned>(element.heads != 0) << r;
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
                                        detail::optional_value<W> const& before, int lane, Op& op, memory const& kept)
  {
    Count row = before.is_present ? before.value.heads : Count{};
    Count const beginning = row;
    V wrapped = before.value.value;  // what the last lane of the row before has
    auto const number = [&](int r) {
      unsigned const heads = vote(r), upto = heads & (0xffffffffu >> (31 - lane));
      V value = kept.value_at(r * warp_lanes + lane);
      if (before.is_present && row == beginning)
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

/// A tile of a block: its warp's rows. In the warp that adds up the totals, lane w has the inclusive total of warp w in
/// `upto`.
template <class P>
struct striped_tile {
  using W = working_type<typename P::element>;
  using shape = striped_shape<P>;

  std::uint32_t number;
  striped_rows<P> rows;
  W upto;

  __device__ __forceinline__ std::size_t begin() const { return static_cast<std::size_t>(number) * shape::tile; }
  __device__ __forceinline__ std::size_t end(std::size_t size) const
  {
    return size - begin() < shape::tile ? size : begin() + shape::tile;
  }
  __device__ __forceinline__ std::size_t first(int warp) const
  {
    return begin() + static_cast<std::size_t>(warp) * shape::rows * warp_lanes;
  }
};

/// Each block draws tiles until there are no more. `words` has `words_of<W>` words for each tile.
///
/// A block publishes a tile's total, and then finishes the tile that it drew before: the totals before that one are
/// there by then. A compaction of 2^28 numbers took 0.9 ms when each tile waited for its own predecessors. The last
/// warp adds up the totals for all, since it has no totals of other blocks to wait for. The speed of these kernels is
/// limited by their instructions, and sixteen warps that do the same execute sixteen times as many.
template <class P>
__global__ void __launch_bounds__(striped_shape<P>::threads, striped_shape<P>::blocks_a_processor)
    striped_kernel(__grid_constant__ P const given)
{
  using W = working_type<typename P::element>;
  using shape = striped_shape<P>;
  auto const& problem = at_its_turn(given);
  using kept = typename shape::kept;
  extern __shared__ __align__(128) unsigned char tiles_kept[];  // a block's tile and the one before
  __shared__ uninitialized<W[shape::warps]> totals;
  __shared__ uninitialized<W[shape::warps]> parts;
  __shared__ uninitialized<W[shape::warps]> before_warps;
  __shared__ drawing drawn;
  typename P::operation op = problem.op;
  int const lane = static_cast<int>(threadIdx.x % warp_lanes), warp = static_cast<int>(threadIdx.x / warp_lanes);
  auto const tiles = static_cast<std::uint32_t>(shape::tiles(problem.size));
  bool const adds = warp == shape::warps - 1;
  detail::optional_value<W> before{problem.init.value, problem.init.is_present};  // the warp that adds has it
  std::uint32_t folded = 0;                                                       // tiles that `before` has
  striped_tile<P> own, next;
  own.number = tiles;  // none
  std::uint64_t ticket = 0;
  if (threadIdx.x == 0) ticket = draw_unseen(*problem.shared);
  for (int turn = 0;; turn ^= 1) {
    if (threadIdx.x == 0) drawn = resolve(*problem.shared, ticket, tickets_of_scan(tiles, gridDim.x));
    __syncthreads();
    std::uint32_t const epoch = drawn.epoch;
    next.number = drawn.tile;
    totals_between<shape::warps, W> between;
    if (own.number < tiles) between.ask(problem.words, folded, own.number);
    if (next.number < tiles) {
      W const total = next.rows.load(problem, next.first(warp), next.end(problem.size), lane, op,
                                     kept{tiles_kept + turn * shape::kept_bytes});
      if (lane == 0) (*totals)[warp] = total;
      __syncthreads();
      if (adds) {
        W upto[1] = {(*totals)[lane < shape::warps ? lane : 0]};
        kogge_stone_scan(upto, lane, op);
        next.upto = upto[0];
        if (lane == shape::warps - 1) publish(problem.words + next.number * words_of<W>, next.upto, epoch);
      }
    }
    if (own.number < tiles) {
      between.append_to(before, problem.words, epoch, *parts, lane, op);
      // On its way while results are handed over.
      if (threadIdx.x == 0 && next.number < tiles) ticket = draw_unseen(*problem.shared);
      if (adds) {
        detail::optional_value<W> here = before;
        W const left = shuffle_up(own.upto, 1);
        if (lane > 0) here.append(left, op);
        if (lane < shape::warps) (*before_warps)[lane] = here.value;
        before.append(shuffle_from(own.upto, shape::warps - 1), op);
      }
      __syncthreads();
      bool const has_before = problem.init.is_present || own.number > 0 || warp > 0;
      own.rows.store(problem, own.first(warp), own.end(problem.size), {(*before_warps)[warp], has_before}, lane, op,
                     kept{tiles_kept + (turn ^ 1) * shape::kept_bytes});
      folded = own.number + 1;
    } else if (threadIdx.x == 0 && next.number < tiles) {
      ticket = draw_unseen(*problem.shared);
    }
    if (next.number >= tiles) {
      if (threadIdx.x == 0) finish(*problem.shared, epoch, gridDim.x, problem.words, problem.capacity);
      return;
    }
    own = next;
  }
}

}  // namespace tally::cuda_backend
