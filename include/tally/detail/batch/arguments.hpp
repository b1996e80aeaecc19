#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tally/array_view.hpp"
#include "tally/detail/contract.hpp"
#include "tally/error.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/operators/traits.hpp"

/// The arguments of a call on a batch, besides the batch: values for each sequence, and the trailing options.
namespace tally::detail::batch {

inline constexpr std::size_t any_size = static_cast<std::size_t>(-1);

/// The places of one value for each sequence: an array of the shape of the batch without its axis; or a pointer or a
/// contiguous range, which has that shape in row-major order.
template <class T>
struct places {
  array_view<T> array;
  bool shaped;
  std::size_t size;  // of a range; any_size for a pointer

  /// The strides of the places for a batch of this shape.
  /// Throws    usage_error if there are not as many places as sequences.
  per_axis strides_for(char const* call, char const* what, per_axis const& shape) const
  {
    array_view<T> const expected(array.data_handle(), shape);
    if (!shaped) {
      if (size < expected.size())
        throw usage_error(std::string(call) + ", " + what + ": " + std::to_string(size) + " places for " +
                          std::to_string(expected.size()) + " sequences");
      return expected.strides();
    }
    bool same = shape.size() == array.rank();
    for (std::size_t d = 0; same && d < shape.size(); ++d) same = shape[d] == array.shape()[d];
    if (!same)
      throw usage_error(std::string(call) + ", " + what + ": an array of shape " + shown(array.shape()) +
                        " for sequences of shape " + shown(shape) + ": it has the shape of the input without the axis");
    return array.strides();
  }

