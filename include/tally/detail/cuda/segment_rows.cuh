#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Rows that begin anywhere in shared memory, and how elements come there and leave.
namespace tally::cuda_backend {

/// Elements in shared memory. Lane k of a warp reads group k of a row element by element, since a segment may begin
/// anywhere. Four bytes of padding behind each 128 spread these accesses over all banks.
template <class T>
struct segment_slots {
  static constexpr bool padded = sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0;
  static constexpr unsigned every = padded ? 128 / sizeof(T) : 0x40000000;
  static constexpr unsigned pad = !padded ? 0 : sizeof(T) < 4 ? 4 / sizeof(T) : 1;

  unsigned char* memory;

  __host__ __device__ static constexpr unsigned place(unsigned k) { return k + k / every * pad; }
  __host__ __device__ static constexpr std::size_t bytes(std::size_t count)
  {
    return place(static_cast<unsigned>(count)) * sizeof(T);
  }
  __device__ __forceinline__ T& operator[](int k) const
  {
    return reinterpret_cast<T*>(memory)[place(static_cast<unsigned>(k))];
  }
};

/// The thread's first element of a range whose first element is at `from`, such that the warps' accesses to memory
/// begin at lines.
template <int Threads, class I>
__device__ __forceinline__ int first_of_thread(I const& from)
{
  int first = static_cast<int>(threadIdx.x);
  if constexpr (is_plain<I>) {
    using element = std::iter_value_t<I>;
    first -= static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 128 / sizeof(element));
  }
  return first < 0 ? first + Threads : first;
}

template <int Bytes>
__device__ __forceinline__ void copy_element(std::uint32_t to, char const* from)
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes) : "memory");
#endif
}

/// Begins to copy `count` elements from element `from` on to the first slots, by a whole block.
template <int Threads, class P, class T>
__device__ __forceinline__ void stage_in(P const& problem, segment_slots<T> const& slots, std::size_t from, int count)
{
  using In = typename P::input;
  constexpr int threads = Threads;
  constexpr std::uint32_t place_step = static_cast<std::uint32_t>(segment_slots<T>::place(threads) * sizeof(T));
  In const in = problem.in + static_cast<std::iter_difference_t<In>>(problem.place(from));
  constexpr bool asynchronous = [] {
    if constexpr (is_plain<In>)
      return std::is_same_v<std::remove_cv_t<std::iter_value_t<In>>, T> &&
             (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) && alignof(T) == sizeof(T);
    else
      return false;
  }();
#if __CUDA_ARCH__ >= 800
  constexpr bool is_copied = asynchronous;
#else
  constexpr bool is_copied = false;
#endif
  if constexpr (is_copied) {
    constexpr int bytes = static_cast<int>(sizeof(T)), at_once = 8;
    int k = first_of_thread<Threads>(in);
    In const at_first = in + P::step * k;
    char const* at = reinterpret_cast<char const*>(at_first);
    std::uint32_t to = shared_address(&slots[k]);
    for (; k + (at_once - 1) * threads < count; k += at_once * threads) {
#pragma unroll
      for (int j = 0; j < at_once; ++j) copy_element<bytes>(to + j * place_step, at + j * P::step * threads * bytes);
      at += at_once * P::step * threads * bytes;
      to += at_once * place_step;
    }
#pragma unroll
    for (int j = 0; j < at_once - 1; ++j)
      if (k + j * threads < count) copy_element<bytes>(to + j * place_step, at + j * P::step * threads * bytes);
  } else {
#pragma unroll 4
    for (int k = first_of_thread<Threads>(in); k < count; k += threads)
      slots[k] = static_cast<T>(in[static_cast<std::iter_difference_t<In>>(P::step * k)]);
  }
}
/// Ends a group of copies.
__device__ __forceinline__ void end_of_stage()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits for all groups of copies but the last `Later`.
template <int Later>
__device__ __forceinline__ void await_staged()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Later) : "memory");
#endif
}

