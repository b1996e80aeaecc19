#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "tally/config.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/nccl/backend.hpp"
#include "tally/detail/nccl/call.hpp"
#include "tally/detail/nccl/exact_call.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/detail/ranks/batches.hpp"
#include "tally/detail/strided_iterator.hpp"
#include "tally/error.hpp"

/// Sequences of arrays in the memory of several devices, along an axis that is divided among these.
namespace tally::nccl_backend {

namespace batch = detail::batch;

/// The places of the results of sequences: next to each other, or at a distance.
template <class Out>
struct neighbouring_results {
  batch::layout where;
  Out* first;
  TALLY_HD Out* operator()(std::size_t s) const { return first + where.place(s).out; }
};
template <class Out>
struct distant_results {
  batch::layout where;
  Out* first;
  TALLY_HD detail::strided_iterator<Out> operator()(std::size_t s) const
  {
    return {first + where.place(s).out, where.along.step.out};
  }
};

/// Put the value of each sequence among the results, or among the last values.
template <class T, class Out>
struct put_results {
  batch::layout where;
  Out* out;
  T nothing;
  TALLY_HD void operator()(std::size_t s, detail::optional_value<working_type<T>> const& last) const
  {
    out[where.place(s).out] = static_cast<Out>(last.is_present ? static_cast<T>(last.value) : nothing);
  }
};
template <class T>
struct put_lasts {
  batch::layout where;
  T* lasts;
  T nothing;
  TALLY_HD void operator()(std::size_t s, detail::optional_value<working_type<T>> const& last) const
  {
    lasts[where.place(s).last] = last.is_present ? static_cast<T>(last.value) : nothing;
  }
};

/// Blocks of kernels are numbered by 32 bits.
template <class T>
void check_tiles(char const* call, std::size_t sequences, std::size_t size)
{
  constexpr std::size_t most = std::size_t{1} << 31;
  if (sequences >= most || (sequences > 0 && size / order::tile<T> + 1 >= most / sequences))
    throw usage_error(std::string(call) + ": on several GPUs the sequences of a call have fewer than 2^31 tiles");
}

/// Begins a call on sequences of arrays that `describe(where, ends)` describes. Tiles have elements of type V, the ends
/// are of type T.
template <class V, class T, class Machine, class Describe, class... Arrays>
void begin_sequences(group<Machine>& all, ranks_backend::session<typename Machine::transport>& by,
                     typename Machine::work& work, char const* call_text, std::size_t sequences, batch::layout& where,
                     batch::ends<T>& ends, Describe const& describe, Arrays const&... arrays)
{
  where.along.extent = 0;
  begin_described(all, by, where.along.extent, [&] {
    batch::layout described;
    describe(described, ends);
    std::size_t const size = described.along.extent;
    work.template prepare<V>(sequences * size, arrays...);
    if (ends.initials != nullptr) work.template check<T>(sequences, ends.initials);
    if (ends.lasts != nullptr) work.template check<T>(sequences, ends.lasts);
    check_tiles<V>(call_text, sequences, size);
    where = described;
  });
}

/// Runs body(call, layout, ends, session) on the sequences that `describe` describes within the call.
template <class T, class Machine, class In, class Out, class Op, class Describe, class Body>
void with_sequences(execution<Machine> const& on, char const* call_text, ranks_backend::call_name const& name,
                    std::size_t sequences, In const* in, Out* out, Op& op, Describe const& describe, Body const& body)
{
  check_arguments<T, In const*, In const*, Op, std::identity>();
  group<Machine>& all = on.all();
  typename Machine::work work(all.machine, call_text);
  ranks_backend::session<typename Machine::transport> by(all.ranks, name);
  batch::layout where;
  batch::ends<T> values;
  begin_sequences<T>(all, by, work, call_text, sequences, where, values, describe, in, out);
  std::identity same;
  auto const run = [&](auto const& lines) {
    call_under<T, Op, Machine, std::remove_cvref_t<decltype(lines)>> own(all, work, lines, op);
    take_memory(all, by, work, own.bytes());
    own.share_totals();
    body(own, where, values, by);
  };
  using namespace ranks_backend;
  if (where.along.step.in == 1)
    run(batch_lines<T, neighbouring_elements<In>, std::identity>{where, sequences, values, {in}, &same});
  else
    run(batch_lines<T, distant_elements<In>, std::identity>{
        where, sequences, values, {in, where.along.step.in}, &same});
}

/// The value of a sequence of no elements, if all are such.
template <class T, class Call, class Op>
T nothing_of(char const* name, Call const& call, bool has_initial, Op const& op)
{
  if (call.elements() > 0 || has_initial) return T();
  return ranks_backend::value_of_nothing<T>(name, op);
}

template <class T, class Machine, class In, class Out, class Op, class Describe>
void backend_scan_along(execution<Machine> const& on, char const* call_text, ranks_backend::call_name const& name,
                        std::size_t sequences, In const* in, Out* out, Op& op, detail::direction shift,
                        Describe const& describe)
{
  with_sequences<T>(on, call_text, name, sequences, in, out, op, describe,
                    [&](auto& call, batch::layout const& where, batch::ends<T> const& values, auto& by) {
                      T const nothing =
                          values.lasts == nullptr ? T() : nothing_of<T>(call_text, call, values.has_initial(), op);
                      if (where.along.step.out == 1)
                        scan_by(on.all(), by, call, neighbouring_results<Out>{where, out}, shift);
                      else
                        scan_by(on.all(), by, call, distant_results<Out>{where, out}, shift);
                      if (values.lasts != nullptr) call.reduce(put_lasts<T>{where, values.lasts, nothing});
                    });
}

template <class T, class Machine, class In, class Out, class Op, class Describe>
void backend_reduce_along(execution<Machine> const& on, char const* call_text, ranks_backend::call_name const& name,
                          std::size_t sequences, In const* in, Out* out, Op& op, Describe const& describe)
{
  with_sequences<T>(on, call_text, name, sequences, in, out, op, describe,
                    [&](auto& call, batch::layout const& where, batch::ends<T> const& values, auto&) {
                      T const nothing = nothing_of<T>(call_text, call, values.has_initial(), op);
                      call.reduce(put_results<T, Out>{where, out, nothing});
                    });
}

}  // namespace tally::nccl_backend
