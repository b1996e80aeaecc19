#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tally/detail/backends.hpp"
#include "tally/detail/batch/along_calls.hpp"
#include "tally/detail/batch/arguments.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/batch/segments_between.hpp"
#include "tally/detail/batch/segments_calls.hpp"
#include "tally/detail/batch/sequences.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/error.hpp"
#include "tally/operators/affine.hpp"
#include "tally/sequences.hpp"

/// The calls of first-order linear recurrences: from the arguments to the backend.
namespace tally::detail::recurrence {

/// The checks of a call with states of type T, and coefficients of types A and B.
template <class T, class A, class B>
constexpr void check_states()
{
  static_assert(!(is_integer<T> && (is_floating<A> || is_floating<B>)),
                "tally: an integer initial state would truncate every state of a recurrence with floating-point "
                "coefficients. Write it as 0.0");
  static_assert(is_complex<T> || operator_over<compose, affine<working_type<T>>>,
                "tally: a recurrence needs a sum and a product of states: the initial state's type has none");
  static_assert(std::is_convertible_v<A, T> && std::is_convertible_v<B, T>,
                "tally: the coefficients of a recurrence convert to the type of its states");
}

template <class A, class B, class Out, class T>
constexpr void check()
{
  static_assert(std::random_access_iterator<A> && std::random_access_iterator<B> && std::random_access_iterator<Out>,
                "tally: a recurrence takes random-access iterators: its tiles are reached by index");
  check_states<T, std::iter_value_t<A>, std::iter_value_t<B>>();
}

/// Writes the n states of a recurrence that begins with `before`. `From`: the end at which it begins.
template <class From, class P, class A, class B, class Out, class T>
void write_states(P const& on, A a, std::size_t n, B b, Out out, T before)
{
  if (n == 0) return;
  batch::ends<T> ends;
  ends.initial.emplace(std::move(before));
  if constexpr (std::contiguous_iterator<A> && std::contiguous_iterator<B> && std::contiguous_iterator<Out>) {
    constexpr std::ptrdiff_t step = std::is_same_v<From, batch::from_front> ? 1 : -1;
    std::ptrdiff_t const first = step == 1 ? 0 : static_cast<std::ptrdiff_t>(n) - 1;
    batch::layout const where{{n, {step, step, 0, 0, step}}, 0, {}};
    using element_a = std::iter_value_t<A>;
    using element_b = std::iter_value_t<B>;
    backend_recur_sequences<T>(on, where, static_cast<element_a const*>(std::to_address(a)) + first,
                               static_cast<element_b const*>(std::to_address(b)) + first, std::to_address(out) + first,
                               ends);
  } else {
    std::size_t const one = 1;
    auto const offsets = elements_from(equal_segments{n});
    if constexpr (host<P>)
      backend_recur_segments<T>(on, a, b, offsets, one, out, ends, From{});
    else
      backend_recur_segments<T>(on, a, b, offsets, element_count{one, {}}, out, ends, From{}, n);
  }
}

/// The arguments behind the output: an initial state or `each(...)`, and last_to(...), both optional.
template <class Init, class Last>
struct recurrence_arguments {
  Init before;  ///< batch::absent, a value, or initial_values
  Last last;    ///< batch::absent, or last_values
};
template <class... Rest>
auto told_apart(Rest... rest)
{
  using namespace batch;
  constexpr std::size_t count = leading<Rest...>;
  static_assert(count <= 1 && sizeof...(Rest) - count <= 1 && (!std::is_same_v<Rest, initial_included> && ...),
                "tally: a recurrence of a batch takes (a, b, out [, before] [, last_to(lasts)])");
  std::tuple<Rest...> all(std::move(rest)...);
  auto last = last_or_absent(all);
  auto before = leading_or<0>(absent{}, all);
  return recurrence_arguments<decltype(before), decltype(last)>{std::move(before), std::move(last)};
}

/// A number as the coefficients of all steps, as opposed to a batch of them.
template <class A>
inline constexpr bool is_one_number = !is_batch<A>;

/// The coefficients of a call on sequences: a batch along an axis, or a number for all.
template <class A>
inline constexpr bool is_coefficients = is_one_number<A>;
template <class T>
inline constexpr bool is_coefficients<batch::sequences<T>> = true;

template <class A>
struct element_of {
  using type = A;
};
template <class T>
struct element_of<batch::sequences<T>> {
  using type = std::remove_const_t<T>;
};

/// The initial states of a call. Without any, states begin with T{}.
template <class T, class Arguments, class Found>
batch::ends<T> ends_of(Found found, Arguments const&)
{
  if constexpr (!batch::is_present<decltype(Arguments::before)>) found.initial.emplace(T{});
  return found;
}

/// Throws    usage_error if the arrays `named` and `other` differ in shape, besides the places of their axes.
template <class A, class B>
void check_same_shape(char const* call, char const* name, batch::sequences<A> const& named, char const* other_name,
                      batch::sequences<B> const& other)
{
  auto const described = [](char const* what, auto const& batch) {
    return std::string(what) + " is " + batch::shown(batch.array.shape()) + " along axis " + std::to_string(batch.axis);
  };
  auto const both = [&] { return described(name, named) + ", " + described(other_name, other); };
  if (named.array.rank() != other.array.rank())
    throw usage_error(std::string(call) + ": " + name + " has " + std::to_string(named.array.rank()) + " axes, " +
                      other_name + " " + std::to_string(other.array.rank()));
  auto const compare = [&](std::size_t i, std::size_t o) {
    if (named.array.extent(i) != other.array.extent(o))
      throw usage_error(std::string(call) + ": extent " + std::to_string(named.array.extent(i)) + " of axis " +
                        std::to_string(i) + " of " + name + " is not extent " + std::to_string(other.array.extent(o)) +
                        " of axis " + std::to_string(o) + " of " + other_name + ": " + both());
  };
  compare(named.axis, other.axis);
  for (std::size_t i = 0, o = 0; i < named.array.rank(); ++i, ++o) {
    if (i == named.axis) ++i;
    if (o == other.axis) ++o;
    if (i >= named.array.rank()) break;
    compare(i, o);
  }
}

template <class T, class A>
auto coefficients_of(A const& a)
{
  if constexpr (is_one_number<A>)
    return constant<T>{static_cast<T>(a)};
  else
    return static_cast<typename element_of<A>::type const*>(a.array.data_handle());
}

/// The recurrences of sequences along axes.
template <class Acc, class P, class A, class B, class Out, class... Rest>
void recur_along(P const& on, A const& a, batch::sequences<B> const& b, batch::sequences<Out> const& out, Rest... rest)
{
  using namespace batch;
  constexpr char const* call = "tally::linear_recurrence";
  auto const arguments = recurrence::told_apart(std::move(rest)...);
  using all = std::remove_const_t<decltype(arguments)>;
  using value = std::remove_const_t<B>;
  using T = accumulator_of_t<Acc, decltype(all::before), value>;
  check_states<T, typename element_of<A>::type, value>();
  check_output<Out*, T>();
  static_assert(last_fits<decltype(all::last), T>, "tally: last_to(...) takes places of the states' type");

  check_same_shape(call, "b", b, "out", out);
  if constexpr (!is_one_number<A>) check_same_shape(call, "a", a, "out", out);
  std::size_t const n = out.array.extent(out.axis);
  other_axes const terms(b.array, {b.axis}), results(out.array, {out.axis});
  check_distinct(call, "output", out.array.shape(), out.array.strides());
  across_strides strides{terms.strides, results.strides, {}, {}, {}};
  dimension along{n, {b.array.stride(b.axis), out.array.stride(out.axis), 0, 0, 0}};
  if constexpr (!is_one_number<A>) {
    strides.coefficients = other_axes(a.array, {a.axis}).strides;
    along.step.coefficients = a.array.stride(a.axis);
  }
  ends<T> values = ends_of<T>(initial_of<T>(call, arguments.before, results.shape, strides.initial), arguments);
  if constexpr (is_present<decltype(all::last)> && last_fits<decltype(all::last), T>) {
    strides.last = arguments.last.at.strides_for(call, "last_to(...)", results.shape);
    check_distinct(call, "last_to(...)", results.shape, strides.last);
    values.lasts = arguments.last.at.array.data_handle();
  }
  if (any_empty(results.shape)) return;
  if (n != 0) {
    backend_recur_sequences<T>(on, layout_of(call, along, results.shape, strides), coefficients_of<T>(a),
                               static_cast<value const*>(b.array.data_handle()), out.array.data_handle(), values);
  } else if (values.lasts != nullptr) {
    plus op;
    strides.out = strides.last;
    T* const to = std::exchange(values.lasts, nullptr);
    fill<T>(on, call, results.shape, strides, to, values, op);
  }
}

/// Throws    usage_error if `values` is a range of fewer than `needed` elements.
template <class Values>
auto terms_from(char const* call, Values& values, std::size_t needed)
{
  if constexpr (std::ranges::sized_range<Values>)
    if (needed != batch::unknown_size && std::ranges::size(values) < needed)
      throw usage_error(std::string(call) + ": b has " + std::to_string(std::ranges::size(values)) +
                        " elements, and a " + std::to_string(needed));
  auto const first = batch::begin_of(values);
  static_assert(std::random_access_iterator<std::remove_const_t<decltype(first)>>,
                "tally: segments are reached by index: give b as a range or iterator with random access");
  return first;
}

/// The recurrences of segments with coefficients `a` and `b`; `segments` is the batch that has the offsets.
template <class Acc, class P, class A, class B, class Values, class Offsets, class From, class Out, class... Rest>
void recur_segments(P const& on, A const& a, B const& b, batch::segments_between<Values, Offsets, From> const& given,
                    Out& out, Rest... rest)
{
  using namespace batch;
  constexpr char const* call = "tally::linear_recurrence";
  auto const in = with_count(on, given);
  auto const arguments = recurrence::told_apart(std::move(rest)...);
  using all = std::remove_const_t<decltype(arguments)>;
  using T = accumulator_of_t<Acc, decltype(all::before), std::iter_value_t<B>>;
  auto const results = output_from(call, out, in.elements);
  check_output<std::remove_const_t<decltype(results)>, T>();
  static_assert(last_fits<decltype(all::last), T>, "tally: last_to(...) takes places of the states' type");
  check_segments(call, on, in);
  ends<T> values = ends_of<T>(initial_of_segments<T>(call, arguments.before, in.count), arguments);
  if (in.count == 0) return;
  if constexpr (is_present<decltype(all::last)> && last_fits<decltype(all::last), T>)
    values.lasts = arguments.last.at.contiguous_for(call, "last_to(...)", in.count);
  auto const recur = [&](auto const& coefficients) {
    if constexpr (std::is_same_v<From, from_front>)
      backend_recur_segments<T>(on, coefficients, b, in.offsets, count_for(on, in), results, values);
    else
      backend_recur_segments<T>(on, coefficients, b, in.offsets, count_for(on, in), results, values, From{});
  };
  if constexpr (std::random_access_iterator<A>) {
    check_states<T, std::iter_value_t<A>, std::iter_value_t<B>>();
    recur(a);
  } else {
    check_states<T, A, std::iter_value_t<B>>();
    recur(constant<T>{static_cast<T>(a)});
  }
}

}  // namespace tally::detail::recurrence
