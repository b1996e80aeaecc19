#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/along.hpp"
#include "tally/detail/backends.hpp"
#include "tally/detail/batch/arguments.hpp"
#include "tally/detail/batch/device.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/error.hpp"
#include "tally/operators/traits.hpp"
#include "tally/temporary.hpp"

/// The calls on sequences along axes: from the arguments to the backend.
namespace tally::detail::batch {

/// The axes of an array other than the named ones, in their order.
struct other_axes {
  per_axis shape, strides;

  template <class T>
  other_axes(array_view<T> const& array, per_axis const& named)
  {
    for (std::size_t d = 0; d < array.rank(); ++d) {
      bool is_named = false;
      for (std::ptrdiff_t const axis : named) is_named = is_named || axis == static_cast<std::ptrdiff_t>(d);
      if (is_named) continue;
      shape.append(array.shape()[d]);
      strides.append(array.strides()[d]);
    }
  }
};

/// Throws    usage_error if the output of a scan has another shape than its input, besides the `more` elements that it
///           has along its axis.
template <class In, class Out>
void check_shapes(char const* call, sequences<In> const& in, sequences<Out> const& out, std::size_t more)
{
  auto const described = [](auto const& batch) {
    return shown(batch.array.shape()) + " along axis " + std::to_string(batch.axis);
  };
  auto const both = [&] { return "the input is " + described(in) + ", the output " + described(out); };
  if (in.array.rank() != out.array.rank())
    throw usage_error(std::string(call) + ": the input has " + std::to_string(in.array.rank()) + " axes, the output " +
                      std::to_string(out.array.rank()));
  std::size_t const n = in.array.extent(in.axis), results = out.array.extent(out.axis);
  if (results != n + more)
    throw usage_error(std::string(call) + ": " + std::to_string(n) + " elements have " + std::to_string(n + more) +
                      " results, and the output places for " + std::to_string(results) + ": " + both());
  for (std::size_t i = 0, o = 0; i < in.array.rank(); ++i, ++o) {
    if (i == in.axis) ++i;
    if (o == out.axis) ++o;
    if (i >= in.array.rank()) break;
    if (in.array.extent(i) != out.array.extent(o))
      throw usage_error(std::string(call) + ": extent " + std::to_string(in.array.extent(i)) + " of the input's axis " +
                        std::to_string(i) + " is not extent " + std::to_string(out.array.extent(o)) +
                        " of the output's axis " + std::to_string(o) + ": " + both());
  }
}

inline bool any_empty(per_axis const& shape)
{
  for (std::ptrdiff_t const extent : shape)
    if (extent == 0) return true;
  return false;
}

/// Throws    usage_error if an output has several elements at one place.
inline void check_distinct(char const* call, char const* what, per_axis const& shape, per_axis const& strides)
{
  if (any_empty(shape)) return;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1 && strides[d] == 0)
      throw usage_error(std::string(call) + ", " + what + ": an output cannot repeat an axis: axis " +
                        std::to_string(d) + " of " + shown(shape) + " has stride 0");
}

/// The distances of each array across the sequences. An array that the call does not have has none.
struct across_strides {
  per_axis in, out, initial, last, coefficients;
};

/// Throws    usage_error if more than `most_dimensions` axes are left when those that lie as one are joined.
inline layout layout_of(char const* call, dimension const& along, per_axis const& shape, across_strides const& strides)
{
  dimension axes[most_axes];
  auto const step = [](per_axis const& of, std::size_t d) { return d < of.size() ? of[d] : 0; };
  for (std::size_t d = 0; d < shape.size(); ++d)
    axes[d] = {static_cast<std::size_t>(shape[d]),
               {step(strides.in, d), step(strides.out, d), step(strides.initial, d), step(strides.last, d),
                step(strides.coefficients, d)}};
  int const count = simplify(axes, static_cast<int>(shape.size()));
  if (count > most_dimensions)
    throw usage_error(std::string(call) + ": " + std::to_string(count) +
                      " axes besides the one along which sequences lie, no two "
                      "of which lie in memory as one; there may be " +
                      std::to_string(most_dimensions));
  layout where{along, count, {}};
  for (int d = 0; d < count; ++d) where.across[static_cast<std::size_t>(d)] = axes[d];
  return where;
}

/// Writes the initial value of each sequence to `out`.
template <class T, class P, class Out, class Op>
void fill(P const& on, char const* call, per_axis const& shape, across_strides strides, Out* out, ends<T> const& values,
          Op& op)
{
  strides.in = strides.out;
  strides.last = {};
  layout const where = layout_of(call, {1, {}}, shape, strides);
  if constexpr (host<P>)
    cpu_backend::fill_sequences(where, out, values);
  else
    fill_on_device(on, where, out, values, op);
}

/// The reduction of no elements as an initial value.
template <class T, class Op>
ends<T> nothing_as_initial(Op const& op)
{
  static_assert(has_identity<Op, T>,
                "tally: an operator without an identity has no value for an empty sequence. Give an initial value");
  return {reduction_of_nothing<T>(op), nullptr, nullptr};
}

