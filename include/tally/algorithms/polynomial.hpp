#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "tally/config.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/polynomial/power.hpp"
#include "tally/execution.hpp"
#include "tally/for_each.hpp"
#include "tally/operators/affine.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// Polynomials c[0] + c[1] x + c[2] x^2 + ...: Horner's rule is a chain of maps y -> x y + c[k], and a chain of maps is
/// a reduction.
namespace tally {

namespace detail {

template <class T>
struct same_value {
  T value;
  TALLY_HD T operator()(std::size_t) const { return value; }
};

/// The step y -> x y + c of coefficient k, counted from the last one, with which Horner's rule begins.
template <class T, class I>
struct horner_step {
  I coefficients;
  std::size_t size;
  T x;

  TALLY_HD affine<T> operator()(std::size_t k) const
  {
    return {x, static_cast<T>(coefficients[static_cast<std::iter_difference_t<I>>(size - 1 - k)])};
  }
};

/// Horner's rule over blocks of coefficients, counted from the last one. In a block eight rules run beside each other,
/// each over every eighth coefficient with x^8 for x, since one alone waits for its product and its sum at every step.
template <class T, class I>
struct horner_blocks {
  static constexpr std::size_t chains = 8;

  I coefficients;
  std::size_t size;
  T x;
  T x_to_chains;
  T x_to_block;
  std::size_t block;

  T coefficient(std::size_t k) const { return static_cast<T>(coefficients[static_cast<std::iter_difference_t<I>>(k)]); }
  static T step(T const& y, T const& by, T const& c) { return static_cast<T>(plus{}(rounded_product(y, by), c)); }

  affine<T> operator()(std::size_t b) const
  {
    std::size_t const end = size - b * block;
    took(end >= block ? "polynomial: a whole block" : "polynomial: a short block");
    if (end >= block) return {x_to_block, value(end - block, end)};
    return {power_of(x, end), value(0, end)};
  }

private:
  /// c[begin] + ... + c[end-1] x^(end-1-begin)
  T value(std::size_t begin, std::size_t end) const
  {
    std::size_t const odd = (end - begin) % chains;
    std::size_t k = end - odd;
    T all = T(0);
    took(k == begin ? "polynomial: fewer than eight coefficients"
         : odd == 0 ? "polynomial: eight chains"
                    : "polynomial: eight chains behind some coefficients");
    for (std::size_t i = end; i > k; --i) all = step(all, x, coefficient(i - 1));
    if (k == begin) return all;
    T chain[chains];
    for (std::size_t l = 0; l < chains; ++l) chain[l] = coefficient(k - chains + l);
    chain[0] = odd == 0 ? chain[0] : static_cast<T>(plus{}(rounded_product(all, x_to_chains), chain[0]));
    for (k -= chains; k > begin; k -= chains)
      for (std::size_t l = 0; l < chains; ++l) chain[l] = step(chain[l], x_to_chains, coefficient(k - chains + l));
    all = chain[chains - 1];
    for (std::size_t l = chains - 1; l > 0; --l) all = step(all, x, chain[l - 1]);
    return all;
  }
};

/// Writes a block of powers from its first one: eight chains beside each other, each with x^8.
template <class T, class Out>
struct put_powers {
  static constexpr std::size_t block = 512;
  static constexpr std::size_t chains = 8;

  T x;
  T x_to_chains;
  std::size_t size;
  Out out;

  void operator()(std::size_t j, T const& first) const
  {
    auto const at_hand = *this;
    auto const put = [&](std::size_t k, T const& power) {
      at_hand.out[static_cast<std::iter_difference_t<Out>>(k)] = power;
    };
    std::size_t const begin = j * block, end = size - begin < block ? size : begin + block;
    T chain[chains] = {first};
    for (std::size_t l = 1; l < chains; ++l) chain[l] = rounded_product(chain[l - 1], at_hand.x);
    std::size_t k = begin;
    took(end - k < chains          ? "powers: fewer than eight"
         : (end - k) % chains == 0 ? "powers: eight chains"
                                   : "powers: eight chains and some behind them");
    for (; end - k >= chains; k += chains)
      for (std::size_t l = 0; l < chains; ++l) {
        put(k + l, chain[l]);
        chain[l] = rounded_product(chain[l], at_hand.x_to_chains);
      }
    for (std::size_t l = 0; k < end; ++k, ++l) put(k, chain[l]);
  }
};

/// Horner's rule at a point.
template <class I, class X, class Out>
struct horner_at_point {
  I coefficients;
  std::size_t size;
  X points;
  Out out;

  using value = std::remove_cvref_t<std::iter_reference_t<X>>;

