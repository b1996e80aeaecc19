#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "tally/counted.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/exact/accumulator.cuh"
#include "tally/detail/cuda/exact/level_sum.cuh"
#include "tally/detail/cuda/problem.cuh"

/// Exact sums of many sequences.
namespace tally::cuda_backend::exact {

inline constexpr int sequence_threads = 256;
inline constexpr int sequence_warps = sequence_threads / warp_lanes;

/// The long sequences that the first kernel finds, and their sums.
template <class T>
struct long_list {
  struct entry {
    std::size_t sequence;
    std::size_t first_piece;
  };
  /// Entries in the upper 24 bits, pieces in the lower 40. It begins as zero, as does the number of drawn groups.
  unsigned long long* counter;
  unsigned long long* drawn;
  entry* entries;
  unsigned* open_pieces;  ///< of each entry, if not null
  accumulator<T>* sums;   ///< of each entry, if not null

  __device__ std::size_t pieces() const { return *counter & ((1ull << 40) - 1); }
  /// The entry that has a piece.
  __device__ std::size_t entry_of(std::size_t piece) const
  {
    std::size_t index = 0;
    for (std::size_t end = *counter >> 40; end - index > 1;) {
      std::size_t const middle = index + (end - index) / 2;
      (entries[middle].first_piece <= piece ? index : end) = middle;
    }
    return index;
  }
};

/// The terms of a call's sequences: Places says where they lie, and where their results do. An initial value is a term.
template <class T, class Places, class Out>
struct sums_problem {
  using element = T;

  Places places;
  Out out;
  working_type<T> init;
  bool has_init;
  T const* initials;        ///< one for each sequence, if not null
  T nothing;                ///< the sum of no terms
  std::size_t terms_alone;  ///< a lane adds up a sequence of up to so many alone
  std::size_t piece;        ///< terms of a piece of a long sequence, which has more of them
  unsigned at_a_time;       ///< sequences that a warp draws, at most 32
  std::size_t pieces;       ///< of each column
  long_list<T> longer;
  unsigned const* only_if;  ///< if not null, the call is done only if this is not 0

  __device__ bool is_done() const { return only_if != nullptr && *only_if == 0; }
  __device__ void read_count()
    requires requires(Places& of) { of.read_count(); }
  {
    places.read_count();
  }
  __device__ bool begins() const { return has_init || initials != nullptr; }

  template <class Sequence>
  __device__ __forceinline__ double term(Sequence const& of, std::size_t k) const
  {
    return static_cast<double>(static_cast<working_type<T>>(static_cast<T>(places.element(of, k))));
  }
  template <class Sequence>
  __device__ __forceinline__ double initial_of(Sequence const& of) const
  {
    return static_cast<double>(initials != nullptr ? static_cast<working_type<T>>(initials[of.initial]) : init);
  }
  template <class Sequence>
  __device__ __forceinline__ void put(Sequence const& of, T const& sum) const
  {
    detail::at_index(out, of.out) = sum;
  }
};

/// The elements of a sequence from element k on, `step` apart. Loads of constant distances need no arithmetic.
template <class In>
struct elements_apart {
  In const* first;
  std::ptrdiff_t step;

  __device__ __forceinline__ In operator[](int k) const { return first[k * step]; }
};
template <class In>
struct elements_side_by_side {
  In const* first;

  __device__ __forceinline__ In operator[](int k) const { return first[k]; }
};

/// Sequences of one length.
template <class In>
struct regular_places {
  detail::batch::layout where;
  In const* in;

  struct sequence {
    std::size_t size;
    In const* first;
    std::ptrdiff_t out, initial, last;
  };
  __device__ std::size_t sequences() const { return where.sequences(); }
  __device__ __forceinline__ sequence at(std::size_t s) const
  {
    auto const place = where.place(s);
    return {where.along.extent, in + place.in, place.out, place.initial, place.last};
  }
  __device__ __forceinline__ In element(sequence const& of, std::size_t k) const
  {
    return of.first[static_cast<std::ptrdiff_t>(k) * where.along.step.in];
  }
  __device__ __forceinline__ elements_apart<In> in_memory(sequence const& of) const
  {
    return {of.first, where.along.step.in};
  }
  /// The place of a scan's result.
  __device__ __forceinline__ std::ptrdiff_t place(sequence const& of, std::size_t k) const
  {
    return of.out + static_cast<std::ptrdiff_t>(k) * where.along.step.out;
  }
};

/// One sequence of transformed elements.
template <class In, class Transform>
struct array_places {
  In in;
  detail::element_count count;
  Transform transform;

