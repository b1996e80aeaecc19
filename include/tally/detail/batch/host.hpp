#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/host_neighbours.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cpu/backend.hpp"
#include "tally/detail/cpu/execution.hpp"
#include "tally/detail/cpu/held.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/detail/cpu/maps.hpp"
#include "tally/detail/cpu/segments.hpp"
#include "tally/detail/cpu/sequences.hpp"
#include "tally/detail/cpu/short_sequence.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/strided_iterator.hpp"
#include "tally/error.hpp"

/// Batches of sequences on a CPU, for any type and operator. Each sequence is one call of the CPU's backend, or a loop
/// with the same brackets if it is short.
namespace tally::cpu_backend {

/// The places of sequences `first`, `first + 1`, ... of a layout, without a division for each.
class sequence_cursor {
public:
  using distances = detail::batch::distances;

  sequence_cursor(detail::batch::layout const& where, std::size_t first) : where_(&where), at_(where.place(first))
  {
    for (int d = where.dimensions; d-- > 0;) {
      index_[d] = first % where.across[d].extent;
      first /= where.across[d].extent;
    }
  }

  distances const& operator*() const { return at_; }
  /// The sequences from this one to the end of the innermost dimension: each lies a step of it behind the one before.
  std::size_t neighbours() const
  {
    int const inner = where_->dimensions - 1;
    return inner < 0 ? 1 : where_->across[inner].extent - index_[inner];
  }
  /// Goes on by `count` sequences, at most neighbours().
  void advance(std::size_t count)
  {
    for (int d = where_->dimensions; d-- > 0; count = 1) {
      auto const& axis = where_->across[d];
      index_[d] += count;
      at_.move(axis.step, static_cast<std::ptrdiff_t>(count));
      if (index_[d] < axis.extent) return;
      at_.move(axis.step, -static_cast<std::ptrdiff_t>(axis.extent));
      index_[d] = 0;
    }
  }

private:
  detail::batch::layout const* where_;
  distances at_;
  std::size_t index_[detail::batch::most_dimensions]{};
};

/// The threads that a call on a batch may use (0: any number). Tally's own operators on numbers use all of them without
/// being asked.
template <class Op, class T>
int threads_for_batch(std::optional<cpu> const& on)
{
  return has_kernels<Op, T> && !on ? 0 : requested_threads(on);
}

/// The bytes that an element counts for in the decision whether to wake other threads, and a sequence for itself: a
/// call takes some 20 ns, in which a compiled kernel handles 256 bytes.
template <class Op, class T>
inline constexpr std::size_t bytes_of_element = has_kernels<Op, T> ? sizeof(T)
                                                : sizeof(T) < 32   ? 32
                                                                   : sizeof(T);
inline constexpr std::size_t bytes_of_sequence = 256;

/// Calls `work(begin, end)` for blocks of `count` items, which `members` threads draw.
template <class Work>
void draw_blocks(std::size_t count, std::size_t block, int members, Work const& work)
{
  std::atomic<std::size_t> next{0};
  auto body = [&](int) {
    for (;;) {
      std::size_t const begin = next.fetch_add(block, std::memory_order_relaxed);
      if (begin >= count) return;
      work(begin, count - begin < block ? count : begin + block);
    }
  };
  run_team(members, body);
}

/// Calls `one(threads, place)` for each sequence of a batch, with the threads that it may use, or `gathered(cursor,
/// count, tiles)` for `count` neighbours at a time where that pays. `writes`: there are results along the sequences.
template <class Op, class T, class One, class Gathered>
void for_each_sequence(std::optional<cpu> const& on, detail::batch::layout const& where, bool writes, One const& one,
                       Gathered const& gathered)
{
  std::size_t const n = where.along.extent, sequences = where.sequences();
  std::size_t const bytes = n * bytes_of_element<Op, T> + bytes_of_sequence;
  int const threads = threads_for_batch<Op, T>(on);
  int const members = team_size(threads, sequences * bytes, static_cast<std::size_t>(-1));
  bool const few = n >= tuning_in_use().long_sequence && sequences < 4 * static_cast<std::size_t>(members);
  if (members > 1 && (few || sequences == 1)) {
    detail::took("batch: long sequences, each by all threads");
    sequence_cursor at(where, 0);
    for (std::size_t s = 0; s < sequences; ++s, at.advance(1)) one(cpu{threads}, *at);
    return;
  }
  detail::took(members > 1 ? "batch: sequences shared by threads" : "batch: one thread");
  // Some eight blocks a member, of 32 KiB at least where there are so many; neighbours often share lines of memory.
  std::size_t const least = std::max<std::size_t>(16, (std::size_t{32} << 10) / bytes);
  std::size_t const share = sequences / (8 * static_cast<std::size_t>(members)) / 16 * 16;
  std::size_t const even = (sequences - 1) / static_cast<std::size_t>(members) + 1;
  std::size_t const block = std::min(std::max(share, least), even);
  [[maybe_unused]] std::size_t const together = neighbours_to_gather<T>(where, writes);
  draw_blocks(sequences, block, members, [&](std::size_t begin, std::size_t end) {
    sequence_cursor at(where, begin);
    if constexpr (most_gathered<T> != 0) {
      if (together > 1) {
        gathered_tiles<T> tiles;
        for (std::size_t s = begin; s < end;) {
          detail::took("batch: neighbours gathered");
          std::size_t const count = std::min({together, end - s, at.neighbours()});
          gathered(at, count, tiles);
          at.advance(count);
          s += count;
        }
        return;
      }
    }
    for (std::size_t s = begin; s < end; ++s, at.advance(1)) one(cpu{1}, *at);
  });
}

/// The reduction of elements [begin, end), of which there is at least one, on top of an initial value.
template <class T, class I, class Op>
T reduce_sequence(cpu on, I const& values, std::size_t begin, std::size_t end, std::optional<T> const& init, Op& op)
{
  if constexpr (short_sequence<T, Op> != 0) {
    if (is_short<T, Op>(values, end - begin)) {
      detail::took("batch: a short sequence in a loop");
      T const local = reduce_short<T>(values, begin, end, op);
      return init ? static_cast<T>(op(*init, local)) : local;
    }
  }
  detail::took("batch: a sequence by a call of its own");
  using distance = std::iter_difference_t<I>;
  std::identity transform;
  held_carry<T, Op> before = begin_with<T, Op>(init);
  reduce<T>(on, values + static_cast<distance>(begin), values + static_cast<distance>(end), transform, op, before);
  return value_of<T>(*before.last());
}

/// Scans elements [begin, end), of which there is at least one, to the same places of `out`. `last`: takes the value
/// after the last element, if not null.
template <class T, class I, class Out, class Op>
void scan_sequence(cpu on, I const& values, std::size_t begin, std::size_t end, Out const& out,
                   std::optional<T> const& init, T* last, Op& op, direction shift)
{
  if constexpr (short_sequence<T, Op> != 0) {
    if (is_short<T, Op>(values, end - begin)) {
      detail::took("batch: a short sequence in a loop");
      T previous = init ? *init : T();
      scan_short<T>(values, begin, end, init, op, [&](std::size_t k, T const& result) {
        // The value of element k has been read, so `out` may be `values`.
        at_index(out, k) = shift == direction::inclusive ? result : previous;
        previous = result;
      });
      if (last != nullptr) *last = previous;
      return;
    }
  }
  detail::took("batch: a sequence by a call of its own");
  using distance = std::iter_difference_t<I>;
  std::identity transform;
  held_carry<T, Op> before = begin_with<T, Op>(init);
  scan<T>(on, values + static_cast<distance>(begin), values + static_cast<distance>(end),
          out + static_cast<std::iter_difference_t<Out>>(begin), transform, op, before, shift);
  if (last != nullptr) *last = value_of<T>(*before.last());
}

/// The initial value of the sequence whose own one, if there is one for each, lies `at` from the first.
template <class T>
std::optional<T> initial_at(detail::batch::ends<T> const& ends, std::ptrdiff_t at)
{
  return ends.initials != nullptr ? std::optional<T>(ends.initials[at]) : ends.initial;
}

/// The carries of `count` neighbours.
template <class T, class Op>
class gathered_carries {
public:
  gathered_carries(detail::batch::ends<T> const& ends, sequence_cursor at, std::size_t count)
  {
    for (std::size_t s = 0; s < count; ++s, at.advance(1)) all_[s] = begin_with<T, Op>(initial_at(ends, (*at).initial));
  }
  held_carry<T, Op>& operator[](std::size_t s) { return all_[s]; }

private:
  held_carry<T, Op> all_[most_gathered<T> == 0 ? 1 : most_gathered<T>];
};

/// Calls `use(in, out)` with pointers if neighbours along the sequences are adjacent, else with strided iterators.
template <class In, class Out, class Use>
void with_iterators(detail::batch::dimension const& along, In const* in, Out* out, Use const& use)
{
  if (along.extent == 1 || (along.step.in == 1 && along.step.out == 1))
    use(in, out);
  else
    use(detail::strided_iterator<In const>(in, along.step.in), detail::strided_iterator<Out>(out, along.step.out));
}

/// Any sequences, any type that can be copied and any operator.
template <class T, class In, class Out, class Op>
void scan_any_sequences(std::optional<cpu> const& on, detail::batch::layout const& where, In const* in, Out* out,
                        detail::batch::ends<T> const& ends, Op& op, direction shift)
{
  std::size_t const n = where.along.extent;
  auto const one = [&](cpu threads, detail::batch::distances const& at) {
    with_iterators(where.along, in + at.in, out + at.out, [&](auto const& from, auto const& to) {
      scan_sequence<T>(threads, from, 0, n, to, initial_at(ends, at.initial),
                       ends.lasts == nullptr ? nullptr : ends.lasts + at.last, op, shift);
    });
  };
  auto const gathered = [&](sequence_cursor at, std::size_t count, auto& tiles) {
    gathered_carries<T, Op> before(ends, at, count);
    for (std::size_t begin = 0; begin < n; begin += order::tile<T>) {
      std::size_t const size = std::min(order::tile<T>, n - begin);
      tiles.read(where, in + (*at).in, count, begin, size);
      std::identity transform;
      for (std::size_t s = 0; s < count; ++s)
        scan<T>(cpu{1}, tiles[s], tiles[s] + size, tiles[s], transform, op, before[s], shift);
      tiles.write(where, out + (*at).out, count, begin, size);
    }
    if (ends.lasts == nullptr) return;
    for (std::size_t s = 0; s < count; ++s, at.advance(1)) ends.lasts[(*at).last] = value_of<T>(*before[s].last());
  };
  for_each_sequence<Op, T>(on, where, true, one, gathered);
}
template <class T, class In, class Out, class Op>
void reduce_any_sequences(std::optional<cpu> const& on, detail::batch::layout const& where, In const* in, Out* out,
                          detail::batch::ends<T> const& ends, Op& op)
{
  std::size_t const n = where.along.extent;
  auto const one = [&](cpu threads, detail::batch::distances const& at) {
    auto const reduce_from = [&](auto const& from) {
      out[at.out] = reduce_sequence<T>(threads, from, 0, n, initial_at(ends, at.initial), op);
    };
    if (n == 1 || where.along.step.in == 1)
      reduce_from(in + at.in);
    else
      reduce_from(detail::strided_iterator<In const>(in + at.in, where.along.step.in));
  };
  auto const gathered = [&](sequence_cursor at, std::size_t count, auto& tiles) {
    gathered_carries<T, Op> before(ends, at, count);
    for (std::size_t begin = 0; begin < n; begin += order::tile<T>) {
      std::size_t const size = std::min(order::tile<T>, n - begin);
      tiles.read(where, in + (*at).in, count, begin, size);
      std::identity transform;
      for (std::size_t s = 0; s < count; ++s) reduce<T>(cpu{1}, tiles[s], tiles[s] + size, transform, op, before[s]);
    }
    for (std::size_t s = 0; s < count; ++s, at.advance(1)) out[(*at).out] = value_of<T>(*before[s].last());
  };
  for_each_sequence<Op, T>(on, where, false, one, gathered);
}

/// Writes the initial value of each sequence to its place of `out`.
template <class T, class Out>
void fill_sequences(detail::batch::layout const& where, Out* out, detail::batch::ends<T> const& values)
{
  std::size_t const sequences = where.sequences();
  sequence_cursor at(where, 0);
  for (std::size_t s = 0; s < sequences; ++s, at.advance(1))
    out[(*at).out] = values.initials != nullptr ? values.initials[(*at).initial] : *values.initial;
}

/// Copies elements from their places to their places, which are memory without values yet.
template <class P, class In, class T>
void copy_sequences(P const& on, detail::batch::layout const& where, In const* in, T* to)
{
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr std::size_t block = 4096;
  auto copy = [&](std::size_t begin, std::size_t end) {
    sequence_cursor at(where, begin);
    for (std::size_t s = begin; s < end; ++s, at.advance(1)) to[(*at).out] = static_cast<T>(in[(*at).in]);
  };
  detail::backend_for_each_block(on, where.sequences(), block, copy);
}

/// Calls `work(threads, s, begin, end)` for every segment s = [offsets[s], offsets[s + 1]), empty ones too.
///
/// If `work` has a member block(), the segments of a block are given to the object that it returns, on one thread, and
/// then that object's finish() is called.
/// Threads share elements and segments together: a segment is as many units as it has elements, and one more. So
/// neither many empty segments nor a few long ones are left to one thread.
template <class Op, class T, class Offsets, class Work>
void for_each_segment(std::optional<cpu> const& on, Offsets const& offsets, std::size_t segments, Work const& work)
{
  auto const offset = [&](std::size_t s) { return static_cast<std::size_t>(at_index(offsets, s)); };
  std::size_t const most = tuning_in_use().long_sequence;
  constexpr std::size_t block = 4096;
  std::size_t const base = offset(0), end_of_all = offset(segments);
  auto const decrease = [](std::size_t s, std::size_t begin, std::size_t end) {
    throw usage_error("tally: offsets do not decrease: segment " + std::to_string(s) + " is from " +
                      std::to_string(begin) + " to " + std::to_string(end));
  };
  if (end_of_all < base) decrease(segments, base, end_of_all);
  std::size_t const units = end_of_all - base + segments;
  int const threads = threads_for_batch<Op, T>(on);
  int const members = team_size(threads, units * bytes_of_element<Op, T>, (units - 1) / block + 1);
  detail::took("batch: segments between offsets");
  std::vector<std::size_t> deferred(units / most + 1);
  std::atomic<std::size_t> deferred_count{0};
  draw_blocks(units, block, members, [&](std::size_t first, std::size_t last) {
    // The first segment of the block: segment s begins at unit offset(s) - base + s.
    std::size_t s = 0;
    for (std::size_t size = segments; size > 0;) {
      std::size_t const half = size / 2;
      if (offset(s + half) - base + s + half < first) {
        s += half + 1;
        size -= half + 1;
      } else {
        size = half;
      }
    }
    auto&& of_block = [&]() -> decltype(auto) {
      if constexpr (requires { work.block(); })
        return work.block();
      else
        return (work);
    }();
    for (; s < segments && offset(s) - base + s < last; ++s) {
      std::size_t const begin = offset(s), end = offset(s + 1);
      if (end < begin || begin < base || end_of_all < end) decrease(s, begin, end);
      if (end - begin < most || members == 1) {
        of_block(cpu{1}, s, begin, end);
        continue;
      }
      detail::took("batch: a long segment is deferred");
      deferred[deferred_count.fetch_add(1, std::memory_order_relaxed)] = s;
    }
    if constexpr (requires { work.block(); }) of_block.finish();
  });
  for (std::size_t i = 0; i < deferred_count; ++i) {
    std::size_t const s = deferred[i];
    work(cpu{threads}, s, offset(s), offset(s + 1));
  }
}

/// The values of segments, and the places of one in them, from the front or from the back.
template <class From, class I, class Use>
void oriented(I const& values, std::size_t begin, std::size_t end, Use const& use)
{
  if constexpr (std::is_same_v<From, detail::batch::from_front>)
    use(values, begin, end);
  else
    use(std::make_reverse_iterator(values + static_cast<std::iter_difference_t<I>>(end)), 0, end - begin);
}

}  // namespace tally::cpu_backend

