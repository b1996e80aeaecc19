#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/integration/nodes.hpp"
#include "tally/detail/path.hpp"
#include "tally/for_each.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Integrals on a CPU, by blocks of nodes.
namespace tally::detail::integration {

/// The sum of block b of the values of f, in four parts, so that no addition waits for the one before it.
template <class F>
struct block_sums {
  static constexpr std::size_t block = 512;

  F f;
  std::size_t size;

  TALLY_HD auto operator()(std::size_t b) const
  {
    using value = std::remove_cvref_t<std::invoke_result_t<F const&, std::size_t>>;
    std::size_t k = b * block;
    std::size_t const end = size - k < block ? size : k + block;
    value part[4] = {f(k++), value(0), value(0), value(0)};
    for (; end - k >= 4; k += 4)
      for (std::size_t i = 0; i < 4; ++i) part[i] += f(k + i);
    for (; k < end; ++k) part[0] += f(k);
    return static_cast<value>((part[0] + part[1]) + (part[2] + part[3]));
  }
};

/// f(0) + ... + f(n-1), n > 0.
template <host P, class F>
auto sum(P const& on, F const& f, std::size_t n)
{
  using blocks = block_sums<F>;
  took(n % blocks::block == 0 ? "integrate: a sum of whole blocks" : "integrate: a sum with a short block");
  using value = std::remove_cvref_t<std::invoke_result_t<F const&, std::size_t>>;
  auto const sums = elements_from(blocks{f, n}, blocks::block * sizeof(value));
  return tally::reduce(on, sums, sums + static_cast<std::ptrdiff_t>((n + blocks::block - 1) / blocks::block));
}

/// Adds up areas from the beginning of each block. Calls `put(k, right end, f there, area so far)` for each interval,
/// and stores the block's own sum in `totals`.
template <class F, class T, class Put>
struct areas_in_blocks {
  using value = integrand_value<F, T>;

  F f;
  equidistant<T> nodes;
  Put put;
  value* totals;
  std::size_t block;

  void operator()(std::size_t begin, std::size_t end) const
  {
    // Stores by `put` cannot change a local copy, so the compiler computes once what does not depend on k.
    areas_in_blocks const own = *this;
    auto const half = static_cast<value>(own.nodes.half);
    value left = own.f(own.nodes.at(2 * begin)), sum = value(0);
    for (std::size_t k = begin; k < end; ++k) {
      T const x = own.nodes.at(2 * k + 2);
      value const right = own.f(x);
      sum += (left + right) * half;
      own.put(k, x, right, sum);
      left = right;
    }
    totals[begin / block] = sum;
  }
};
/// Adds the area of all blocks before to each area of a block.
template <class Put, class V>
struct areas_before {
  Put put;
  V const* before;
  std::size_t block;

  void operator()(std::size_t begin, std::size_t end) const
  {
    V const area = before[begin / block];
    for (std::size_t k = begin; k < end; ++k) put.add(k, area);
  }
};

/// The integrals up to each of n nodes; each value of f is computed once. Two maps of blocks, with a scan of the
/// blocks' areas between them.
template <host P, class F, class T, class Put>
void accumulate_areas(P const& on, F const& f, equidistant<T> const& nodes, Put const& put)
{
  using value = integrand_value<F, T>;
  constexpr std::size_t block = 1024;
  std::size_t const n = nodes.intervals;
  took(n % block == 0 ? "integrate: areas of whole blocks" : "integrate: areas with a short block");
  temporary<value, P> totals(on, (n + block - 1) / block);
  tally::for_each_block(on, n, block, areas_in_blocks<F, T, Put>{f, nodes, put, totals.data(), block});
  tally::exclusive_scan(on, totals.begin(), totals.end(), totals.begin(), value(0));
  tally::for_each_block(on, n, block, areas_before<Put, value>{put, totals.data(), block});
}

template <class Out>
struct area_writer {
  Out out;

  template <class T, class V>
  void operator()(std::size_t k, T const&, V const&, V const& area) const
  {
    out[static_cast<std::iter_difference_t<Out>>(k)] = area;
  }
  template <class V>
  void add(std::size_t k, V const& area) const
  {
    out[static_cast<std::iter_difference_t<Out>>(k)] += area;
  }
};

/// Writes the integral up to the end of each interval.
template <host P, class F, class T, class Out>
void write_areas(P const& on, trapezoid_areas<F, T> const& areas, Out out)
{
  accumulate_areas(on, areas.f, areas.nodes, area_writer<Out>{out});
}

}  // namespace tally::detail::integration
