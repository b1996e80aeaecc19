#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "tally/counted.hpp"
#include "tally/detail/built_in.hpp"
#include "tally/detail/execution.hpp"
#include "tally/error.hpp"
#include "tally/operators/arithmetic.hpp"

/// Helpers that reduce.hpp and scan.hpp share. They tell the forms of a call apart, and report a caller's mistake
/// before anything else can fail.
namespace tally::detail {

/// The end of a sequence for a backend. A count in memory is read here for calls on this machine; a device reads it
/// itself.
template <class P, class I, class S>
auto end_for(P const&, I const& first, S last)
{
  if constexpr (is_counted_end<S> && host<P>)
    return first + static_cast<std::iter_difference_t<I>>(last.count.value());
  else
    return last;
}

/// The kind of scan that a backend is asked for.
enum class direction { inclusive, exclusive };

template <class I>
concept iterator = requires(I& i) {
  *i;
  ++i;
} && !std::ranges::range<I&>;

template <class R>
concept range = std::ranges::range<R>;

/// The end of a sequence that begins at I. A pointer requires a sentinel: an array is also a range, and the argument
/// after a range may be an initial value.
template <class S, class I>
concept end_of = !std::is_pointer_v<I> || std::sentinel_for<S, I>;

/// A range, as opposed to the beginning of a sequence whose end is `Next`: an array and a pointer are first and last.
template <class R, class Next>
concept range_before = range<R> && (range<Next> || !std::sentinel_for<std::decay_t<Next>, std::decay_t<R>>);

template <class R>
using range_value = std::ranges::range_value_t<R>;

/// A batch of sequences (along.hpp, segments.hpp): batches.hpp has the calls that take one.
template <class B>
inline constexpr bool is_batch = false;

/// An operator, as opposed to an initial value: it can be called with two elements.
template <class Op, class T>
concept operator_argument = std::invocable<Op&, T, T> || std::invocable<Op&, T&, T&>;

template <class Acc, class Default>
using accumulator = std::conditional_t<std::is_void_v<Acc>, std::remove_cvref_t<Default>, Acc>;

/// `f` itself, or a function object if it is a pointer to a member. Its first argument is then the object.
template <class F>
constexpr auto callable(F&& f)
{
  if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>)
    return std::mem_fn(f);
  else
    return std::forward<F>(f);
}
/// `op` in the form that backends take. The standard library's function objects become Tally's where they mean the
/// same: they are then as quick, and have an identity.
template <class T, class Op>
constexpr auto canonical_operator(Op&& op)
{
  using own = std::remove_cvref_t<Op>;
  using type = typename built_in::canonical<own, T>::type;
  if constexpr (std::is_same_v<type, own>)
    return callable(std::forward<Op>(op));
  else
    return type{};
}

/// Checks that the end of a sequence can be compared with its beginning.
template <class I, class S>
constexpr void check_bounds()
{
  static_assert(
      requires(I const& first, S const& last) { static_cast<bool>(first != last); },
      "tally: first and last cannot be compared: they are not of one sequence");
}

/// Checks the accumulator, the operator and the elements. Each mistake of the caller's is named before anything else
/// can fail. `Acc` is void unless the caller named the accumulator's type.
template <class Acc, class T, class Element, class Op>
constexpr void check_operands()
{
  using element = std::remove_cvref_t<Element>;
  static_assert(
      !(std::is_void_v<Acc> && is_integer<T> && std::is_floating_point_v<element>),
      "tally: an integer initial value would truncate every sum of floating-point elements. Write the value as 0.0, "
      "or name the accumulator: tally::reduce<double>(...)");
  static_assert(!(std::is_void_v<Acc> && is_integer<T> && is_integer<element> && !std::is_same_v<T, bool> &&
                  sizeof(T) < sizeof(element)),
                "tally: an initial value of a narrower integer type would truncate the elements. Write the value in "
                "their type, as "
                "0LL for 64 bits, or name the accumulator: tally::reduce<long long>(...)");
  // Operands are used again, so they are passed as constants. Values that cannot be copied are moved in, and folded.
  constexpr bool on_values =
      std::is_invocable_v<Op&, T const&, T const&> || (!std::copyable<T> && std::is_invocable_v<Op&, T, T>);
  constexpr bool on_element = std::is_invocable_v<Op&, T, Element>;
  constexpr bool changes_operands = !on_values && std::copyable<T> && std::is_invocable_v<Op&, T&, T&>;
  static_assert(!changes_operands,
                "tally: the operator takes an operand by a reference that is not const, and so could change it. "
                "Operands are used more than once: let it take `T const&` or `T`");
  static_assert(on_values || !std::is_pointer_v<T>,
                "tally: the accumulator is a pointer, as its initial value is (text in quotes is one). Name its type: "
                "tally::reduce<std::string>(...)");
  static_assert(changes_operands || on_values || on_element,
                "tally: the operator cannot be called with two values of the accumulator's type");
  static_assert(changes_operands || !(on_values || on_element) || std::is_convertible_v<Element, T> || on_element,
                "tally: an element does not convert to the accumulator's type, which is that of the initial value "
                "unless the call names one, nor can the operator be called with one");
  if constexpr (std::is_invocable_v<Op&, T const&, T const&>) {
    using result = std::invoke_result_t<Op&, T const&, T const&>;
    static_assert(std::is_convertible_v<result, T>,
                  "tally: the operator's result does not convert to the accumulator's type");
    static_assert(!std::is_convertible_v<result, T> || std::is_constructible_v<T, result>,
                  "tally: the operator's result converts to the accumulator's type, but not by a static_cast");
  } else if constexpr (on_element) {
    static_assert(std::is_constructible_v<T, std::invoke_result_t<Op&, T, Element>>,
                  "tally: the operator's result does not convert to the accumulator's type");
  }
}

