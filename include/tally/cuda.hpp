#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "tally/cuda_execution.hpp"
#include "tally/detail/cuda/backend.hpp"
#include "tally/detail/cuda/batch/gradients.hpp"
#include "tally/detail/cuda/batch/recurrences.hpp"
#include "tally/detail/cuda/batch/segments.hpp"
#include "tally/detail/cuda/batch/sequences.hpp"
#include "tally/detail/cuda/batch/short_runs.hpp"
#include "tally/detail/cuda/sort/sort.hpp"
#include "tally/for_each.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/teams.hpp"
#include "tally/temporary.hpp"

/// Reduce and scan on a GPU: the calls of reduce.hpp and scan.hpp with `tally::cuda{stream, workspace}` as their first
/// argument, and `reduce_into`, which leaves a reduction's value on the device.
namespace tally {

/// As `reduce`, but writes the value to `*result`, on the device, and returns at once.
///
///     reduce_into(on, first, last, result [, init [, op]])
///     reduce_into(on, range, result [, init [, op]])
///
/// Result    `init` if the range is empty; without `init` 0.
template <class Acc = void, detail::iterator I, detail::end_of<I> S, class Result, class T, class Op = plus>
void reduce_into(cuda const& on, I first, S last, Result* result, T init, Op op = {})
{
  using value = detail::accumulator<Acc, T>;
  detail::check_operands<Acc, value, std::iter_reference_t<I>, Op>();
  auto combine = detail::canonical_operator<value>(std::move(op));
  value const start = static_cast<value>(init);
  std::identity transform;
  cuda_backend::prepared_call call(on, "tally::reduce_into");
  cuda_backend::run_call<value>(call, cuda_backend::work::reduce, first, cuda_backend::count_between(first, last),
                                result, {&start}, combine, transform);
}

template <class Acc = void, detail::iterator I, detail::end_of<I> S, class Result>
void reduce_into(cuda const& on, I first, S last, Result* result)
{
  using value = detail::accumulator<Acc, std::iter_value_t<I>>;
  plus op;
  std::identity transform;
  cuda_backend::prepared_call call(on, "tally::reduce_into");
  value const nothing = reduction_of_nothing<value>(op);
  cuda_backend::run_call<value>(call, cuda_backend::work::reduce, first, cuda_backend::count_between(first, last),
                                result, {nullptr, &nothing}, op, transform);
}

template <class Acc = void, detail::range R, class Result, class... InitOp>
void reduce_into(cuda const& on, R&& range, Result* result, InitOp... init_op)
{
  tally::reduce_into<Acc>(on, std::ranges::begin(range), std::ranges::end(range), result, std::move(init_op)...);
}

}  // namespace tally
