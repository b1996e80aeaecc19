#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "src/c/dense_ends.hpp"
#include "src/c/ends.hpp"
#include "src/c/ranks/operators.hpp"
#include "tally/detail/ranks/batches.hpp"
#include "tally/detail/ranks/segments.hpp"
#include "tally/detail/ranks/wire.hpp"

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
void run_on_segments(session& by, operation const& of, segments_on_ranks& call, call_on_segments const& all)
{
  auto const* const values = reinterpret_cast<E const*>(call.values);
  auto* const out = reinterpret_cast<E*>(call.out);
  Op op = operator_of<Op>(of);
  std::optional<T> initial;
  // From the back a copy of the part is combined, from its last element on: the code for iterators that go backwards
  // would be as much again.
  ranks_backend::memory<E> turned;
  if (call.from_back)
    by.attempt([&] {
      turned = ranks_backend::memory<E>(call.size);
      std::uninitialized_copy_n(std::make_reverse_iterator(values + call.size), call.size, turned.get());
    });
  using line_type = ranks_backend::crossing_line<T, E const*>;
  using call_type = ranks_backend::call_on<T, callbacks, line_type, Op>;
  line_type line(call.from_back ? turned.get() : values, call.size, initial, call.has_initial, call.from_back);
  std::size_t const tile = ranks_backend::tile_of<T>(values);
  call_type even(by, line, op, tile), odd(by, line, op, tile);
  auto const reserve = [&] {
    even.reserve();
    odd.reserve();
  };
  all(reserve, [&](std::span<ranks_backend::pieces_of_part const> pieces) {
    ranks_backend::cross_borders(pieces, by.rank(), line, even, odd, [&](call_type& crossing, line_type const& piece) {
      bool const begins = piece.begins_on(by.rank());
      if (begins && call.has_initial) initial.emplace(*reinterpret_cast<E const*>(call.initial));
      crossing.share_totals(true);
      E* const results = (call.from_back ? turned.get() : out) + piece.begin();
      if (!call.reduces) crossing.scan([&](std::size_t) { return results; }, shift_of(call));
      if (!call.reduces && call.from_back)
        std::copy_n(results, piece.size(), std::make_reverse_iterator(out + call.size - piece.begin()));
      if (!begins || call.last == nullptr) return;
      by.attempt([&] {
        *reinterpret_cast<E*>(call.last) = static_cast<E>(T(cpu_backend::value_of<T>(*crossing.after_all().last())));
        call.has_last = true;
      });
    });
  });
}

/// The code of Op on E.
template <class E, class Op, class T = E>
ranks_operation code_of()
{
  ranks_operation result;
  result.along = run_along<E, T, Op>;
  result.segments = run_on_segments<E, T, Op>;
  return result;
}

}  // namespace tally::c
