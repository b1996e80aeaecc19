#pragma once

#include <cstddef>
#include <cstring>

#include "src/c/ends.hpp"
#include "src/c/operation.hpp"
#include "tally/detail/backends.hpp"
#include "tally/operators/traits.hpp"

/// Calls with any operator on any type, by the templates of the CPU's backend.
namespace tally::c {

/// Elements and results of type E, combined as values of type T.
template <class T, class E, class Op>
void run_any_sequences(cpu on, sequences_call const& call, detail::batch::layout const& where,
                       detail::batch::ends<T> const& values, Op op)
{
  auto const* const in = reinterpret_cast<E const*>(call.in);
  auto* const out = reinterpret_cast<E*>(call.out);
  if (call.reduces)
    detail::backend_reduce_sequences<T>(on, where, in, out, values, op);
  else
    detail::backend_scan_sequences<T>(on, where, in, out, values, op, shift_of(call));
}

template <class T, class E, class Op>
void run_any_segments(cpu on, segments_call const& call, T const& nothing, detail::batch::ends<T> const& values, Op op)
{
  auto const* const in = reinterpret_cast<E const*>(call.values);
  auto* const out = reinterpret_cast<E*>(call.out);
  auto const run = [&](auto... from) {
    if (call.reduces)
      detail::backend_reduce_segments<T>(on, in, call.offsets, call.segments, out, nothing, values, op, from...);
    else
      detail::backend_scan_segments<T>(on, in, call.offsets, call.segments, out, values, op, shift_of(call), from...);
  };
  if (call.from_back)
    run(detail::batch::from_back{});
  else
    run();
}

/// An operator on elements of type T that has an identity. Code to run is not in it yet.
template <class T>
operation on_elements(T const& identity, T const& nothing)
{
  operation result;
  static_assert(sizeof(T) <= sizeof result.identity);
  result.bytes = sizeof(T);
  result.alignment = alignof(T);
  result.has_identity = true;
  std::memcpy(result.identity, &identity, sizeof(T));
  std::memcpy(result.nothing, &nothing, sizeof(T));
  return result;
}

/// An operator of the library without kernels, on elements of type T.
template <class T, class Op>
operation without_kernels()
{
  operation result = on_elements<T>(identity_of<T>(Op{}), reduction_of_nothing<T>(Op{}));
  result.run = [](operation const&, sequences_call const& call) {
    run_any_sequences<T, T>(cpu{call.threads}, call, call.where, ends_of<T>(call), Op{});
  };
  result.segments = [](operation const&, segments_call const& call) {
    T const nothing = *reinterpret_cast<T const*>(call.nothing);
    run_any_segments<T, T>(cpu{call.threads}, call, nothing, ends_of<T>(call), Op{});
  };
  return result;
}

/// Sums and products of complex numbers; none: it is another type or operator.
operation on_complex(tally_type type, std::size_t op);
/// exact_plus.
operation exact_sums(tally_type type);
/// log_sum_exp.
operation sums_of_exponentials(tally_type type);

}  // namespace tally::c
