#include "src/cpu/recurrence/narrow.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

#include "src/cpu/batch_parts.hpp"
#include "src/cpu/recurrence/blocks.hpp"
#include "src/cpu/recurrence/plain_loop.hpp"
#include "src/cpu/turns.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/half.hpp"
#include "tally/order.hpp"

/// Recurrences of half and bfloat16. Lanes have recurrences side by side, segments, or tiles of one that follow each
/// other, and go through a tile some rows of the order at a time: these are widened, run as columns of floats, and
/// rounded.
namespace tally::cpu_backend {

namespace {

using detail::batch::dimension;
using detail::batch::distances;
using detail::batch::layout;
using detail::recurrence::steps_in_turn;

/// The most blocks of lanes that are run together.
constexpr std::size_t most_narrow_blocks = 8;

/// Where the elements and results of up to `narrow_lanes` lanes lie.
template <class S>
struct lanes_in_memory {
  narrow_elements<S const> a, b;
  narrow_elements<S> out;

  /// Lets the lanes begin so many steps later.
  void move(std::ptrdiff_t steps)
  {
    auto const go_on = [steps](auto& elements) {
      for (auto*& at : elements.at) at += steps * elements.step;
    };
    go_on(a);
    go_on(b);
    go_on(out);
  }
};

/// Elements at regular places.
template <class S>
narrow_elements<S> elements_at(S* first, std::ptrdiff_t step, std::ptrdiff_t across, std::size_t width)
{
  narrow_elements<S> those{{}, step, width, across == 1};
  for (std::size_t c = 0; c < narrow_lanes; ++c)
    those.at[c] = first + static_cast<std::ptrdiff_t>(std::min(c, width - 1)) * across;
  return those;
}

/// The lanes from the place `first` on, `across` from each other.
template <class S>
lanes_in_memory<S> lanes_at(recurrences_in_memory<S> const& call, distances const& first, distances const& across,
                            std::size_t width)
{
  distances const& along = call.where.along.step;
  return {elements_at(call.a + first.coefficients, along.coefficients, across.coefficients, width),
          elements_at(call.b + first.in, along.in, across.in, width),
          elements_at(call.out + first.out, along.out, across.out, width)};
}

/// Steps that are widened at a time: some rows of the order.
template <class S>
constexpr std::size_t narrow_part = 2 * order::row<affine<S>>;

/// The widened elements of a part, and its results in the place of the terms: those of one thread.
template <class S>
struct narrow_room {
  scratch<float> a{narrow_part<S> * narrow_lanes}, b{narrow_part<S> * narrow_lanes};
};

/// The state of lanes.
template <class S>
class narrow_block {
public:
  static constexpr std::size_t tile = order::tile<affine<S>>, part = narrow_part<S>;
  static_assert(tile % part == 0);
  using carry = order::carry<affine<S>, steps_in_turn>;

  narrow_block() : state_(recurrence_slot::count * narrow_lanes)
  {
    std::fill_n(state_.data(), recurrence_slot::count * narrow_lanes, 0.0f);
  }

  /// Begins with lanes that have no result yet.
  void begin() { std::fill_n(bad_, narrow_lanes, finite); }
  float& carry_of(std::size_t lane) { return slot(recurrence_slot::carry)[lane]; }
  /// The total of a lane's tile that was run or totalled, a whole one.
  affine<float> total_of(std::size_t lane) const
  {
    return {slot(recurrence_slot::total)[lane], slot(recurrence_slot::total + 1)[lane]};
  }
  /// The step of a lane's first result that is not finite, as its tiles were numbered; `finite` if there is none.
  std::size_t bad(std::size_t lane) const { return bad_[lane]; }

