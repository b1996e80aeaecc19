#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>

#include "src/c/ends.hpp"
#include "src/c/failure.hpp"
#include "src/c/ranks/on_gpus.hpp"
#include "tally/config.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/nccl/backend.hpp"
#include "tally/detail/nccl/batches.hpp"
#include "tally/detail/nccl/exact_call.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/detail/ranks/batches.hpp"
#include "tally/detail/ranks/lines.hpp"

/// Reductions and scans of rows that are divided among ranks, on any kind of device: elements of type E are combined as
/// values of type T.
namespace tally::c {

/// The values with which rows begin: one for all, or one of each in memory.
template <class T, class E>
struct initials_of_rows {
  using W = working_type<T>;
  W value;
  E const* each;
  detail::batch::layout where;

  TALLY_HD W operator()(std::size_t s) const
  {
    return each == nullptr ? value : static_cast<W>(static_cast<T>(each[where.place(s).initial]));
  }
};

/// A single row, and several, whose initial values may lie in memory.
template <class T, class E>
struct one_row : ranks_backend::one_line<T, E const*, std::identity> {
  bool begins_with_a_value;
  initials_of_rows<T, E> values;

  bool has_init() const { return begins_with_a_value; }
  initials_of_rows<T, E> const& initials() const { return values; }
};
template <class T, class E>
struct several_rows : ranks_backend::batch_lines<T, ranks_backend::neighbouring_elements<E>, std::identity> {
  bool begin_with_values;
  initials_of_rows<T, E> values;

  bool has_init() const { return begin_with_values; }
  initials_of_rows<T, E> const& initials() const { return values; }
};

/// Puts the value of each row among the results, or among the last values.
template <class T, class E>
struct put_value_of_row {
  detail::batch::layout where;
  E* out;
  bool among_lasts;
  E nothing;

  TALLY_HD void operator()(std::size_t s, detail::optional_value<working_type<T>> const& value) const
  {
    detail::batch::distances const at = where.place(s);
    out[among_lasts ? at.last : at.out] = value.is_present ? static_cast<E>(static_cast<T>(value.value)) : nothing;
  }
};

/// Puts a value at the first place of each row of results, or among the last values.
template <class E>
struct put_in_row {
  detail::batch::layout where;
  E* out;
  bool among_lasts;
  E value;

  TALLY_HD void operator()(std::size_t s) const
  {
    detail::batch::distances const at = where.place(s);
    out[among_lasts ? at.last : at.out] = value;
  }
};

/// The call on every rank. `has_met` is set when the ranks know of each other's failures.
/// Throws    rank_error on every rank; what the device and the transport throw.
template <class T, class E, class Machine, class Op>
void run_along(nccl_backend::execution<Machine> const& on, along_on_gpus const& given, bool& has_met, Op op)
{
  using namespace nccl_backend;
  sequences_call const& call = given.call;
  detail::batch::layout const& where = call.where;
  std::size_t const size = where.along.extent, count = given.sequences;
  auto const* const in = reinterpret_cast<E const*>(call.in);
  auto* const out = reinterpret_cast<E*>(call.out);
  auto* const lasts = call.reduces ? nullptr : reinterpret_cast<E*>(call.last);
  auto const* const initial = reinterpret_cast<E const*>(call.initial);
  bool const one_for_all = initial != nullptr && !call.initial_for_each;
  initials_of_rows<T, E> const initials{one_for_all ? static_cast<working_type<T>>(static_cast<T>(*initial))
                                                    : working_type<T>(),
                                        one_for_all ? nullptr : initial, where};
  E const nothing = *reinterpret_cast<E const*>(given.nothing);

  group<Machine>& all = on.all();
  ranks_backend::call_name const name(std::string_view(given.name));
  typename Machine::work work(all.machine, given.name);
  ranks_backend::session<typename Machine::transport> by(all.ranks, name);
  begin_call(all, by, size, [&] {
    work.template prepare<T>(count * size, in);
    if (call.initial_for_each) work.template check<T>(count, initial);
    if (out != nullptr) work.template check<T>(call.reduces ? count : count * size, out);
    if (lasts != nullptr) work.template check<T>(count, lasts);
    check_tiles<T>(given.name, count, size);
  });
  has_met = true;
  if (count == 0) return;
  std::identity same;
  auto const run = [&](auto const& lines, auto const& outs) {
    call_under<T, Op, Machine, std::remove_cvref_t<decltype(lines)>> own(all, work, lines, op);
    take_memory(all, by, work, own.bytes());
    own.share_totals();
    if (call.reduces) {
      if (out != nullptr) own.reduce(put_value_of_row<T, E>{where, out, false, nothing});
      return;
    }
    scan_by(all, by, own, outs, shift_of(call));
    // The sum of nothing is +0.0, and its identity -0.0.
    bool const is_first = all.ranks.offsets[static_cast<std::size_t>(by.rank())] == 0;
    if (given.begins_with_nothing && is_first && size > 0)
      work.for_each(count, put_in_row<E>{where, out, false, nothing});
    if (lasts == nullptr) return;
    if (given.begins_with_nothing && own.elements() == 0)
      work.for_each(count, put_in_row<E>{where, lasts, true, nothing});
    else
      own.reduce(put_value_of_row<T, E>{where, lasts, true, nothing});
  };
  std::optional<T> const none;
  if (count == 1)
    run(one_row<T, E>{{in, size, &none, &same}, initial != nullptr, initials}, one_output<E*>{out});
  else
    run(several_rows<T, E>{{where, count, {}, {in}, &same}, initial != nullptr, initials},
        neighbouring_results<E>{where, out});
}

}  // namespace tally::c
