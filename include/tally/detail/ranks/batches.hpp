#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "tally/along.hpp"
#include "tally/config.hpp"
#include "tally/detail/batch/along_calls.hpp"
#include "tally/detail/batch/arguments.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/ranks/backend.hpp"
#include "tally/detail/ranks/lines.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/detail/strided_iterator.hpp"
#include "tally/error.hpp"
#include "tally/operators/traits.hpp"

/// Reductions and scans of the sequences of an array along an axis that is divided among ranks: from the arguments to
/// the protocol. Mistakes in arguments are found within the call, so that they end it on all ranks.
namespace tally::ranks_backend {

namespace batch = detail::batch;

/// The layout of sequences that are numbered alike on all ranks: in the order of the axes, however they lie in memory.
/// Throws    usage_error if there are more than `most_dimensions` axes besides the one along which sequences lie.
inline batch::layout numbered_layout(char const* call, batch::dimension const& along, per_axis const& shape,
                                     batch::across_strides const& strides)
{
  if (shape.size() > static_cast<std::size_t>(batch::most_dimensions))
    throw usage_error(std::string(call) + ": " + std::to_string(shape.size()) +
                      " axes besides the one along which sequences lie; on ranks there may be " +
                      std::to_string(batch::most_dimensions));
  auto const step = [](per_axis const& of, std::size_t d) { return d < of.size() ? of[d] : 0; };
  batch::layout where{along, static_cast<int>(shape.size()), {}};
  for (std::size_t d = 0; d < shape.size(); ++d)
    where.across[d] = {static_cast<std::size_t>(shape[d]),
                       {step(strides.in, d), step(strides.out, d), step(strides.initial, d), step(strides.last, d),
                        step(strides.coefficients, d)}};
  return where;
}

/// The number of sequences of a batch.
template <class In>
std::size_t sequences_of(batch::sequences<In> const& in)
{
  std::size_t count = 1;
  for (std::size_t d = 0; d < in.array.rank(); ++d)
    if (d != in.axis) count *= in.array.extent(d);
  return count;
}

template <class T, class Op>
call_name name_of_batch(char const* function, std::size_t sequences, char const* initial)
{
  return call_name(function, " of ", sequences, " sequences of ", type_name<T>(), " (", sizeof(T), " bytes), operator ",
                   type_name<Op>(), initial);
}
template <class Init>
constexpr char const* initial_in_name()
{
  return batch::is_present<Init> ? ", with an initial value" : "";
}

/// Elements of a sequence one after the other, or at a distance from each other.
template <class In>
struct neighbouring_elements {
  In const* first;
  TALLY_HD In const* operator()(batch::distances const& at) const { return first + at.in; }
};
template <class In>
struct distant_elements {
  In const* first;
  std::ptrdiff_t step;
  TALLY_HD detail::strided_iterator<In const> operator()(batch::distances const& at) const
  {
    return {first + at.in, step};
  }
};

/// The value of no elements, which has no initial value either.
template <class T, class Op>
T value_of_nothing(char const* call, [[maybe_unused]] Op const& op)
{
  if constexpr (has_identity<Op, T>)
    return reduction_of_nothing<T>(op);
  else
    throw usage_error(std::string(call) + ": an empty sequence has no value without an initial value, nor an identity");
}

/// Writes the value after all elements of each sequence.
template <class T, class Call, class Lines, class Op, class Put>
void put_values(char const* name, Call const& call, Lines const& lines, Op const& op, Put const& put)
{
  for (std::size_t s = 0; s < lines.count(); ++s) {
    auto const all = call.after_all(s);
    put(s, all.last() ? T(cpu_backend::value_of<T>(*all.last())) : value_of_nothing<T>(name, op));
  }
}

/// Calls `run(lines, to)` with the sequences of a batch; `to` makes the place of results from distances.
template <class T, class In, class Out, class Run>
void with_batch_lines(batch::layout const& where, std::size_t sequences, In const* in, Out* out,
                      batch::ends<T> const& ends, std::identity& same, Run const& run)
{
  batch::distances const& step = where.along.step;
  // Without results there may be no memory for them either, and no place in it.
  auto const begin = [&](std::size_t s) { return out + (where.along.extent == 0 ? 0 : where.place(s).out); };
  if (step.in == 1 && step.out == 1) {
    batch_lines<T, neighbouring_elements<In>, std::identity> const lines{where, sequences, ends, {in}, &same};
    run(lines, begin);
  } else {
    batch_lines<T, distant_elements<In>, std::identity> const lines{where, sequences, ends, {in, step.in}, &same};
    run(lines, [&](std::size_t s) { return detail::strided_iterator<Out>(begin(s), step.out); });
  }
}

/// Scans sequences. They are prepared, or preparing them has failed. `to(s)` is the place of the results of sequence s.
template <class T, transport Transport, class Lines, class To, class Op>
void scan_lines(char const* call, session<Transport>& by, Lines const& lines, To const& to, Op& op,
                detail::direction shift)
{
  with_lines<T>(by, lines, tile_of<T>(lines.make.first), op, [&](auto& work) {
    work.share_totals(true);
    work.scan(to, shift);
    T* const lasts = lines.ends.lasts;
    if (lasts != nullptr)
      by.attempt([&] {
        put_values<T>(call, work, lines, op,
                      [&](std::size_t s, T const& last) { lasts[lines.where.place(s).last] = last; });
      });
    by.finish();
  });
}

/// Reduces sequences; the rank gets no results if `out` is null.
template <class T, transport Transport, class Lines, class Out, class Op>
void reduce_lines(char const* call, session<Transport>& by, Lines const& lines, Out* out, Op& op)
{
  with_lines<T>(by, lines, tile_of<T>(lines.make.first), op, [&](auto& work) {
    work.share_totals(!cpu_backend::has_kernels<Op, T>);
    by.attempt([&] {
      if (out == nullptr) return;
      put_values<T>(call, work, lines, op,
                    [&](std::size_t s, T const& sum) { out[lines.where.place(s).out] = static_cast<Out>(sum); });
    });
    by.finish();
  });
}

/// Scans the sequences that `describe(where, values)` describes within the call.
template <class T, transport Transport, class In, class Out, class Op, class Describe>
void backend_scan_along(execution<Transport> const& on, char const* call, call_name const& name, std::size_t sequences,
                        In const* in, Out* out, Op& op, detail::direction shift, Describe const& describe)
{
  check_travels<T, In const&, Op>();
  session<Transport> by(on.ranks(), name);
  batch::layout where;
  batch::ends<T> values;
  by.attempt([&] { describe(where, values); });
  std::identity same;
  with_batch_lines<T>(where, sequences, in, out, values, same,
                      [&](auto const& lines, auto const& to) { scan_lines<T>(call, by, lines, to, op, shift); });
}

/// The same of their reductions.
template <class T, transport Transport, class In, class Out, class Op, class Describe>
void backend_reduce_along(execution<Transport> const& on, char const* call, call_name const& name,
                          std::size_t sequences, In const* in, Out* out, Op& op, Describe const& describe)
{
  check_travels<T, In const&, Op>();
  session<Transport> by(on.ranks(), name);
  batch::layout where;
  batch::ends<T> values;
  by.attempt([&] { describe(where, values); });
  std::identity same;
  with_batch_lines<T>(where, sequences, in, out, values, same,
                      [&](auto const& lines, auto const&) { reduce_lines<T>(call, by, lines, out, op); });
}

template <detail::direction Shift, class Acc, on_ranks P, class In, class Out, class... Rest>
void scan_along(char const* call, P const& on, batch::sequences<In> const& in, batch::sequences<Out> const& out,
                Rest... rest)
{
  using namespace batch;
  auto arguments = told_apart<Shift>(std::move(rest)...);
  using all = decltype(arguments);
  using init_type = decltype(all::init);
  using value = std::remove_const_t<In>;
  using T = accumulator_of_t<Acc, init_type, value>;
  check_batch<Acc, T, In const&, decltype(all::op)>();
  detail::check_output<Out*, T>();
  static_assert(last_fits<decltype(all::last), T>, "tally: last_to(...) takes places of the accumulator's type");
  static_assert(!all::includes_initial, "tally: on ranks an initial value has no place among the results: it would be "
                                        "on one rank only. Leave include_initial out");
  auto op = detail::canonical_operator<T>(std::move(arguments.op));
  using Op = decltype(op);
  std::size_t const sequences = sequences_of(in);
  call_name const name =
      name_of_batch<T, Op>(Shift == detail::direction::inclusive ? "inclusive_scan" : "exclusive_scan", sequences,
                           initial_in_name<init_type>());
  auto const describe = [&](layout& where, ends<T>& values) {
    check_shapes(call, in, out, 0);
    other_axes const sources(in.array, {in.axis}), results(out.array, {out.axis});
    check_distinct(call, "output", out.array.shape(), out.array.strides());
    across_strides strides{sources.strides, results.strides, {}, {}, {}};
    values = initial_of<T>(call, arguments.init, results.shape, strides.initial);
    if constexpr (is_present<decltype(all::last)> && last_fits<decltype(all::last), T>) {
      strides.last = arguments.last.at.strides_for(call, "last_to(...)", results.shape);
      check_distinct(call, "last_to(...)", results.shape, strides.last);
      values.lasts = arguments.last.at.array.data_handle();
    }
    where = numbered_layout(call, {in.array.extent(in.axis), {in.array.stride(in.axis), out.array.stride(out.axis)}},
                            results.shape, strides);
  };
  backend_scan_along<T>(on, call, name, sequences, static_cast<value const*>(in.array.data_handle()),
                        out.array.data_handle(), op, Shift, describe);
}

template <class Acc, on_ranks P, class In, class Target, class... Rest>
void reduce_along(P const& on, batch::sequences<In> const& in, Target const& out, Rest... rest)
{
  using namespace batch;
  constexpr char const* call = "tally::reduce";
  using value = std::remove_const_t<In>;
  auto arguments = reduce_arguments<detail::accumulator<Acc, value>>(std::move(rest)...);
  using all = decltype(arguments);
  using init_type = decltype(all::init);
  using T = accumulator_of_t<Acc, init_type, value>;
  using Out = typename decltype(out.array)::element_type;
  check_batch<Acc, T, In const&, decltype(all::op)>();
  detail::check_output<Out*, T>();
  auto op = detail::canonical_operator<T>(std::move(arguments.op));
  using Op = decltype(op);
  std::size_t const sequences = sequences_of(in);
  call_name const name = name_of_batch<T, Op>("reduce", sequences, initial_in_name<init_type>());
  auto const describe = [&](layout& where, ends<T>& values) {
    other_axes const sources(in.array, {in.axis});
    across_strides strides{sources.strides, out.strides_for(call, "output", sources.shape), {}, {}, {}};
    check_distinct(call, "output", sources.shape, strides.out);
    values = initial_of<T>(call, arguments.init, sources.shape, strides.initial);
    where = numbered_layout(call, {in.array.extent(in.axis), {in.array.stride(in.axis), 1}}, sources.shape, strides);
  };
  backend_reduce_along<T>(on, call, name, sequences, static_cast<value const*>(in.array.data_handle()),
                          out.array.data_handle(), op, describe);
}

}  // namespace tally::ranks_backend