  struct sequence {
    std::size_t size;
    std::ptrdiff_t out, initial, last;
  };
  __device__ void read_count() { count.most = count.value(); }
  __device__ std::size_t sequences() const { return 1; }
  __device__ __forceinline__ sequence at(std::size_t) const { return {count.most, 0, 0, 0}; }
  __device__ __forceinline__ decltype(auto) element(sequence const&, std::size_t k) const
  {
    // The functions of std::identity are for the host.
    if constexpr (std::is_same_v<Transform, std::identity>) {
      return detail::at_index(in, k);
    } else {
      Transform own = transform;
      return own(detail::at_index(in, k));
    }
  }
  __device__ __forceinline__ std::size_t place(sequence const&, std::size_t k) const { return k; }
};

/// Segments between offsets. Those from their end have their last element first.
template <class In, class Offsets, bool FromBack = false>
struct segment_places {
  In in;
  Offsets offsets;
  detail::element_count segments;

  struct sequence {
    std::size_t size, first;
    std::ptrdiff_t out, initial, last;
  };
  __device__ void read_count() { segments.most = segments.value(); }
  __device__ std::size_t sequences() const { return segments.most; }
  __device__ __forceinline__ sequence at(std::size_t s) const
  {
    auto const begin = static_cast<std::size_t>(detail::at_index(offsets, s));
    auto const end = static_cast<std::size_t>(detail::at_index(offsets, s + 1));
    auto const number = static_cast<std::ptrdiff_t>(s);
    return {end - begin, begin, number, number, number};
  }
  __device__ __forceinline__ auto element(sequence const& of, std::size_t k) const
  {
    return detail::at_index(in, place(of, k));
  }
  __device__ __forceinline__ auto in_memory(sequence const& of) const
    requires is_plain<In> && (!FromBack)
  {
    return elements_apart<std::iter_value_t<In>>{in + of.first, 1};
  }
  /// The place of an element, and of a scan's result.
  __device__ __forceinline__ std::size_t place(sequence const& of, std::size_t k) const
  {
    return of.first + (FromBack ? of.size - 1 - k : k);
  }
};

/// Adds Count terms of a lane, from element k on and `apart` from each other, all of which exist.
template <int Count, class P, class Elements, class Sum, class Accumulator>
__device__ __forceinline__ void add_all(P const&, Elements const& elements, int apart, Sum& sum, Accumulator& rest)
{
  using T = typename P::element;
  double x[Count];
#pragma unroll
  for (int i = 0; i < Count; ++i)
    x[i] = static_cast<double>(static_cast<working_type<T>>(static_cast<T>(elements[i * apart])));
  sum.add(x, rest);
}

/// Adds Count terms of a lane, from element k on and `apart` from each other, as far as they are before `end`.
template <int Count, class P, class Sequence, class Sum, class Accumulator>
__device__ __forceinline__ void add_some(P const& problem, Sequence const& of, std::size_t k, std::size_t end,
                                         std::size_t apart, Sum& sum, Accumulator& rest)
{
  double x[Count];
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    std::size_t const own = k + i * apart;
    x[i] = -0.0;
    if (own < end) x[i] = problem.term(of, own);
  }
  sum.add(x, rest);
}

/// Adds the elements [begin, end) of a sequence; each lane takes every Apart-th one from its own on.
template <int Apart, int Count, class P, class Sequence, class Sum, class Accumulator>
__device__ __forceinline__ void add_elements(P const& problem, Sequence const& of, std::size_t begin, std::size_t end,
                                             Sum& sum, Accumulator& rest)
{
  constexpr std::size_t chunk = static_cast<std::size_t>(Count) * Apart;
  std::size_t const lane = Apart == 1 ? 0 : threadIdx.x % warp_lanes;
  if constexpr (requires { problem.places.in_memory(of); }) {
    auto const all = problem.places.in_memory(of);
    if (all.step == 1) {
      for (; end - begin >= chunk; begin += chunk)
        add_all<Count>(problem, elements_side_by_side{all.first + begin + lane}, Apart, sum, rest);
    } else {
      for (; end - begin >= chunk; begin += chunk)
        add_all<Count>(problem,
                       elements_apart{all.first + static_cast<std::ptrdiff_t>(begin + lane) * all.step, all.step},
                       Apart, sum, rest);
    }
  } else {
    for (; end - begin >= chunk; begin += chunk) add_some<Count>(problem, of, begin + lane, end, Apart, sum, rest);
  }
  constexpr int least = Sum::in_hand;
  for (; begin<end; begin = end - begin> least * Apart ? begin + least * Apart : end)
    add_some<least>(problem, of, begin + lane, end, Apart, sum, rest);
}

/// Adds the initial value, by one lane of those that work together.
template <class P, class Sequence, class Sum, class Accumulator>
__device__ __forceinline__ void add_initial(P const& problem, Sequence const& of, Sum& sum, Accumulator& rest)
{
  if (!problem.begins()) return;
  double x[Sum::in_hand] = {-0.0, -0.0, -0.0, -0.0};
  if (Sum::speaks()) x[0] = problem.initial_of(of);
  sum.add(x, rest);
}

