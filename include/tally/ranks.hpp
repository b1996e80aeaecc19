#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/algorithms/by_flag.hpp"
#include "tally/algorithms/by_key.hpp"
#include "tally/algorithms/histogram.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/batches.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/ranks/backend.hpp"
#include "tally/detail/ranks/batches.hpp"
#include "tally/detail/ranks/histogram.hpp"
#include "tally/detail/ranks/recurrences.hpp"
#include "tally/detail/ranks/segments.hpp"
#include "tally/detail/ranks/segments_between.hpp"
#include "tally/detail/selection/criteria.hpp"
#include "tally/operators/traits.hpp"
#include "tally/reduce.hpp"

/// Calls of ranks besides those of reduce.hpp and scan.hpp: reductions whose value goes to some ranks only, histograms,
/// sequences along an axis that is divided among ranks, recurrences, and segments that cross from rank to rank. Each
/// has the bits of one machine, for every division.
///
/// Ranks are processors (tally::mpi) or GPUs (tally::nccl). The arrays of GPUs lie in device memory, also `result`,
/// `counts`, `each(...)` and `last_to(...)`. The costs below are those of processors; docs/distributed.md has both.
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
  backend_reduce_into<value>(on, std::move(first), std::move(last), result, detail::initial<value>(std::move(init)),
                             combine, std::optional<value>());
}

