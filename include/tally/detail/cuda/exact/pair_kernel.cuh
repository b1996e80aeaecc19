#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "tally/counted.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// Exact scans, and sums of short sequences, by pairs of doubles (pair_sum.hpp): of sequences that lie one behind the
/// other, in one pass over memory.
///
/// A block takes a tile of all elements, whatever sequences these belong to. Each thread adds up 16 neighbours, and
/// begins anew behind the end of a sequence. Pairs pass from thread to thread and from warp to warp by scans that stop
/// at such ends, and from tile to tile by a look back at the tiles before. The brackets differ from run to run, and so
/// do the bounds of what was dropped; the rounded results cannot.
///
/// A result that the pair does not tell sets a flag, and the blocks stop. The kernels behind then do the call again.
namespace tally::cuda_backend::exact {

using detail::exact::float_sizes;
using detail::exact::pair_sum;
using detail::exact::plain_sum;

inline constexpr int pair_threads = 256;
inline constexpr int pair_warps = pair_threads / warp_lanes;
inline constexpr int pair_terms = 16;  ///< of a thread
inline constexpr int pair_tile = pair_threads * pair_terms;

/// The place of a tile's element in shared memory: lanes meet different banks, whether they take neighbours or each its
/// own 16.
template <class V>
__host__ __device__ constexpr int place_in_tile(int k)
{
  return sizeof(V) >= 8 ? k + k / 16 : sizeof(V) == 4 ? k + k / 32 : k + k / 16 * static_cast<int>(4 / sizeof(V));
}
template <class V>
inline constexpr int room_of_tile = place_in_tile<V>(pair_tile - 1) + 1;

template <class T>
inline constexpr std::size_t bytes_of_values = (room_of_tile<T> * sizeof(T) + 15) / 16 * 16;
/// The shared memory of a block: a tile's elements, and the marks of ends behind them.
template <class T, class Ends>
inline constexpr std::size_t pair_bytes =
    bytes_of_values<T> + (Ends::has_marks ? room_of_tile<std::uint32_t> * sizeof(std::uint32_t) : 0);

/// The states that tiles hand over, zeros at first.
struct pair_states {
  /// The words of a tile: four bytes of its sum each, and the state. They are read and written whole, so a sum is
  /// complete if all have the same state (handover.hpp).
  static constexpr int words = 5;
  enum state : std::uint32_t { unknown, of_tile, of_all };  ///< the sum of the tile alone, or of the sequence so far

  unsigned long long* ticket;
  unsigned* failed;
  std::uint64_t* of_tiles;
  pair_sum* before;  ///< of each tile, if not null: for a second run

  __device__ bool has_failed() const { return *const_cast<unsigned volatile*>(failed) != 0; }
  __device__ void fail() const { *const_cast<unsigned volatile*>(failed) = 1; }

  __device__ __forceinline__ void publish(std::size_t tile, pair_sum const& sum, state known) const
  {
    auto const upper = [](double x) { return static_cast<std::uint32_t>(__double2hiint(x)); };
    auto const lower = [](double x) { return static_cast<std::uint32_t>(__double2loint(x)); };
    // A bound has 20 bits, rounded up.
    std::uint32_t const lost = sum.lost == 0 ? 0 : sum.lost - sum.lost == 0 ? upper(sum.lost) + 1 : 0x7ff80000;
    std::uint32_t const parts[words] = {upper(sum.high), lower(sum.high), upper(sum.low), lower(sum.low), lost};
#pragma unroll
    for (int i = 0; i < words; ++i) store_relaxed(of_tiles + tile * words + i, tagged(parts[i], known));
  }
  __device__ __forceinline__ state read(std::size_t tile, pair_sum& sum) const
  {
    std::uint64_t read[words];
#pragma unroll
    for (int i = 0; i < words; ++i) read[i] = load_relaxed(of_tiles + tile * words + i);
    auto const known = static_cast<std::uint32_t>(read[0] >> 32);
    bool is_complete = true;
#pragma unroll
    for (int i = 1; i < words; ++i) is_complete = is_complete && static_cast<std::uint32_t>(read[i] >> 32) == known;
    auto const part = [&](int i) { return static_cast<int>(static_cast<std::uint32_t>(read[i])); };
    sum.high = __hiloint2double(part(0), part(1));
    sum.low = __hiloint2double(part(2), part(3));
    sum.lost = __hiloint2double(part(4), 0);
    return is_complete ? static_cast<state>(known) : unknown;
  }
};

// The ends of sequences.

/// One sequence.
struct one_sequence {
  static constexpr bool has_ends = false, has_marks = false;
  detail::element_count count;

