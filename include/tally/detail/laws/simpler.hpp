#pragma once

#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/detail/laws/values.hpp"

/// How counterexamples are made simpler.
namespace tally::detail::laws {

/// Finds no value simpler than another. It is for the caller's samples, whose order alone tells which is simpler.
struct as_it_is {
  template <class T>
  std::vector<T> operator()(T const&) const
  {
    return {};
  }
};

/// Lists values simpler than x. Zero is the simplest number; then come positive integers, negative ones, fractions,
/// infinities and NaN. Integers approach zero in steps of x, x/2, x/4, ... 1, so that a threshold is met after log(x)^2
/// steps.
struct simpler {
  template <class T>
  std::vector<T> operator()(T const& x) const
  {
    std::vector<T> result;
    if constexpr (std::is_same_v<T, bool>) {
      if (x) result.push_back(false);
    } else if constexpr (floating_number<T>) {
      push_simpler_floating(x, result);
    } else if constexpr (number<T>) {
      if (x < 0 && x != std::numeric_limits<T>::lowest()) result.push_back(static_cast<T>(-x));
      for (T step = x; step != 0; step = static_cast<T>(step / 2)) result.push_back(static_cast<T>(x - step));
    } else if constexpr (compound<T>) {
      push_simpler_parts(x, parts(x), result, std::make_index_sequence<std::tuple_size_v<decltype(parts(x))>>{});
    } else if constexpr (requires {
                           T(x.begin(), x.end());
                           x.size();
                         }) {
      if (x.size() == 0) return result;
      auto const middle = std::next(x.begin(), static_cast<std::ptrdiff_t>(x.size() / 2));
      result.push_back(T(x.begin(), middle));
      if (x.size() > 1) result.push_back(T(middle, x.end()));
      if (x.size() > 2) result.push_back(T(std::next(x.begin()), x.end()));
    }
    return result;
  }

private:
  template <class T>
  static void push_simpler_floating(T const& x, std::vector<T>& result)
  {
    T const zero{};
    if (same(x, zero)) return;
    result.push_back(zero);
    if (x < zero) result.push_back(static_cast<T>(-x));
    if (!finite(x)) {
      result.push_back(T(1.0f));
    } else if (T const whole = static_cast<T>(std::trunc(x)); whole != x) {
      result.push_back(whole);
      result.push_back(T(1.0f));
    } else {
      for (T step = static_cast<T>(std::trunc(x / 2)); step != zero; step = static_cast<T>(std::trunc(step / 2))) {
        if (T const next = static_cast<T>(x - step); next != x) result.push_back(next);
      }
    }
  }

  template <class T, class Parts, std::size_t... I>
  static void push_simpler_parts(T const&, Parts const& all, std::vector<T>& result, std::index_sequence<I...>)
  {
    if constexpr (requires { T{std::get<I>(all)...}; }) {
      auto const vary = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        for (auto const& part : simpler{}(std::get<K>(all))) {
          Parts changed = all;
          std::get<K>(changed) = part;
          result.push_back(T{std::get<I>(changed)...});
        }
      };
      (vary(std::integral_constant<std::size_t, I>{}), ...);
    }
  }
};

}  // namespace tally::detail::laws