  TALLY_HD_AS_GIVEN
  TALLY_HD value coefficient(std::size_t k) const
  {
    return static_cast<value>(coefficients[static_cast<std::iter_difference_t<I>>(k)]);
  }
  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t p) const
  {
    value const x = points[static_cast<std::iter_difference_t<X>>(p)];
    value y = value(0);
    for (std::size_t k = size; k > 0; --k) y = y * x + coefficient(k - 1);
    out[static_cast<std::iter_difference_t<Out>>(p)] = y;
  }
  /// Points [begin, end), so many at a time that vectors are full and none waits for another.
  void operator()(std::size_t begin, std::size_t end) const
  {
    constexpr std::size_t together = 16;
    std::size_t p = begin;
    took(end - p < together          ? "polynomial: fewer than sixteen points"
         : (end - p) % together == 0 ? "polynomial: sixteen points at once"
                                     : "polynomial: sixteen points at once and some behind them");
    for (; end - p >= together; p += together) {
      value x[together], y[together];
      for (std::size_t i = 0; i < together; ++i) {
        x[i] = points[static_cast<std::iter_difference_t<X>>(p + i)];
        y[i] = value(0);
      }
      for (std::size_t k = size; k > 0; --k) {
        value const c = coefficient(k - 1);
        for (std::size_t i = 0; i < together; ++i) y[i] = y[i] * x[i] + c;
      }
      for (std::size_t i = 0; i < together; ++i) out[static_cast<std::iter_difference_t<Out>>(p + i)] = y[i];
    }
    for (; p < end; ++p) (*this)(p);
  }
};

}  // namespace detail

/// Writes the powers of x: out[k] = x^k for k in [0, n).
///
///     powers([on,] x, n, out)
///
/// Requires  the type of x has a product and a one, T(1).
/// Result    the end of what was written. The relative error of x^k is at most k half units in the last place, and some
///           70 + k/512 of them on a CPU, where a block's first power is a scan of x^512, rounded once. (A scan of
///           equal factors comes near the bound: they are rounded equally, and errors add up.)
/// Cost      a product for each power; nothing is read. O(n/p + log p) on p threads.
/// Memory    as `exclusive_scan`.
/// Blocks    as `exclusive_scan`.
/// Throws    as `exclusive_scan`.
template <execution P, class T, detail::iterator Out>
  requires(!detail::iterator<T>)
Out powers(P const& on, T x, std::size_t n, Out out)
{
  if constexpr (detail::host<P> && std::random_access_iterator<Out>) {
    using put = detail::put_powers<T, Out>;
    auto const factors = elements_from(detail::same_value<T>{detail::power_of(x, put::block)}, put::block * sizeof(T));
    tally::exclusive_scan(on, factors, factors + static_cast<std::ptrdiff_t>((n + put::block - 1) / put::block),
                          results_to(put{x, detail::power_of(x, put::chains), n, out}), T(1), multiplies{});
    return out + static_cast<std::iter_difference_t<Out>>(n);
  } else {
    auto const factors = elements_from(detail::same_value<T>{x});
    return tally::exclusive_scan(on, factors, factors + static_cast<std::ptrdiff_t>(n), std::move(out), T(1),
                                 multiplies{});
  }
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
/// Requires  random-access iterators; coefficients convert to the type of x, a ring with T(1). Powers of x up to x^n
///           stay finite, or the result may be NaN.
/// Result    in the type of x, 0 without coefficients; the same bits for every number of threads. Integers wrap.
/// Cost      one pass over the coefficients; a product and a sum each. O(n/p + log p) on p threads.
/// Memory    as `reduce`.
/// Blocks    until the value is there.
/// Throws    what the iterators throw; usage_error; std::bad_alloc; cuda_error.
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
  auto const none = compose::identity<affine<T>>();
  if constexpr (detail::host<P>) {
    using blocks = detail::horner_blocks<T, I>;
    constexpr std::size_t block = 1024;
    blocks const maps{first, n, x, detail::power_of(x, blocks::chains), detail::power_of(x, block), block};
    auto const steps = elements_from(maps, block * sizeof(T));
    return tally::reduce(on, steps, steps + static_cast<std::ptrdiff_t>((n + block - 1) / block), none, compose{})
        .offset;
  } else {
    auto const steps = elements_from(detail::horner_step<T, I>{first, n, x});
    return tally::reduce(on, steps, steps + static_cast<std::ptrdiff_t>(n), none, compose{}).offset;
  }
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
/// Result    the end of what was written. Each value is that of Horner's rule; a compiler that may fuse products with
///           sums does so here too.
/// Cost      a product and a sum for each coefficient and point, sixteen points at once.
/// Blocks    until all is written; on a GPU returns at once.
/// Throws    what the iterators throw; usage_error; cuda_error.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator X, detail::end_of<X> XS,
          detail::iterator Out>
Out polynomial_values(P const& on, I first, S last, X x_first, XS x_last, Out out)
{
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<X> && std::random_access_iterator<Out>,
                "tally: coefficients, points and values are reached by index: random-access iterators");
  auto const points = static_cast<std::size_t>(x_last - x_first);
  detail::horner_at_point<I, X, Out> const map{first, static_cast<std::size_t>(last - first), x_first, out};
  if constexpr (detail::host<P>)
    tally::for_each_block(on, points, 512, map);
  else
    tally::for_each_index(on, points, map);
  return out + static_cast<std::iter_difference_t<Out>>(points);
}
template <detail::iterator I, detail::end_of<I> S, detail::iterator X, detail::end_of<X> XS, detail::iterator Out>
Out polynomial_values(I first, S last, X x_first, XS x_last, Out out)
{
  return tally::polynomial_values(detail::automatic{}, first, last, x_first, x_last, out);
}

}  // namespace tally
