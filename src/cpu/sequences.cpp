#include "tally/detail/cpu/sequences.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <hwy/cache_control.h>

#include "src/cpu/batch_parts.hpp"
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

/// Writes a contiguous output around the cache, whose pieces are results of jobs: the lines of one are written while
/// the next is computed.
template <class T>
class staged_writer {
public:
  staged_writer(tile_kernels<T> const& kernels, std::size_t most)
      : kernels_(kernels),
        size_(most * sizeof(T) + 2 * line_bytes),
        memory_(2 * ((size_ + line_bytes - 1) / line_bytes * line_bytes))
  {
    size_ = (size_ + line_bytes - 1) / line_bytes * line_bytes;
  }

  void begin(T* out)
  {
    out_ = reinterpret_cast<char*>(out);
    first_ = phase() != 0;
    waiting_ = {};
  }
  /// The place for the results of the next job: as far from the beginning of a line as the output.
  T* place() { return reinterpret_cast<T*>(half() + phase()); }
  lines_to_write* written_along() { return &waiting_; }

  /// The job wrote `count` results.
  void filled(std::size_t count)
  {
    write_rest();
    std::size_t const bytes = count * sizeof(T);
    std::size_t const from = phase();
    char* const line = out_ - from;
    std::size_t begin = 0;
    if (first_ && from != 0) {
      // The first line belongs in part to results that another thread may be writing.
      std::memcpy(out_, half() + from, std::min(bytes, line_bytes - from));
      begin = std::min(from + bytes, line_bytes);
    }
    std::size_t const whole = (from + bytes) / line_bytes * line_bytes;
    if (whole >= line_bytes) {
      if (begin < whole) waiting_ = {half() + begin, line + begin, (whole - begin) / line_bytes};
      first_ = false;
    }
    // A line that is not complete goes on in the other half; it is written now only if it began before this thread.
    char const* const rest = half() + whole;
    rest_ = from + bytes - whole;
    half_ = 1 - half_;
    std::memcpy(half(), rest, rest_);
    out_ += bytes;
  }
  void end()
  {
    write_rest();
    if (rest_ > 0 && !first_) std::memcpy(out_ - rest_, half(), rest_);
    rest_ = 0;
  }

private:
  std::size_t phase() const { return reinterpret_cast<std::uintptr_t>(out_) % line_bytes; }
  char* half() { return memory_.data() + half_ * size_; }
  void write_rest()
  {
    if (waiting_.lines > 0)
      kernels_.copy_around_cache(reinterpret_cast<T const*>(waiting_.from), reinterpret_cast<T*>(waiting_.to),
                                 waiting_.lines * line_bytes / sizeof(T));
    waiting_ = {};
  }

