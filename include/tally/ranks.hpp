#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/algorithms/histogram.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/ranks/backend.hpp"
#include "tally/operators/traits.hpp"
#include "tally/reduce.hpp"

/// Calls of ranks besides those of reduce.hpp and scan.hpp: a reduction whose value goes to some ranks only, and
/// histograms.
namespace tally {

/// As `reduce`, but writes the value to `*result`. A rank whose `result` is null takes part, and gets no value.
///
///     reduce_into(on, first, last, result [, init [, op]])
///     reduce_into(on, range, result [, init [, op]])
///
/// Requires  as `reduce` on ranks. `result` is null on any ranks, or on none.
/// Result    `init` if there are no elements; without `init` 0.
/// Cost      as `reduce`; ranks without a result do not fold the totals of the others.
template <class Acc = void, ranks_backend::on_ranks P, detail::iterator I, detail::end_of<I> S, class Result, class T,
          class Op = plus>
void reduce_into(P const& on, I first, S last, Result* result, T init, Op op = {})
{
  using value = detail::accumulator<Acc, T>;
  detail::check_bounds<I, S>();
  detail::check_operands<Acc, value, std::iter_reference_t<I>, Op>();
  detail::check_output<Result*, value>();
  auto combine = detail::canonical_operator<value>(std::move(op));
  std::identity transform;
  auto all = ranks_backend::reduce_parts<value>(on, "reduce_into", result != nullptr, std::move(first), std::move(last),
                                                detail::initial<value>(std::move(init)), combine, transform);
  if (result != nullptr) *result = *std::move(all);
}

template <class Acc = void, ranks_backend::on_ranks P, detail::iterator I, detail::end_of<I> S, class Result>
void reduce_into(P const& on, I first, S last, Result* result)
{
  using value = detail::accumulator<Acc, std::iter_value_t<I>>;
  detail::check_bounds<I, S>();
  detail::check_operands<Acc, value, std::iter_reference_t<I>, plus>();
  detail::check_output<Result*, value>();
  plus op;
  std::identity transform;
  auto all = ranks_backend::reduce_parts<value>(on, "reduce_into", result != nullptr, std::move(first), std::move(last),
                                                std::optional<value>(), op, transform);
  if (result != nullptr) *result = all ? *std::move(all) : reduction_of_nothing<value>(op);
}

template <class Acc = void, ranks_backend::on_ranks P, detail::range R, class Result, class... InitOp>
void reduce_into(P const& on, R&& range, Result* result, InitOp... init_op)
{
  tally::reduce_into<Acc>(on, std::ranges::begin(range), std::ranges::end(range), result, std::move(init_op)...);
}

/// As `histogram` of algorithms/histogram.hpp, of the values of all ranks: every rank gets the counts of all.
///
///     histogram(on, first, last, bins, counts)        histogram(on, range, bins, counts)
///
/// Requires  bins of one type with the same slots on all ranks.
/// Cost      one round, and a sum of 8 bytes for each slot over all ranks (MPI_Allreduce).
/// Memory    8 bytes for each slot, and that of `histogram` on a CPU.
/// Throws    rank_error on every rank, if one of them throws or makes another call than the rest; mpi_error.
template <ranks_backend::on_ranks P, detail::iterator I, detail::end_of<I> S, class Bins, detail::iterator Out>
Out histogram(P const& on, I first, S last, Bins const& bins, Out counts)
{
  namespace impl = detail::histogram;
  namespace ranks = ranks_backend;
  impl::check<I, Bins>();
  std::size_t const slots = bins.slots();
  ranks::call_name const name("histogram of ", ranks::type_name<std::iter_value_t<I>>(), ", ", slots, " slots of ",
                              ranks::type_name<Bins>());
  auto& all = on.ranks();
  using transport = std::remove_reference_t<decltype(all.by)>;
  static_assert(ranks::adding_transport<transport>, "tally: a histogram needs ranks whose transport adds up numbers");
  ranks::session<transport> by(all, name);
  std::vector<std::uint64_t> sums;
  by.attempt([&] {
    sums.resize(slots);
    auto const count = [&](auto const& local) {
      impl::count(local, impl::plain_iterator(first), static_cast<std::size_t>(last - first), bins, sums.data());
    };
    if (all.on)
      count(*all.on);
    else
      count(impl::default_execution<I, Bins>());
  });
  by.meet({.may_fail = !std::contiguous_iterator<Out>});
  all.by.add_up(sums.data(), slots);
  by.attempt([&] {
    for (std::uint64_t const sum : sums) *counts++ = static_cast<std::iter_value_t<Out>>(sum);
  });
  by.finish();
  return counts;
}

template <ranks_backend::on_ranks P, detail::range R, class Bins, detail::iterator Out>
Out histogram(P const& on, R&& values, Bins const& bins, Out counts)
{
  return tally::histogram(on, std::ranges::begin(values), std::ranges::end(values), bins, counts);
}

}  // namespace tally
