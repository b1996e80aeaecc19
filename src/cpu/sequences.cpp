#include "tally/detail/cpu/sequences.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <hwy/cache_control.h>

#include "src/cpu/batch_parts.hpp"
#include "src/cpu/short_blocks.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"

namespace tally::cpu_backend {

namespace {

using detail::batch::dimension;
using detail::batch::distances;

bool begins_line(void const* at)
{
  return reinterpret_cast<std::uintptr_t>(at) % line_bytes == 0;
}

/// The sequences of a layout, one after the other.
class cursor {
public:
  cursor(layout const& where, std::size_t sequence) : where_(&where), at_(where.place(sequence))
  {
    for (int d = where.dimensions; d-- > 0;) {
      index_[d] = sequence % where.across[static_cast<std::size_t>(d)].extent;
      sequence /= where.across[static_cast<std::size_t>(d)].extent;
    }
  }
  distances const& at() const { return at_; }
  void next()
  {
    for (int d = where_->dimensions; d-- > 0;) {
      dimension const& axis = where_->across[static_cast<std::size_t>(d)];
      bool const wraps = ++index_[d] == axis.extent;
      auto const back = wraps ? static_cast<std::ptrdiff_t>(axis.extent) : 0;
      at_.in += axis.step.in * (1 - back);
      at_.out += axis.step.out * (1 - back);
      at_.initial += axis.step.initial * (1 - back);
      at_.last += axis.step.last * (1 - back);
      if (!wraps) return;
      index_[d] = 0;
    }
  }

private:
  layout const* where_;
  distances at_;
  std::size_t index_[detail::batch::most_dimensions] = {};
};

/// One call on many sequences.
template <class T, class Op>
class sequences_call {
  using carry = order::carry<T, Op>;
  static constexpr std::size_t tile = order::tile<T>;

public:
  sequences_call(tile_kernels<T> const& kernels, layout const& where, T const* in, T* out, ends<T> const& given, Op op,
                 direction shift, int threads)
      : kernels_(kernels),
        where_(where),
        in_(in),
        out_(out),
        ends_(given),
        op_(op),
        shift_(shift),
        threads_(threads),
        size_(where.along.extent),
        sequences_(where.sequences()),
        bytes_(size_ * sequences_ * sizeof(T)),
        around_(out != nullptr && in != out && bytes_ >= tuning_in_use().streamed_bytes)
  {
  }

  void run()
  {
    tuning const& sizes = tuning_in_use();
    distances const& step = where_.along.step;
    bool const forward = step.in == 1 && (out_ == nullptr || step.out == 1);
    bool const contiguous = (step.in == 1 || step.in == -1) && (out_ == nullptr || step.out == 1 || step.out == -1);
    int const members = team_size(threads_, bytes_, size_t{1} << 20);
    int const across = size_ == 1 || !contiguous ? dimension_of_columns() : -1;
    if (across >= 0 && sequences_ > 1) {
      by_columns(across, members);
    } else if (sequences_ < 4 * static_cast<std::size_t>(members) && size_ >= sizes.long_sequence) {
      by_all_threads(forward);
    } else if (contiguous && size_ * sizeof(T) <= std::min(sizes.short_bytes, most_short_bytes)) {
      by_blocks(members);
    } else if (forward) {
      by_rows(members);
    } else {
      gathered(members);
    }
  }

private:
  T const* in(distances const& at) const { return in_ + at.in; }
  T* out(distances const& at) const { return out_ == nullptr ? nullptr : out_ + at.out; }
  std::optional<T> initial(distances const& at) const
  {
    return ends_.initials != nullptr ? std::optional<T>(ends_.initials[at.initial]) : ends_.initial;
  }
  T initial_or_identity(distances const& at) const
  {
    return ends_.initials != nullptr ? ends_.initials[at.initial] : ends_.initial.value_or(op_.identity);
  }
  carry begin(distances const& at) const
  {
    auto const value = initial(at);
    return value ? carry(*value) : carry();
  }
  void put_last(distances const& at, T value) const
  {
    if (ends_.lasts != nullptr) ends_.lasts[at.last] = value;
  }
  /// Units that a member draws at a time: some 64 KiB, but at least eight draws a member.
  std::size_t batch_of(std::size_t units, std::size_t unit_bytes, int members) const
  {
    std::size_t const draws = 8 * static_cast<std::size_t>(members);
    return std::max<std::size_t>(1, std::min(units / draws, (std::size_t{64} << 10) / unit_bytes));
  }