template <class Acc = void, ranks_backend::on_ranks P, detail::iterator I, detail::end_of<I> S, class Result>
void reduce_into(P const& on, I first, S last, Result* result)
{
  using value = detail::accumulator<Acc, std::iter_value_t<I>>;
  detail::check_bounds<I, S>();
  detail::check_operands<Acc, value, std::iter_reference_t<I>, plus>();
  detail::check_output<Result*, value>();
  plus op;
  backend_reduce_into<value>(on, std::move(first), std::move(last), result, std::optional<value>(), op,
                             std::optional<value>(reduction_of_nothing<value>(op)));
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
/// Throws    rank_error on every rank, if one of them throws or makes another call than the rest; mpi_error,
///           nccl_error.
template <ranks_backend::on_ranks P, detail::iterator I, detail::end_of<I> S, class Bins, detail::iterator Out>
Out histogram(P const& on, I first, S last, Bins const& bins, Out counts)
{
  detail::histogram::check<I, Bins>();
  return backend_histogram(on, std::move(first), std::move(last), bins, std::move(counts));
}

template <ranks_backend::on_ranks P, detail::range R, class Bins, detail::iterator Out>
Out histogram(P const& on, R&& values, Bins const& bins, Out counts)
{
  return tally::histogram(on, std::ranges::begin(values), std::ranges::end(values), bins, counts);
}

/// As the calls of batches.hpp, of an array whose sequences are divided among ranks: every rank has a part of each
/// sequence, of any length, none too.
///
///     reduce(on, along(axis, in), out [, init [, op]])        reduce(on, along(axis, in), out, op)
///     inclusive_scan(on, along(axis, in), along(axis, out) [, op [, init]] [, last_to(lasts)])
///     exclusive_scan(on, along(axis, in), along(axis, out), init [, op] [, last_to(lasts)])
///
/// Requires  as there, with these differences. All extents but that of the axis are the same on all ranks, in the same
///           order of axes. A sequence is the parts of the ranks one after the other, each as `along` gives it: from
///           the back means ranks in the reverse order too. The initial value, or `each(values)`, is that of rank 0.
///           Values are trivially copyable. `include_initial` and several axes at once are for one machine.
/// Result    of a scan, the results of the rank's own part; reductions and last values on every rank.
/// Cost      each element is read once by a reduction, and twice by a scan. Totals of all sequences travel together, in
///           as many rounds as those of one, and one more if tiles cross from rank to rank.
/// Memory    of totals: for each sequence as for one; the tiles that cross from rank to rank, of all sequences.
/// Throws    rank_error on every rank: for mistakes of arguments on one of them too; mpi_error, nccl_error.
template <class Acc = void, ranks_backend::on_ranks P, class In, class Out, class... InitOp>
void reduce(P const& on, detail::batch::sequences<In> const& in, Out&& out, InitOp... init_op)
{
  static_assert(detail::batch::places_argument<Out>,
                "tally: reduce(along(axis, in), out): out is an array, a contiguous range or a pointer");
  ranks_backend::reduce_along<Acc>(on, in, detail::batch::places_of(out), std::move(init_op)...);
}
template <class Acc = void, ranks_backend::on_ranks P, class In, class Out, class... InitOp>
void reduce(P const&, detail::batch::combined_sequences<In> const&, Out&&, InitOp...)
{
  static_assert(!ranks_backend::on_ranks<P>,
                "tally: ranks take batches along one axis: reduce along the axis that is divided, and then along the "
                "others on each rank");
}
template <class Acc = void, ranks_backend::on_ranks P, class In, class Out, class... Rest>
void inclusive_scan(P const& on, detail::batch::sequences<In> const& in, detail::batch::sequences<Out> const& out,
                    Rest... rest)
{
  ranks_backend::scan_along<detail::direction::inclusive, Acc>("tally::inclusive_scan", on, in, out,
                                                               std::move(rest)...);
}
template <class Acc = void, ranks_backend::on_ranks P, class In, class Out, class... Rest>
void exclusive_scan(P const& on, detail::batch::sequences<In> const& in, detail::batch::sequences<Out> const& out,
                    Rest... rest)
{
  ranks_backend::scan_along<detail::direction::exclusive, Acc>("tally::exclusive_scan", on, in, out,
                                                               std::move(rest)...);
}

/// As `linear_recurrence` of algorithms/recurrence.hpp, of steps that are divided among ranks.
///
///     linear_recurrence(on, a, a_last, b, out, before)
///     linear_recurrence(on, along(x, a), along(y, b), along(z, out) [, before] [, last_to(lasts)])
///     linear_recurrence(on, number, along(y, b), along(z, out) [, ...])
///
/// Requires  as there, and as for batches on ranks. `before`, or `each(states)`, is that of rank 0.
/// Result    the states of the rank's own part; last states on every rank.
/// Cost      coefficients are read twice. If a state is not finite, one rank after the other goes on from it as the
///           plain loop does.
/// Memory    as for batches on ranks; in place also that of the states, for floating-point states.
/// Throws    rank_error on every rank; mpi_error, nccl_error.
template <ranks_backend::on_ranks P, detail::iterator A, detail::end_of<A> S, detail::iterator B, detail::iterator Out,
          class T>
Out linear_recurrence(P const& on, A a, S a_last, B b, Out out, T before)
{
  detail::recurrence::check<A, B, Out, T>();
  auto const n = static_cast<std::size_t>(a_last - a);
  ranks_backend::recur_one(on, a, n, b, out, before);
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
// An overload for each number of arguments: the call on any execution takes a pack, and is less special.
template <class Acc = void, ranks_backend::on_ranks P, class A, class B, class Out>
void linear_recurrence(P const& on, A const& a, detail::batch::sequences<B> const& b,
                       detail::batch::sequences<Out> const& out)
{
  ranks_backend::recur_along<Acc>(on, a, b, out);
}
template <class Acc = void, ranks_backend::on_ranks P, class A, class B, class Out, class First>
void linear_recurrence(P const& on, A const& a, detail::batch::sequences<B> const& b,
                       detail::batch::sequences<Out> const& out, First first)
{
  ranks_backend::recur_along<Acc>(on, a, b, out, std::move(first));
}
template <class Acc = void, ranks_backend::on_ranks P, class A, class B, class Out, class First, class Second>
void linear_recurrence(P const& on, A const& a, detail::batch::sequences<B> const& b,
                       detail::batch::sequences<Out> const& out, First first, Second second)
{
  ranks_backend::recur_along<Acc>(on, a, b, out, std::move(first), std::move(second));
}

/// As the calls of algorithms/by_flag.hpp and by_key.hpp, of elements that are divided among ranks: a segment goes on
/// where the next rank's part begins, unless a flag is set there or its first key is another one.
///
///     reduce_by_flag(on, first, last, flags, out [, op])
///     inclusive_scan_by_flag(on, first, last, flags, out [, op])
///     exclusive_scan_by_flag(on, first, last, flags, out, init [, op])
///     reduce_by_key(on, keys, keys_last, values, keys_out, values_out [, op [, same]])
///     inclusive_scan_by_key(on, keys, keys_last, values, out [, op [, same]])
///     exclusive_scan_by_key(on, keys, keys_last, values, out, init [, op [, same]])
///
/// Requires  as there. Values and keys are trivially copyable. The first flag of all is not read.
/// Result    of a scan, the results of the rank's own part. Of a reduction, the values of the segments that begin in
///           the rank's part, and their number. Each has the bits of the call on its segment alone.
/// Cost      a round, another for keys, and what a scan of one sequence costs, at most twice: for segments that cross
///           borders, of which every other one is done at a time.
/// Throws    rank_error on every rank, if one of them throws or makes another call than the rest; mpi_error,
///           nccl_error.
template <class Acc = void, ranks_backend::on_ranks P, detail::iterator I, detail::end_of<I> S, detail::iterator Flags,
          detail::iterator Out, class Op = plus>
std::size_t reduce_by_flag(P const& on, I first, S last, Flags flags, Out out, Op op = {})
{
  using value = detail::accumulator<Acc, std::iter_value_t<I>>;
  detail::segments::check_call<Acc, value, I, Op, Flags, Out>();
  return backend_reduce_runs<value>(on, "flag",
                                    ranks_backend::flags_of_part<Flags>{flags, static_cast<std::size_t>(last - first)},
                                    sizeof(std::iter_value_t<Flags>) + sizeof(value), first, out,
                                    ranks_backend::no_keys{}, detail::canonical_operator<value>(std::move(op)));
}
template <class Acc = void, ranks_backend::on_ranks P, detail::iterator I, detail::end_of<I> S, detail::iterator Flags,
          detail::iterator Out, class Op = plus>
Out inclusive_scan_by_flag(P const& on, I first, S last, Flags flags, Out out, Op op = {})
{
  using value = detail::accumulator<Acc, std::iter_value_t<I>>;
  detail::segments::check_call<Acc, value, I, Op, Flags, Out>();
  auto const n = static_cast<std::size_t>(last - first);
  backend_scan_runs<detail::direction::inclusive, value>(on, "flag", ranks_backend::flags_of_part<Flags>{flags, n},
                                                         first, out, std::optional<value>(),
                                                         detail::canonical_operator<value>(std::move(op)));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <class Acc = void, ranks_backend::on_ranks P, detail::iterator I, detail::end_of<I> S, detail::iterator Flags,
          detail::iterator Out, class T, class Op = plus>
Out exclusive_scan_by_flag(P const& on, I first, S last, Flags flags, Out out, T init, Op op = {})
{
  using value = detail::accumulator<Acc, T>;
  detail::segments::check_call<Acc, value, I, Op, Flags, Out>();
  auto const n = static_cast<std::size_t>(last - first);
  backend_scan_runs<detail::direction::exclusive, value>(on, "flag", ranks_backend::flags_of_part<Flags>{flags, n},
                                                         first, out, detail::initial<value>(std::move(init)),
                                                         detail::canonical_operator<value>(std::move(op)));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <class Acc = void, ranks_backend::on_ranks P, detail::iterator Keys, detail::end_of<Keys> S,
          detail::iterator Values, detail::iterator KeysOut, detail::iterator Out, class Op = plus,
          class Same = detail::selection::equal_values>
std::size_t reduce_by_key(P const& on, Keys keys, S keys_last, Values values, KeysOut keys_out, Out values_out,
                          Op op = {}, Same same = {})
{
  using value = detail::accumulator<Acc, std::iter_value_t<Values>>;
  detail::segments::check_call<Acc, value, Values, Op, Keys, KeysOut, Out>();
  detail::selection::check_equality<Same, std::iter_reference_t<Keys>>();
  return backend_reduce_runs<value>(
      on, "key", ranks_backend::keys_of_part<Keys, Same>{keys, static_cast<std::size_t>(keys_last - keys), same},
      sizeof(std::iter_value_t<Keys>) + sizeof(value), values, values_out, keys_out,
      detail::canonical_operator<value>(std::move(op)));
}
template <class Acc = void, ranks_backend::on_ranks P, detail::iterator Keys, detail::end_of<Keys> S,
          detail::iterator Values, detail::iterator Out, class Op = plus, class Same = detail::selection::equal_values>
Out inclusive_scan_by_key(P const& on, Keys keys, S keys_last, Values values, Out out, Op op = {}, Same same = {})
{
  using value = detail::accumulator<Acc, std::iter_value_t<Values>>;
  detail::segments::check_call<Acc, value, Values, Op, Keys, Out>();
  detail::selection::check_equality<Same, std::iter_reference_t<Keys>>();
  auto const n = static_cast<std::size_t>(keys_last - keys);
  backend_scan_runs<detail::direction::inclusive, value>(
      on, "key", ranks_backend::keys_of_part<Keys, Same>{keys, n, same}, values, out, std::optional<value>(),
      detail::canonical_operator<value>(std::move(op)));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <class Acc = void, ranks_backend::on_ranks P, detail::iterator Keys, detail::end_of<Keys> S,
          detail::iterator Values, detail::iterator Out, class T, class Op = plus,
          class Same = detail::selection::equal_values>
Out exclusive_scan_by_key(P const& on, Keys keys, S keys_last, Values values, Out out, T init, Op op = {},
                          Same same = {})
{
  using value = detail::accumulator<Acc, T>;
  detail::segments::check_call<Acc, value, Values, Op, Keys, Out>();
  detail::selection::check_equality<Same, std::iter_reference_t<Keys>>();
  auto const n = static_cast<std::size_t>(keys_last - keys);
  backend_scan_runs<detail::direction::exclusive, value>(
      on, "key", ranks_backend::keys_of_part<Keys, Same>{keys, n, same}, values, out,
      detail::initial<value>(std::move(init)), detail::canonical_operator<value>(std::move(op)));
  return out + static_cast<std::iter_difference_t<Out>>(n);
}

/// As the calls of batches.hpp and algorithms/recurrence.hpp on segments between offsets, of values that are divided
/// among ranks.
///
///     reduce(on, segments(part, offsets), out [, init [, op]])        reduce(on, segments(part, offsets), out, op)
///     inclusive_scan(on, segments(part, offsets), out [, op [, init]] [, last_to(lasts)])
///     exclusive_scan(on, segments(part, offsets), out, init [, op] [, last_to(lasts)])
///     linear_recurrence(on, segments(a, offsets), b, out [, before] [, last_to(lasts)])
///     linear_recurrence(on, number, segments(b, offsets), out [, before] [, last_to(lasts)])
///
/// A rank gives its part of the values, and the segments that begin in it: by offsets that are places in the whole
/// sequence, one more than its segments. So they are a piece of one machine's offsets, and the last one may be the end
/// of a segment in a later part.
///
/// Requires  as there, with these differences. The part is a range. Segments begin in the part or at its end, behind
///           those of the ranks before; a rank may have none. An initial value for all is the same on all ranks. Values
///           are trivially copyable.
/// Result    reductions and last values of the rank's own segments; of a scan, the results of its own part. Each has the
///           bits of the call on its segment alone.
/// Cost      a round, one at the end, and what a scan of one sequence costs, at most twice: for segments that cross
///           borders, of which every other one is done at a time. For recurrences of floating-point states one round
///           more with each. GPUs read three offsets before the round, for which the host waits.
/// GPUs      do not take `linear_recurrence` of segments nor a number of segments in memory; offsets lie in device
///           memory, as all arrays do.
/// Throws    rank_error on every rank: for mistakes of arguments on one of them too; mpi_error, nccl_error.
template <class Acc = void, ranks_backend::on_ranks P, class Values, class Offsets, class From, class Out,
          class... InitOp>
void reduce(P const& on, detail::batch::segments_between<Values, Offsets, From> const& in, Out&& out, InitOp... init_op)
{
  ranks_backend::reduce_between<Acc>(on, in, out, std::move(init_op)...);
}
template <class Acc = void, ranks_backend::on_ranks P, class Values, class Offsets, class From, class Out,
          class... Rest>
void inclusive_scan(P const& on, detail::batch::segments_between<Values, Offsets, From> const& in, Out&& out,
                    Rest... rest)
{
  ranks_backend::scan_between<detail::direction::inclusive, Acc>("tally::inclusive_scan", on, in, out,
                                                                 std::move(rest)...);
}
template <class Acc = void, ranks_backend::on_ranks P, class Values, class Offsets, class From, class Out,
          class... Rest>
void exclusive_scan(P const& on, detail::batch::segments_between<Values, Offsets, From> const& in, Out&& out,
                    Rest... rest)
{
  ranks_backend::scan_between<detail::direction::exclusive, Acc>("tally::exclusive_scan", on, in, out,
                                                                 std::move(rest)...);
}
template <class Acc = void, ranks_backend::on_ranks P, class A, class Offsets, class From, class B, class Out,
          class... Rest>
void linear_recurrence(P const& on, detail::batch::segments_between<A, Offsets, From> const& a, B&& b, Out&& out,
                       Rest... rest)
{
  ranks_backend::recur_between<Acc>(on, a.values, b, a, out, std::move(rest)...);
}
// An overload for each number of arguments, as above.
template <class Acc = void, ranks_backend::on_ranks P, class A, class B, class Offsets, class From, class Out>
void linear_recurrence(P const& on, A const& a, detail::batch::segments_between<B, Offsets, From> const& b, Out&& out)
{
  ranks_backend::recur_between<Acc>(on, a, b.values, b, out);
}
template <class Acc = void, ranks_backend::on_ranks P, class A, class B, class Offsets, class From, class Out,
          class First>
void linear_recurrence(P const& on, A const& a, detail::batch::segments_between<B, Offsets, From> const& b, Out&& out,
                       First first)
{
  ranks_backend::recur_between<Acc>(on, a, b.values, b, out, std::move(first));
}
template <class Acc = void, ranks_backend::on_ranks P, class A, class B, class Offsets, class From, class Out,
          class First, class Second>
void linear_recurrence(P const& on, A const& a, detail::batch::segments_between<B, Offsets, From> const& b, Out&& out,
                       First first, Second second)
{
  ranks_backend::recur_between<Acc>(on, a, b.values, b, out, std::move(first), std::move(second));
}

/// Runs `work(local)` on each rank, where `local` is its own tally::cpu or tally::cuda, and ends on all of them if it
/// throws on one: for calls on what a rank has alone, such as sequences along an axis that is not divided.
///
///     on_each_rank(on, [&](tally::cpu local) { tally::inclusive_scan(local, along(1, rows), along(1, sums)); });
///
/// Requires  work of one type on all ranks.
/// Cost      one round, after the work.
/// Throws    rank_error on every rank, if one of them throws or makes another call than the rest; mpi_error,
///           nccl_error.
template <ranks_backend::on_ranks P, class Work>
void on_each_rank(P const& on, Work&& work)
{
  auto const local = local_execution(on);
  using own_execution = std::remove_const_t<decltype(local)>;
  static_assert(std::is_invocable_v<Work&, own_execution>,
                "tally: on_each_rank(ranks, work): work takes the rank's own execution, a tally::cpu or tally::cuda");
  ranks_backend::call_name const name("on_each_rank, ", ranks_backend::type_name<std::remove_cvref_t<Work>>());
  ranks_backend::session<std::remove_reference_t<decltype(on.ranks().by)>> by(on.ranks(), name);
  by.attempt([&] { work(local); });
  by.meet({});
}

}  // namespace tally