template <class Out, class T>
constexpr void check_output()
{
  static_assert(
      requires(Out& out, T value) { *out = static_cast<T&&>(value); },
      "tally: the results cannot be written through the output iterator (is it const, or of another type?)");
}

/// Checks the output of an inclusive scan, which goes on from the result that it writes.
template <class Out, class T>
constexpr void check_output_of_kept()
{
  static_assert(
      std::copyable<T> || requires(Out& out, T& value) { *out = value; },
      "tally: an inclusive scan writes results that it goes on from: of values that cannot be copied it needs an "
      "output "
      "that is assigned from a reference");
}

/// The result type of a transformation of an element, or of one element of each sequence. It is a class, so that its
/// message comes before the errors of code that uses the type.
template <class Transform, class... References>
struct transformed {
  static_assert(std::is_invocable_v<Transform&, References...>,
                "tally: the transformation cannot be called with an element");
  using type = std::invoke_result_t<Transform&, References...>;
};
template <class Transform, class... References>
using transformed_t = typename transformed<Transform, References...>::type;

/// The initial value, converted to the accumulator's type.
template <class T, class Init>
std::optional<T> initial(Init&& init)
{
  return std::optional<T>(std::in_place, static_cast<T>(std::forward<Init>(init)));
}

/// The output iterator of a range form, whose output is an iterator or a range.
/// Throws    usage_error if the output range is shorter than the input.
template <class In, class Out>
auto output_of(In& in, Out& out)
{
  if constexpr (range<Out>) {
    if constexpr (is_counted_range<In> && std::ranges::sized_range<Out>)
      if (std::ranges::size(out) < in.count.most)
        throw usage_error("tally: the output range has " + std::to_string(std::ranges::size(out)) +
                          " elements, and there may be " + std::to_string(in.count.most) + " results");
    if constexpr (std::ranges::sized_range<In> && std::ranges::sized_range<Out>)
      if (std::ranges::size(out) < std::ranges::size(in))
        throw usage_error("tally: the output range has " + std::to_string(std::ranges::size(out)) +
                          " elements, the input " + std::to_string(std::ranges::size(in)) +
                          "; the output must be at least as long");
    return std::ranges::begin(out);
  } else {
    return out;
  }
}

}  // namespace tally::detail

/// The overload of a call without an execution. It forwards to detail::automatic, and its error message lists the forms
/// of the call: `forms` begins with "([on,] ...". The third argument, Acc, is for calls that may name their
/// accumulator's type. (It is a macro because the message of static_assert is a literal, and a template cannot take the
/// name of a function template.)
#define TALLY_WITHOUT_EXECUTION(name, forms, ...) TALLY_WITHOUT_EXECUTION_AS(, name, forms __VA_OPT__(, ) __VA_ARGS__)
/// The same for a call without any effect but its result.
#define TALLY_VALUE_WITHOUT_EXECUTION(name, forms, ...)                                                                \
  TALLY_WITHOUT_EXECUTION_AS([[nodiscard]], name, forms __VA_OPT__(, ) __VA_ARGS__)
#define TALLY_WITHOUT_EXECUTION_AS(attribute, name, forms, ...)                                                        \
  template <__VA_OPT__(class __VA_ARGS__ = void, ) class First, class... Rest>                                         \
    requires(!execution<std::remove_cvref_t<First>> && !detail::is_batch<std::remove_cvref_t<First>>)                  \
  attribute auto name(First&& first, Rest&&... rest)                                                                   \
  {                                                                                                                    \
    static_assert(                                                                                                     \
        requires {                                                                                                     \
          tally::name __VA_OPT__(<__VA_ARGS__>)(detail::automatic{}, std::forward<First>(first),                       \
                                                std::forward<Rest>(rest)...);                                          \
        }, "tally: " #name " takes " forms);                                                                           \
    return tally::name __VA_OPT__(<__VA_ARGS__>)(detail::automatic{}, std::forward<First>(first),                      \
                                                 std::forward<Rest>(rest)...);                                         \
  }                                                                                                                    \
  static_assert(true)
