#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/marked_heads.hpp"
#include "tally/detail/cuda/batch/segment_problem.cuh"
#include "tally/detail/cuda/batch/segment_staging.cuh"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// The kernel for short segments whose heads are bits: a reduction or a scan of each, in the order of docs/order.md.
///
/// A block takes the segments that begin in a *stretch* of elements; none is so long that it needs another block. All
/// work is shared out by elements and by groups, never by segments, so that no lane waits for a longer segment than its
/// own:
///
/// 1. A thread has a *window* of 128 bytes. From the heads it finds where groups begin, and scans each group.
/// 2. The groups that continue a segment are listed, in order. A lane has the total of the group before such a group:
///    Kogge and Stone's scan goes over the list, and stops at the beginning of each row.
/// 3. A lane adds what it found to the elements of its group.
/// 4. Results leave in the order of memory.
namespace tally::cuda_backend {

/// The sizes of the kernel for short segments.
template <class T>
struct short_runs_shape {
  using W = working_type<T>;
  /// Groups are powers of two, and a stretch's values fit into shared memory.
  static constexpr bool is_possible = (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) && sizeof(W) <= 8;
  static constexpr int group = static_cast<int>(order::group<T>);
  /// Elements of a window: those between two words of padding, so that a window has none.
  static constexpr int window = 128 / static_cast<int>(sizeof(W));
  static constexpr int threads = sizeof(W) <= 4 ? 128 : 192, blocks_a_processor = sizeof(W) <= 4 ? 8 : 4;
  static constexpr int warps = threads / warp_lanes;
  static constexpr int room = threads * window;
  /// Elements of a stretch. Its last segment ends in the part behind it, since each part but the last one has a head.
  static constexpr int part = static_cast<int>(detail::batch::marked_heads::part);
  static constexpr int stretch = room - part;
  static constexpr int words = room / 32;
  static constexpr int most_listed = room / group;
  /// Each lane lists the heads of its own window if there are at most so many on average; else all lanes those of one.
  static constexpr int few_in_a_window = 12;
  static_assert(stretch > 0 && stretch % part == 0 && words <= threads && window <= 32);
};

/// Heads of which the host knows the number of elements.
struct counted_heads {
  detail::batch::marked_heads heads;
  std::size_t most_mean;  ///< the longest mean length that is short

  __device__ bool find(detail::batch::marked_heads& found) const
  {
    found = heads;
    return heads.counts().are_short(heads.n, most_mean);
  }
};

/// The arguments of the kernel. It does nothing unless `heads` finds that segments are short: each part but the last
/// one has a head.
template <segment_work What, class T, class Op, class In, class Out, class Head>
struct short_runs_problem {
  using element = T;
  using operation = Op;
  using input = In;
  using output = Out;
  static constexpr bool reduces = What == segment_work::reduce;

