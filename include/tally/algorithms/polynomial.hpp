#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/polynomial/device.hpp"
#include "tally/detail/polynomial/host.hpp"
#include "tally/detail/polynomial/points.hpp"
#include "tally/execution.hpp"

/// Polynomials c[0] + c[1] x + c[2] x^2 + ... Horner's rule is a chain of maps y -> x y + c[k], and a chain of maps is
/// a reduction.
namespace tally {

/// Writes the powers of x: out[k] = x^k for k in [0, n).
///
///     powers([on,] x, n, out)
///
/// Requires  the type of x has a product and a one, T(1).
/// Result    the end of the output. The relative error of x^k is at most k half units in the last place. On a CPU it is
///           at most some 70 + k/512 of them: a block's first power comes from a scan of x^512, which is rounded once.
///           (A scan of equal factors comes near the bound, because they are rounded equally and the errors add up.)
/// Cost      a product for each power; nothing is read. O(n/p + log p) on p threads.
/// Memory    that of `exclusive_scan`.
/// Blocks    as `exclusive_scan`.
/// Throws    as `exclusive_scan`.
template <execution P, class T, detail::iterator Out>
  requires(!detail::iterator<T>)
Out powers(P const& on, T x, std::size_t n, Out out)
{
  return detail::polynomial::write_powers(on, std::move(x), n, std::move(out));
}
template <class T, detail::iterator Out>
  requires(!execution<T>)
Out powers(T x, std::size_t n, Out out)
{
  return tally::powers(detail::automatic{}, std::move(x), n, std::move(out));
}

/// Returns c[0] + c[1] x + ... + c[n-1] x^(n-1).
///
///     polynomial_value([on,] first, last, x)
///
/// Requires  random-access iterators. Coefficients convert to the type of x, a ring with T(1). Powers of x up to x^n
///           must stay finite on a GPU, and everywhere for types other than floating-point numbers. Otherwise the result
///           may be NaN.
/// Result    of the type of x; 0 without coefficients. The same bits for every number of threads. Integers wrap. Where
///           powers of x overflow, a CPU returns the value of Horner's rule, one step after the other: growth to
///           infinity gives infinity, not NaN.
/// Cost      one pass over the coefficients; a product and a sum each. O(n/p + log p) on p threads, O(n) if a power
///           overflows.
/// Memory    that of `reduce`.
/// Blocks    until the value is there.
/// Throws    whatever the iterators throw; usage_error; std::bad_alloc; cuda_error.
/// Source    Horner (1819); as a reduction of maps Blelloch, Prefix sums and their applications (1990), section 1.4;
///           eight at once Dorn (1962).
template <execution P, detail::iterator I, detail::end_of<I> S, class T>
[[nodiscard]] T polynomial_value(P const& on, I first, S last, T x)
{
  static_assert(std::random_access_iterator<I>, "tally: coefficients are reached by index: random-access iterators");
  static_assert(!(std::is_integral_v<T> && std::is_floating_point_v<std::iter_value_t<I>>),
                "tally: at an integer all floating-point coefficients would be truncated. Write x as 2.0");
  auto const n = static_cast<std::size_t>(last - first);
  if (n == 0) return T(0);
  return detail::polynomial::value_at(on, first, n, x);
}
template <detail::iterator I, detail::end_of<I> S, class T>
[[nodiscard]] T polynomial_value(I first, S last, T x)
{
  return tally::polynomial_value(detail::automatic{}, first, last, std::move(x));
}

/// Writes the values of a polynomial at many points: a map of Horner's rule.
///
///     polynomial_values([on,] first, last, x_first, x_last, out)
///
/// Requires  random-access iterators; `out` may be `x_first`.
/// Result    the end of the output. Each value is that of Horner's rule. A compiler that may fuse products with sums
///           does so here too.
/// Cost      a product and a sum for each coefficient and point, sixteen points at once.
/// Blocks    until everything is written; on a GPU it returns at once.
/// Throws    whatever the iterators throw; usage_error; cuda_error.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator X, detail::end_of<X> XS,
          detail::iterator Out>
Out polynomial_values(P const& on, I first, S last, X x_first, XS x_last, Out out)
{
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<X> && std::random_access_iterator<Out>,
                "tally: coefficients, points and values are reached by index: random-access iterators");
  auto const n = static_cast<std::size_t>(last - first);
  auto const points = static_cast<std::size_t>(x_last - x_first);
  detail::polynomial::at_all_points(on, points,
                                    detail::polynomial::horner_at_points<I, X, Out>{first, n, x_first, out});
  return out + static_cast<std::iter_difference_t<Out>>(points);
}
template <detail::iterator I, detail::end_of<I> S, detail::iterator X, detail::end_of<X> XS, detail::iterator Out>
Out polynomial_values(I first, S last, X x_first, XS x_last, Out out)
{
  return tally::polynomial_values(detail::automatic{}, first, last, x_first, x_last, out);
}

}  // namespace tally