  /// Runs the part from step `begin` on of a tile of `size` steps, whose first is number `first`, on top of the
  /// carries. From a lane's first result on that is not finite nothing is stored.
  void run_part(lanes_in_memory<S> const& tile_of_lanes, std::size_t first, std::size_t begin, std::size_t size,
                narrow_room<S>& room)
  {
    recurrence_columns_job<float> job = job_of_part(tile_of_lanes, begin, size, room);
    narrow_elements<S> const& out = tile_of_lanes.out;
    job.out = room.b.data();
    job.first = first + begin;
    kernels_.columns(job);
    bool const all = std::all_of(bad_, bad_ + out.width, [](std::size_t step) { return step == finite; }) &&
                     kernels_.are_finite(room.b.data(), job.size * narrow_lanes);
    if (all)
      kernels_.narrow(room.b.data(), out, begin, job.size);
    else
      store_finite(room.b.data(), out, first, begin, job.size);
  }
  /// Runs a tile.
  void run(lanes_in_memory<S> const& those, std::size_t first, std::size_t size, narrow_room<S>& room)
  {
    for (std::size_t k = 0; k < size; k += part) run_part(those, first, k, size, room);
  }
  /// Totals a part of a whole tile.
  void total_part(lanes_in_memory<S> const& tile_of_lanes, std::size_t begin, narrow_room<S>& room)
  {
    kernels_.columns(job_of_part(tile_of_lanes, begin, tile, room));
  }

private:
  float* slot(std::size_t number) const { return state_.data() + number * narrow_lanes; }

  /// Widens a part, of which no results are wanted yet.
  recurrence_columns_job<float> job_of_part(lanes_in_memory<S> const& tile_of_lanes, std::size_t begin,
                                            std::size_t size, narrow_room<S>& room)
  {
    recurrence_columns_job<float> job{};
    job.begin = begin;
    job.size = std::min(part, size - begin);
    job.ends_tile = begin + job.size == size;
    kernels_.widen(tile_of_lanes.a, begin, job.size, room.a.data());
    kernels_.widen(tile_of_lanes.b, begin, job.size, room.b.data());
    job.a = room.a.data();
    job.b = room.b.data();
    job.a_step = job.b_step = job.out_step = narrow_lanes;
    job.a_across = true;
    job.width = job.stride = narrow_lanes;
    job.state = state_.data();
    job.bad = bad_;
    job.to = stores::cached;
    return job;
  }

  /// Stores the results of steps [begin, begin + size) of a tile before each lane's first one that is not finite. The
  /// tile's first step is number `first`.
  void store_finite(float const* results, narrow_elements<S> const& to, std::size_t first, std::size_t begin,
                    std::size_t size)
  {
    for (std::size_t c = 0; c < to.width; ++c) {
      std::size_t const end = to.sizes == nullptr ? begin + size : std::min(begin + size, to.sizes[c]);
      for (std::size_t k = begin; k < end && first + k < bad_[c]; ++k) {
        auto const y = static_cast<S>(results[(k - begin) * narrow_lanes + c]);
        if (detail::recurrence::is_finite(y))
          at(to.at[c], k, to.step) = y;
        else
          bad_[c] = first + k;
      }
    }
  }

  narrow_recurrence_kernels<S> const& kernels_ = kernels_of_narrow_recurrences<S>();
  scratch<float> state_;
  std::size_t bad_[narrow_lanes];
};

/// One thread's state of recurrences side by side, in up to so many blocks of lanes. All go through a part before any
/// goes on, since neighbours in memory share lines.
template <class S>
class narrow_blocks {
public:
  static constexpr std::size_t tile = narrow_block<S>::tile;
  /// For each recurrence its state before the next tile, as the order has it.
  using carries = std::vector<typename narrow_block<S>::carry>;

  /// Recurrences are `across` from each other.
  narrow_blocks(recurrences_in_memory<S> const& call, distances const& across, std::size_t most)
      : call_(&call),
        across_(across),
        blocks_(most)
  {
  }

