#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "tally/batches.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/calls.hpp"
#include "tally/detail/recurrence/filter.hpp"
#include "tally/detail/recurrence/filter_in_phases.hpp"
#include "tally/detail/recurrence/filter_maps.hpp"
#include "tally/detail/recurrence/filter_sequences.hpp"
#include "tally/for_each.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// The calls of recursive filters on many sequences: from the arguments to the phases of a device, or to one filter
/// after the other on a CPU.
namespace tally::detail::recurrence {

/// The checks of a call with coefficients of type T on elements of type X.
template <class T, std::size_t Order, class X>
constexpr void check_filter()
{
  static_assert(Order > 0, "tally: a recursive filter feeds back at least one output");
  static_assert(!(std::is_integral_v<T> && std::is_floating_point_v<X>),
                "tally: integer coefficients would truncate every value of a floating-point signal. Write them as 1.0");
  static_assert(std::is_convertible_v<X, T>,
                "tally: the elements of a filtered signal convert to the type of the coefficients");
}

/// States in memory of the caller's, which are arrays of the same bytes.
template <class T, std::size_t Order>
filter_state<T, Order> const* as_states(std::array<T, Order> const* states)
{
  static_assert(sizeof(filter_state<T, Order>) == sizeof(std::array<T, Order>));
  return reinterpret_cast<filter_state<T, Order> const*>(states);
}
template <class T, std::size_t Order>
filter_state<T, Order>* as_states(std::array<T, Order>* states)
{
  return reinterpret_cast<filter_state<T, Order>*>(states);
}

/// The filters of all sequences on a CPU: short ones on one thread each, long ones on all, one after the other.
template <class P, class T, std::size_t Order, class All>
struct filters_in_turn {
  static constexpr std::size_t long_bytes = std::size_t{1} << 19;  // four tiles of the scan

  P on;
  All all;
  filter_constants<T, Order> of;
  batch::ends<std::array<T, Order>> ends;

  bool is_long(std::size_t s) const { return all.size(s) * sizeof(T) >= long_bytes; }
  template <class Threads>
  void run(Threads const& threads, std::size_t s) const
  {
    auto const before = as_state(ends.initials != nullptr ? ends.initials[all.initial_of(s)] : *ends.initial);
    auto const last =
        all.with_iterators(s, [&](auto in, auto out) { return filter(threads, of, in, all.size(s), out, before); });
    if (ends.lasts != nullptr) ends.lasts[all.last_of(s)] = as_array(last);
  }
  void operator()(std::size_t s) const
  {
    if (!is_long(s)) run(cpu{1}, s);
  }
  void run() const
  {
    took("recursive filters in turn");
    tally::for_each_index(on, all.sequences(), *this);
    for (std::size_t s = 0; s < all.sequences(); ++s)
      if (is_long(s)) run(on, s);
  }
};

/// The initial and last states of a call, in the device's terms.
template <class T, std::size_t Order>
struct filter_ends {
  filter_state<T, Order> before{};
  filter_state<T, Order> const* befores;
  filter_state<T, Order>* lasts;