  tile_kernels<T> const& kernels_;
  std::size_t size_;  // of half of the memory
  scratch<char> memory_;
  int half_ = 0;
  char* out_ = nullptr;  // where the next results belong
  std::size_t rest_ = 0;
  bool first_ = false;  // the first line is shared, and not complete yet
  lines_to_write waiting_;
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
    } else if (contiguous && size_ * sizeof(T) <= std::min(sizes.side_by_side_bytes, tile * sizeof(T))) {
      side_by_side(members);
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
      job.to = stores::streaming;
      // If the step is whole lines, all rows begin where the first one does.
      if (!begins_line(job.out) || job.out_step * static_cast<std::ptrdiff_t>(sizeof(T)) % line_bytes != 0) {
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
    return where_.along.step.out == 1 && where_.dimensions == 1 &&
           where_.across[0].step.out == static_cast<std::ptrdiff_t>(size_);
  }

  /// Short contiguous sequences, one a lane.
  void side_by_side(int members)
  {
    detail::took("batch: short rows side by side");
    std::size_t const lanes = kernels_.lanes;
    std::size_t const set_size = lanes * size_;
    std::size_t const sets = (sequences_ + lanes - 1) / lanes;
    bool const staged = around_ && dense();
    bool const large = bytes_ >= tuning_in_use().streamed_bytes && where_.along.step.in == 1;
    // Sets at equal distances are one job.
    std::size_t const most =
        where_.dimensions > 1 ? 1 : std::max<std::size_t>(1, tuning_in_use().staged_bytes / (set_size * sizeof(T)));
    std::size_t const batch = std::max(most, batch_of(sets, set_size * sizeof(T), members));
    share_units(sets, batch, members, [&] {
      return [&, writer = staged_writer<T>(kernels_, staged ? most * set_size : 0),
              lasts = scratch<T>(most * lanes)](std::size_t first, std::size_t end) mutable {
        cursor place(where_, first * lanes);
        if (staged) writer.begin(out_ + first * set_size);
        for (std::size_t set = first; set < end;) {
          // The last set has missing sequences, and is a job by itself.
          std::size_t const whole = std::min({most, end - set, sequences_ / lanes - set});
          std::size_t const count = whole > 0 ? lanes : sequences_ - set * lanes;
          std::size_t const sets_now = whole > 0 ? whole : 1;
          distances at[most_lanes<T>];
          T const* in_of[most_lanes<T>];
          T* out_of[most_lanes<T>];
          std::size_t sizes[most_lanes<T>] = {};
          T initials[most_lanes<T>];
          T* const stage = staged ? writer.place() : nullptr;
          for (std::size_t c = 0; c < count; ++c) {
            at[c] = place.at();
            place.next();
            in_of[c] = in(at[c]);
            out_of[c] = staged ? stage + c * size_ : out(at[c]);
            sizes[c] = size_;
          }
          std::fill(in_of + count, in_of + lanes, in_of[0]);
          std::fill(out_of + count, out_of + lanes, out_of[0]);
          std::fill_n(initials, lanes, ends_.initial.value_or(op_.identity));
          row_set_job<T> job{in_of,        out_ == nullptr ? nullptr : out_of, sizes, initials,
                             lasts.data(), count == lanes ? size_ : 0,         size_};
          job.in_reversed = where_.along.step.in < 0;
          job.out_reversed = where_.along.step.out < 0;
          job.shift = shift_;
          std::size_t done = sets_now;
          if (where_.dimensions == 1) {
            auto const step = static_cast<std::ptrdiff_t>(lanes);
            job.in_next = where_.across[0].step.in * step;
            job.out_next = staged ? static_cast<std::ptrdiff_t>(set_size) : where_.across[0].step.out * step;
            if (large) job.ahead = in_of[0] + tuning_in_use().rows_ahead_bytes / sizeof(T);
          }
          if (ends_.initials != nullptr) {
            for (std::size_t c = 0; c < count; ++c) initials[c] = ends_.initials[at[c].initial];
            done = 1;
          }
          job.sets = done;
          if (staged) job.written_along = writer.written_along();
          kernels_.scan_row_set(job);
          if (staged) writer.filled((done - 1) * set_size + count * size_);
          if (ends_.lasts != nullptr)
            for (std::size_t i = 0; i < done; ++i)
              for (std::size_t c = 0; c < count; ++c)
                ends_.lasts[i == 0 ? at[c].last
                                   : at[c].last + where_.across[0].step.last * static_cast<std::ptrdiff_t>(i * lanes)] =
                    lasts.data()[i * lanes + c];
          set += done;
          if (done > 1) place = cursor(where_, set * lanes);
        }
        if (staged) writer.end();
        if (around_) hwy::FlushStream();
      };
    });
  }

  /// Contiguous sequences, one after the other.
  void by_rows(int members)
  {
    detail::took("batch: rows one after the other");
    // Where a row ends within a line of memory, several are collected to be written around the cache as one.
    bool const staged = around_ && dense() && size_ * sizeof(T) % line_bytes != 0 &&
                        2 * size_ * sizeof(T) <= tuning_in_use().staged_bytes;
    std::size_t const rows_staged = staged ? tuning_in_use().staged_bytes / (size_ * sizeof(T)) : 1;
    share_units(sequences_, std::max(rows_staged, batch_of(sequences_, size_ * sizeof(T), members)), members, [&] {
      return [&, stage = scratch<T>(staged ? rows_staged * size_ : 1)](std::size_t first, std::size_t end) {
        cursor place(where_, first);
        std::size_t in_stage = 0;
        for (std::size_t s = first; s < end; ++s, place.next()) {
          distances const& at = place.at();
          carry before = begin(at);
          T* const results = staged ? stage.data() + in_stage * size_ : out(at);
          scan_row(kernels_, op_, in(at), out_ == nullptr ? nullptr : results, size_, before, shift_,
                   around_ && !staged ? stores::streaming : stores::cached, around_);
          put_last(at, *before.last());
          if (staged && (++in_stage == rows_staged || s + 1 == end)) {
            kernels_.copy_around_cache(stage.data(), out(at) - (in_stage - 1) * size_, in_stage * size_);
            in_stage = 0;
          }
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