/// Begins to copy the lower words of the offsets of segments [first, first + count) to `to`.
template <int Threads, class P>
__device__ __forceinline__ void stage_offsets(P const& problem, std::uint32_t* to, std::size_t first, int count)
{
  using Offsets = typename P::offset_iterator;
  constexpr bool asynchronous = [] {
    if constexpr (is_plain<Offsets>)
      return sizeof(std::iter_value_t<Offsets>) == 4 || sizeof(std::iter_value_t<Offsets>) == 8;
    else
      return false;
  }();
#if __CUDA_ARCH__ >= 800
  constexpr bool is_copied = asynchronous;
#else
  constexpr bool is_copied = false;
#endif
  int k = static_cast<int>(threadIdx.x);
  if constexpr (is_copied) {
    constexpr int bytes = static_cast<int>(sizeof(std::iter_value_t<Offsets>)), at_once = 4;
    char const* at =
        reinterpret_cast<char const*>(problem.offsets + problem.place_of_offset(first)) + P::step * k * bytes;
    std::uint32_t place = shared_address(to + k);
    for (; k + (at_once - 1) * Threads < count; k += at_once * Threads) {
#pragma unroll
      for (int j = 0; j < at_once; ++j) copy_element<4>(place + j * Threads * 4, at + j * P::step * Threads * bytes);
      at += at_once * P::step * Threads * bytes;
      place += at_once * Threads * 4;
    }
#pragma unroll
    for (int j = 0; j < at_once - 1; ++j)
      if (k + j * Threads < count) copy_element<4>(place + j * Threads * 4, at + j * P::step * Threads * bytes);
  } else {
    for (; k < count; k += Threads) to[k] = problem.low_word(first + static_cast<std::size_t>(k));
  }
}

/// Writes the first `count` slots to the output from element `from` on, by a whole block.
template <int Threads, class P, class T>
__device__ __forceinline__ void stage_out(P const& problem, segment_slots<T> const& slots, std::size_t from, int count)
{
  using Out = typename P::output;
  constexpr int at_once = sizeof(T) <= 4 ? 8 : sizeof(T) <= 8 ? 4 : 1, threads = Threads;
  constexpr int place_step = static_cast<int>(segment_slots<T>::place(threads));
  Out const first_out = problem.out + static_cast<std::iter_difference_t<Out>>(problem.place(from));
  int k = first_of_thread<Threads>(first_out);
  Out out = first_out + static_cast<std::iter_difference_t<Out>>(P::step * k);
  T const* slot = &slots[k];
  auto const some = [&](auto is_there) {
    T values[at_once];
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      if (is_there(j)) values[j] = slot[j * place_step];
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      if (is_there(j)) out[static_cast<std::iter_difference_t<Out>>(j * P::step * threads)] = values[j];
  };
  for (; k + (at_once - 1) * threads < count; k += at_once * threads) {
    some([](int) { return true; });
    slot += at_once * place_step;
    out += static_cast<std::iter_difference_t<Out>>(at_once * P::step * threads);
  }
  some([=](int j) { return k + j * threads < count; });
}

/// Segments of a strip at most, and strips of longer ones, each by one warp.
template <class T, class Op>
struct segment_rows {
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  using slots = segment_slots<T>;
  static constexpr int group = static_cast<int>(order::group<T>);
  static constexpr int row = static_cast<int>(order::row<T>);
  static constexpr int strip = static_cast<int>(order::strip<T>);
  static constexpr int strip_rows = static_cast<int>(order::strip_rows);
  static constexpr int group_words = group * static_cast<int>((sizeof(W) + 3) / 4);
  /// Rows whose steps go together, so that the shuffles of one hide those of the others.
  static constexpr int rows_at_once = group_words <= 4 ? 4 : group_words <= 8 ? 2 : 1;

  /// The values of a group of `there` elements, from its first one on; one element is there at least. The last one
  /// there stands for the others.
  __device__ __forceinline__ static void scan_group(slots const& at, int first, int remaining, W (&values)[group],
                                                    Op& op)
  {
    values[0] = static_cast<W>(at[first]);
#pragma unroll
    for (int j = 1; j < group; ++j) {
      values[j] = values[j - 1];
      if (j < remaining) values[j] = static_cast<W>(op(values[j - 1], static_cast<W>(at[first + j])));
    }
  }

  static_assert(!slots::padded || row % static_cast<int>(slots::every) == 0);
  static constexpr int row_step = static_cast<int>(slots::place(row));  ///< slots from a row to the next one

  /// The lane's elements in the first of some whole rows: the addresses in the others follow.
  struct in_row {
    T* element[group];
    __device__ __forceinline__ in_row(slots const& at, int first)
    {
#pragma unroll
      for (int j = 0; j < group; ++j) element[j] = &at[first + j];
    }
    /// The values of the group in a row.
    __device__ __forceinline__ void scan(int row_number, W (&values)[group], Op& op) const
    {
      values[0] = static_cast<W>(element[0][row_number * row_step]);
#pragma unroll
      for (int j = 1; j < group; ++j)
        values[j] = static_cast<W>(op(values[j - 1], static_cast<W>(element[j][row_number * row_step])));
    }
  };