  /// The dimension across in which neighbours are neighbours in memory, the outermost one if there are several.
  int dimension_of_columns() const
  {
    for (int d = where_.dimensions; d-- > 0;) {
      dimension const& axis = where_.across[static_cast<std::size_t>(d)];
      if (axis.step.in == 1 && (out_ == nullptr || axis.step.out == 1)) return d;
    }
    return -1;
  }

  // --- Columns

  struct columns {
    std::size_t width;
    distances at;  // of the first one
    distances step;
  };

  /// The state of `width` columns, and their carries where they have more than one tile.
  struct column_state {
    explicit column_state(std::size_t most)
        : stride(rounded(most)),
          stage_size(std::max(order::group<T> * stride, tuning_in_use().staged_bytes / sizeof(T))),
          slots(lane_slot::count * stride + stage_size)
    {
    }
    static std::size_t rounded(std::size_t width)
    {
      return (width + most_lanes<T> - 1) / most_lanes<T> * most_lanes<T>;
    }
    T* slot(std::size_t number) const { return slots.data() + number * stride; }
    T* stage() const { return slot(lane_slot::count); }

    std::size_t stride;
    std::size_t stage_size;
    scratch<T> slots;  // and the stage
    std::vector<carry> carries;
  };

  column_job<T> job_of(columns const& those, column_state const& state, std::size_t k, std::size_t size) const
  {
    column_job<T> job{};
    auto const distance = static_cast<std::ptrdiff_t>(k);
    job.in_step = where_.along.step.in;
    job.out_step = where_.along.step.out;
    job.in = in(those.at) + distance * job.in_step;
    if (out_ != nullptr) job.out = out(those.at) + distance * job.out_step;
    job.width = those.width;
    job.size = size;
    job.state = state.slots.data();
    job.stride = state.stride;
    job.shift = shift_;
    if (around_) {
      // If the step is whole lines, all rows begin where the first one does. Rows of parts of lines that are neighbours
      // go through the cache, where they meet: 100 columns took 0.28 ns an element so, 0.46 by way of a stage, and 0.50
      // without fetching their lines ahead.
      std::ptrdiff_t const step = job.out_step * static_cast<std::ptrdiff_t>(sizeof(T));
      bool const whole_lines = begins_line(job.out) && step % line_bytes == 0;
      bool const narrow = std::abs(step) <= static_cast<std::ptrdiff_t>(tuning_in_use().column_bytes);
      if (whole_lines || !narrow)
        job.to = stores::streaming;
      else
        job.out_ahead = tuning_in_use().columns_ahead;
      if (!whole_lines && !narrow) {
        job.stage = state.stage();
        job.stage_size = state.stage_size;
      }
    }
    job.ahead = tuning_in_use().columns_ahead;
    return job;
  }

  static distances moved(distances at, distances const& step, std::size_t count)
  {
    auto const n = static_cast<std::ptrdiff_t>(count);
    return {at.in + n * step.in, at.out + n * step.out, at.initial + n * step.initial, at.last + n * step.last};
  }

  void scan_block(columns const& those, column_state& state)
  {
    for (std::size_t c = 0; c < those.width; ++c)
      state.slot(lane_slot::carry)[c] = state.slot(lane_slot::previous)[c] =
          initial_or_identity(moved(those.at, those.step, c));
    // Lanes beyond the last sequence work on identities, which no exception or denormal number slows down.
    for (std::size_t c = those.width; c < state.stride; ++c)
      state.slot(lane_slot::carry)[c] = state.slot(lane_slot::previous)[c] = op_.identity;
    std::size_t const part = Op::exactly_associative ? size_ : tile;
    if (size_ > part) {
      state.carries.clear();
      for (std::size_t c = 0; c < those.width; ++c) state.carries.push_back(begin(moved(those.at, those.step, c)));
    }
    for (std::size_t k = 0; k < size_; k += part) {
      kernels_.scan_columns(job_of(those, state, k, std::min(part, size_ - k)));
      if (size_ <= part) break;
      for (std::size_t c = 0; c < those.width; ++c) {
        state.carries[c].push(state.slot(lane_slot::total)[c], op_);
        state.slot(lane_slot::carry)[c] = *state.carries[c].next(op_);
      }
    }
    if (ends_.lasts != nullptr)
      for (std::size_t c = 0; c < those.width; ++c)
        put_last(moved(those.at, those.step, c), state.slot(lane_slot::previous)[c]);
  }