/// The initial value or values of a call, for a batch of this shape. `strides` receives those of the values.
template <class T, class Init>
ends<T> initial_of(char const* call, Init const& init, per_axis const& shape, per_axis& strides)
{
  ends<T> result;
  if constexpr (is_initial_values<Init>) {
    strides = init.at.strides_for(call, "each(...)", shape);
    result.initials = init.at.array.data_handle();
  } else if constexpr (is_present<Init>) {
    result.initial.emplace(static_cast<T>(init));
  }
  return result;
}

template <direction Shift, class Acc, class P, class In, class Out, class... Rest>
void scan_along(char const* call, P const& on, sequences<In> const& in, sequences<Out> const& out, Rest... rest)
{
  auto arguments = told_apart<Shift>(std::move(rest)...);
  using all = decltype(arguments);
  using init_type = decltype(all::init);
  using T = accumulator_of_t<Acc, init_type, std::remove_const_t<In>>;
  check_batch<Acc, T, In const&, decltype(all::op)>();
  check_output<Out*, T>();
  static_assert(last_fits<decltype(all::last), T>, "tally: last_to(...) takes places of the accumulator's type");
  auto op = canonical_operator<T>(std::move(arguments.op));
  using Op = decltype(op);

  constexpr std::size_t more = all::includes_initial ? 1 : 0;
  check_shapes(call, in, out, more);
  std::size_t const n = in.array.extent(in.axis);
  other_axes const sources(in.array, {in.axis}), results(out.array, {out.axis});
  check_distinct(call, "output", out.array.shape(), out.array.strides());
  across_strides strides{sources.strides, results.strides, {}, {}, {}};
  ends<T> values = initial_of<T>(call, arguments.init, results.shape, strides.initial);
  if constexpr (is_present<decltype(all::last)> && last_fits<decltype(all::last), T>) {
    strides.last = arguments.last.at.strides_for(call, "last_to(...)", results.shape);
    check_distinct(call, "last_to(...)", results.shape, strides.last);
    values.lasts = arguments.last.at.array.data_handle();
  }
  if (any_empty(results.shape)) return;

  auto const first_in = static_cast<std::remove_const_t<In> const*>(in.array.data_handle());
  Out* const first_out = out.array.data_handle();
  dimension const along{n, {in.array.stride(in.axis), out.array.stride(out.axis), 0, 0}};
  direction shift = Shift;
  if constexpr (all::includes_initial) {
    static_assert(std::is_same_v<Out, T>, "tally: include_initial writes to an output of the accumulator's type");
    static_assert(is_present<init_type> || has_identity<Op, T>,
                  "tally: an operator without an identity needs an initial value that is to be included");
    shift = direction::exclusive;
    values.lasts = first_out + static_cast<std::ptrdiff_t>(n) * along.step.out;
    strides.last = strides.out;
    if constexpr (!is_present<init_type>) values.initial.emplace(identity_of<T>(op));
  }
  if (n != 0) {
    layout const where = layout_of(call, along, results.shape, strides);
    backend_scan_sequences<T>(on, where, first_in, first_out, values, op, shift);
  }
  if constexpr (all::includes_initial || is_present<decltype(all::last)>) {
    // The sum of nothing is +0.0, and its identity -0.0: the first result is written once more.
    bool before_the_first = n == 0;
    if constexpr (all::includes_initial && !is_present<init_type> && std::numeric_limits<T>::is_iec559)
      before_the_first = before_the_first || identity_of<T>(op) == T(0.0f);
    if (!before_the_first) return;
    if constexpr (all::includes_initial) values.lasts = first_out;
    strides.out = strides.last;
    T* const to = std::exchange(values.lasts, nullptr);
    if constexpr (!is_present<init_type>) {
      if constexpr (has_identity<Op, T>)
        values = nothing_as_initial<T>(op);
      else
        throw usage_error(std::string(call) +
                          ": an empty sequence has no last value without an initial value, nor an identity");
    }
    fill<T>(on, call, results.shape, strides, to, values, op);
  }
}

/// The arguments of a reduction behind its output: none, init, op, or both.
template <class T0, class... Rest>
auto reduce_arguments(Rest... rest)
{
  static_assert(sizeof...(Rest) <= 2 && !(is_option<Rest> || ...),
                "tally: a reduction of a batch takes (in, out [, init [, op]]) or (in, out, op)");
  std::tuple<Rest...> all(std::move(rest)...);
  if constexpr (sizeof...(Rest) == 0) {
    return scan_arguments<plus, absent, absent, false>{};
  } else {
    using first = std::tuple_element_t<0, std::tuple<Rest...>>;
    if constexpr (sizeof...(Rest) == 2) {
      using op = std::tuple_element_t<1, std::tuple<Rest...>>;
      return scan_arguments<op, first, absent, false>{std::get<1>(std::move(all)), std::get<0>(std::move(all)), {}};
    } else if constexpr (!is_initial_values<first> && operator_argument<first, T0>) {
      return scan_arguments<first, absent, absent, false>{std::get<0>(std::move(all)), {}, {}};
    } else {
      return scan_arguments<plus, first, absent, false>{{}, std::get<0>(std::move(all)), {}};
    }
  }
}