  /// Calls each(there, before, values, is_last, slot) for the lane's group in each row of [begin, begin + size), a
  /// strip at most: `there` is its number of elements (0 and less if it does not exist, a group and more if it is
  /// whole), `before` the fold of `strips` and of the groups before it, `is_last` whether it has the last element, and
  /// slot(j) the place of its element j.
  template <class Each>
  __device__ __forceinline__ static void for_each_group(slots const& at, int begin, int size, left const& strips,
                                                        int lane, Op& op, Each const& each)
  {
    left rows = left::absent(op, static_cast<W>(at[begin]));
    int first = lane * group;
#pragma unroll 1
    for (; first - lane * group + rows_at_once * row <= size; first += rows_at_once * row) {
      in_row const elements(at, begin + first);
      W values[rows_at_once][group], upto[rows_at_once];
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) {
        elements.scan(r, values[r], op);
        upto[r] = values[r][group - 1];
      }
      kogge_stone_scan(upto, lane, op);
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) {
        W const neighbour = shuffle_up(upto[r], 1);
        left const groups = lane == 0 ? left::absent(op, neighbour) : left::present(neighbour);
        each(group, strips.before(rows, op).before(groups, op), values[r],
             first - lane * group + (r + 1) * row == size && lane == warp_lanes - 1,
             [&](int j) -> T& { return elements.element[j][r * row_step]; });
        rows = left::present(rows.before(shuffle_from(upto[r], warp_lanes - 1), op));
      }
    }