  __device__ void read_count() { count.most = count.value(); }
  __device__ std::size_t first() const { return 0; }
  __device__ std::size_t size() const { return count.most; }
  __device__ std::size_t tiles() const { return (size() + pair_tile - 1) / pair_tile; }
};

/// Sequences of one length.
struct sequences_of_one_length {
  static constexpr bool has_ends = true, has_marks = false;
  std::size_t length, sequences;
  std::ptrdiff_t step;  ///< between the sums of neighbours

  __device__ std::size_t first() const { return 0; }
  __device__ std::size_t size() const { return length * sequences; }
  __device__ std::size_t tiles() const { return (size() + pair_tile - 1) / pair_tile; }

  /// The ends among a thread's elements, the first of which is element k.
  struct own_ends {
    std::size_t sequence, sequences;
    std::uint32_t left, length;

    __device__ __forceinline__ own_ends(sequences_of_one_length const& all, std::size_t k, std::uint32_t const*,
                                        std::size_t)
        : sequences(all.sequences),
          length(at_most(all.length))
    {
      std::size_t within;
      if ((k | all.length) >> 32 == 0) {
        auto const place = static_cast<std::uint32_t>(k), of = static_cast<std::uint32_t>(all.length);
        sequence = place / of;
        within = place % of;
      } else {
        sequence = k / all.length;
        within = k % all.length;
      }
      left = sequence < sequences ? at_most(all.length - within) : none;
    }
    /// Whether element `i` ends a sequence. It is called once for each, in turn.
    __device__ __forceinline__ bool ends(int) { return --left == 0; }
    /// That sequence. It is called once for each end.
    __device__ __forceinline__ std::size_t ended()
    {
      std::size_t const own = sequence++;
      left = sequence < sequences ? length : none;
      return own;
    }

  private:
    static constexpr std::uint32_t none = std::uint32_t{1} << 30;
    __device__ static std::uint32_t at_most(std::size_t n) { return n < none ? static_cast<std::uint32_t>(n) : none; }
  };
  __device__ std::ptrdiff_t out(std::size_t sequence) const { return static_cast<std::ptrdiff_t>(sequence) * step; }
};

/// Sequences between offsets. A tile has the ends that lie in it, and the empty sequences there.
template <class Offsets>
struct sequences_between {
  static constexpr bool has_ends = true, has_marks = true;
  Offsets offsets;
  detail::element_count segments;
  std::size_t* first_of_tile;  ///< the first sequence whose end lies in a tile; and, behind, the number of sequences

  __device__ void read_count() { segments.most = segments.value(); }
  __device__ std::size_t offset(std::size_t s) const { return static_cast<std::size_t>(detail::at_index(offsets, s)); }
  __device__ std::size_t first() const { return segments.most == 0 ? 0 : offset(0); }
  __device__ std::size_t size() const { return segments.most == 0 ? 0 : offset(segments.most) - offset(0); }
  __device__ std::size_t tiles() const
  {
    std::size_t const full = (size() + pair_tile - 1) / pair_tile;
    return full > 0 || segments.most == 0 ? full : 1;
  }

  struct own_ends {
    std::uint32_t const* marks;
    std::size_t first;
    std::uint32_t mark = 0;