  /// The sequences without the dimension `removed`.
  layout without(int removed) const
  {
    layout rest = where_;
    for (int d = removed; d + 1 < rest.dimensions; ++d)
      rest.across[static_cast<std::size_t>(d)] = rest.across[static_cast<std::size_t>(d + 1)];
    --rest.dimensions;
    return rest;
  }

  void by_columns(int dimension_of_them, int members)
  {
    dimension const axis = where_.across[static_cast<std::size_t>(dimension_of_them)];
    layout const outer = without(dimension_of_them);
    std::size_t const outers = outer.sequences();
    constexpr std::size_t line = line_bytes / sizeof(T);
    // Narrower blocks where there are too few of them for all members, but none that has only parts of lines.
    auto const count = static_cast<std::size_t>(members);
    std::size_t width = std::max<std::size_t>(tuning_in_use().column_bytes / sizeof(T), line);
    std::size_t const least = std::max<std::size_t>(tuning_in_use().least_column_bytes / sizeof(T), line);
    std::size_t const wanted = (count + outers - 1) / outers;  // blocks side by side
    if (axis.extent / width < wanted) width = (axis.extent / wanted + line - 1) / line * line;
    width = std::min(std::max(width, least), axis.extent);
    if (outers * ((axis.extent + width - 1) / width) < count && size_ > 2 * tile) {
      by_rounds(outer, axis, members);
      return;
    }
    detail::took("batch: columns");
    // Blocks begin with a line of the output.
    std::size_t const phase = reinterpret_cast<std::uintptr_t>(out_) % line_bytes / sizeof(T);
    std::size_t const first_width = around_ && phase != 0 ? std::min(axis.extent, width - phase % width) : width;
    std::size_t const blocks = 1 + (axis.extent > first_width ? (axis.extent - first_width + width - 1) / width : 0);
    share_units(outers * blocks, 1, members, [&] {
      return [&, state = column_state(width)](std::size_t first, std::size_t end) mutable {
        for (std::size_t unit = first; unit < end; ++unit) {
          std::size_t const block = unit % blocks;
          std::size_t const c = block == 0 ? 0 : first_width + (block - 1) * width;
          std::size_t const own = block == 0 ? std::min(first_width, axis.extent) : std::min(width, axis.extent - c);
          scan_block({own, moved(outer.place(unit / blocks), axis.step, c), axis.step}, state);
        }
        if (around_) hwy::FlushStream();
      };
    });
  }