#pragma unroll 1
    for (; first - lane * group < size; first += row) {
      W values[group];
      int const remaining = size - first;
      scan_group(at, begin + (remaining > 0 ? first : 0), remaining, values, op);
      W upto[1] = {values[group - 1]};
      kogge_stone_scan(upto, lane, op);
      W const neighbour = shuffle_up(upto[0], 1);
      left const groups = lane == 0 ? left::absent(op, neighbour) : left::present(neighbour);
      each(remaining, strips.before(rows, op).before(groups, op), values, remaining > 0 && remaining <= group,
           [&](int j) -> T& { return at[begin + first + j]; });
      rows = left::present(rows.before(shuffle_from(upto[0], warp_lanes - 1), op));
    }
  }

  /// Scans a strip in place, on top of the fold of the strips before it and of the carry. `previous` is the value
  /// before its first element, for an exclusive scan. Calls at_end(inclusive value of the last element) in one lane.
  template <class AtEnd>
  __device__ __forceinline__ static void scan_strip(slots const& at, int begin, int size, left const& strips,
                                                    left const& carry, W previous, bool exclusive, int lane, Op& op,
                                                    AtEnd const& at_end)
  {
    for_each_group(at, begin, size, strips, lane, op,
                   [&](int remaining, left const& before, W(&values)[group], bool is_last, auto const& slot) {
#pragma unroll
                     for (int j = 0; j < group; ++j) values[j] = carry.before(before.before(values[j], op), op);
                     if (is_last) at_end(values[group - 1]);
                     if (exclusive) {
                       W const neighbour = shuffle_up(values[group - 1], 1);
                       W const left_value = lane == 0 ? previous : neighbour;
                       previous = shuffle_from(values[group - 1], warp_lanes - 1);
#pragma unroll
                       for (int j = group - 1; j > 0; --j) values[j] = values[j - 1];
                       values[0] = left_value;
                     }
#pragma unroll
                     for (int j = 0; j < group; ++j)
                       if (j < remaining) slot(j) = static_cast<T>(values[j]);
                   });
  }

  /// The totals of the rows of strip `number` of the piece [begin, begin + size). Those of rows that are not whole mean
  /// nothing.
  __device__ __forceinline__ static void total_strip(slots const& at, int begin, int size, int number,
                                                     uninitialized<W> (&row_totals)[order::strip_rows], int lane,
                                                     Op& op)
  {
    W totals[strip_rows];
    int const first = number * strip + lane * group;
    if ((number + 1) * strip <= size) {
      in_row const elements(at, begin + first);
#pragma unroll
      for (int r = 0; r < strip_rows; ++r) {
        W values[group];
        elements.scan(r, values, op);
        totals[r] = values[group - 1];
      }
    } else {
#pragma unroll
      for (int r = 0; r < strip_rows; ++r) {
        int const k = first + r * row;
        W values[group];
        scan_group(at, begin + (k < size ? k : 0), size - k, values, op);
        totals[r] = values[group - 1];
      }
    }
    W const total = eight_trees(totals, lane, op);
    if (lane < strip_rows) *row_totals[value_of_lane(lane)] = total;
  }

  /// The two parts of the value at a piece's last element: the fold of the groups before its group in its row, and that
  /// of its group up to it.
  __device__ __forceinline__ static void total_last_row(slots const& at, int begin, int size,
                                                        uninitialized<left>& last_before, uninitialized<W>& last_own,
                                                        int lane, Op& op)
  {
    int const k = (size - 1) / row * row + lane * group;
    W values[group];
    scan_group(at, begin + (k < size ? k : 0), size - k, values, op);
    W upto[1] = {values[group - 1]};
    kogge_stone_scan(upto, lane, op);
    W const before = shuffle_up(upto[0], 1);
    if (k < size && size - k <= group) {
      *last_before = lane == 0 ? left::absent(op, before) : left::present(before);
      *last_own = values[group - 1];
    }
  }

  /// Segments of a strip at most, one or none in each lane: [begin, begin + size) in the slots. That of lane 0 is
  /// number `first`. `ordinals` is memory of the warp.
  template <class P>
  __device__ __forceinline__ static void do_short(P const& problem, slots const& at, int begin, int size,
                                                  std::size_t first, std::uint32_t* ordinals, int lane, Op& op)
  {
    bool const is_tiny = size > 0 && size <= tiny, is_small = size > tiny && size <= row;
    if (__any_sync(whole_warp, is_tiny))
      do_tiny(problem, at, is_tiny ? begin : 0, is_tiny ? size : 0, first + static_cast<std::size_t>(lane), op);
    if (unsigned const small = __ballot_sync(whole_warp, is_small); small != 0) {
      // Segments that are not small make room: lane k gets the k-th small one, packed into a word.
      if (is_small)
        ordinals[__popc(small & ((1u << lane) - 1))] = static_cast<std::uint32_t>(begin) |
                                                       static_cast<std::uint32_t>(size - 1) << 16 |
                                                       static_cast<std::uint32_t>(lane) << 25;
      __syncwarp();
      do_rows(problem, at, lane < __popc(small) ? ordinals[lane] : 0, __popc(small), first, lane, op);
      __syncwarp();
    }
    for (unsigned longer = __ballot_sync(whole_warp, size > row && size <= strip); longer != 0; longer &= longer - 1) {
      int const from = __ffs(static_cast<int>(longer)) - 1;
      int const own_begin = __shfl_sync(whole_warp, begin, from), own_size = __shfl_sync(whole_warp, size, from);
      std::size_t const segment = first + static_cast<std::size_t>(from);
      auto const init = problem.init_of(segment);
      left const start = init.is_present ? left::present(init.value) : left::absent(op, init.value);
      left const none = left::absent(op, init.value);
      if constexpr (P::reduces)
        for_each_group(at, own_begin, own_size, none, lane, op,
                       [&](int, left const& before, W(&values)[group], bool is_last, auto const&) {
                         if (is_last)
                           problem.put_reduced(segment, start.before(before.before(values[group - 1], op), op));
                       });
      else
        scan_strip(at, own_begin, own_size, none, start, start.value, problem.exclusive, lane, op,
                   [&](W const& value) { problem.put_last(segment, value); });
    }
  }