    __device__ __forceinline__ own_ends(sequences_between const&, std::size_t, std::uint32_t const* of_thread,
                                        std::size_t first_of_all)
        : marks(of_thread),
          first(first_of_all)
    {
    }
    __device__ __forceinline__ bool ends(int i) { return (mark = marks[i]) != 0; }
    __device__ __forceinline__ std::size_t ended() const { return first + mark - 1; }
  };
  __device__ std::ptrdiff_t out(std::size_t sequence) const { return static_cast<std::ptrdiff_t>(sequence); }
};

/// Finds `first_of_tile`, with a thread for each tile.
template <class Ends>
__global__ void ends_of_tiles_kernel(__grid_constant__ Ends const given)
{
  take_turn();
  Ends all = given;
  all.read_count();
  std::size_t const tiles = all.tiles(), first = all.first();
  for (std::size_t tile = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; tile <= tiles;
       tile += std::size_t{gridDim.x} * blockDim.x) {
    std::size_t begin = 0, end = tile == 0 ? 0 : all.segments.most;
    if (tile == tiles) begin = end = all.segments.most;
    while (begin < end) {
      std::size_t const middle = begin + (end - begin) / 2;
      if (all.offset(middle + 1) > first + tile * pair_tile)
        end = middle;
      else
        begin = middle + 1;
    }
    all.first_of_tile[tile] = begin;
  }
}

/// A rounded sum, where the quick test fails. It is kept out of the loops over terms, which rarely call it.
template <class T>
struct close_result {
  T value;
  bool is_known;
};
template <class T>
__device__ __noinline__ close_result<T> rounded_closely(pair_sum sum)
{
  close_result<T> result;
  result.is_known = detail::exact::rounded(sum.high, sum.low, sum.lost, result.value);
  return result;
}

/// Rounds a sum. False if the pair does not tell the result.
template <class T>
__device__ __forceinline__ bool round_pair(pair_sum const& sum, T& result)
{
  if (detail::exact::rounded_quickly(sum, result)) return true;
  if constexpr (std::is_same_v<T, double>) return false;
  auto const closely = rounded_closely<T>(sum);
  result = closely.value;
  return closely.is_known;
}

/// The arguments of a call.
template <class T, class In, class Out, class Transform, class Ends, bool Reduces>
struct pairs_problem {
  using element = T;
  using ends_type = Ends;
  static constexpr bool reduces = Reduces;

  In in;
  Out out;
  Transform transform;
  Ends ends;
  double initial;  ///< the value with which each sequence begins
  T nothing;       ///< the sum of no terms
  bool is_exclusive;
  bool writes;      ///< or only finds out whether pairs tell all results
  bool is_checked;  ///< by an earlier run, which has left the sums before the tiles
  pair_states states;

  __device__ void read_count()
    requires requires(Ends& of) { of.read_count(); }
  {
    ends.read_count();
  }
  __device__ __forceinline__ T term(std::size_t k) const
  {
    if constexpr (std::is_same_v<Transform, std::identity>) {
      return static_cast<T>(detail::at_index(in, k));
    } else {
      Transform own = transform;
      return static_cast<T>(own(detail::at_index(in, k)));
    }
  }
  __device__ __forceinline__ void put(std::size_t k, T const& result) const { detail::at_index(out, k) = result; }
  __device__ __forceinline__ void put_sum(std::size_t sequence, pair_sum const& sum) const
  {
    T result;
    if (!round_pair(sum, result)) states.fail();
    put(static_cast<std::size_t>(ends.out(sequence)), result);
  }
  __device__ __forceinline__ void put_sum(std::size_t sequence, plain_sum const& sum) const
  {
    put(static_cast<std::size_t>(ends.out(sequence)), static_cast<T>(sum.value));
  }
};

template <class T>
__device__ __forceinline__ double term_of(T const& x)
{
  return static_cast<double>(static_cast<working_type<T>>(x));
}

/// A thread's part of a tile, as neighbouring threads read it. -0 stands for elements that do not exist.
template <class P>
struct loaded_terms {
  using T = typename P::element;
  T value[pair_terms];

