#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/cpu/sequences/call.hpp"
#include "src/cpu/short_blocks.hpp"
#include "tally/detail/path.hpp"

/// Rows of at most a strip of the order.
namespace tally::cpu_backend {

/// Whether the results of a sequence begin where those of the sequence before end.
template <class T, class Op>
bool results_are_dense(sequences_call<T, Op> const& call)
{
  return call.where.along.step.out == 1 &&
         (call.where.dimensions == 0 ||
          (call.where.dimensions == 1 && call.where.across[0].step.out == static_cast<std::ptrdiff_t>(call.size)));
}

/// The most rows in a block that goes to its place at once.
inline constexpr std::size_t most_rows_in_block = 2048;

/// Where the rows of a block lie, and their ends.
template <class T>
struct short_row_places {
  short_row_places(std::size_t count, std::size_t size, std::ptrdiff_t step)
  {
    for (std::size_t i = 0; i <= count; ++i) to[i] = i * size;
    for (std::size_t i = 0; i < count; ++i) from[i] = i * static_cast<std::size_t>(step);
  }
  std::size_t from[most_rows_in_block];
  std::size_t to[most_rows_in_block + 1];
  std::vector<distances> at;  // where there are several dimensions
  T initials[most_rows_in_block];
  T lasts[most_rows_in_block];
};

/// Short contiguous sequences, a block of some KiB after the other.
template <class T, class Op>
void scan_short_rows(sequences_call<T, Op> const& call, int members)
{
  distances const& step = call.where.along.step;
  bool const regular = call.where.dimensions <= 1;
  distances const next = regular ? call.where.across[0].step : distances{};
  // Rows that are one array are read where they are, but not beyond what no other thread writes to.
  bool const packed = step.in < 0 || !regular || next.in < 0;
  bool const direct = call.out != nullptr && call.in != call.out && results_are_dense(call);
  // In a long block only the last rows are copied, if at all: few, as no row overlaps the next one.
  bool const apart = next.in >= static_cast<std::ptrdiff_t>(call.size);
  // Long blocks keep memory busy: at the end of each it waits for the next one's first elements. Results that are
  // copied need short ones, which stay in the first level of the cache.
  tuning const& sizes = tuning_in_use();
  bool const long_blocks =
      direct && regular && step.in > 0 && apart && sizes.row_block_bytes > block_size<T> * sizeof(T);
  std::size_t const fit = (long_blocks ? sizes.row_block_bytes / sizeof(T) : block_size<T>) / call.size;
  std::size_t const most = std::min(long_blocks ? most_rows_in_block : most_in_block, call.sequences);
  std::size_t const in_block = std::clamp<std::size_t>(fit, 1, most);
  detail::took(long_blocks ? "batch: short rows in long blocks" : "batch: short rows in blocks");
  std::size_t const blocks = (call.sequences + in_block - 1) / in_block;
  share_units(blocks, call.units_at_a_draw(blocks, in_block * call.size * sizeof(T), members), members, [&] {
    return [&, own = short_row_places<T>(in_block, call.size, next.in),
            shorts = short_blocks<T>(call.kernels)](std::size_t first, std::size_t end) mutable {
      cursor place(call.where, first * in_block);
      T* const writable_end = direct ? call.out + std::min(end * in_block, call.sequences) * call.size : nullptr;
      for (std::size_t block = first; block < end; ++block) {
        std::size_t const s = block * in_block;
        std::size_t const count = std::min(in_block, call.sequences - s);
        distances const begin = regular ? moved({}, next, s) : place.at();
        if (!regular) {
          own.at.resize(count);
          for (std::size_t i = 0; i < count; ++i, place.next()) {
            own.at[i] = place.at();
            own.from[i] = static_cast<std::size_t>(own.at[i].in - begin.in);
          }
        }
        auto const place_of = [&](std::size_t i) { return regular ? moved(begin, next, i) : own.at[i]; };
        short_block<T> those{call.in_at(begin), own.from, own.to, count};
        those.reversed = step.in < 0;
        those.size = call.size;
        those.adjacent = next.in == static_cast<std::ptrdiff_t>(call.size);
        if (!packed) {
          std::size_t const last = call.in == call.out ? s + count : call.sequences;
          those.readable_end = call.in + static_cast<std::ptrdiff_t>(last - 1) * next.in + call.size;
        }
        those.initial = call.given.initial.value_or(call.op.identity);
        if (call.given.initials != nullptr) {
          for (std::size_t i = 0; i < count; ++i) own.initials[i] = call.given.initials[place_of(i).initial];
          those.initials = own.initials;
        }
        those.shift = call.shift;
        // Neighbours take their last values themselves.
        bool const collected = call.given.lasts != nullptr && !(regular && next.last == 1);
        T* const lasts = collected ? own.lasts : call.given.lasts == nullptr ? nullptr : call.given.lasts + begin.last;
        T* const results =
            direct ? shorts.scan(those, lasts, call.out_at(begin), writable_end) : shorts.scan(those, lasts);
        if (collected)
          for (std::size_t i = 0; i < count; ++i) call.put_last(place_of(i), own.lasts[i]);
        if (call.out == nullptr || direct) continue;
        if (results_are_dense(call)) {
          std::copy_n(results, count * call.size, call.out_at(begin));
        } else {
          for (std::size_t i = 0; i < count; ++i) {
            T* const to = call.out_at(place_of(i));
            if (step.out > 0)
              std::copy_n(results + i * call.size, call.size, to);
            else
              std::reverse_copy(results + i * call.size, results + (i + 1) * call.size, to - (call.size - 1));
          }
        }
      }
    };
  });
}

}  // namespace tally::cpu_backend
