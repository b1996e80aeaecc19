#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/recurrence/linear_sequence.hpp"
#include "tally/error.hpp"
#include "tally/execution.hpp"

/// Sequences modulo a number in which each term is a sum of multiples of the terms before it, as Fibonacci's.
namespace tally {

/// Writes terms 0 to n - 1 of y[k] = coefficients[0]*y[k-1] + coefficients[1]*y[k-2] + ... modulo `modulus`, given
/// the first terms.
///
///     linear_sequence_modulo([on,] coefficients, first_terms, modulus, n, out)
///
/// Requires  coefficients and first_terms are std::array<std::uint64_t, Order>, Order > 0; 0 < modulus <= 2^32; a CPU;
///           a random-access iterator.
/// Result    the end of the output. The terms are those of the plain loop for every number of threads.
/// Cost      Order + 1 remainders a term, and Order^3 products for each 4096 terms. O(n/p + log p) on p threads.
/// Memory    that of `exclusive_scan`.
/// Blocks    until everything is written.
/// Throws    usage_error if the modulus is out of range; std::bad_alloc.
/// Source    Blelloch, Prefix sums and their applications (1990), section 1.4: a scan of powers of the companion
///           matrix.
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
  detail::recurrence::write_terms(on, coefficients, first_terms, modulus, n, out);
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