  __device__ __forceinline__ void load(P const& problem, std::size_t first, std::size_t left)
  {
    int const t = static_cast<int>(threadIdx.x);
    if (left >= pair_tile) {
#pragma unroll
      for (int i = 0; i < pair_terms; ++i) value[i] = problem.term(first + i * pair_threads + t);
    } else {
#pragma unroll
      for (int i = 0; i < pair_terms; ++i) {
        int const k = i * pair_threads + t;
        value[i] = static_cast<T>(-0.0);
        if (static_cast<std::size_t>(k) < left) value[i] = problem.term(first + k);
      }
    }
  }
  __device__ __forceinline__ void store(T* values) const
  {
#pragma unroll
    for (int i = 0; i < pair_terms; ++i)
      values[place_in_tile<T>(i * pair_threads + static_cast<int>(threadIdx.x))] = value[i];
  }
};

template <class P>
__device__ __forceinline__ void store_tile(P const& problem, std::size_t first, std::size_t left,
                                           typename P::element const* values)
{
  using T = typename P::element;
  int const t = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    int const k = i * pair_threads + t;
    if (left >= pair_tile || static_cast<std::size_t>(k) < left) problem.put(first + k, values[place_in_tile<T>(k)]);
  }
}

/// Marks the ends in a tile, and writes the sums of sequences of nothing. Returns the number of the first sequence.
template <class P>
__device__ __forceinline__ std::size_t mark_ends(P const& problem, std::size_t tile, std::size_t begin,
                                                 std::uint32_t* marks)
{
  if constexpr (P::ends_type::has_marks) {
    auto const& ends = problem.ends;
    std::size_t const from = ends.first_of_tile[tile], to = ends.first_of_tile[tile + 1];
    for (int k = static_cast<int>(threadIdx.x); k < room_of_tile<std::uint32_t>; k += pair_threads) marks[k] = 0;
    __syncthreads();
    for (std::size_t s = from + threadIdx.x; s < to; s += pair_threads) {
      std::size_t const first = ends.offset(s), end = ends.offset(s + 1);
      if (first < end)
        marks[place_in_tile<std::uint32_t>(static_cast<int>(end - 1 - begin))] =
            static_cast<std::uint32_t>(s - from) + 1;
      else if constexpr (P::reduces)
        problem.put(s, problem.nothing);
    }
    return from;
  } else {
    return 0;
  }
}

/// The lanes before this one back to the last one whose bit is set, or to the first lane.
__device__ __forceinline__ int reach_of(unsigned ended, int lane)
{
  unsigned const until = ended & ((2u << lane) - 1);
  return until == 0 ? lane : lane - (31 - __clz(static_cast<int>(until)));
}

/// Adds to each lane's sum those of the lanes before it, as far as it reaches.
template <class Sum>
__device__ __forceinline__ void add_lanes(Sum& sum, int reach, int lanes)
{
#pragma unroll
  for (int stride = 1; stride < warp_lanes; stride *= 2) {
    if (stride >= lanes || !__any_sync(whole_warp, stride <= reach)) break;
    Sum const left = shuffle_up(sum, stride);
    if (stride <= reach) sum.add(left);
  }
}

