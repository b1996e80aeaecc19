#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <hwy/cache_control.h>

#include "src/cpu/batch_parts.hpp"
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

/// One thread's state of a block of at most so many recurrences.
template <class T>
class block_of_recurrences {
  static constexpr std::size_t tile = order::tile<affine<T>>;
  static constexpr std::size_t finite = std::numeric_limits<std::size_t>::max();
  using carry = order::carry<affine<T>, steps_in_turn>;

public:
  block_of_recurrences(recurrences_in_memory<T> const& call, dimension const& axis, std::size_t most, bool around,
                       bool ahead)
      : call_(call),
        axis_(axis),
        around_(around),
        ahead_(ahead),
        stride_((most + most_lanes<T> - 1) / most_lanes<T> * most_lanes<T>),
        state_(recurrence_slot::count * stride_),
        bad_(most)
  {
    std::fill_n(state_.data(), recurrence_slot::count * stride_, T(0));
  }

  /// Runs `width` of them from the place `first` on.
  void run(distances const& first, std::size_t width)
  {
    distances const& along = call_.where.along.step;
    std::size_t const size = call_.where.along.extent;
    T* const carries = slot(recurrence_slot::carry);
    for (std::size_t c = 0; c < width; ++c) carries[c] = before(moved(first, axis_.step, c));
    std::fill_n(bad_.begin(), width, finite);
    if (size > tile) {
      upto_.clear();
      for (std::size_t c = 0; c < width; ++c) upto_.push_back(carry(detail::recurrence::beginning_with(carries[c])));
    }
    recurrence_columns_job<T> job{};
    job.b_step = along.in;
    job.out_step = along.out;
    job.width = width;
    job.state = state_.data();
    job.stride = stride_;
    job.bad = bad_.data();
    job.ahead = ahead_;
    for (std::size_t k = 0; k < size; k += tile) {
      distances const at = moved(first, along, k);
      job.a = call_.a + at.coefficients - (call_.follows ? along.coefficients : 0);
      job.a_step = along.coefficients;
      job.b = call_.b + at.in;
      job.out = call_.out + at.out;
      job.a_across = axis_.step.coefficients != 0;
      job.first = k;
      job.size = std::min(tile, size - k);
      if (call_.follows && k == 0) {
        copy_behind_ones(job);
        job.a = first_.data();
        job.a_step = static_cast<std::ptrdiff_t>(stride_);
      }
      job.to = stores::cached;
      if (around_ && whole_lines(job)) {
        detail::took("recurrence: columns around the cache");
        job.to = stores::streaming;
      }
      kernels_.columns(job);
      if (size <= tile) break;
      for (std::size_t c = 0; c < width; ++c) {
        upto_[c].push({slot(recurrence_slot::total)[c], slot(recurrence_slot::total + 1)[c]}, op_);
        carries[c] = upto_[c].next(op_)->offset;
      }
    }
    for (std::size_t c = 0; c < width; ++c) {
      distances const own = moved(first, axis_.step, c);
      T const last = bad_[c] == finite
                         ? at(call_.out + own.out, size - 1, along.out)
                         : go_on(recurrence_in_memory<T>{call_.a + own.coefficients, along.coefficients,
                                                         call_.b + own.in, along.in, call_.out + own.out, along.out,
                                                         size, before(own), false, 1, call_.follows},
                                 bad_[c]);
      if (call_.given.lasts != nullptr) call_.given.lasts[own.last] = last;
    }
  }

  void finish() const
  {
    if (around_) hwy::FlushStream();
  }

private:
  T* slot(std::size_t number) const { return state_.data() + number * stride_; }
  T before(distances const& at) const
  {
    return call_.given.initials != nullptr ? call_.given.initials[at.initial] : *call_.given.initial;
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
    std::fill_n(first_.data(), stride_, T(1));
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
  bool around_;
  bool ahead_;
  recurrence_kernels<T> const& kernels_ = kernels_of_recurrences<T>();
  std::size_t stride_;
  scratch<T> state_;
  std::vector<std::size_t> bad_;
  std::vector<carry> upto_;
  std::vector<T> first_;
  steps_in_turn op_;
};

}  // namespace

template <class T>
void recur_columns_by_kernels(recurrences_in_memory<T> const& given, int dimension_of_them)
{
  dimension const axis = given.where.across[dimension_of_them];
  layout outer = given.where;
  std::copy(outer.across + dimension_of_them + 1, outer.across + outer.dimensions, outer.across + dimension_of_them);
  --outer.dimensions;
  std::size_t const outers = outer.sequences(), size = given.where.along.extent;
  tuning const& sizes = tuning_in_use();
  std::size_t const bytes = outers * axis.extent * size * sizeof(T);
  bool const around = given.out != given.a && given.out != given.b && bytes >= sizes.streamed_bytes;
  bool const ahead = bytes >= sizes.serial_bytes;
  int const members = team_size(given.threads, 3 * bytes, std::size_t{1} << 20);
  std::size_t const width = std::min(most_recurrence_columns<T>, axis.extent);
  detail::took(around ? "recurrence: columns, more than the cache holds" : "recurrence: columns");
  // Blocks side by side begin with a line of the output.
  std::size_t const phase = reinterpret_cast<std::uintptr_t>(given.out) % line_bytes / sizeof(T);
  std::size_t const first_width =
      around && phase != 0 && axis.extent > width ? std::min(axis.extent, width - phase % width) : width;
  std::size_t const blocks = 1 + (axis.extent > first_width ? (axis.extent - first_width + width - 1) / width : 0);
  share_units(outers * blocks, 1, members, [&] {
    struct worker {
      block_of_recurrences<T> block;
      std::size_t first_width, width, blocks, extent;
      distances step;
      layout const& outer;

      void operator()(std::size_t first, std::size_t end)
      {
        for (std::size_t unit = first; unit < end; ++unit) {
          std::size_t const i = unit % blocks;
          std::size_t const c = i == 0 ? 0 : first_width + (i - 1) * width;
          std::size_t const own = std::min(i == 0 ? first_width : width, extent - c);
          block.run(moved(outer.place(unit / blocks), step, c), own);
        }
      }
      void finish() const { block.finish(); }
    };
    return worker{{given, axis, width, around, ahead}, first_width, width, blocks, axis.extent, axis.step, outer};
  });
}

#ifndef TALLY_HEADER_ONLY  // which instantiates what the program uses
template void recur_columns_by_kernels(recurrences_in_memory<float> const&, int);
template void recur_columns_by_kernels(recurrences_in_memory<double> const&, int);
#endif

}  // namespace tally::cpu_backend
