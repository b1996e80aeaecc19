#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include "tally/detail/backends.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/exact/products.hpp"
#include "tally/error.hpp"
#include "tally/exact_accumulator.hpp"
#include "tally/execution.hpp"
#include "tally/operators/exact_plus.hpp"

/// Exact means and dot products on a CPU. Exact sums and scans are those of reduce.hpp and scan.hpp with exact_plus.
namespace tally {

/// The mean of a range: its exact sum divided by its size, rounded once, to nearest, ties to even.
///
///     exact_mean([on,] range)
///
/// Requires  elements of type float, double, half or bfloat16.
/// Result    of their type; NaN of an empty range.
/// Cost      that of `reduce` with exact_plus. Blocks until the value is there.
/// Throws    usage_error if `on` asks for a negative number of threads; std::bad_alloc; what the iterators throw.
template <class P, std::ranges::forward_range R>
  requires std::is_same_v<P, cpu> || std::is_same_v<P, detail::automatic>
[[nodiscard]] auto exact_mean(P const& on, R&& range)
{
  using T = std::ranges::range_value_t<R>;
  static_assert(detail::is_floating<T>, "tally: exact_mean takes elements of float, double, half or bfloat16");
  order::carry<T, exact_plus> all;
  std::identity same;
  cpu_backend::reduce_exactly<T>(cpu_backend::requested(on), std::ranges::begin(range), std::ranges::end(range), same,
                                 all);
  return all.terms().template nearest_quotient<T>(static_cast<std::uint64_t>(std::ranges::distance(range)));
}
template <std::ranges::forward_range R>
[[nodiscard]] auto exact_mean(R&& range)
{
  return tally::exact_mean(detail::automatic{}, range);
}

/// The dot product: the exact sum of the exact products x[k] * y[k], rounded once, to nearest, ties to even.
///
///     exact_dot([on,] x, y)
///
/// Requires  ranges of one size with random access, and elements of one type: float, double, half or bfloat16.
/// Result    of their type, the same for every order of the pairs and on every machine; +0 of empty ranges. Products
///           neither overflow nor underflow on the way: the product of two finite numbers is a number of 106 bits.
/// Cost      some 2 ns a pair; 20 ns where products in a block of 1024 are below 2^-960 or above 2^1000. Blocks until the
///           value is there.
/// Throws    usage_error if the sizes differ, or if `on` asks for a negative number of threads; std::bad_alloc.
template <class P, std::ranges::random_access_range X, std::ranges::random_access_range Y>
  requires std::is_same_v<P, cpu> || std::is_same_v<P, detail::automatic>
[[nodiscard]] auto exact_dot(P const& on, X&& x, Y&& y)
{
  using T = std::ranges::range_value_t<X>;
  static_assert(detail::is_floating<T> && std::is_same_v<T, std::ranges::range_value_t<Y>>,
                "tally: exact_dot takes two ranges of the same type of elements: float, double, half or bfloat16");
  auto const n = static_cast<std::size_t>(std::ranges::distance(x));
  if (auto const other = static_cast<std::size_t>(std::ranges::distance(y)); other != n)
    throw usage_error("tally::exact_dot: x has " + std::to_string(n) + " elements, y " + std::to_string(other));
  auto const named = cpu_backend::requested(on);
  int const members = cpu_backend::team_size(named ? named->threads : 0, 16 * n,
                                             (n + cpu_backend::exact_chunk - 1) / cpu_backend::exact_chunk);
  auto const first_x = std::ranges::begin(x);
  auto const first_y = std::ranges::begin(y);
  std::vector<detail::exact::sum_of_products> sums(static_cast<std::size_t>(std::max(members, 1)));
  cpu_backend::draw_chunks(n, cpu_backend::exact_chunk, std::max(members, 1),
                           [&](int member, std::size_t, std::size_t begin, std::size_t end) {
                             constexpr std::size_t most = 1024;
                             double own_x[most], own_y[most];
                             for (std::size_t k = begin; k < end; k += most) {
                               std::size_t const size = std::min(most, end - k);
                               for (std::size_t i = 0; i < size; ++i) {
                                 own_x[i] =
                                     static_cast<double>(static_cast<T>(first_x[static_cast<std::ptrdiff_t>(k + i)]));
                                 own_y[i] =
                                     static_cast<double>(static_cast<T>(first_y[static_cast<std::ptrdiff_t>(k + i)]));
                               }
                               detail::exact::add_products(own_x, own_y, size, sums[static_cast<std::size_t>(member)]);
                             }
                           });
  for (std::size_t k = 1; k < sums.size(); ++k) sums[0].add(sums[k]);
  return sums[0].template nearest<T>();
}
template <std::ranges::random_access_range X, std::ranges::random_access_range Y>
[[nodiscard]] auto exact_dot(X&& x, Y&& y)
{
  return tally::exact_dot(detail::automatic{}, x, y);
}

}  // namespace tally