  In in;
  Out out;
  Head head;  ///< acts at the head of each segment of a reduction
  counted_heads heads;
  initial_value<T, Op> init;
  Op op;
  bool exclusive;  ///< of a scan
};

template <class P>
__global__ void __launch_bounds__(short_runs_shape<typename P::element>::threads,
                                  short_runs_shape<typename P::element>::blocks_a_processor)
    short_runs_kernel(__grid_constant__ P const problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using In = typename P::input;
  using Out = typename P::output;
  using shape = short_runs_shape<T>;
  using slots_type = segment_slots<W>;
  constexpr int group = shape::group, window = shape::window, threads = shape::threads, row_groups = warp_lanes;
  constexpr std::size_t slots_bytes = (slots_type::bytes(shape::room) + 15) / 16 * 16;

  __shared__ __align__(16) unsigned char slots_memory[slots_bytes];
  __shared__ std::uint32_t heads[shape::words + 2];  // a bit is set too where the last segment ends
  __shared__ union {
    struct {
      std::uint16_t listed[shape::most_listed];         // the first elements of groups that continue a segment
      std::uint16_t listed_before[shape::most_listed];  // the number of such groups before, in the segment
      alignas(W) unsigned char folds[shape::most_listed * sizeof(W)];  // of the groups before, in the row
    } groups;
    std::uint16_t heads[P::reduces ? shape::warps : 1][warp_lanes * window];  // places of a warp's heads, at the end
  } lists;
  __shared__ std::uint32_t counts[shape::warps];  // listed groups of a warp, and heads << 16

  auto& listed = lists.groups.listed;
  auto& listed_before = lists.groups.listed_before;
  auto* const folds = reinterpret_cast<uninitialized<W>*>(lists.groups.folds);
  // Slots from a thread's group to its next one.
  static_assert(threads * group % static_cast<int>(slots_type::every) == 0);
  constexpr int round_of_groups = static_cast<int>(slots_type::place(threads * group));
  auto const widened = [](auto const& stored) { return static_cast<W>(static_cast<T>(stored)); };
  Op op = problem.op;
  int const t = static_cast<int>(threadIdx.x), lane = t % warp_lanes, warp = t / warp_lanes;
  slots_type const slots{slots_memory};
  detail::batch::marked_heads marked;
  if (!problem.heads.find(marked)) return;
  std::size_t const n = marked.n;
  std::uint32_t const all_words = static_cast<std::uint32_t>(marked.words());
  if (t < 2) heads[shape::words + t] = 0;

  auto const stretches = static_cast<std::uint32_t>((n + shape::stretch - 1) / shape::stretch);
  for (std::uint32_t stretch = blockIdx.x; stretch < stretches; stretch += gridDim.x) {
    std::size_t const from = static_cast<std::size_t>(stretch) * shape::stretch;
    auto const from_word = static_cast<std::uint32_t>(from / 32);
    bool const is_last = n - from <= shape::stretch;
    int const size = is_last ? static_cast<int>(n - from) : shape::stretch;

    // Elements and heads come to shared memory. Each warp finds for itself where its segments begin and end.
    std::uint32_t own_heads = 0;
    if (t < shape::words && from_word + static_cast<std::uint32_t>(t) < all_words)
      own_heads = marked.bits[from_word + static_cast<std::uint32_t>(t)];
    std::uint32_t first_segment = 0;  // of the stretch, of a reduction
    if constexpr (P::reduces)
      if (from != 0) first_segment = static_cast<std::uint32_t>(marked.heads_upto(from - 1));
    std::uint32_t const first_heads = marked.bits[from_word + static_cast<std::uint32_t>(lane)];
    std::uint32_t const next_heads =
        is_last ? 0 : marked.bits[from_word + shape::stretch / 32 + static_cast<std::uint32_t>(lane)];
    bool copied = false;
    if constexpr (is_plain<In>) {
      using stored = std::remove_cv_t<std::iter_value_t<In>>;
      if constexpr (sizeof(stored) == sizeof(T)) {
        if (!is_last && aligned_for_groups<T>(problem.in)) {
          constexpr int groups = shape::stretch / group, each = (groups + threads - 1) / threads;
          packed_group<stored, group> some[each];
          W* const to_slots = &slots[t * group];  // a group has no padding
#pragma unroll
          for (int k = 0; k < each; ++k)
            if (int const at = t + k * threads; groups % threads == 0 || at < groups)
              some[k].load_aligned(problem.in + from + at * group);
#pragma unroll
          for (int k = 0; k < each; ++k)
            if (int const at = t + k * threads; groups % threads == 0 || at < groups)
#pragma unroll
              for (int j = 0; j < group; ++j) to_slots[k * round_of_groups + j] = widened(some[k].get(j));
          copied = true;
        }
      }
    }
    auto const element_at = [&](int k) {
      return widened(detail::at_index(problem.in, from + static_cast<std::size_t>(k)));
    };
    if (!copied) {
#pragma unroll 4
      for (int k = t; k < size; k += threads) slots[k] = element_at(k);
    }
    auto const first_in = [&](std::uint32_t word, int none) {
      unsigned const found = __ballot_sync(whole_warp, word != 0);
      if (found == 0) return none;
      int const of = __ffs(static_cast<int>(found)) - 1;
      return of * 32 + __ffs(__shfl_sync(whole_warp, static_cast<int>(word), of)) - 1;
    };
    int const begin = first_in(first_heads, size);
    // A part without a head is the last one.
    int const end = is_last ? size : shape::stretch + first_in(next_heads, static_cast<int>(n - from) - shape::stretch);
    // The operator is called with all elements of a window: the last one stands for those behind it.
    for (int k = size + t; k < (end + window - 1) / window * window; k += threads)
      slots[k] = element_at(k < end ? k : end - 1);
    if (t < shape::words) {
      int const rest = end - t * 32;
      std::uint32_t const below = rest <= 0 ? 0 : rest >= 32 ? ~0u : (1u << rest) - 1;
      heads[t] = (own_heads & below) | (rest >= 0 && rest < 32 ? 1u << rest : 0u);
    }
    __syncthreads();

    // 1. Where groups begin in the thread's window.
    constexpr std::uint32_t whole_window = window == 32 ? ~0u : (1u << window % 32) - 1;
    int const place = t * window, word = place / 32;
    W* const in_window = &slots[place];
    bool const has_elements = place < end;
    std::uint32_t own = 0, begins = 0, listed_here = 0;
    int before_window = 0;  // elements of the segment that continues into the window
    W previous[group];
    if (has_elements) {
      own = heads[word] >> place % 32 & whole_window;
      std::uint32_t left = heads[word] & ((1u << place % 32) - 1);
      int at = word;
      while (left == 0 && at > 0) left = heads[--at];
      before_window = place - (at * 32 + 31 - __clz(static_cast<int>(left)));
      int const first = -before_window & (group - 1);
      begins = own | ((own & ((2u << first) - 1)) == 0 ? 1u << first : 0u);
      std::uint32_t blocked = own;  // a head among the group's number of elements up to this one
#pragma unroll
      for (int k = 1; k < group; k *= 2) blocked |= blocked << k;
      std::uint32_t open = ~blocked;
#pragma unroll
      for (int k = group; k < window; k *= 2) {
        begins |= begins << k & open;
        open &= open << k;
      }
      listed_here = begins & ~own & whole_window;
      if (end - place < window) listed_here &= (1u << (end - place)) - 1;
      if (begin > place) listed_here &= begin - place < window ? ~((1u << (begin - place)) - 1) : 0u;
      W const* const behind = &slots[place > 0 ? place - 1 : window - 1];
#pragma unroll
      for (int k = 0; k < group; ++k) previous[k] = behind[-k];
    }
    // Whether a segment goes on behind its first row.
    bool const goes_on =
        has_elements && before_window + (own == 0 ? window : __ffs(static_cast<int>(own)) - 1) > group * row_groups;
    auto const own_listed = static_cast<std::uint32_t>(__popc(listed_here));
    // The end of the last segment is a head too, perhaps the only one of its window.
    std::uint32_t const own_bits = place == end ? 1u : own;
    std::uint32_t const own_counts =
        own_listed | (P::reduces ? static_cast<std::uint32_t>(__popc(own_bits)) << 16 : 0u);
    std::uint32_t upto = own_counts;
#pragma unroll
    for (int stride = 1; stride < warp_lanes; stride *= 2) {
      std::uint32_t const left = __shfl_up_sync(whole_warp, upto, stride);
      if (lane >= stride) upto += left;
    }
    if (lane == warp_lanes - 1) counts[warp] = upto;
    __syncthreads();

    std::uint32_t const of_warp = lane < shape::warps ? counts[lane] : 0;
    std::uint32_t const before = __reduce_add_sync(whole_warp, lane < warp ? of_warp : 0) + upto - own_counts;
    std::uint32_t const all_counts = __reduce_add_sync(whole_warp, of_warp);
    auto const all_listed = static_cast<int>(all_counts & 0xffff);
    if (has_elements) {
      // The fold of the elements before the window that are in the group of the last one.
      int const there = ((before_window - 1) & (group - 1)) + 1;
      W value = previous[group - 1];
#pragma unroll
      for (int k = group - 2; k >= 0; --k)
        value = select(there <= k + 1, previous[k], static_cast<W>(op(value, previous[k])));
      W const before_first = value;
      constexpr int at_once = 8;
#pragma unroll
      for (int first = 0; first < window; first += at_once) {
        W values[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) values[k] = in_window[first + k];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          value = select((begins >> (first + k) & 1) != 0, values[k], static_cast<W>(op(value, values[k])));
          in_window[first + k] = value;
        }
      }
      int number = static_cast<int>(before & 0xffff);
      for (std::uint32_t left = listed_here; left != 0; left &= left - 1, ++number) {
        int const at = __ffs(static_cast<int>(left)) - 1;
        listed[number] = static_cast<std::uint16_t>(place + at);
        *folds[number] = at == 0 ? before_first : in_window[at - 1];
      }
    }
    bool const has_rows = __syncthreads_or(goes_on) != 0;

    // 2. The folds before the listed groups. A warp goes through some of them, 32 at a time. Those of one segment
    // follow one another a group apart, and those of two segments never do. Where segments have one row, each lane adds
    // its fold at once to the elements of its group: to all of them, or to the last one of a segment.
    auto const put_before = [&](int first, W const& left) {
      int const next = (first + 1) / 32;
      std::uint32_t const heads_behind = __funnelshift_r(heads[next], heads[next + 1], (first + 1) % 32);
      if constexpr (P::reduces) {
        if ((heads_behind & ((1u << group) - 1)) == 0) return;
        W& last = slots[first + __ffs(static_cast<int>(heads_behind)) - 1];
        last = static_cast<W>(op(left, last));
      } else {
#pragma unroll
        for (int j = 0; j < group; ++j)
          if ((heads_behind & ((1u << j) - 1)) == 0) {
            W& value = slots[first + j];
            value = static_cast<W>(op(left, value));
          }
      }
    };
    {
      constexpr int rounds = 5, at_once = 2;
      int const all = (all_listed + warp_lanes - 1) / warp_lanes;
      int const share = (all + shape::warps * at_once - 1) / (shape::warps * at_once) * at_once;
      int const first = warp * share, last = min(first + share, all);
      W older[rounds];  // of the 32 groups before, as they are before each round
      // Values of groups that follow one another, 32 in each, go step by step together.
      auto const scan = [&](int const(&in_row)[at_once], W(&values)[at_once]) {
        int most = in_row[0];
#pragma unroll
        for (int k = 1; k < at_once; ++k) most = max(most, in_row[k]);
#pragma unroll
        for (int round = 0; round < rounds; ++round) {
          int const stride = 1 << round;
          W const newest = values[at_once - 1];
          if (__any_sync(whole_warp, most >= stride)) {
            W left[at_once];
#pragma unroll
            for (int k = 0; k < at_once; ++k)
              left[k] =
                  shuffle_from(select(lane >= warp_lanes - stride, k > 0 ? values[k - 1] : older[round], values[k]),
                               (lane - stride) & (warp_lanes - 1));
#pragma unroll
            for (int k = 0; k < at_once; ++k)
              values[k] = select(in_row[k] >= stride, static_cast<W>(op(left[k], values[k])), values[k]);
          }
          older[round] = newest;
        }
      };
      auto const total_before = [&](int k) { return has_rows ? slots[listed[k] - 1] : *folds[k]; };
      if (first < last) {
        int last_place = -2 * group, before_first = 0;  // listed groups of the same segment before the next one
        int const first_place = int{listed[first * warp_lanes]};
        W const any = slots[begin];
#pragma unroll
        for (int round = 0; round < rounds; ++round) older[round] = any;
        if (first > 0) {
          int at = first_place / 32;
          std::uint32_t left = heads[at] & ((2u << first_place % 32) - 1);
          while (left == 0 && at > 0) left = heads[--at];
          before_first = (first_place - (at * 32 + 31 - __clz(static_cast<int>(left)))) / group - 1;
          last_place = first_place - group;
          if (before_first > 0) {  // folds of 31 groups that another warp has
            int const before_this = before_first - (warp_lanes - lane);
            int in_row[at_once] = {};
            W values[at_once];
            in_row[at_once - 1] = before_this >= 0 ? before_this & (row_groups - 1) : 0;
#pragma unroll
            for (int k = 0; k < at_once; ++k) values[k] = total_before((first - 1) * warp_lanes + lane);
            scan(in_row, values);
          }
        }
        for (int some = first; some < last; some += at_once) {
          int in_row[at_once], places[at_once];
          W values[at_once];
#pragma unroll
          for (int j = 0; j < at_once; ++j) {
            int const k = (some + j) * warp_lanes + lane;
            bool const is_there = k < all_listed;
            int const at = is_there ? listed[k] : first_place;
            int left = __shfl_up_sync(whole_warp, at, 1);
            if (lane == 0) left = last_place;
            unsigned const firsts =
                __ballot_sync(whole_warp, !is_there || at - left != group) & (0xffffffffu >> (31 - lane));
            int const before_this = firsts != 0 ? lane - (31 - __clz(static_cast<int>(firsts))) : lane + before_first;
            last_place = __shfl_sync(whole_warp, at, warp_lanes - 1);
            before_first = __shfl_sync(whole_warp, before_this, warp_lanes - 1) + 1;
            in_row[j] = before_this & (row_groups - 1);
            values[j] = total_before(is_there ? k : first * warp_lanes);
            places[j] = at;
            if (has_rows && is_there) listed_before[k] = static_cast<std::uint16_t>(before_this);
          }
          scan(in_row, values);
#pragma unroll
          for (int j = 0; j < at_once; ++j) {
            int const k = (some + j) * warp_lanes + lane;
            if (k >= all_listed) continue;
            if (has_rows)
              *folds[k] = values[j];
            else
              put_before(places[j], values[j]);
          }
        }
      }
    }
    __syncthreads();

    // 3. Where segments have several rows, the rows before come first.
    if (has_rows) {
      for (int k = t; k < all_listed; k += threads) {
        W left = *folds[k];
        if (int const groups = listed_before[k] + 1; groups >= row_groups) {
          // The row totals before are those of the listed groups that begin rows.
          using rows_type = left_operand<W, Op>;
          rows_type rows = rows_type::absent(op, left), strips = rows;
          int const whole = groups / row_groups;
          for (int r = 1; r <= whole; ++r) {
            rows = rows_type::present(rows.before(*folds[k - groups + r * row_groups], op));
            if (r % static_cast<int>(order::strip_rows) == 0) {
              strips = rows_type::present(strips.before(rows.value, op));
              rows = rows_type::absent(op, left);
            }
          }
          rows_type const base = strips.before(rows, op);
          left = groups % row_groups == 0 ? base.value : base.before(left, op);
        }
        put_before(listed[k], left);
      }
      __syncthreads();
    }

    // 4. Results leave.
    auto const result_of = [&](W const& local) {
      return static_cast<T>(problem.init.is_present ? static_cast<W>(op(problem.init.value, local)) : local);
    };
    if constexpr (P::reduces) {
      // A warp lists the heads of its windows, so that neighbouring lanes write neighbouring results. The list lies
      // where the folds were.
      auto const number = static_cast<int>(before >> 16);
      int const warp_number = __shfl_sync(whole_warp, number, 0);
      int const count = __shfl_sync(whole_warp, number + __popc(own_bits), warp_lanes - 1) - warp_number;
      std::uint16_t* const list = lists.heads[warp];
      if (count > shape::few_in_a_window * warp_lanes) {
#pragma unroll 8
        for (int of = 0; of < warp_lanes; ++of) {
          std::uint32_t const those = __shfl_sync(whole_warp, own_bits, of);
          int const first = __shfl_sync(whole_warp, number, of) - warp_number;
          if ((those >> lane & 1) != 0)
            list[first + __popc(those & ((1u << lane) - 1))] =
                static_cast<std::uint16_t>((warp * warp_lanes + of) * window + lane);
        }
      } else {
        std::uint16_t* to = list + (number - warp_number);
        for (std::uint32_t left = own_bits; left != 0; left &= left - 1)
          *to++ = static_cast<std::uint16_t>(place + __ffs(static_cast<int>(left)) - 1);
      }
      __syncwarp();
      constexpr int at_once = 8;  // values at heads, which are read together
      using taken = decltype(problem.head.take(from));
      constexpr bool reads_ahead = std::is_default_constructible_v<taken>;
      for (int first = lane; first < count; first += at_once * warp_lanes) {
        int places[at_once];
        std::conditional_t<reads_ahead, taken, int> of_head[at_once];
#pragma unroll
        for (int j = 0; j < at_once; ++j) {
          int const k = first + j * warp_lanes;
          places[j] = k < count ? list[k] : end + 1;
          if constexpr (reads_ahead)
            if (places[j] < end) of_head[j] = problem.head.take(from + static_cast<std::size_t>(places[j]));
        }
#pragma unroll
        for (int j = 0; j < at_once; ++j) {
          int const k = places[j];
          if (k > end) continue;
          std::size_t const segment =
              std::size_t{first_segment} + static_cast<std::uint32_t>(warp_number + first + j * warp_lanes);
          if (k > begin) detail::at_index(problem.out, segment - 1) = result_of(slots[k - 1]);
          if (k == end) continue;
          if constexpr (reads_ahead)
            problem.head.put(segment, of_head[j]);
          else
            problem.head.put(segment, problem.head.take(from + static_cast<std::size_t>(k)));
        }
      }
    } else {
      auto const result_at = [&](int k) {
        if (!problem.exclusive) return result_of(slots[k]);
        return (heads[k / 32] >> k % 32 & 1) != 0 ? static_cast<T>(problem.init.value) : result_of(slots[k - 1]);
      };
      bool written = false;
      if constexpr (is_plain<Out>) {
        if constexpr (std::is_same_v<std::iter_value_t<Out>, T>) {
          if (aligned_for_groups<T>(problem.out)) {
            int first = (begin / group + t) * group;
            W const* from_slots = &slots[first];
            T* to = problem.out + from + first;
            for (; first < end; first += threads * group, from_slots += round_of_groups, to += threads * group) {
              if (first >= begin && first + group <= end) {
                W locals[group];
#pragma unroll
                for (int j = 0; j < group; ++j) locals[j] = from_slots[j];
                packed_group<T, group> results;
                if (problem.exclusive) {
                  std::uint32_t const bits = heads[first / 32] >> first % 32;
                  W left = slots[first > 0 ? first - 1 : 0];
#pragma unroll
                  for (int j = 0; j < group; ++j) {
                    results.set(j, (bits >> j & 1) != 0 ? static_cast<T>(problem.init.value) : result_of(left));
                    left = locals[j];
                  }
                } else if (problem.init.is_present) {
#pragma unroll
                  for (int j = 0; j < group; ++j)
                    results.set(j, static_cast<T>(static_cast<W>(op(problem.init.value, locals[j]))));
                } else {
#pragma unroll
                  for (int j = 0; j < group; ++j) results.set(j, static_cast<T>(locals[j]));
                }
                results.store_aligned(to);
              } else {
                for (int k = max(first, begin); k < min(first + group, end); ++k) problem.out[from + k] = result_at(k);
              }
            }
            written = true;
          }
        }
      }
      if (!written) {
#pragma unroll 4
        for (int k = begin / 32 * 32 + t; k < end; k += threads)
          if (k >= begin) detail::at_index(problem.out, from + static_cast<std::size_t>(k)) = result_at(k);
      }
    }
    __syncthreads();
  }
}

}  // namespace tally::cuda_backend
