#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#include "tally/detail/at_index.hpp"
#include "tally/detail/backends.hpp"
#include "tally/detail/batch/along_calls.hpp"
#include "tally/detail/batch/arguments.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/error.hpp"
#include "tally/operators/traits.hpp"
#include "tally/segments.hpp"

/// The calls on segments: from the arguments to the backend.
namespace tally::detail::batch {

/// Throws    usage_error if the last segment ends behind the values, as far as both are known on the host.
template <class P, class Values, class Offsets, class From>
void check_segments(char const* call, P const&, segments_between<Values, Offsets, From> const& in)
{
  if constexpr (host<P>) {
    if (in.count == 0 || in.elements == unknown_size) return;
    auto const end = static_cast<std::size_t>(at_index(in.offsets, in.count));
    if (end > in.elements)
      throw usage_error(std::string(call) + ": the last offset is " + std::to_string(end) + ", and there are " +
                        std::to_string(in.elements) + " values");
  }
}

/// The beginning of an output, which is an iterator or a range.
/// Throws    usage_error if it is a range of fewer than `needed` elements.
template <class Out>
auto output_from(char const* call, Out& out, std::size_t needed)
{
  if constexpr (std::ranges::sized_range<Out>)
    if (needed != unknown_size && std::ranges::size(out) < needed)
      throw usage_error(std::string(call) + ": the output has " + std::to_string(std::ranges::size(out)) +
                        " elements, and needs " + std::to_string(needed));
  auto const first = begin_of(out);
  static_assert(std::random_access_iterator<std::remove_const_t<decltype(first)>>,
                "tally: results of segments are written by index: give an output iterator of an array");
  return first;
}

template <class T, class Init>
ends<T> initial_of_segments(char const* call, Init const& init, std::size_t count)
{
  ends<T> result;
  if constexpr (is_initial_values<Init>)
    result.initials = init.at.contiguous_for(call, "each(...)", count);
  else if constexpr (is_present<Init>)
    result.initial.emplace(static_cast<T>(init));
  return result;
}

template <class Acc, class P, class Values, class Offsets, class From, class Out, class... Rest>
void reduce_segments(P const& on, segments_between<Values, Offsets, From> const& batch, Out& out, Rest... rest)
{
  constexpr char const* call = "tally::reduce";
  auto const in = with_count(on, batch);
  using value = std::iter_value_t<Values>;
  auto arguments = reduce_arguments<accumulator<Acc, value>>(std::move(rest)...);
  using all = decltype(arguments);
  using init_type = decltype(all::init);
  using T = accumulator_of_t<Acc, init_type, value>;
  check_batch<Acc, T, std::iter_reference_t<Values>, decltype(all::op)>();
  auto op = canonical_operator<T>(std::move(arguments.op));
  auto const results = output_from(call, out, in.count);
  check_output<std::remove_const_t<decltype(results)>, T>();
  check_segments(call, on, in);
  ends<T> const values = initial_of_segments<T>(call, arguments.init, in.count);
  T const nothing = [&]() -> T {
    if constexpr (is_present<init_type> && !is_initial_values<init_type>) {
      return *values.initial;
    } else if constexpr (has_identity<decltype(op), T>) {
      return reduction_of_nothing<T>(op);
    } else {
      static_assert(is_initial_values<init_type> && std::is_default_constructible_v<T>,
                    "tally: an operator without an identity has no value for an empty segment. Give an initial value: "
                    "tally::reduce(segments(values, offsets), out, init, op)");
      return T{};  // no result has it
    }
  }();
  if (in.count == 0) return;
  if constexpr (std::is_same_v<From, from_front>)
    backend_reduce_segments<T>(on, in.values, in.offsets, count_for(on, in), results, nothing, values, op);
  else
    backend_reduce_segments<T>(on, in.values, in.offsets, count_for(on, in), results, nothing, values, op, From{});
}

template <direction Shift, class Acc, class P, class Values, class Offsets, class From, class Out, class... Rest>
void scan_segments(char const* call, P const& on, segments_between<Values, Offsets, From> const& batch, Out& out,
                   Rest... rest)
{
  auto const in = with_count(on, batch);
  auto arguments = told_apart<Shift>(std::move(rest)...);
  using all = decltype(arguments);
  using init_type = decltype(all::init);
  using T = accumulator_of_t<Acc, init_type, std::iter_value_t<Values>>;
  static_assert(!all::includes_initial, "tally: include_initial has no place for its results between segments");
  check_batch<Acc, T, std::iter_reference_t<Values>, decltype(all::op)>();
  static_assert(last_fits<decltype(all::last), T>, "tally: last_to(...) takes places of the accumulator's type");
  auto op = canonical_operator<T>(std::move(arguments.op));
  auto const results = output_from(call, out, in.elements);
  check_output<std::remove_const_t<decltype(results)>, T>();
  check_segments(call, on, in);
  ends<T> values = initial_of_segments<T>(call, arguments.init, in.count);
  if (in.count == 0) return;
  if constexpr (is_present<decltype(all::last)> && last_fits<decltype(all::last), T>) {
    values.lasts = arguments.last.at.contiguous_for(call, "last_to(...)", in.count);
    // Empty segments keep this value. A device's backend writes it.
    if constexpr (host<P> && !is_present<init_type> && has_identity<decltype(op), T>)
      fill<T>(on, call, {in.count}, {{}, {1}, {}, {}, {}}, values.lasts, nothing_as_initial<T>(op), op);
  }
  if constexpr (std::is_same_v<From, from_front>)
    backend_scan_segments<T>(on, in.values, in.offsets, count_for(on, in), results, values, op, Shift);
  else
    backend_scan_segments<T>(on, in.values, in.offsets, count_for(on, in), results, values, op, Shift, From{});
}

}  // namespace tally::detail::batch