/// The sum of the sequence before a tile, by a warp. False if the call has failed.
__device__ __forceinline__ bool look_back(pair_states const& states, std::size_t tile, double initial, pair_sum& sum)
{
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  for (;; tile -= warp_lanes) {
    pair_sum own;
    int last;  // the nearest tile that knows the sum of all
    for (;;) {
      auto known = pair_states::of_all;
      own = pair_sum{};
      if (static_cast<std::size_t>(lane) < tile)
        known = states.read(tile - 1 - lane, own);
      else if (static_cast<std::size_t>(lane) == tile)
        own.high = initial;
      unsigned const all = __ballot_sync(whole_warp, known == pair_states::of_all),
                     missing = __ballot_sync(whole_warp, known == pair_states::unknown);
      last = all == 0 ? warp_lanes - 1 : __ffs(static_cast<int>(all)) - 1;
      if ((missing & ((2u << last) - 1)) == 0) {
        if (lane > last) own = pair_sum{};
#pragma unroll
        for (int mask = warp_lanes / 2; mask > 0; mask /= 2) own.add(shuffle_xor(own, mask));
        sum.add(own);
        if (all != 0) return true;
        break;
      }
      // All lanes leave together: each may read another value.
      if (__any_sync(whole_warp, states.has_failed())) return false;
    }
  }
}

/// Adds up the warps' sums, hands over the tile's, and finds the sum before each warp, by one warp. False if the call
/// has failed.
template <class P>
__device__ __forceinline__ bool join_warps(P const& problem, std::size_t tile, uninitialized<pair_sum>* of_warps,
                                           unsigned ended_warps)
{
  auto const& states = problem.states;
  int const lane = static_cast<int>(threadIdx.x);
  pair_sum sum, before;
  if (lane < pair_warps) sum = *of_warps[lane];
  add_lanes(sum, reach_of(ended_warps, lane), pair_warps);
  before = shuffle_up(sum, 1);
  if (lane == 0) before = pair_sum{};
  pair_sum all = shuffle_from(sum, pair_warps - 1), carry;
  bool is_known = true;
  if (problem.is_checked) {
    carry = states.before[tile];
  } else {
    if (lane == 0) {
      if (ended_warps != 0)
        states.publish(tile, all, pair_states::of_all);
      else if (tile != 0)
        states.publish(tile, all, pair_states::of_tile);
    }
    is_known = look_back(states, tile, problem.initial, carry);
    if (lane == 0 && is_known) {
      if (states.before != nullptr) states.before[tile] = carry;
      if (ended_warps == 0) {
        all.add(carry);
        states.publish(tile, all, pair_states::of_all);
      }
    }
  }
  if ((ended_warps & ((1u << lane) - 1)) == 0) before.add(carry);
  if (lane < pair_warps) *of_warps[lane] = before;
  return is_known;
}

/// The sums of a thread's terms.
struct sums_of_thread {
  pair_sum open;           ///< of those behind the last end
  pair_sum closing;        ///< of those up to the first end
  std::size_t closed = 0;  ///< the sequence which ends there
  bool has_end = false;
};

/// Adds up a thread's terms by pairs, or plainly. The sums of sequences that begin and end among them are done.
template <class Sum, class P>
__device__ __forceinline__ sums_of_thread add_terms(P const& problem, typename P::element const* own,
                                                    [[maybe_unused]] auto ends)
{
  sums_of_thread all;
  Sum open;
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    open.add(term_of(own[i]));
    if constexpr (P::ends_type::has_ends) {
      if (ends.ends(i)) {
        std::size_t const sequence = ends.ended();
        if constexpr (P::reduces) {
          if (all.has_end) {
            problem.put_sum(sequence, open);
          } else {
            all.closing = open;
            all.closed = sequence;
          }
        }
        all.has_end = true;
        open = Sum{problem.initial};
      }
    }
  }
  all.open = open;
  return all;
}

template <class T>
inline constexpr bool adds_up_floats = std::is_same_v<working_type<T>, float>;

/// The sizes of a warp's terms, and of the values with which its sequences begin.
template <class P>
__device__ __forceinline__ float_sizes sizes_of_warp(P const& problem, typename P::element const* own)
{
  float_sizes sizes;
  if constexpr (P::ends_type::has_ends) sizes.add(static_cast<float>(problem.initial));
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) sizes.add(static_cast<float>(own[i]));
  sizes.most = __reduce_max_sync(whole_warp, sizes.most);
  sizes.least = __reduce_min_sync(whole_warp, sizes.least);
  return sizes;
}