namespace tally::detail {

template <class T, cpu_backend::cpu_execution P, class In, class Out, class Op>
void backend_scan_sequences(P const& on, batch::layout const& where, In const* in, Out* out, batch::ends<T> const& ends,
                            Op& op, direction shift)
{
  auto const named = cpu_backend::requested(on);
  if constexpr (cpu_backend::has_sequence_kernels<Op, T, In, Out>)
    cpu_backend::scan_sequences<Op>(where, in, out, ends, shift, cpu_backend::threads_for_batch<Op, T>(named));
  else
    cpu_backend::scan_any_sequences<T>(named, where, in, out, ends, op, shift);
}

template <class T, cpu_backend::cpu_execution P, class In, class Out, class Op>
void backend_reduce_sequences(P const& on, batch::layout const& where, In const* in, Out* out,
                              batch::ends<T> const& ends, Op& op)
{
  auto const named = cpu_backend::requested(on);
  if constexpr (cpu_backend::has_sequence_kernels<Op, T, In, Out>)
    cpu_backend::reduce_sequences<Op>(where, in, out, ends, cpu_backend::threads_for_batch<Op, T>(named));
  else
    cpu_backend::reduce_any_sequences<T>(named, where, in, out, ends, op);
}

template <class T, cpu_backend::cpu_execution P, class Values, class Offsets, class Out, class Op,
          class From = batch::from_front>
void backend_scan_segments(P const& on, Values values, Offsets offsets, std::size_t segments, Out out,
                           batch::ends<T> const& ends, Op& op, direction shift, From = {})
{
  using namespace cpu_backend;
  if constexpr (has_segment_kernels<Op, T, Values, Out>) {
    scan_segments<Op, T>({.values = std::to_address(values),
                          .out = std::to_address(out),
                          .offsets = {},
                          .given = ends,
                          .nothing = nullptr,
                          .from_back = !std::is_same_v<From, batch::from_front>,
                          .shift = shift,
                          .threads = threads_for_batch<Op, T>(requested(on))},
                         offsets, segments);
  } else {
    for_each_segment<Op, T>(
        requested(on), offsets, segments, [&](cpu threads, std::size_t s, std::size_t begin, std::size_t end) {
          auto const own = static_cast<std::ptrdiff_t>(s);
          T* const last = ends.lasts == nullptr ? nullptr : ends.lasts + own;
          std::optional<T> const init = initial_at(ends, own);
          if (begin == end) {
            if (last != nullptr && init) *last = *init;
            return;
          }
          oriented<From>(values, begin, end, [&](auto const& from, std::size_t first, std::size_t behind) {
            oriented<From>(out, begin, end, [&](auto const& to, std::size_t, std::size_t) {
              scan_sequence<T>(threads, from, first, behind, to, init, last, op, shift);
            });
          });
        });
  }
}

template <class T, cpu_backend::cpu_execution P, class Values, class Offsets, class Out, class Op,
          class From = batch::from_front>
void backend_reduce_segments(P const& on, Values values, Offsets offsets, std::size_t segments, Out out,
                             T const& nothing, batch::ends<T> const& ends, Op& op, From = {})
{
  using namespace cpu_backend;
  if constexpr (has_segment_kernels<Op, T, Values, Out>) {
    batch::ends<T> results = ends;
    results.lasts = std::to_address(out);
    scan_segments<Op, T>({.values = std::to_address(values),
                          .out = nullptr,
                          .offsets = {},
                          .given = results,
                          .nothing = &nothing,
                          .from_back = !std::is_same_v<From, batch::from_front>,
                          .shift = direction::inclusive,
                          .threads = threads_for_batch<Op, T>(requested(on))},
                         offsets, segments);
  } else {
    for_each_segment<Op, T>(
        requested(on), offsets, segments, [&](cpu threads, std::size_t s, std::size_t begin, std::size_t end) {
          std::optional<T> const init = initial_at(ends, static_cast<std::ptrdiff_t>(s));
          if (begin == end) {
            at_index(out, s) = init ? *init : nothing;
            return;
          }
          oriented<From>(values, begin, end, [&](auto const& from, std::size_t first, std::size_t behind) {
            at_index(out, s) = reduce_sequence<T>(threads, from, first, behind, init, op);
          });
        });
  }
}

}  // namespace tally::detail