  /// Few columns of many tiles: in each round members total tiles, whose carries are folded, and then scan them from
  /// the cache.
  void by_rounds(layout const& outer, dimension const& axis, int members)
  {
    detail::took("batch: few columns, tiles in rounds");
    std::size_t const width = axis.extent;
    std::size_t const tiles = (size_ + tile - 1) / tile;
    std::size_t const tile_bytes = tile * width * sizeof(T);
    std::size_t const round =
        std::min(tiles, std::max(static_cast<std::size_t>(members), tuning_in_use().round_bytes / tile_bytes));
    std::vector<T> totals(round * width), carries(round * width), previous(round * width);
    for (std::size_t s = 0; s < outer.sequences(); ++s) {
      columns const those{width, outer.place(s), axis.step};
      std::vector<carry> before;
      for (std::size_t c = 0; c < width; ++c) before.push_back(begin(moved(those.at, those.step, c)));
      for (std::size_t begin = 0; begin < tiles; begin += round) {
        std::size_t const count = std::min(round, tiles - begin);
        auto const each_tile = [&](auto const& work) {
          share_units(count, 1, members, [&] {
            return [&, state = column_state(width)](std::size_t first, std::size_t end) mutable {
              for (std::size_t i = first; i < end; ++i) {
                std::size_t const k = (begin + i) * tile;
                column_job<T> job = job_of(those, state, k, std::min(tile, size_ - k));
                work(i, job, state);
              }
              if (around_) hwy::FlushStream();
            };
          });
        };
        each_tile([&](std::size_t i, column_job<T>& job, column_state& state) {
          std::fill_n(state.slots.data(), 2 * state.stride, op_.identity);
          job.out = nullptr;
          job.stage = nullptr;
          kernels_.scan_columns(job);
          std::size_t const slot = Op::exactly_associative ? lane_slot::previous : lane_slot::total;
          std::copy_n(state.slot(slot), width, totals.data() + i * width);
        });
        for (std::size_t i = 0; i < count; ++i) {
          for (std::size_t c = 0; c < width; ++c) {
            carries[i * width + c] = before[c].next(op_).value_or(op_.identity);
            previous[i * width + c] = before[c].last().value_or(op_.identity);
            before[c].push(totals[i * width + c], op_);
          }
        }
        if (out_ == nullptr) continue;
        each_tile([&](std::size_t i, column_job<T>& job, column_state& state) {
          std::fill_n(state.slots.data(), 2 * state.stride, op_.identity);
          std::copy_n(carries.data() + i * width, width, state.slot(lane_slot::carry));
          std::copy_n(previous.data() + i * width, width, state.slot(lane_slot::previous));
          job.ahead = 0;
          kernels_.scan_columns(job);
        });
      }
      for (std::size_t c = 0; c < width; ++c) put_last(moved(those.at, those.step, c), *before[c].last());
    }
  }

  // --- Rows

  /// Whether the results of a sequence begin where those of the sequence before end.
  bool dense() const
  {
    return where_.along.step.out == 1 &&
           (where_.dimensions == 0 ||
            (where_.dimensions == 1 && where_.across[0].step.out == static_cast<std::ptrdiff_t>(size_)));
  }

  /// Short contiguous sequences, a block of some KiB after the other.
  void by_blocks(int members)
  {
    detail::took("batch: short rows in blocks");
    std::size_t const in_block = std::clamp<std::size_t>(block_size<T> / size_, 1, most_in_block);
    distances const& step = where_.along.step;
    bool const regular = where_.dimensions <= 1;
    distances const next = regular ? where_.across[0].step : distances{};
    // Rows that are one array are read where they are, but not beyond what no other thread writes to.
    bool const packed = step.in < 0 || !regular || next.in < 0;
    bool const direct = out_ != nullptr && in_ != out_ && dense();
    std::size_t const blocks = (sequences_ + in_block - 1) / in_block;
    share_units(blocks, batch_of(blocks, in_block * size_ * sizeof(T), members), members, [&] {
      struct places {
        places(std::size_t count, std::size_t size, std::ptrdiff_t step)
        {
          for (std::size_t i = 0; i <= count; ++i) to[i] = i * size;
          for (std::size_t i = 0; i < count; ++i) from[i] = i * static_cast<std::size_t>(step);
        }
        std::size_t from[most_in_block];
        std::size_t to[most_in_block + 1];
        distances at[most_in_block];  // where there are several dimensions
        T initials[most_in_block];
        T lasts[most_in_block];
      };
      return [&, own = places(in_block, size_, next.in), shorts = short_blocks<T>(kernels_)](std::size_t first,
                                                                                             std::size_t end) mutable {
        cursor place(where_, first * in_block);
        T* const writable_end = direct ? out_ + std::min(end * in_block, sequences_) * size_ : nullptr;
        for (std::size_t block = first; block < end; ++block) {
          std::size_t const s = block * in_block;
          std::size_t const count = std::min(in_block, sequences_ - s);
          distances const begin = regular ? moved({}, next, s) : place.at();
          if (!regular) {
            for (std::size_t i = 0; i < count; ++i, place.next()) {
              own.at[i] = place.at();
              own.from[i] = static_cast<std::size_t>(own.at[i].in - begin.in);
            }
          }
          auto const place_of = [&](std::size_t i) { return regular ? moved(begin, next, i) : own.at[i]; };
          short_block<T> those{in(begin), own.from, own.to, count};
          those.reversed = step.in < 0;
          those.size = size_;
          those.adjacent = next.in == static_cast<std::ptrdiff_t>(size_);
          if (!packed) {
            std::size_t const last = in_ == out_ ? s + count : sequences_;
            those.readable_end = in_ + static_cast<std::ptrdiff_t>(last - 1) * next.in + size_;
          }
          those.initial = ends_.initial.value_or(op_.identity);
          if (ends_.initials != nullptr) {
            for (std::size_t i = 0; i < count; ++i) own.initials[i] = ends_.initials[place_of(i).initial];
            those.initials = own.initials;
          }
          those.shift = shift_;
          // Neighbours take their last values themselves.
          bool const collected = ends_.lasts != nullptr && !(regular && next.last == 1);
          T* const lasts = collected ? own.lasts : ends_.lasts == nullptr ? nullptr : ends_.lasts + begin.last;
          T* const results = direct ? shorts.scan(those, lasts, out(begin), writable_end) : shorts.scan(those, lasts);
          if (collected)
            for (std::size_t i = 0; i < count; ++i) put_last(place_of(i), own.lasts[i]);
          if (out_ == nullptr || direct) continue;
          if (dense()) {
            std::copy_n(results, count * size_, out(begin));
          } else {
            for (std::size_t i = 0; i < count; ++i) {
              T* const to = out(place_of(i));
              if (step.out > 0)
                std::copy_n(results + i * size_, size_, to);
              else
                std::reverse_copy(results + i * size_, results + (i + 1) * size_, to - (size_ - 1));
            }
          }
        }
      };
    });
  }