/// The terms that a lane has in hand, alone and with others.
inline constexpr int terms_in_hand_alone = 8;
inline constexpr int terms_in_hand_together = 16;

template <class P, class Sequence>
__device__ __forceinline__ void sum_alone(P const& problem, Sequence const& of)
{
  using T = typename P::element;
  if (of.size == 0 && !problem.begins()) return problem.put(of, problem.nothing);
  level_sum<T, lanes::alone, accumulator<T, false>> sum;
  accumulator<T, false> rest;
  rest.clear(0, 1);
  add_elements<1, terms_in_hand_alone>(problem, of, 0, of.size, sum, rest);
  add_initial(problem, of, sum, rest);
  T result;
  if (!sum.round(result)) {
    sum.end(rest);
    rest.carry();
    result = rest.template nearest<T>();
  }
  problem.put(of, result);
}

/// `rest` is the warp's, the sum of nothing, before and after.
template <class P, class Sequence>
__device__ __forceinline__ void sum_together(P const& problem, Sequence const& of,
                                             accumulator<typename P::element>& rest)
{
  using T = typename P::element;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  level_sum<T, lanes::together, accumulator<T>> sum;
  add_elements<warp_lanes, terms_in_hand_together>(problem, of, 0, of.size, sum, rest);
  add_initial(problem, of, sum, rest);
  T result;
  if (!sum.round(result)) {
    sum.end(rest);
    __syncwarp();
    if (lane == 0) {
      rest.carry();
      result = rest.template nearest<T>();
    }
    __syncwarp();
    rest.clear(lane, warp_lanes);
    __syncwarp();
  }
  if (lane == 0) problem.put(of, result);
}

/// Puts the long sequences of a warp's lanes on the list.
template <class P>
__device__ __forceinline__ void put_on_list(P const& problem, std::size_t sequence, std::size_t terms, bool is_long)
{
  auto const& list = problem.longer;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  unsigned long long index = 0;
  if (is_long) {
    unsigned long long const pieces = (terms + problem.piece - 1) / problem.piece;
    unsigned long long const before = atomicAdd(list.counter, 1ull << 40 | pieces);
    index = before >> 40;
    list.entries[index] = {sequence, static_cast<std::size_t>(before & ((1ull << 40) - 1))};
    if (list.open_pieces != nullptr) list.open_pieces[index] = static_cast<unsigned>(pieces);
  }
  if (list.sums == nullptr) return;
  for (unsigned left = __ballot_sync(whole_warp, is_long); left != 0; left &= left - 1)
    list.sums[__shfl_sync(whole_warp, index, __ffs(static_cast<int>(left)) - 1)].clear(lane, warp_lanes);
}

/// Sums of sequences that are not long. A warp draws some, one for each lane. Each lane adds up a short one alone; the
/// others are added up by the whole warp, one after the other, and the long ones put on a list.
template <class P>
__global__ void __launch_bounds__(sequence_threads, 2) sums_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  __shared__ accumulator<T> rests[sequence_warps];
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  auto& rest = rests[threadIdx.x / warp_lanes];
  rest.clear(lane, warp_lanes);
  auto const& problem = at_its_turn(given);
  if (problem.is_done()) return;
  __syncwarp();
  std::size_t const sequences = problem.places.sequences();
  unsigned const width = problem.at_a_time;
  for (;;) {
    unsigned long long drawn = 0;
    if (lane == 0) drawn = atomicAdd(problem.longer.drawn, 1ull);
    std::size_t const first = __shfl_sync(whole_warp, drawn, 0) * width;
    if (first >= sequences) return;
    std::size_t const own = first + lane;
    bool const has_one = static_cast<unsigned>(lane) < width && own < sequences;
    std::size_t terms = 0;
    if (has_one) {
      auto const of = problem.places.at(own);
      terms = of.size;
      if (terms <= problem.terms_alone) sum_alone(problem, of);
    }
    bool const is_short = terms <= problem.terms_alone, is_long = !is_short && terms > problem.piece;
    for (unsigned left = __ballot_sync(whole_warp, has_one && !is_short && !is_long); left != 0; left &= left - 1)
      sum_together(problem, problem.places.at(first + __ffs(static_cast<int>(left)) - 1), rest);
    if (__any_sync(whole_warp, is_long)) put_on_list(problem, own, terms, is_long);
  }
}