private:
  static constexpr int tiny = 4 * group;

  /// Segments of four groups at most, one or none in each lane, which does it alone. The folds of the groups before
  /// each group are those of Kogge and Stone's scan.
  template <class P>
  __device__ __forceinline__ static void do_tiny(P const& problem, slots const& at, int begin, int size,
                                                 std::size_t segment, Op& op)
  {
    auto const init = size > 0 ? problem.init_of(segment) : problem.init;
    left const start = init.is_present ? left::present(init.value) : left::absent(op, init.value);
    left before = left::absent(op, init.value);
    W totals[3], previous = init.value;
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      int const remaining = size - g * group, k = begin + (remaining > 0 ? g * group : 0);
      if (g > 0) {
        if (!__any_sync(whole_warp, remaining > 0)) break;
        before = left::present(g == 1   ? totals[0]
                               : g == 2 ? static_cast<W>(op(totals[0], totals[1]))
                                        : static_cast<W>(op(totals[0], static_cast<W>(op(totals[1], totals[2])))));
      }
      W values[group];
      scan_group(at, k, remaining, values, op);
      if (g < 3) totals[g] = values[group - 1];
      if constexpr (P::reduces) {
        if (remaining > 0 && remaining <= group)
          problem.put_reduced(segment, start.before(before.before(values[group - 1], op), op));
      } else {
#pragma unroll
        for (int j = 0; j < group; ++j) values[j] = start.before(before.before(values[j], op), op);
        if (remaining > 0 && remaining <= group) problem.put_last(segment, values[group - 1]);
        if (problem.exclusive) {
          W const last = values[group - 1];
#pragma unroll
          for (int j = group - 1; j > 0; --j) values[j] = values[j - 1];
          values[0] = previous;
          previous = last;
        }
#pragma unroll
        for (int j = 0; j < group; ++j)
          if (j < remaining) at[k + j] = static_cast<T>(values[j]);
      }
    }
  }

  /// Segments of a row at most. A lane takes a group. As many whole segments as have 32 groups go together, and a scan
  /// of their groups' totals takes in no group of another segment.
  template <class P>
  __device__ __forceinline__ static void do_rows(P const& problem, slots const& at, std::uint32_t own, int count,
                                                 std::size_t first, int lane, Op& op)
  {
    auto const size_of = [](std::uint32_t packed) { return static_cast<int>(packed >> 16 & 511) + 1; };
    int const groups = lane < count ? (size_of(own) + group - 1) / group : 0;
    int upto = groups;
#pragma unroll
    for (int stride = 1; stride < warp_lanes; stride *= 2) {
      int const before = __shfl_up_sync(whole_warp, upto, stride);
      if (lane >= stride) upto += before;
    }
    int done = 0;  // groups of the segments before
    for (int next = 0; next < count;) {
      bool const fits = lane >= next && lane < count && upto - done <= warp_lanes;
      unsigned const heads = or_of_warp(fits ? 1u << (upto - groups - done) : 0);
      int const taken = __popc(heads);
      int const end = __shfl_sync(whole_warp, upto, next + taken - 1) - done;
      unsigned const heads_upto = heads & (0xffffffffu >> (31 - lane));
      std::uint32_t const segment = __shfl_sync(whole_warp, own, next + __popc(heads_upto) - 1);
      int const place = lane - (31 - __clz(static_cast<int>(heads_upto)));  // of the lane's group in its segment
      int const begin = static_cast<int>(segment & 0xffff);
      int const remaining = lane < end ? size_of(segment) - place * group : 0;
      int const k = begin + (remaining > 0 ? place * group : 0);
      next += taken;
      done += end;

      W values[group];
      scan_group(at, k, remaining, values, op);
      W groups_upto = values[group - 1];
#pragma unroll
      for (int stride = 1; stride < warp_lanes; stride *= 2) {
        if (!__any_sync(whole_warp, place >= stride)) break;
        W const before = shuffle_up(groups_upto, stride);
        groups_upto = select(place >= stride, static_cast<W>(op(before, groups_upto)), groups_upto);
      }
      W const neighbour = shuffle_up(groups_upto, 1);
      left const before = place == 0 ? left::absent(op, neighbour) : left::present(neighbour);
      std::size_t const number = first + (segment >> 25);
      auto const init = problem.init_of(number);
      left const start = init.is_present ? left::present(init.value) : left::absent(op, init.value);
      if constexpr (P::reduces) {
        if (remaining > 0 && remaining <= group)
          problem.put_reduced(number, start.before(before.before(values[group - 1], op), op));
      } else {
#pragma unroll
        for (int j = 0; j < group; ++j) values[j] = start.before(before.before(values[j], op), op);
        if (remaining > 0 && remaining <= group) problem.put_last(number, values[group - 1]);
        if (problem.exclusive) {
          W const last = shuffle_up(values[group - 1], 1);
#pragma unroll
          for (int j = group - 1; j > 0; --j) values[j] = values[j - 1];
          values[0] = place == 0 ? start.value : last;
        }
#pragma unroll
        for (int j = 0; j < group; ++j)
          if (j < remaining) at[k + j] = static_cast<T>(values[j]);
      }
    }
  }

  __device__ __forceinline__ static unsigned or_of_warp(unsigned bits)
  {
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(whole_warp, bits);
#else
    for (int stride = 1; stride < warp_lanes; stride *= 2) bits |= __shfl_xor_sync(whole_warp, bits, stride);
    return bits;
#endif
  }
};

}  // namespace tally::cuda_backend