/// Writes a thread's results over its terms. `sum` is that before them, and all sums are exact in a double.
template <bool IsExclusive, class P>
__device__ __forceinline__ void scan_plain_terms(P const& problem, double sum, typename P::element* own,
                                                 [[maybe_unused]] auto ends)
{
  using T = typename P::element;
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    double const x = term_of(own[i]);
    if (!IsExclusive) sum += x;
    own[i] = static_cast<T>(sum);
    if (IsExclusive) sum += x;
    if constexpr (P::ends_type::has_ends) {
      if (ends.ends(i)) {
        static_cast<void>(ends.ended());
        sum = problem.initial;
      }
    }
  }
}

/// The same if sums of a thread's terms are exact, and small beside the sum before.
template <bool IsExclusive, class P>
__device__ __forceinline__ bool scan_small_terms(P const& problem, pair_sum before, float* own,
                                                 [[maybe_unused]] auto ends)
{
  bool is_known = true;
  double sum = -0.0;
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    double const x = own[i];
    if (!IsExclusive) sum += x;
    float result;
    if (!detail::exact::round_on_large(before, sum, result)) {
      pair_sum all = before;
      all.add(sum);
      auto const closely = rounded_closely<float>(all);
      result = closely.value;
      is_known = closely.is_known && is_known;
    }
    if (IsExclusive) sum += x;
    own[i] = result;
    if constexpr (P::ends_type::has_ends) {
      if (ends.ends(i)) {
        static_cast<void>(ends.ended());
        before = pair_sum{-0.0, -0.0, 0};
        sum = problem.initial;
      }
    }
  }
  return is_known;
}

/// Writes a thread's results over its terms. `sum` is that before them.
template <bool IsExclusive, class P>
__device__ __forceinline__ bool scan_terms(P const& problem, pair_sum sum, typename P::element* own,
                                           [[maybe_unused]] auto ends)
{
  using T = typename P::element;
  bool is_known = true;
#pragma unroll
  for (int i = 0; i < pair_terms; ++i) {
    double const x = term_of(own[i]);
    T result;
    if (!IsExclusive) sum.add(x);
    is_known = round_pair(sum, result) && is_known;
    if (IsExclusive) sum.add(x);
    own[i] = result;
    if constexpr (P::ends_type::has_ends) {
      if (ends.ends(i)) {
        static_cast<void>(ends.ended());
        sum = pair_sum{problem.initial, 0, 0};
      }
    }
  }
  return is_known;
}

/// The same, in the way that suits a warp.
template <bool IsExclusive, class P>
__device__ __forceinline__ bool scan_in_own_way(P const& problem, pair_sum const& sum, bool is_plain,
                                                float_sizes const& sizes, typename P::element* own, auto ends)
{
  using T = typename P::element;
  if constexpr (adds_up_floats<T>) {
    if (is_plain) {
      if (__all_sync(whole_warp, sizes.have_plain_sums_on(sum))) {
        scan_plain_terms<IsExclusive>(problem, sum.high, own, ends);
        return true;
      }
      if constexpr (std::is_same_v<T, float>)
        if (__all_sync(whole_warp, sizes.are_small_beside(sum)))
          return scan_small_terms<IsExclusive>(problem, sum, own, ends);
    }
  }
  return scan_terms<IsExclusive>(problem, sum, own, ends);
}

struct no_ends {};

