#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>

#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/error.hpp"
#include "tally/execution.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// Sequences in which each term is a sum of multiples of those before it, modulo a number: Fibonacci's and its kind.
namespace tally {

namespace detail {

template <std::size_t Order>
using residue_matrix = std::array<std::array<std::uint64_t, Order>, Order>;

/// Products of matrices of residues modulo m <= 2^32. Exactly associative; not commutative.
template <std::size_t Order>
struct product_modulo {
  std::uint64_t modulus;

  static constexpr bool exactly_associative = true;

  residue_matrix<Order> operator()(residue_matrix<Order> const& earlier, residue_matrix<Order> const& later) const
  {
    residue_matrix<Order> all{};
    for (std::size_t i = 0; i < Order; ++i)
      for (std::size_t j = 0; j < Order; ++j)
        for (std::size_t k = 0; k < Order; ++k)
          all[i][j] = (all[i][j] + later[i][k] * earlier[k][j] % modulus) % modulus;
    return all;
  }
};

template <std::size_t Order>
residue_matrix<Order> power_modulo(residue_matrix<Order> step, std::size_t n, std::uint64_t modulus)
{
  residue_matrix<Order> all{};
  for (std::size_t i = 0; i < Order; ++i) all[i][i] = 1 % modulus;
  product_modulo<Order> const times{modulus};
  for (; n != 0; n /= 2, step = times(step, step))
    if (n % 2 == 1) all = times(all, step);
  return all;
}

template <std::size_t Order>
struct same_matrix {
  residue_matrix<Order> matrix;
  residue_matrix<Order> operator()(std::size_t) const { return matrix; }
};

/// Writes block j of the sequence, from the product of the matrices of all blocks before it.
template <std::size_t Order, class Out>
struct put_terms {
  std::array<std::uint64_t, Order> coefficients;
  std::array<std::uint64_t, Order> first;  // the term before block 0 first
  std::uint64_t modulus;
  std::size_t size;
  std::size_t block;
  Out out;

  void operator()(std::size_t j, residue_matrix<Order> const& before) const
  {
    std::array<std::uint64_t, Order> last{};
    for (std::size_t i = 0; i < Order; ++i)
      for (std::size_t k = 0; k < Order; ++k) last[i] = (last[i] + before[i][k] * first[k] % modulus) % modulus;
    std::size_t const begin = j * block, end = size - begin < block ? size : begin + block;
    for (std::size_t k = begin; k < end; ++k) {
      // The state holds terms k, ..., k + Order - 1, the latest first.
      out[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<std::iter_value_t<Out>>(last[Order - 1]);
      std::uint64_t next = 0;
      for (std::size_t i = 0; i < Order; ++i) next += coefficients[i] * last[i] % modulus;
      for (std::size_t i = Order - 1; i > 0; --i) last[i] = last[i - 1];
      last[0] = next % modulus;
    }
  }
};

}  // namespace detail

/// Writes terms 0 to n - 1 of y[k] = coefficients[0]*y[k-1] + coefficients[1]*y[k-2] + ... modulo `modulus`, of which
/// the first ones are given.
///
///     linear_sequence_modulo([on,] coefficients, first_terms, modulus, n, out)
///
/// Requires  coefficients and first_terms are std::array<std::uint64_t, Order>, Order > 0; 0 < modulus <= 2^32; a CPU;
///           a random-access iterator.
/// Result    the end of what was written: the terms of the plain loop, on any number of threads.
/// Cost      Order + 1 remainders a term, and Order^3 products for each 4096 terms. O(n/p + log p) on p threads.
/// Memory    as `exclusive_scan`.
/// Blocks    until all is written.
/// Throws    usage_error if the modulus is out of range; std::bad_alloc.
/// Source    the companion matrix, whose powers are a scan: Blelloch, Prefix sums and their applications (1990),
///           section 1.4.
template <execution P, std::size_t Order, detail::iterator Out>
Out linear_sequence_modulo(P const& on, std::array<std::uint64_t, Order> coefficients,
                           std::array<std::uint64_t, Order> first_terms, std::uint64_t modulus, std::size_t n, Out out)
{
  static_assert(detail::host<P>, "tally: linear_sequence_modulo runs on a CPU");
  static_assert(Order > 0, "tally: a term of a linear sequence depends on at least one before it");
  static_assert(std::random_access_iterator<Out>,
                "tally: blocks of terms are written by index: a random-access iterator");
  if (modulus == 0 || modulus > std::uint64_t{1} << 32)
    throw usage_error("tally: linear_sequence_modulo: the modulus is " + std::to_string(modulus) +
                      "; it must be from 1 to 2^32");
  constexpr std::size_t block = 4096;
  detail::took(n % block == 0 ? "linear sequence: whole blocks" : "linear sequence: a short block");
  detail::residue_matrix<Order> step{};
  std::array<std::uint64_t, Order> latest_first{};
  for (std::size_t i = 0; i < Order; ++i) {
    coefficients[i] %= modulus;
    latest_first[Order - 1 - i] = first_terms[i] % modulus;
    step[0][i] = coefficients[i];
    if (i > 0) step[i][i - 1] = 1 % modulus;
  }
  auto const blocks = elements_from(detail::same_matrix<Order>{detail::power_modulo<Order>(step, block, modulus)},
                                    block * sizeof(std::uint64_t));
  tally::exclusive_scan(on, blocks, blocks + static_cast<std::ptrdiff_t>((n + block - 1) / block),
                        results_to(detail::put_terms<Order, Out>{coefficients, latest_first, modulus, n, block, out}),
                        detail::power_modulo<Order>(step, 0, modulus), detail::product_modulo<Order>{modulus});
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <std::size_t Order, detail::iterator Out>
Out linear_sequence_modulo(std::array<std::uint64_t, Order> const& coefficients,
                           std::array<std::uint64_t, Order> const& first_terms, std::uint64_t modulus, std::size_t n,
                           Out out)
{
  return tally::linear_sequence_modulo(cpu{}, coefficients, first_terms, modulus, n, out);
}

}  // namespace tally
