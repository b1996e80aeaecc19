#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "tally/detail/elementary/finite.hpp"
#include "tally/detail/elementary/rounding.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/polynomial/factors.hpp"
#include "tally/detail/polynomial/power.hpp"
#include "tally/operators/affine.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// Polynomials and powers on a CPU, by blocks of which each runs eight chains side by side.
namespace tally::detail::polynomial {

/// Horner's rule over blocks of coefficients, counted from the last one. In a block eight rules run side by side, each
/// over every eighth coefficient with x^8 for x, because a single one waits for its product and its sum at every step.
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
  static T step(T const& y, T const& by, T const& c)
  {
    return static_cast<T>(plus{}(elementary::rounded_product(y, by), c));
  }

  /// The map of block b: y -> x^(its size) y + its value.
  affine<T> operator()(std::size_t b) const
  {
    std::size_t const end = size - b * block;
    took(end >= block ? "polynomial: a whole block" : "polynomial: a short block");
    if (end >= block) return {x_to_block, value(end - block, end)};
    return {power_of(x, end), value(0, end)};
  }

  /// The value of the polynomial, one step after the other.
  T one_by_one() const
  {
    T all = T(0);
    for (std::size_t k = size; k > 0; --k) all = step(all, x, coefficient(k - 1));
    return all;
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
    chain[0] = odd == 0 ? chain[0] : static_cast<T>(plus{}(elementary::rounded_product(all, x_to_chains), chain[0]));
    for (k -= chains; k > begin; k -= chains)
      for (std::size_t l = 0; l < chains; ++l) chain[l] = step(chain[l], x_to_chains, coefficient(k - chains + l));
    all = chain[chains - 1];
    for (std::size_t l = chains - 1; l > 0; --l) all = step(all, x, chain[l - 1]);
    return all;
  }
};

/// The polynomial of n > 0 coefficients at x.
///
/// Where a power of x overflows, the reduction is infinite or NaN: infinity times a coefficient of 0 is NaN, and so is
/// infinity minus infinity. Such a result is computed again, one step after the other.
template <host P, class I, class T>
T value_at(P const& on, I coefficients, std::size_t n, T const& x)
{
  using blocks = horner_blocks<T, I>;
  constexpr std::size_t block = 1024;
  blocks const maps{coefficients, n, x, power_of(x, blocks::chains), power_of(x, block), block};
  auto const steps = elements_from(maps, block * sizeof(T));
  T const value = tally::reduce(on, steps, steps + static_cast<std::ptrdiff_t>((n + block - 1) / block),
                                compose::identity<affine<T>>(), compose{})
                      .offset;
  return elementary::is_finite(value) ? value : maps.one_by_one();
}

/// Writes a block of powers from its first one: eight chains side by side, each with x^8.
template <class T, class Out>
struct power_writer {
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
    for (std::size_t l = 1; l < chains; ++l) chain[l] = elementary::rounded_product(chain[l - 1], at_hand.x);
    std::size_t k = begin;
    took(end - k < chains          ? "powers: fewer than eight"
         : (end - k) % chains == 0 ? "powers: eight chains"
                                   : "powers: eight chains and some behind them");
    for (; end - k >= chains; k += chains)
      for (std::size_t l = 0; l < chains; ++l) {
        put(k + l, chain[l]);
        chain[l] = elementary::rounded_product(chain[l], at_hand.x_to_chains);
      }
    for (std::size_t l = 0; k < end; ++k, ++l) put(k, chain[l]);
  }
};

/// Writes x^0, ..., x^(n-1). Each block's first power comes from a scan of x^512.
template <host P, class T, std::random_access_iterator Out>
Out write_powers(P const& on, T x, std::size_t n, Out out)
{
  using writer = power_writer<T, Out>;
  auto const factors = elements_from(same_value<T>{power_of(x, writer::block)}, writer::block * sizeof(T));
  tally::exclusive_scan(on, factors, factors + static_cast<std::ptrdiff_t>((n + writer::block - 1) / writer::block),
                        results_to(writer{x, power_of(x, writer::chains), n, out}), T(1), multiplies{});
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <host P, class T, class Out>
Out write_powers(P const& on, T x, std::size_t n, Out out)
{
  return scan_factors(on, std::move(x), n, std::move(out));
}

}  // namespace tally::detail::polynomial