template <class P>
__global__ void __launch_bounds__(pair_threads, 4) pairs_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  using ends_type = typename P::ends_type;
  extern __shared__ __align__(16) unsigned char raw[];
  T* const values = reinterpret_cast<T*>(raw);
  std::uint32_t* const marks = reinterpret_cast<std::uint32_t*>(raw + bytes_of_values<T>);
  __shared__ uninitialized<pair_sum> of_warps[pair_warps];
  __shared__ unsigned has_end_in_warp[pair_warps];
  __shared__ unsigned long long drawn;
  __shared__ bool goes_on;
  auto const& problem = at_its_turn(given);
  auto const& states = problem.states;
  std::size_t const size = problem.ends.size(), first = problem.ends.first(), tiles = problem.ends.tiles();
  int const t = static_cast<int>(threadIdx.x), lane = t % warp_lanes, warp = t / warp_lanes;
  if (problem.is_checked && states.has_failed()) return;
  for (std::size_t turn = blockIdx.x;; turn += gridDim.x) {
    if (t == 0) drawn = problem.is_checked ? turn : states.has_failed() ? ~0ull : atomicAdd(states.ticket, 1ull);
    __syncthreads();
    std::size_t const tile = drawn;
    if (tile >= tiles) return;
    std::size_t const begin = tile * pair_tile, left = size - begin;
    loaded_terms<P> loaded;
    loaded.load(problem, first + begin, left);
    std::size_t const first_sequence = mark_ends(problem, tile, first + begin, marks);
    loaded.store(values);
    __syncthreads();

    T* const own = values + place_in_tile<T>(t * pair_terms);
    auto const ends = [&] {
      if constexpr (ends_type::has_ends)
        return typename ends_type::own_ends(problem.ends, begin + t * pair_terms,
                                            marks + place_in_tile<std::uint32_t>(t * pair_terms), first_sequence);
      else
        return no_ends{};
    }();
    [[maybe_unused]] float_sizes sizes;
    bool is_plain = false;
    if constexpr (adds_up_floats<T>) {
      sizes = sizes_of_warp(problem, own);
      is_plain = sizes.have_plain_sums();
    }
    sums_of_thread sums = is_plain ? add_terms<plain_sum>(problem, own, ends) : add_terms<pair_sum>(problem, own, ends);

    unsigned const ended = ends_type::has_ends ? __ballot_sync(whole_warp, sums.has_end) : 0;
    if (is_plain) {
      plain_sum open{sums.open.high};
      add_lanes(open, reach_of(ended, lane), warp_lanes);
      sums.open = open;
    } else {
      add_lanes(sums.open, reach_of(ended, lane), warp_lanes);
    }
    if (lane == warp_lanes - 1) {
      *of_warps[warp] = sums.open;
      has_end_in_warp[warp] = ended != 0;
    }
    pair_sum sum = shuffle_up(sums.open, 1);
    if (lane == 0) sum = pair_sum{};
    __syncthreads();
    if (warp == 0) {
      unsigned const ended_warps =
          __ballot_sync(whole_warp, lane < pair_warps && has_end_in_warp[lane % pair_warps] != 0);
      bool const is_known = join_warps(problem, tile, of_warps, ended_warps);
      if (lane == 0) goes_on = is_known;
    }
    __syncthreads();
    if (!goes_on) return;
    if ((ended & ((1u << lane) - 1)) == 0) sum.add(*of_warps[warp]);

    if constexpr (P::reduces) {
      bool const stay_plain = is_plain && __all_sync(whole_warp, sizes.have_plain_sums_on(sum));
      if (sums.has_end) {
        if (stay_plain) {
          problem.put_sum(sums.closed, plain_sum{sums.closing.high + sum.high});
        } else {
          sums.closing.add(sum);
          problem.put_sum(sums.closed, sums.closing);
        }
      }
    } else {
      bool const is_known = problem.is_exclusive ? scan_in_own_way<true>(problem, sum, is_plain, sizes, own, ends)
                                                 : scan_in_own_way<false>(problem, sum, is_plain, sizes, own, ends);
      if (__syncthreads_or(!is_known ? 1 : 0) != 0) {
        if (t == 0) states.fail();
        return;
      }
      if (problem.writes) store_tile(problem, first + begin, left, values);
    }
  }
}

}  // namespace tally::cuda_backend::exact
