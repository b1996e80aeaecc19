#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <hwy/cache_control.h>

#include "src/cpu/batch_parts.hpp"
#include "src/cpu/recurrence/blocks.hpp"
#include "src/cpu/recurrence/plain_loop.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/order.hpp"

/// Recurrences whose elements of one index are neighbours in memory, a block of them after the other.
namespace tally::cpu_backend {

namespace {

using detail::batch::dimension;
using detail::batch::distances;
using detail::batch::layout;
using detail::recurrence::steps_in_turn;

/// How all recurrences of a call are run.
struct manner {
  bool around;  ///< whether results may be written around the cache
  bool ahead;   ///< whether to fetch ahead
};

/// One thread's state of at most so many recurrences side by side.
template <class T>
class block_of_recurrences {
  using W = working_type<T>;

public:
  static constexpr std::size_t tile = order::tile<affine<T>>;
  /// For each recurrence its state before the next tile, as the order has it.
  using carries = std::vector<order::carry<affine<T>, steps_in_turn>>;

  block_of_recurrences(recurrences_in_memory<T> const& call, dimension const& axis, std::size_t most, manner how)
      : call_(call),
        axis_(axis),
        how_(how),
        stride_((most + most_lanes<W> - 1) / most_lanes<W> * most_lanes<W>),
        state_(recurrence_slot::count * stride_),
        bad_(most, finite)
  {
    std::fill_n(state_.data(), recurrence_slot::count * stride_, W(0));
  }

  /// Begins `width` of them from the place `first` on.
  void begin(distances const& first, std::size_t width)
  {
    place_ = first;
    width_ = width;
    if (has_bad_) std::fill(bad_.begin(), bad_.end(), finite);
    has_bad_ = false;
  }
  void take_befores()
  {
    W* const befores = slot(recurrence_slot::carry);
    if (call_.given.initials == nullptr)
      std::fill_n(befores, width_, static_cast<W>(*call_.given.initial));
    else
      for (std::size_t c = 0; c < width_; ++c) befores[c] = static_cast<W>(one(c).before());
  }
  carries first_carries() const
  {
    carries all;
    for (std::size_t c = 0; c < width_; ++c)
      all.emplace_back(detail::recurrence::beginning_with(static_cast<W>(one(c).before())));
    return all;
  }
  void take_carries(carries const& upto)
  {
    for (std::size_t c = 0; c < width_; ++c) slot(recurrence_slot::carry)[c] = upto[c].next(op_)->offset;
  }
  /// Adds the totals of the tile that was run or totalled, a whole one.
  void add_totals(carries& upto)
  {
    for (std::size_t c = 0; c < width_; ++c)
      upto[c].push({slot(recurrence_slot::total)[c], slot(recurrence_slot::total + 1)[c]}, op_);
  }
  /// Runs the tile from step k on. Its carries are there.
  void run_tile(std::size_t k) { has_bad_ = kernels_.columns(job_of_tile(k)); }
  /// Totals it; it is a whole one.
  void total_tile(std::size_t k)
  {
    recurrence_columns_job<T> job = job_of_tile(k);
    job.out = nullptr;
    kernels_.columns(job);
  }
  /// The step of each recurrence's first result that is not finite in the tiles that were run; else `finite`.
  std::vector<std::size_t> const& bad() const { return bad_; }
  /// Goes on with the plain loop where results are not finite, and puts the last states. All tiles have been run.
  void end(std::vector<std::size_t> const& bad)
  {
    for (std::size_t c = 0; c < width_; ++c) one(c).end(bad[c]);
  }
  /// The same where this block has run all tiles.
  void end()
  {
    if (has_bad_ || call_.given.lasts != nullptr) end(bad_);
  }
  /// Behind the thread's last tile.
  void finish() const
  {
    if (how_.around) hwy::FlushStream();
  }

private:
  W* slot(std::size_t number) const { return state_.data() + number * stride_; }
  recurrence_of_call<T> one(std::size_t c) const { return {call_, moved(place_, axis_.step, c)}; }

  recurrence_columns_job<T> job_of_tile(std::size_t k)
  {
    distances const& along = call_.where.along.step;
    distances const from = moved(place_, along, k);
    recurrence_columns_job<T> job{};
    job.a = call_.a + from.coefficients - (call_.follows ? along.coefficients : 0);
    job.a_step = along.coefficients;
    job.a_across = axis_.step.coefficients != 0;
    job.b = call_.b + from.in;
    job.b_step = along.in;
    job.out = call_.out + from.out;
    job.out_step = along.out;
    job.width = width_;
    job.first = k;
    job.size = std::min(tile, call_.where.along.extent - k);
    job.state = state_.data();
    job.stride = stride_;
    job.bad = bad_.data();
    job.has_bad = has_bad_;
    job.ahead = how_.ahead;
    job.to = stores::cached;
    if (call_.follows && k == 0) {
      copy_behind_ones(job);
      job.a = first_.data();
      job.a_step = static_cast<std::ptrdiff_t>(stride_);
    }
    if (how_.around && whole_lines(job)) {
      detail::took("recurrence: columns around the cache");
      job.to = stores::streaming;
    }
    return job;
  }
  static bool whole_lines(recurrence_columns_job<T> const& job)
  {
    return job.width * sizeof(T) % line_bytes == 0 && reinterpret_cast<std::uintptr_t>(job.out) % line_bytes == 0 &&
           job.out_step * static_cast<std::ptrdiff_t>(sizeof(T)) % static_cast<std::ptrdiff_t>(line_bytes) == 0;
  }