/// Sums of the sequences on the list: warps add up pieces, and the one that ends last rounds.
template <class P>
__global__ void __launch_bounds__(sequence_threads, 3) long_sums_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  __shared__ accumulator<T> rests[sequence_warps];
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  auto& own = rests[threadIdx.x / warp_lanes];
  auto const& problem = at_its_turn(given);
  if (problem.is_done()) return;
  auto const& list = problem.longer;
  std::size_t const pieces = list.pieces();
  for (std::size_t p = blockIdx.x * sequence_warps + threadIdx.x / warp_lanes; p < pieces;
       p += static_cast<std::size_t>(gridDim.x) * sequence_warps) {
    std::size_t const index = list.entry_of(p);
    auto const of = problem.places.at(list.entries[index].sequence);
    std::size_t const begin = (p - list.entries[index].first_piece) * problem.piece, n = of.size;
    own.clear(lane, warp_lanes);
    __syncwarp();
    level_sum<T, lanes::together, accumulator<T>> sum;
    add_elements<warp_lanes, terms_in_hand_together>(problem, of, begin,
                                                     n - begin > problem.piece ? begin + problem.piece : n, sum, own);
    if (begin == 0) add_initial(problem, of, sum, own);
    sum.end(own);
    __syncwarp();
    auto& all = list.sums[index];
    for (int i = own.first() + lane; i < own.end; i += warp_lanes) all.add_digit(i, own.digit[i]);
    if (lane == 0) {
      if (own.depth != 0) all.use(own.first(), own.end);
      all.note(own.kinds);
    }
    __threadfence();
    __syncwarp();
    unsigned open = 0;
    if (lane == 0) open = atomicSub(list.open_pieces + index, 1u);
    if (__shfl_sync(whole_warp, open, 0) != 1) continue;
    __threadfence();
    for (int i = lane; i < accumulator<T>::digits; i += warp_lanes) own.digit[i] = __ldcg(all.digit + i);
    if (lane == 0) {
      own.depth = __ldcg(&all.depth);
      own.end = __ldcg(&all.end);
      own.kinds = __ldcg(&all.kinds);
    }
    __syncwarp();
    if (lane == 0) {
      own.carry();
      problem.put(of, own.template nearest<T>());
    }
    __syncwarp();
  }
}

/// Clears the sums of sequences side by side, and the numbers of their pieces that are done.
template <class P>
__global__ void __launch_bounds__(sequence_threads) clear_column_sums_kernel(__grid_constant__ P const given)
{
  auto const& problem = at_its_turn(given);
  if (problem.is_done()) return;
  std::size_t const sequences = problem.places.sequences(), threads = gridDim.x * std::size_t{sequence_threads};
  auto* const words = reinterpret_cast<std::uint32_t*>(problem.longer.sums);
  std::size_t const count = sequences * (sizeof(accumulator<typename P::element>) / sizeof(*words));
  std::size_t const own = blockIdx.x * std::size_t{sequence_threads} + threadIdx.x;
  for (std::size_t k = own; k < count; k += threads) words[k] = 0;
  for (std::size_t s = own; s < sequences; s += threads) problem.longer.open_pieces[s] = 0;
}

/// Sums of sequences that lie side by side, as columns do: each lane adds up a piece of its own. Each sequence is in
/// `pieces` pieces. The list has an entry for each sequence, whose sum and number of pieces that are done begin as
/// zeros.
template <class P>
__global__ void __launch_bounds__(sequence_threads, 3) column_sums_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  auto const& problem = at_its_turn(given);
  if (problem.is_done()) return;
  auto const& list = problem.longer;
  std::size_t const pieces = problem.pieces;
  std::size_t const sequences = problem.places.sequences(), groups = (sequences + warp_lanes - 1) / warp_lanes;
  auto const lane = static_cast<std::size_t>(threadIdx.x % warp_lanes);
  for (std::size_t unit = blockIdx.x * sequence_warps + threadIdx.x / warp_lanes; unit < groups * pieces;
       unit += static_cast<std::size_t>(gridDim.x) * sequence_warps) {
    std::size_t const s = unit % groups * warp_lanes + lane, piece = unit / groups;
    if (s >= sequences) continue;
    auto const of = problem.places.at(s);
    std::size_t const n = of.size, share = (n + pieces - 1) / pieces, begin = piece * share;
    auto& all = list.sums[s];
    if (begin < n) {
      level_sum<T, lanes::alone, accumulator<T>> sum;
      add_elements<1, terms_in_hand_alone>(problem, of, begin, n - begin > share ? begin + share : n, sum, all);
      if (begin == 0) add_initial(problem, of, sum, all);
      sum.end(all);
    }
    __threadfence();
    if (atomicAdd(list.open_pieces + s, 1u) != static_cast<unsigned>(pieces) - 1) continue;
    __threadfence();
    all.carry();
    problem.put(of, all.template nearest<T>());
  }
}

}  // namespace tally::cuda_backend::exact
