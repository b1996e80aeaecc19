#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// A linear sequence modulo a number, on a CPU: a scan of equal powers of the companion matrix, one for each block.
namespace tally::detail::recurrence {

template <std::size_t Order>
using residue_matrix = std::array<std::array<std::uint64_t, Order>, Order>;

/// Products of matrices of residues modulo m <= 2^32. Exactly associative; not commutative. Called once a block of 4096
/// terms, and not inlined, as the functions of filter_maps.hpp are.
template <std::size_t Order>
struct product_modulo {
  std::uint64_t modulus;

  static constexpr bool exactly_associative = true;

  [[gnu::noinline]] residue_matrix<Order> operator()(residue_matrix<Order> const& earlier,
                                                     residue_matrix<Order> const& later) const
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
struct term_writer {
  std::array<std::uint64_t, Order> coefficients;
  std::array<std::uint64_t, Order> first;  // the first Order terms, the latest first
  std::uint64_t modulus;
  std::size_t size;
  std::size_t block;
  Out out;

  [[gnu::noinline]] void operator()(std::size_t j, residue_matrix<Order> const& before) const
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

/// Writes terms 0 to n - 1.
template <host P, std::size_t Order, class Out>
void write_terms(P const& on, std::array<std::uint64_t, Order> coefficients,
                 std::array<std::uint64_t, Order> const& first_terms, std::uint64_t modulus, std::size_t n, Out out)
{
  constexpr std::size_t block = 4096;
  took(n % block == 0 ? "linear sequence: whole blocks" : "linear sequence: a short block");
  residue_matrix<Order> step{};
  std::array<std::uint64_t, Order> latest_first{};
  for (std::size_t i = 0; i < Order; ++i) {
    coefficients[i] %= modulus;
    latest_first[Order - 1 - i] = first_terms[i] % modulus;
    step[0][i] = coefficients[i];
    if (i > 0) step[i][i - 1] = 1 % modulus;
  }
  auto const blocks =
      elements_from(same_matrix<Order>{power_modulo<Order>(step, block, modulus)}, block * sizeof(std::uint64_t));
  tally::exclusive_scan(on, blocks, blocks + static_cast<std::ptrdiff_t>((n + block - 1) / block),
                        results_to(term_writer<Order, Out>{coefficients, latest_first, modulus, n, block, out}),
                        power_modulo<Order>(step, 0, modulus), product_modulo<Order>{modulus});
}

}  // namespace tally::detail::recurrence