  /// Contiguous sequences, one after the other.
  void by_rows(int members)
  {
    detail::took("batch: rows one after the other");
    share_units(sequences_, batch_of(sequences_, size_ * sizeof(T), members), members, [&] {
      return [&](std::size_t first, std::size_t end) {
        cursor place(where_, first);
        for (std::size_t s = first; s < end; ++s, place.next()) {
          distances const& at = place.at();
          carry before = begin(at);
          scan_row(kernels_, op_, in(at), out(at), size_, before, shift_, around_ ? stores::streaming : stores::cached,
                   around_);
          put_last(at, *before.last());
        }
        if (around_) hwy::FlushStream();
      };
    });
  }

  /// Few long sequences.
  void by_all_threads(bool forward)
  {
    detail::took(forward ? "batch: all threads on each row" : "batch: all threads on each strided sequence");
    cursor place(where_, 0);
    for (std::size_t s = 0; s < sequences_; ++s, place.next()) {
      distances const& at = place.at();
      carry before = begin(at);
      if (forward) {
        if (out_ == nullptr)
          reduce_by_kernels(kernels_, in(at), size_, before, op_, threads_);
        else
          scan_by_kernels(kernels_, in(at), out(at), size_, before, op_, shift_, threads_);
      } else {
        scan_strided(kernels_, op_, in(at), where_.along.step.in, out(at), where_.along.step.out, size_, before, shift_,
                     threads_);
      }
      put_last(at, *before.last());
    }
  }

  /// Sequences at any distances: a vector of them is copied a row at a time, to be columns.
  void gathered(int members)
  {
    detail::took("batch: gathered");
    std::size_t const lanes = kernels_.lanes;
    constexpr std::size_t part = order::row<T>;
    std::size_t const sets = (sequences_ + lanes - 1) / lanes;
    share_units(sets, batch_of(sets, lanes * size_ * sizeof(T), members), members, [&] {
      return [&, values = scratch<T>(part * lanes), state = column_state(lanes)](std::size_t first,
                                                                                 std::size_t end) mutable {
        cursor place(where_, first * lanes);
        std::fill_n(values.data(), part * lanes, op_.identity);
        for (std::size_t set = first; set < end; ++set) {
          distances at[most_lanes<T>];
          std::size_t const count = std::min(lanes, sequences_ - set * lanes);
          for (std::size_t c = 0; c < count; ++c, place.next()) at[c] = place.at();
          gather_set(at, count, values.data(), state);
        }
      };
    });
  }