  /// The coefficients of the first tile where those of a step are behind it: ones, and those of the other steps.
  void copy_behind_ones(recurrence_columns_job<T>& job)
  {
    first_.resize(job.size * stride_);
    std::fill_n(first_.data(), stride_, T(1.0f));
    std::ptrdiff_t const step = call_.where.along.step.coefficients, across = axis_.step.coefficients;
    T const* from = job.a + step;  // of step 0
    for (std::size_t k = 1; k < job.size; ++k, from += step) {
      T* const to = first_.data() + k * stride_;
      if (across == 1)
        std::copy_n(from, job.width, to);
      else
        std::fill_n(to, job.width, *from);
    }
    job.a_across = true;
  }

  recurrences_in_memory<T> const& call_;
  dimension axis_;
  manner how_;
  recurrence_kernels<T> const& kernels_ = kernels_of_recurrences<T>();
  std::size_t stride_;
  scratch<W> state_;
  std::vector<std::size_t> bad_;
  bool has_bad_ = false;
  std::vector<T> first_;
  steps_in_turn op_;
  distances place_{};
  std::size_t width_ = 0;
};

}  // namespace

template <class T>
void recur_columns_by_kernels(recurrences_in_memory<T> const& given, int dimension_of_them)
{
  dimension const axis = given.where.across[dimension_of_them];
  layout const outer = without(given.where, static_cast<std::size_t>(dimension_of_them));
  std::size_t const outers = outer.sequences(), size = given.where.along.extent;
  tuning const& sizes = tuning_in_use();
  std::size_t const bytes = outers * axis.extent * size * sizeof(T);
  bool const in_place = given.out == given.a || given.out == given.b;
  bool const around = !in_place && bytes >= sizes.streamed_bytes;
  manner const how{around, bytes >= sizes.serial_bytes};
  int const members = team_size(given.threads, 3 * bytes, std::size_t{1} << 20);
  std::size_t width = most_recurrence_columns<T>;
  auto const leaves_some_without = [&] {
    return members > 1 && outers * ((axis.extent - 1) / width + 1) < 2 * static_cast<std::size_t>(members);
  };
  while (width > least_recurrence_columns<T> && leaves_some_without()) width /= 2;
  width = std::min(width, axis.extent);
  detail::took(around ? "recurrence: columns, more than the cache holds" : "recurrence: columns");
  // Blocks side by side begin with a line of the output.
  std::size_t const phase = reinterpret_cast<std::uintptr_t>(given.out) % line_bytes / sizeof(T);
  std::size_t const first_width =
      around && phase != 0 && axis.extent > width ? std::min(axis.extent, width - phase % width) : width;
  std::size_t const blocks = 1 + (axis.extent > first_width ? (axis.extent - first_width + width - 1) / width : 0);
  auto const in_unit = [=](std::size_t unit) {
    struct neighbours {
      std::size_t first, width;
    };
    std::size_t const i = unit % blocks, c = i == 0 ? 0 : first_width + (i - 1) * width;
    return neighbours{c, std::min(i == 0 ? first_width : width, axis.extent - c)};
  };
  if (!in_place && outers * blocks < static_cast<std::size_t>(members) && size > 2 * block_of_recurrences<T>::tile) {
    detail::took("recurrence: few columns, tiles in turns");
    for (std::size_t unit = 0; unit < outers * blocks; ++unit) {
      auto const own = in_unit(unit);
      recur_in_turns(size, members, [&] {
        block_of_recurrences<T> block(given, axis, own.width, how);
        block.begin(moved(outer.place(unit / blocks), axis.step, own.first), own.width);
        return block;
      });
    }
    return;
  }
  share_units(outers * blocks, 1, members, [&] {
    struct worker {
      block_of_recurrences<T> block;
      decltype(in_unit) const& place;
      std::size_t blocks;
      distances step;
      layout const& outer;

      void operator()(std::size_t first, std::size_t end)
      {
        for (std::size_t unit = first; unit < end; ++unit) {
          auto const own = place(unit);
          block.begin(moved(outer.place(unit / blocks), step, own.first), own.width);
          recur_tile_by_tile(outer.along.extent, block);
        }
      }
      void finish() const { block.finish(); }
    };
    return worker{{given, axis, width, how}, in_unit, blocks, axis.step, outer};
  });
}

#ifndef TALLY_HEADER_ONLY  // which instantiates what the program uses
template void recur_columns_by_kernels(recurrences_in_memory<float> const&, int);
template void recur_columns_by_kernels(recurrences_in_memory<double> const&, int);
template void recur_columns_by_kernels(recurrences_in_memory<half> const&, int);
template void recur_columns_by_kernels(recurrences_in_memory<bfloat16> const&, int);
#endif

}  // namespace tally::cpu_backend