  void begin(distances const& first, std::size_t width)
  {
    place_ = first;
    width_ = width;
    at_ = 0;
    lanes_.clear();
    for (std::size_t c = 0; c < width; c += narrow_lanes) {
      lanes_.push_back(lanes_at(*call_, moved(first, across_, c), across_, std::min(narrow_lanes, width - c)));
      blocks_[c / narrow_lanes].begin();
    }
  }
  void take_befores()
  {
    for (std::size_t c = 0; c < width_; ++c) carry_of(c) = static_cast<float>(one(c).before());
  }
  carries first_carries() const
  {
    carries all;
    for (std::size_t c = 0; c < width_; ++c)
      all.emplace_back(detail::recurrence::beginning_with(static_cast<float>(one(c).before())));
    return all;
  }
  void take_carries(carries const& upto)
  {
    for (std::size_t c = 0; c < width_; ++c) carry_of(c) = upto[c].next(op_)->offset;
  }
  /// Adds the totals of the tile that was run or totalled, a whole one.
  void add_totals(carries& upto)
  {
    for (std::size_t c = 0; c < width_; ++c) upto[c].push(blocks_[c / narrow_lanes].total_of(c % narrow_lanes), op_);
  }
  /// Runs the tile from step k on. Its carries are there.
  void run_tile(std::size_t k)
  {
    std::size_t const of_tile = std::min(tile, size() - k);
    go_to(k);
    for (std::size_t begin = 0; begin < of_tile; begin += narrow_part<S>)
      for (std::size_t i = 0; i < lanes_.size(); ++i) blocks_[i].run_part(lanes_[i], k, begin, of_tile, room_);
  }
  /// Totals it; it is a whole one.
  void total_tile(std::size_t k)
  {
    go_to(k);
    for (std::size_t begin = 0; begin < tile; begin += narrow_part<S>)
      for (std::size_t i = 0; i < lanes_.size(); ++i) blocks_[i].total_part(lanes_[i], begin, room_);
  }
  /// The step of each recurrence's first result that is not finite in the tiles that were run; else `finite`.
  std::vector<std::size_t> bad() const
  {
    std::vector<std::size_t> all(width_);
    for (std::size_t c = 0; c < width_; ++c) all[c] = blocks_[c / narrow_lanes].bad(c % narrow_lanes);
    return all;
  }
  /// Goes on with the plain loop where results are not finite, and puts the last states. All tiles have been run.
  void end(std::vector<std::size_t> const& bad)
  {
    for (std::size_t c = 0; c < width_; ++c) one(c).end(bad[c]);
  }
  void finish() const {}

private:
  std::size_t size() const { return call_->where.along.extent; }
  /// Lets the lanes begin with step k.
  void go_to(std::size_t k)
  {
    if (k == at_) return;
    for (lanes_in_memory<S>& lanes : lanes_)
      lanes.move(static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(at_));
    at_ = k;
  }
  recurrence_of_call<S> one(std::size_t c) const { return {*call_, moved(place_, across_, c)}; }
  float& carry_of(std::size_t c) { return blocks_[c / narrow_lanes].carry_of(c % narrow_lanes); }

