#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>

#include "src/c/arguments.hpp"
#include "src/c/dense_ends.hpp"
#include "src/c/ends.hpp"
#include "src/c/ranks/operators.hpp"
#include "tally/detail/ranks/batches.hpp"
#include "tally/detail/ranks/segments.hpp"

/// The code of an operator on ranks: elements of type E are combined as values of type T.
namespace tally::c {

template <class Op>
Op operator_of(operation const& of)
{
  if constexpr (requires(Op op) { op.callers; })
    return Op{of.callers};
  else
    return Op{};
}

template <class E, class T, class Op>
void run_along(session& by, operation const& of, sequences_call const& call, std::size_t sequences)
{
  constexpr char const* name = "tally_ranks";
  auto const* const in = reinterpret_cast<E const*>(call.in);
  auto* const out = reinterpret_cast<E*>(call.out);
  Op op = operator_of<Op>(of);
  std::identity same;
  // Only sequences without gaps: the code for others would be as much again.
  auto const run = [&](detail::batch::layout const& where, detail::batch::ends<T> const& values) {
    ranks_backend::batch_lines<T, ranks_backend::neighbouring_elements<E>, std::identity> const lines{
        where, sequences, values, {in}, &same};
    if (call.reduces)
      ranks_backend::reduce_lines<T>(name, by, lines, out, op);
    else
      ranks_backend::scan_lines<T>(
          name, by, lines, [&](std::size_t s) { return out + where.place(s).out; }, op, shift_of(call));
  };
  if constexpr (std::is_same_v<E, T>) {
    run(call.where, ends_of<T>(call));
  } else {
    std::optional<dense_ends<E, T>> ends;
    by.attempt([&] { ends.emplace(call); });
    by.meet({});
    run(ends->where, ends->values);
    ends->write_lasts(call);
  }
}

template <class E, class T, class Op>
void run_on_runs(ranks const& on, operation const& of, runs_on_ranks& call)
{
  auto const* const values = reinterpret_cast<E const*>(call.values);
  auto* const out = reinterpret_cast<E*>(call.out);
  Op op = operator_of<Op>(of);
  std::optional<T> initial;
  if (call.initial != nullptr) initial.emplace(*reinterpret_cast<E const*>(call.initial));
  std::optional<E> of_last;  // the reduction of the run that begins here and goes on
  run_heads& heads = *call.heads;
  ranks_backend::call_name const name("tally_ranks, runs of equal keys");
  ranks_backend::with_segments<T>(
      on, name, heads, values, initial, op,
      [&](auto& crossing, auto const& line) {
        if (!call.reduces)
          crossing.scan([&](std::size_t) { return out + line.begin(); }, shift_of(call));
        else if (line.begins_on(on.rank()))
          of_last.emplace(static_cast<E>(T(cpu_backend::value_of<T>(*crossing.after_all().last()))));
      },
      [&](auto const&, std::size_t begin, std::size_t end) {
        auto const run_at = [&](std::size_t place) {
          auto const first = heads.ends.begin();
          return static_cast<std::size_t>(std::lower_bound(first, heads.ends.end(), static_cast<std::int64_t>(place)) -
                                          first);
        };
        call.first_run = run_at(begin);
        segments_call inner;
        inner.segments = run_at(end) - call.first_run;
        call.count = inner.segments + (of_last ? 1 : 0);
        if (call.reduces) {
          check_room(*call.results, static_cast<std::int64_t>(call.count), "out", " runs");
          if (call.keys_out != nullptr)
            check_room(*call.keys_out, static_cast<std::int64_t>(call.count), "keys_out", " runs");
        }
        inner.values = call.values;
        inner.out = call.out;
        inner.offsets = heads.ends.data() + call.first_run;
        inner.initial = call.initial;
        inner.nothing = of.nothing_bytes();
        inner.reduces = call.reduces;
        inner.exclusive = call.exclusive;
        inner.threads = call.threads;
        if (inner.segments > 0) of.segments(of, inner);
        if (of_last) out[inner.segments] = *of_last;
      });
}

/// The code of Op on E.
template <class E, class Op, class T = E>
ranks_operation code_of()
{
  ranks_operation result;
  result.along = run_along<E, T, Op>;
  if constexpr (!is_exact_sum<Op>) result.runs = run_on_runs<E, T, Op>;
  return result;
}

}  // namespace tally::c
