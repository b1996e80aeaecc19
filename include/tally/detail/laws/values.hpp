#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <ostream>
#include <ranges>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tally/operators.hpp"

/// How the law checker compares and prints values.
///
/// It knows numbers, strings and other ranges, pairs, tuples, arrays, and Tally's own value types. For a class of your
/// own it uses `operator==` and `operator<<`. It looks into the class if a function `law_parts(x)` stands beside it,
/// which returns a std::tuple of the parts that `T{parts...}` takes. Then it compares bits, allows for rounding, and
/// makes counterexamples simpler.
namespace tally {

template <class T, class Index>
auto law_parts(indexed<T, Index> const& x)
{
  return std::make_tuple(x.value, x.index);
}
template <class T>
auto law_parts(affine<T> const& x)
{
  return std::make_tuple(x.scale, x.offset);
}
template <class T>
auto law_parts(flagged<T> const& x)
{
  return std::make_tuple(x.value, x.head);
}
template <class T>
auto law_parts(moments<T> const& x)
{
  return std::make_tuple(x.count(), x.mean_or_zero(), x.squared_deviations());
}
template <class T>
auto law_parts(exponential_sum<T> const& x)
{
  return std::make_tuple(x.maximum(), x.scaled_sum());
}

namespace detail::laws {

template <class T>
concept number = std::numeric_limits<T>::is_specialized;
template <class T>
concept floating_number = number<T> && !std::numeric_limits<T>::is_integer;
template <class T>
concept tuple_like = requires { std::tuple_size<T>::value; };
template <class T>
concept has_parts = requires(T const& x) { law_parts(x); };
template <class T>
concept compound = !number<T> && (has_parts<T> || tuple_like<T>);

template <compound T>
auto parts(T const& x)
{
  if constexpr (has_parts<T>)
    return law_parts(x);
  else
    return std::apply([](auto const&... part) { return std::make_tuple(part...); }, x);
}

/// Calls f(part of a, part of b) for every part.
template <class Tuple, class F>
void for_each_pair(Tuple const& a, Tuple const& b, F const& f)
{
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(std::get<I>(a), std::get<I>(b)), ...);
  }(std::make_index_sequence<std::tuple_size_v<Tuple>>{});
}

/// Whether a and b have the same bits. All NaNs count as equal.
template <class T>
bool same(T const& a, T const& b)
{
  if constexpr (floating_number<T>) {
    if (a != a || b != b) return a != a && b != b;
    return a == b && sign_bit(a) == sign_bit(b);
  } else if constexpr (compound<T>) {
    bool all = true;
    for_each_pair(parts(a), parts(b), [&](auto const& x, auto const& y) { all = all && same(x, y); });
    return all;
  } else {
    static_assert(std::equality_comparable<T>, "tally::check_laws: write operator== or law_parts(x) for this type");
    return a == b;
  }
}

/// Calls f(part) for every floating-point part.
template <class T, class F>
void for_each_floating(T const& x, F const& f)
{
  if constexpr (floating_number<T>)
    f(static_cast<long double>(x));
  else if constexpr (compound<T>)
    std::apply([&](auto const&... part) { (for_each_floating(part, f), ...); }, parts(x));
}

template <class T>
bool finite(T const& x)
{
  bool all = true;
  for_each_floating(x, [&](long double part) { all = all && std::isfinite(part); });
  return all;
}

/// The largest magnitude among the finite floating-point parts.
template <class T>
long double magnitude(T const& x)
{
  long double most = 0;
  for_each_floating(x, [&](long double part) {
    if (std::isfinite(part)) most = std::max(most, std::fabs(part));
  });
  return most;
}

/// Whether a and b are the same, except that floating-point parts may differ by `tolerance` roundings of a value as
/// large as `scale`.
template <class T>
bool close(T const& a, T const& b, long double scale, double tolerance)
{
  if constexpr (floating_number<T>) {
    if (same(a, b)) return true;
    using limits = std::numeric_limits<T>;
    long double const unit = static_cast<long double>(limits::epsilon()) * scale;
    long double const smallest = static_cast<long double>(limits::denorm_min());
    return std::fabs(static_cast<long double>(a) - static_cast<long double>(b)) <= tolerance * std::max(unit, smallest);
  } else if constexpr (compound<T>) {
    bool all = true;
    for_each_pair(parts(a), parts(b),
                  [&](auto const& x, auto const& y) { all = all && close(x, y, scale, tolerance); });
    return all;
  } else {
    return same(a, b);
  }
}

template <class T>
void print(std::ostream& out, T const& x)
{
  if constexpr (std::is_same_v<T, bool>) {
    out << (x ? "true" : "false");
  } else if constexpr (std::is_integral_v<T>) {
    std::array<char, 128> digits;
    out.write(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), +x).ptr - digits.data());
  } else if constexpr (floating_number<T>) {
    using printed = std::conditional_t<std::is_floating_point_v<T>, T, double>;
    std::array<char, 8192> digits;  // for the shortest form that reads back the same; long double has up to 4933 digits
    out.write(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<printed>(x)).ptr - digits.data());
  } else if constexpr (compound<T>) {
    char const* separator = "(";
    std::apply([&](auto const&... part) { ((out << separator, separator = ", ", print(out, part)), ...); }, parts(x));
    out << ")";
  } else if constexpr (std::is_convertible_v<T const&, std::string_view>) {
    out << '"' << std::string_view(x) << '"';
  } else if constexpr (requires { out << x; }) {
    out << x;
  } else if constexpr (std::ranges::input_range<T const>) {
    out << "{";
    char const* separator = "";
    for (auto const& element : x) out << std::exchange(separator, ", "), print(out, element);
    out << "}";
  } else {
    out << "(a value without operator<<)";
  }
}

}  // namespace detail::laws
}  // namespace tally