  recurrences_in_memory<S> const* call_;
  distances across_;
  std::vector<narrow_block<S>> blocks_;
  narrow_room<S> room_;
  steps_in_turn op_;
  distances place_{};
  std::size_t width_ = 0;
  std::vector<lanes_in_memory<S>> lanes_;
  std::size_t at_ = 0;  // the step with which they begin
};

/// Runs one long recurrence with a tile in each lane. Members draw groups of tiles, total them, and in their turn fold
/// the carries. Not in place, as a tile is run before it is known whether those before it have results that are not
/// finite.
template <class S>
void run_tile_by_lane(recurrences_in_memory<S> const& call, distances const& first, int members)
{
  using block = narrow_block<S>;
  constexpr std::size_t tile = block::tile;
  std::size_t const size = call.where.along.extent, tiles = size / tile, groups = tiles / narrow_lanes + 1;
  recurrence_of_call<S> const own(call, first);
  distances next_tile{};
  next_tile.move(call.where.along.step, static_cast<std::ptrdiff_t>(tile));
  steps_in_turn op;
  typename block::carry upto(detail::recurrence::beginning_with(static_cast<float>(own.before())));
  std::mutex joining;  // guards `bad`
  std::size_t bad = finite;
  turns shared(groups, members);
  auto body = [&](int) {
    block lanes;
    narrow_room<S> room;
    for (std::size_t g; shared.draw(g);) {
      // The last group has the whole tiles that are left, and the rest of the last one.
      std::size_t const begin = g * narrow_lanes, width = std::min(narrow_lanes, tiles - begin);
      bool const is_last = g + 1 == groups;
      lanes_in_memory<S> const those =
          lanes_at(call, moved(first, next_tile, begin), next_tile, std::max<std::size_t>(width, 1));
      for (std::size_t k = 0; k < tile && width > 0; k += narrow_part<S>) lanes.total_part(those, k, room);
      float carries[narrow_lanes + 1];
      shared.wait_for(g);
      for (std::size_t c = 0; c < width; ++c) {
        carries[c] = upto.next(op)->offset;
        upto.push(lanes.total_of(c), op);
      }
      carries[width] = upto.next(op)->offset;
      shared.end(g);
      std::size_t first_bad = finite;
      auto const run = [&](lanes_in_memory<S> const& tiles_of_lanes, std::size_t tile_number, std::size_t count,
                           float const* befores, std::size_t steps) {
        lanes.begin();
        for (std::size_t c = 0; c < count; ++c) lanes.carry_of(c) = befores[c];
        lanes.run(tiles_of_lanes, 0, steps, room);
        for (std::size_t c = 0; c < count; ++c)
          if (lanes.bad(c) != finite) first_bad = std::min(first_bad, (tile_number + c) * tile + lanes.bad(c));
      };
      if (width > 0) run(those, begin, width, carries, tile);
      if (is_last && size % tile != 0)
        run(lanes_at(call, moved(first, next_tile, tiles), next_tile, 1), tiles, 1, carries + width, size % tile);
      std::scoped_lock const lock(joining);
      bad = std::min(bad, first_bad);
    }
  };
  run_team(members, body);
  own.end(bad);
}

/// Runs up to `narrow_lanes` recurrences of any sizes.
template <class S>
void run_some_lanes(recurrence_lane<S>* of, std::size_t count, std::ptrdiff_t step, bool repeats_a,
                    narrow_block<S>& block, narrow_room<S>& room)
{
  std::size_t sizes[narrow_lanes] = {};
  lanes_in_memory<S> those{{{}, repeats_a ? 0 : step, count, false, repeats_a ? nullptr : sizes},
                           {{}, step, count, false, sizes},
                           {{}, step, count, false, sizes}};
  block.begin();
  std::size_t longest = 0;
  for (std::size_t c = 0; c < narrow_lanes; ++c) {
    recurrence_lane<S> const& own = of[std::min(c, count - 1)];
    those.a.at[c] = own.a;
    those.b.at[c] = own.b;
    those.out.at[c] = own.out;
    sizes[c] = c < count ? own.size : 0;
    block.carry_of(c) = static_cast<float>(own.before);
    longest = std::max(longest, sizes[c]);
  }
  for (std::size_t k = 0; k < longest; k += narrow_part<S>) block.run_part(those, 0, k, longest, room);
  for (std::size_t c = 0; c < count; ++c) {
    recurrence_lane<S>& own = of[c];
    own.last = block.bad(c) >= own.size ? at(own.out, own.size - 1, step)
                                        : go_on(recurrence_in_memory<S>{own.a, repeats_a ? 0 : step, own.b, step,
                                                                        own.out, step, own.size, own.before, false, 1},
                                                block.bad(c));
  }
}

/// The dimension whose sequences lanes have: neighbours in memory, or as many as possible. -1: none has enough.
inline int dimension_of_lanes(layout const& where)
{
  constexpr std::size_t least = 4;
  int found = -1;
  for (int d = where.dimensions; d-- > 0;) {
    dimension const& axis = where.across[d];
    if (axis.extent < least) continue;
    if (axis.step.in == 1 && axis.step.out == 1) return d;
    if (found < 0 || axis.extent > where.across[found].extent) found = d;
  }
  return found;
}

}  // namespace

template <class S>
bool recur_narrow_by_kernels(recurrences_in_memory<S> const& given)
{
  std::size_t const size = given.where.along.extent, all = given.where.sequences() * size;
  tuning const& sizes = tuning_in_use();
  int const members = team_size(given.threads, 3 * all * sizeof(S), std::size_t{1} << 20);
  bool const in_place = given.out == given.a || given.out == given.b;
  if (int const d = dimension_of_lanes(given.where); d >= 0) {
    detail::took("recurrence: two-byte elements, side by side");
    dimension const axis = given.where.across[d];
    layout const outer = without(given.where, static_cast<std::size_t>(d));
    std::size_t const blocks = (axis.extent + narrow_lanes - 1) / narrow_lanes, outers = outer.sequences();
    // Blocks in a unit: as many as there are for each thread.
    std::size_t const in_unit = std::clamp<std::size_t>(outers * blocks / static_cast<std::size_t>(members), 1,
                                                        std::min(blocks, most_narrow_blocks));
    std::size_t const width = in_unit * narrow_lanes, units = (axis.extent + width - 1) / width;
    auto const place = [&](std::size_t unit) {
      return moved(outer.place(unit / units), axis.step, unit % units * width);
    };
    auto const width_of = [&](std::size_t unit) { return std::min(width, axis.extent - unit % units * width); };
    if (!in_place && outers * units < static_cast<std::size_t>(members) && size > 2 * narrow_block<S>::tile) {
      detail::took("recurrence: two-byte elements, tiles in turns");
      for (std::size_t unit = 0; unit < outers * units; ++unit)
        recur_in_turns(size, members, [&] {
          narrow_blocks<S> block(given, axis.step, in_unit);
          block.begin(place(unit), width_of(unit));
          return block;
        });
      return true;
    }
    share_units(outers * units, 1, members, [&] {
      return [&, own = narrow_blocks<S>(given, axis.step, in_unit)](std::size_t first, std::size_t end) mutable {
        for (std::size_t unit = first; unit < end; ++unit) {
          own.begin(place(unit), width_of(unit));
          recur_tile_by_tile(size, own);
        }
      };
    });
    return true;
  }
  if (in_place || size < sizes.least_narrow_tiles * narrow_block<S>::tile) return false;
  detail::took("recurrence: two-byte elements, a tile in each lane");
  for (std::size_t s = 0; s < given.where.sequences(); ++s) run_tile_by_lane(given, given.where.place(s), members);
  return true;
}

template <class S>
void run_narrow_lanes(recurrence_lane<S>* of, std::size_t count, std::ptrdiff_t step, bool repeats_a)
{
  detail::took("recurrence: two-byte elements, segments in lanes");
  narrow_block<S> block;
  narrow_room<S> room;
  for (std::size_t i = 0; i < count; i += narrow_lanes)
    run_some_lanes(of + i, std::min(narrow_lanes, count - i), step, repeats_a, block, room);
}

#ifndef TALLY_HEADER_ONLY  // which instantiates what the program uses
template bool recur_narrow_by_kernels(recurrences_in_memory<half> const&);
template bool recur_narrow_by_kernels(recurrences_in_memory<bfloat16> const&);
template void run_narrow_lanes(recurrence_lane<half>*, std::size_t, std::ptrdiff_t, bool);
template void run_narrow_lanes(recurrence_lane<bfloat16>*, std::size_t, std::ptrdiff_t, bool);
#endif

}  // namespace tally::cpu_backend