  explicit filter_ends(batch::ends<std::array<T, Order>> const& ends)
      : befores(as_states(ends.initials)),
        lasts(as_states(ends.lasts))
  {
    if (ends.initial) before = as_state(*ends.initial);
  }
};

inline std::size_t filter_blocks_in(std::size_t n)
{
  return n / filter_block + (n % filter_block != 0);
}

template <class P, class T, std::size_t Order, class In, class Out, class... Rest>
void filter_along(P const& on, std::array<T, Order> const& feedback, batch::sequences<In> const& in,
                  batch::sequences<Out> const& out, Rest... rest)
{
  using namespace batch;
  constexpr char const* call = "tally::recursive_filter";
  check_filter<T, Order, std::remove_const_t<In>>();
  auto const arguments = recurrence::told_apart(std::move(rest)...);
  using all = std::remove_const_t<decltype(arguments)>;
  using state = std::array<T, Order>;
  static_assert(last_fits<decltype(all::last), state>,
                "tally: last_to(...) of a filter takes places of std::array<T, Order>, the latest output first");
  check_shapes(call, in, out, 0);
  std::size_t const n = in.array.extent(in.axis);
  other_axes const elements(in.array, {in.axis}), results(out.array, {out.axis});
  check_distinct(call, "output", out.array.shape(), out.array.strides());
  across_strides strides{elements.strides, results.strides, {}, {}, {}};
  ends<state> values =
      ends_of<state>(initial_of<state>(call, arguments.before, results.shape, strides.initial), arguments);
  if constexpr (is_present<decltype(all::last)> && last_fits<decltype(all::last), state>) {
    strides.last = arguments.last.at.strides_for(call, "last_to(...)", results.shape);
    check_distinct(call, "last_to(...)", results.shape, strides.last);
    values.lasts = arguments.last.at.array.data_handle();
  }
  if (any_empty(results.shape) || (n == 0 && values.lasts == nullptr)) return;
  layout const where =
      layout_of(call, {n, {in.array.stride(in.axis), out.array.stride(out.axis), 0, 0, 0}}, results.shape, strides);
  std::size_t const count = where.sequences(), blocks = filter_blocks_in(n);
  auto const magnitude = [](std::ptrdiff_t step) { return step < 0 ? -step : step; };
  bool const across =
      where.dimensions > 0 && magnitude(where.across[where.dimensions - 1].step.in) < magnitude(where.along.step.in);
  using value = std::remove_const_t<In>;
  filters_along<value const*, Out*> const places{
      in.array.data_handle(), out.array.data_handle(), where, count, blocks, across};
  filter_constants<T, Order> const of(feedback);
  if constexpr (host<P>) {
    filters_in_turn<P, T, Order, filters_along<value const*, Out*>>{on, places, of, values}.run();
  } else {
    filter_ends<T, Order> const ends(values);
    filter_in_phases(on, places, of, count, count * blocks, blocks, ends.before, ends.befores, ends.lasts);
  }
}

template <class P, class T, std::size_t Order, class Values, class Offsets, class From, class Out, class... Rest>
void filter_segments(P const& on, std::array<T, Order> const& feedback,
                     batch::segments_between<Values, Offsets, From> const& given, Out& out, Rest... rest)
{
  using namespace batch;
  constexpr char const* call = "tally::recursive_filter";
  check_filter<T, Order, std::iter_value_t<Values>>();
  auto const in = with_count(on, given);
  auto const arguments = recurrence::told_apart(std::move(rest)...);
  using all = std::remove_const_t<decltype(arguments)>;
  using state = std::array<T, Order>;
  static_assert(last_fits<decltype(all::last), state>,
                "tally: last_to(...) of a filter takes places of std::array<T, Order>, the latest output first");
  auto const results = output_from(call, out, in.elements);
  check_segments(call, on, in);
  ends<state> values = ends_of<state>(initial_of_segments<state>(call, arguments.before, in.count), arguments);
  if (in.count == 0) return;
  if constexpr (is_present<decltype(all::last)> && last_fits<decltype(all::last), state>)
    values.lasts = arguments.last.at.contiguous_for(call, "last_to(...)", in.count);
  filter_constants<T, Order> const of(feedback);
  element_count const segments{in.count, in.fewer};
  constexpr bool from_back = std::is_same_v<From, batch::from_back>;
  using places = filters_of_segments<from_back, Values, std::remove_const_t<decltype(results)>, Offsets>;
  if constexpr (host<P>) {
    filters_in_turn<P, T, Order, places>{on, {in.values, results, in.offsets, segments, nullptr}, of, values}.run();
  } else {
    temporary<std::size_t, P> const block_offsets(on, in.count + 1);
    auto const sizes = elements_from(blocks_of_segment<Offsets>{in.offsets, segments});
    tally::exclusive_scan(on, sizes, sizes + static_cast<std::ptrdiff_t>(in.count + 1), block_offsets.data(),
                          std::size_t{0});
    std::size_t const blocks = in.elements != unknown_size ? in.elements / filter_block + in.count
                                                           : value_at(on, block_offsets.data() + in.count);
    filter_ends<T, Order> const ends(values);
    filter_in_phases(on, places{in.values, results, in.offsets, segments, block_offsets.data()}, of, in.count, blocks,
                     blocks, ends.before, ends.befores, ends.lasts);
  }
}

/// The filter of one sequence, of iterators.
template <class P, class T, std::size_t Order, class I, class Out>
void filter_range(P const& on, std::array<T, Order> const& feedback, I first, std::size_t n, Out out,
                  std::array<T, Order> const& before)
{
  filter_constants<T, Order> const of(feedback);
  if constexpr (host<P>) {
    filter(on, of, first, n, out, as_state(before));
  } else if (n > 0) {
    std::size_t const blocks = filter_blocks_in(n);
    auto const in = batch::place_of(first);
    auto const to = batch::place_of(out);
    filters_along<std::remove_const_t<decltype(in)>, std::remove_const_t<decltype(to)>> const places{
        in, to, {{n, {1, 1, 0, 0, 0}}, 0, {}}, 1, blocks, false};
    filter_in_phases(on, places, of, 1, blocks, blocks, as_state(before),
                     static_cast<filter_state<T, Order> const*>(nullptr),
                     static_cast<filter_state<T, Order>*>(nullptr));
  }
}

}  // namespace tally::detail::recurrence
