#pragma once

#include <cstddef>
#include <span>

#include <tally/batches.hpp>
#include <tally/operators.hpp>

#include "axis/sequences.hpp"
#include "gpu/operators.hpp"

/// The library's calls on batches by an operation and a type that are known when the tool runs.
namespace tally::cli {

/// Calls use(operator, T{}) with the operator of `op` and the type T of `type`. Requires: a processor does them.
template <class Use>
void with_operator_and_type(operation op, io::element_type type, Use use)
{
  with_operator(op, [&]<class Op>(Op combine) {
    std::visit(
        [&]<class T>(std::span<T const>) {
          if constexpr (on_gpu<Op, T>) use(combine, T{});
        },
        io::view_as(type, nullptr, 0));
  });
}

/// The initial values of sequences as an array: the only one is repeated.
template <class T>
array_view<T const> array_of(initial_values const& init, sequences const& of)
{
  auto const* const values = static_cast<T const*>(init.values);
  array_view<T const> const each(values, of.across());
  if (init.each) return each;
  per_axis repeated;
  for (std::size_t d = 0; d < each.rank(); ++d) repeated.append(0);
  return {values, each.shape(), repeated};
}

template <class P>
void reduce_by_calls(P const& on, operation op, io::element_type type, sequences const& of, void const* in,
                     initial_values const& init, void* out)
{
  with_operator_and_type(op, type, [&]<class Op, class T>(Op combine, T) {
    array_view<T const> const values(static_cast<T const*>(in) + of.first, of.shape, of.strides);
    tally::reduce(on, along(of.axes, values), static_cast<T*>(out), each(array_of<T>(init, of)), combine);
  });
}

template <class P>
void scan_by_calls(P const& on, operation op, io::element_type type, scan_kind kind, sequences const& of,
                   void const* in, initial_values const& init, void* out)
{
  with_operator_and_type(op, type, [&]<class Op, class T>(Op combine, T) {
    auto const from =
        along(of.axes[0], array_view<T const>(static_cast<T const*>(in) + of.first, of.shape, of.strides));
    auto const to = along(of.axes[0], array_view<T>(static_cast<T*>(out) + of.first, of.shape, of.strides));
    auto const starts = each(array_of<T>(init, of));
    if (kind == scan_kind::inclusive)
      tally::inclusive_scan(on, from, to, combine, starts);
    else
      tally::exclusive_scan(on, from, to, starts, combine);
  });
}

}  // namespace tally::cli