/// Copies an array to contiguous memory, the last axis running fastest.
template <class T, class P, class In, class Op>
void gather(P const& on, char const* call, array_view<In const> const& from, T* to, Op& op)
{
  array_view<T> const rows(to, from.shape());
  layout const where = layout_of(call, {1, {}}, from.shape(), {from.strides(), rows.strides(), {}, {}, {}});
  if constexpr (host<P>)
    cpu_backend::copy_sequences(on, where, from.data_handle(), to);
  else
    copy_on_device(on, where, from.data_handle(), to, op);
}

/// The order of elements of an array in which the last axis runs fastest, appended to `to`.
template <class T, class In>
void append_all(array_view<In> const& from, std::vector<T>& to)
{
  to.reserve(from.size());
  std::ptrdiff_t index[most_axes]{};
  std::ptrdiff_t at = 0;
  for (std::size_t left = from.size(); left-- > 0;) {
    to.push_back(static_cast<T>(from.data_handle()[at]));
    for (std::size_t d = from.rank(); d-- > 0;) {
      at += from.stride(d);
      if (++index[d] < from.shape()[d]) break;
      at -= index[d] * from.stride(d);
      index[d] = 0;
    }
  }
}

/// Reduces the sequences over the named axes of `in`. `Several`: there may be more than one such axis.
template <bool Several, class Acc, class P, class In, class Target, class... Rest>
void reduce_along(P const& on, combined_sequences<In> const& in, Target const& out, Rest... rest)
{
  constexpr char const* call = "tally::reduce";
  using value = std::remove_const_t<In>;
  auto arguments = reduce_arguments<accumulator<Acc, value>>(std::move(rest)...);
  using all = decltype(arguments);
  using init_type = decltype(all::init);
  using T = accumulator_of_t<Acc, init_type, value>;
  using Out = typename decltype(out.array)::element_type;
  check_batch<Acc, T, In const&, decltype(all::op)>();
  check_output<Out*, T>();
  auto op = canonical_operator<T>(std::move(arguments.op));
  if constexpr (!is_present<init_type>)
    static_assert(has_identity<decltype(op), T>,
                  "tally: an operator without an identity has no value for an empty sequence. Give an initial value: "
                  "tally::reduce(along(axis, in), out, init, op)");

  other_axes const sources(in.array, in.axes);
  across_strides strides{sources.strides, out.strides_for(call, "output", sources.shape), {}, {}, {}};
  check_distinct(call, "output", sources.shape, strides.out);
  ends<T> values = initial_of<T>(call, arguments.init, sources.shape, strides.initial);
  if (any_empty(sources.shape)) return;
  Out* const results = out.array.data_handle();

  // The named axes as one, if they lie so: in their order, the last one fastest.
  dimension along{1, {}};
  bool together = true;
  std::size_t n = 1;
  for (std::size_t k = in.axes.size(); k-- > 0;) {
    auto const axis = static_cast<std::size_t>(in.axes[k]);
    std::size_t const extent = in.array.extent(axis);
    n *= extent;
    if (extent == 1) continue;
    if (along.extent == 1)
      along = {extent, {in.array.stride(axis), 0, 0, 0}};
    else if (in.array.stride(axis) == static_cast<std::ptrdiff_t>(along.extent) * along.step.in)
      along.extent *= extent;
    else
      together = false;
  }
  auto const* const first = static_cast<value const*>(in.array.data_handle());
  if (n == 0) {
    if constexpr (!is_present<init_type>) values = nothing_as_initial<T>(op);
    fill<T>(on, call, sources.shape, strides, results, values, op);
  } else if (together) {
    backend_reduce_sequences<T>(on, layout_of(call, along, sources.shape, strides), first, results, values, op);
  } else if constexpr (Several) {
    per_axis shape = sources.shape, from = sources.strides;
    for (std::ptrdiff_t const axis : in.axes) {
      shape.append(in.array.shape()[static_cast<std::size_t>(axis)]);
      from.append(in.array.strides()[static_cast<std::size_t>(axis)]);
    }
    array_view<value const> const from_all(first, shape, from);
    array_view<value const> const rows(first, shape);
    strides.in = {};
    for (std::size_t d = 0; d < sources.shape.size(); ++d) strides.in.append(rows.stride(d));
    layout const where = layout_of(call, {n, {1, 0, 0, 0}}, sources.shape, strides);
    if constexpr (std::is_trivially_copyable_v<T>) {
      temporary<T, P> const memory(on, rows.size());
      gather(on, call, from_all, memory.data(), op);
      backend_reduce_sequences<T>(on, where, static_cast<T const*>(memory.data()), results, values, op);
    } else {
      static_assert(host<P>, "tally: a call on a GPU takes values that can be copied as bytes");
      std::vector<T> memory;
      append_all(from_all, memory);
      backend_reduce_sequences<T>(on, where, static_cast<T const*>(memory.data()), results, values, op);
    }
  }
}

}  // namespace tally::detail::batch
