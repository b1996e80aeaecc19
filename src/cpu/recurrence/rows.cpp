#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/cpu/batch_parts.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/operators/affine.hpp"

/// Recurrences whose steps are neighbours in memory, several at once.
namespace tally::cpu_backend {

namespace {

/// Copies coefficients that are a step behind, each row's behind a 1, to where the job finds them.
template <class T>
void copy_behind_ones(recurrence_rows_job<T>& job, std::ptrdiff_t a_step, T* to)
{
  T const* const a = job.a;
  T* const first = job.step < 0 ? to + (job.size - 1) : to;
  for (std::size_t c = 0; c < job.count; ++c) {
    T const* const from = a + static_cast<std::ptrdiff_t>(c) * job.a_row;
    T* const row = first + c * job.size;
    row[0] = T(1.0f);
    if (job.step < 0 && a_step == -1) {
      std::copy_n(from - (job.size - 1) + 1, job.size - 1, row - (job.size - 1));
      continue;
    }
    for (std::size_t k = 1; k < job.size; ++k) {
      auto const step = static_cast<std::ptrdiff_t>(k);
      row[step * job.step] = from[(step - 1) * a_step];
    }
  }
  job.a = first;
  job.a_row = static_cast<std::ptrdiff_t>(job.size);
  job.repeats_a = false;
}

}  // namespace

template <class T>
void recur_rows_by_kernels(recurrences_in_memory<T> const& given)
{
  using detail::batch::distances;
  detail::batch::layout const& where = given.where;
  // The dimension with the most recurrences: those of one vector are along it.
  int most = 0;
  for (int d = 1; d < where.dimensions; ++d)
    if (where.across[d].extent >= where.across[most].extent) most = d;
  detail::batch::dimension const axis = where.across[most];
  detail::batch::layout const outer = without(where, static_cast<std::size_t>(most));

  std::size_t const outers = outer.sequences(), size = outer.along.extent;
  recurrence_kernels<T> const& kernels = kernels_of_recurrences<T>();
  // Some 64 KiB of a thread at a time, in whole vectors.
  std::size_t const vectors = (std::size_t{64} << 10) / (3 * size * kernels.lanes * sizeof(T)) + 1;
  std::size_t const block = vectors * kernels.lanes, blocks = (axis.extent + block - 1) / block;
  int const members = team_size(given.threads, 3 * outers * axis.extent * size * sizeof(T), outers * blocks);
  bool const ahead = outers * axis.extent * size * sizeof(T) >= tuning_in_use().serial_bytes;
  distances const& along = outer.along.step;
  share_units(outers * blocks, 1, members, [&] {
    std::vector<T> coefficients(given.follows ? std::min(block, axis.extent) * size : 0);
    return [&, coefficients = std::move(coefficients)](std::size_t first, std::size_t end) mutable {
      for (std::size_t unit = first; unit < end; ++unit) {
        std::size_t const c = unit % blocks * block;
        distances at = outer.place(unit / blocks);
        at.move(axis.step, static_cast<std::ptrdiff_t>(c));
        recurrence_rows_job<T> job{};
        job.a = given.a + at.coefficients;
        job.b = given.b + at.in;
        job.out = given.out + at.out;
        job.a_row = axis.step.coefficients;
        job.b_row = axis.step.in;
        job.out_row = axis.step.out;
        job.step = along.in;
        job.repeats_a = along.coefficients == 0;
        job.size = size;
        job.count = std::min(block, axis.extent - c);
        if (given.given.initials != nullptr) {
          job.befores = given.given.initials + at.initial;
          job.before_row = axis.step.initial;
        } else {
          job.befores = &*given.given.initial;
        }
        if (given.given.lasts != nullptr) job.lasts = given.given.lasts + at.last;
        job.last_row = axis.step.last;
        job.ahead = ahead;
        if (given.follows) copy_behind_ones(job, along.coefficients, coefficients.data());
        kernels.rows(job);
      }
    };
  });
}

#ifndef TALLY_HEADER_ONLY  // which instantiates what the program uses
template void recur_rows_by_kernels(recurrences_in_memory<float> const&);
template void recur_rows_by_kernels(recurrences_in_memory<double> const&);
template void recur_rows_by_kernels(recurrences_in_memory<half> const&);
template void recur_rows_by_kernels(recurrences_in_memory<bfloat16> const&);
#endif

}  // namespace tally::cpu_backend