  void gather_set(distances const* at, std::size_t count, T* values, column_state& state)
  {
    std::size_t const lanes = kernels_.lanes;
    constexpr std::size_t part = order::row<T>;
    std::fill_n(state.slots.data(), 2 * state.stride, op_.identity);
    state.carries.clear();
    for (std::size_t c = 0; c < count; ++c) {
      state.slot(lane_slot::carry)[c] = state.slot(lane_slot::previous)[c] = initial_or_identity(at[c]);
      state.carries.push_back(begin(at[c]));
    }
    for (std::size_t k = 0; k < size_; k += part) {
      std::size_t const size = std::min(part, size_ - k);
      for_each_place(
          at, count, k, size, where_.along.step.in, [](distances const& d) { return d.in; },
          [&](std::size_t i, std::size_t c, std::ptrdiff_t place) { values[i * lanes + c] = in_[place]; });
      column_job<T> job{};
      job.in = values;
      job.out = out_ == nullptr ? nullptr : values;
      job.in_step = job.out_step = static_cast<std::ptrdiff_t>(lanes);
      job.width = lanes;
      job.first = k % tile;
      job.size = size;
      job.state = state.slots.data();
      job.stride = state.stride;
      job.shift = shift_;
      kernels_.scan_columns(job);
      if (out_ != nullptr)
        for_each_place(
            at, count, k, size, where_.along.step.out, [](distances const& d) { return d.out; },
            [&](std::size_t i, std::size_t c, std::ptrdiff_t place) { out_[place] = values[i * lanes + c]; });
      if (!Op::exactly_associative && (k + part) % tile == 0 && k + part < size_) {
        for (std::size_t c = 0; c < count; ++c) {
          state.carries[c].push(state.slot(lane_slot::total)[c], op_);
          state.slot(lane_slot::carry)[c] = *state.carries[c].next(op_);
        }
      }
    }
    for (std::size_t c = 0; c < count; ++c) put_last(at[c], state.slot(lane_slot::previous)[c]);
  }

  /// Calls visit(i, c, place of element k + i of sequence c), whichever neighbours are nearer to each other first.
  template <class Place, class Visit>
  static void for_each_place(distances const* at, std::size_t count, std::size_t k, std::size_t size,
                             std::ptrdiff_t step, Place const& place, Visit const& visit)
  {
    std::ptrdiff_t const across = count > 1 ? place(at[1]) - place(at[0]) : 0;
    auto const begin = static_cast<std::ptrdiff_t>(k) * step;
    if (count > 1 && (across < 0 ? -across : across) < (step < 0 ? -step : step)) {
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t c = 0; c < count; ++c)
          visit(i, c, place(at[c]) + begin + static_cast<std::ptrdiff_t>(i) * step);
    } else {
      for (std::size_t c = 0; c < count; ++c)
        for (std::size_t i = 0; i < size; ++i)
          visit(i, c, place(at[c]) + begin + static_cast<std::ptrdiff_t>(i) * step);
    }
  }

  tile_kernels<T> const& kernels_;
  layout const& where_;
  T const* in_;
  T* out_;
  ends<T> const& ends_;
  Op op_;
  direction shift_;
  int threads_;
  std::size_t size_;
  std::size_t sequences_;
  std::size_t bytes_;
  bool around_;  // whether the results are written around the cache
};

}  // namespace

template <class T, class Op>
void scan_sequences_by_kernels(tile_kernels<T> const& kernels, layout const& where, T const* in, T* out,
                               ends<T> const& given, Op op, direction shift, int threads)
{
  sequences_call<T, Op>(kernels, where, in, out, given, op, shift, threads).run();
}

#define TALLY_INSTANTIATE(T, Wide, Exact)                                                                              \
  template void scan_sequences_by_kernels(tile_kernels<T> const&, layout const&, T const*, T*, ends<T> const&,         \
                                          operator_by_pointer<T, Wide, Exact>, direction, int);
TALLY_FOR_EACH_OPERATOR_BY_POINTER(TALLY_INSTANTIATE)

}  // namespace tally::cpu_backend