  /// The first of `count` places one after the other.
  T* contiguous_for(char const* call, char const* what, std::size_t count) const
  {
    if (shaped && (array.rank() != 1 || (count > 1 && array.stride(0) != 1)))
      throw usage_error(std::string(call) + ", " + what + ": values for segments lie one after the other");
    std::size_t const own = shaped ? array.extent(0) : size;
    if (own < count)
      throw usage_error(std::string(call) + ", " + what + ": " + std::to_string(own) + " places for " +
                        std::to_string(count) + " segments");
    return array.data_handle();
  }
};

/// A place for each sequence can be made of it.
template <class A>
concept places_argument = array_argument<A> || std::is_pointer_v<std::remove_cvref_t<A>>;

template <places_argument A>
auto places_of(A&& argument)
{
  if constexpr (std::is_pointer_v<std::remove_cvref_t<A>>) {
    using element = std::remove_pointer_t<std::remove_cvref_t<A>>;
    return places<element>{array_view<element>(argument, {}), false, any_size};
  } else {
    auto const view = view_of(argument);
    using element = typename std::remove_const_t<decltype(view)>::element_type;
    return places<element>{view, strided_array<std::remove_cvref_t<A>>, view.size()};
  }
}

template <class T>
struct initial_values {
  places<T> at;
};
template <class T>
struct last_values {
  places<T> at;
};
struct initial_included {};

template <class X>
inline constexpr bool is_initial_values = false;
template <class T>
inline constexpr bool is_initial_values<initial_values<T>> = true;
template <class X>
inline constexpr bool is_last_values = false;
template <class T>
inline constexpr bool is_last_values<last_values<T>> = true;
template <class X>
inline constexpr bool is_option = is_last_values<X> || std::is_same_v<X, initial_included>;

/// An argument that the call does not have.
struct absent {};
template <class X>
inline constexpr bool is_present = !std::is_same_v<X, absent>;

/// The arguments of a scan behind its output, told apart.
template <class Op, class Init, class Last, bool IncludesInitial>
struct scan_arguments {
  Op op;
  Init init;  ///< absent, a value, or initial_values
  Last last;  ///< absent, or last_values
  static constexpr bool includes_initial = IncludesInitial;
};

/// The number of arguments before the first option.
template <class... Rest>
inline constexpr std::size_t leading = [] {
  bool const options[] = {is_option<Rest>..., true};
  std::size_t count = 0;
  while (!options[count]) ++count;
  return count;
}();

template <std::size_t K, class Default, class... Rest>
auto leading_or(Default, std::tuple<Rest...>& rest)
{
  if constexpr (K < leading<Rest...>)
    return std::move(std::get<K>(rest));
  else
    return Default{};
}

/// The argument behind last_to, or `absent`.
template <class... Rest>
auto last_or_absent(std::tuple<Rest...>& rest)
{
  constexpr std::size_t at = [] {
    bool const lasts[] = {is_last_values<Rest>..., true};
    std::size_t k = 0;
    while (!lasts[k]) ++k;
    return k;
  }();
  if constexpr (at < sizeof...(Rest))
    return std::get<at>(rest);
  else
    return absent{};
}

template <direction Shift, class... Rest>
auto told_apart(Rest... rest)
{
  constexpr std::size_t count = leading<Rest...>;
  constexpr std::size_t options = (std::size_t{0} + ... + std::size_t{is_option<Rest>});
  constexpr std::size_t lasts = (std::size_t{0} + ... + std::size_t{is_last_values<Rest>});
  static_assert(count <= 2 && count + options == sizeof...(Rest) && lasts <= 1 && options - lasts <= 1,
                "tally: a scan of a batch takes (in, out [, op [, init]] [, options]), an exclusive one (in, out, init "
                "[, op] [, options]); the options last_to(...) and include_initial come last, each once");
  static_assert(Shift == direction::inclusive || count > 0,
                "tally: exclusive_scan needs an initial value: (in, out, init [, op] [, options])");
  constexpr bool includes_initial = options > lasts;
  static_assert(!includes_initial || (Shift == direction::inclusive && lasts == 0),
                "tally: include_initial is an option of inclusive_scan, whose last result is the last value then: "
                "last_to would repeat it");
  std::tuple<Rest...> all(std::move(rest)...);
  constexpr std::size_t op = Shift == direction::inclusive ? 0 : 1;
  auto last = last_or_absent(all);
  auto combine = leading_or<op>(plus{}, all);
  auto init = leading_or<1 - op>(absent{}, all);
  return scan_arguments<decltype(combine), decltype(init), decltype(last), includes_initial>{
      std::move(combine), std::move(init), std::move(last)};
}

/// The accumulator's type: the one that the call names, else that of the initial value or values, else the elements'.
template <class Acc, class Init, class Value>
struct accumulator_of {
  using type = accumulator<Acc, Init>;
};
template <class Acc, class Value>
struct accumulator_of<Acc, absent, Value> {
  using type = accumulator<Acc, Value>;
};
template <class Acc, class T, class Value>
struct accumulator_of<Acc, initial_values<T>, Value> {
  using type = accumulator<Acc, T>;
  static_assert(std::is_same_v<type, std::remove_const_t<T>>,
                "tally: each(...) gives initial values of the accumulator's type: they are read in memory");
};
template <class Acc, class Init, class Value>
using accumulator_of_t = typename accumulator_of<Acc, Init, Value>::type;

/// The checks that all calls on a batch share.
template <class Acc, class T, class Element, class Op>
constexpr void check_batch()
{
  check_operands<Acc, T, Element, Op>();
  static_assert(std::is_copy_constructible_v<T>, "tally: a batch takes values that can be copied");
  static_assert(std::is_convertible_v<Element, T> && operator_over<Op, working_type<T>>,
                "tally: a batch takes elements that convert to the accumulator's type, and an operator on two values "
                "of that type");
}

/// Whether the places of last values, if there are any, are of the accumulator's type.
template <class Last, class T>
inline constexpr bool last_fits = true;
template <class Place, class T>
inline constexpr bool last_fits<last_values<Place>, T> = std::is_same_v<Place, T>;

}  // namespace tally::detail::batch
