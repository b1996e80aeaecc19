#pragma once

#include <array>
#include <cstddef>

#include "tally/detail/elementary/rounding.hpp"
#include "tally/operators/arithmetic.hpp"

/// The steps of a recursive filter as maps of its state, and products of their matrices. The functions are called once
/// a block of 1280 elements and are not inlined: unrolled at every call, they took a quarter of the compiler's time.
namespace tally::detail::recurrence {

/// The last outputs, the latest first. A step changes them by state -> matrix * state + offset, and so do many steps.
template <class T, std::size_t Order>
using filter_state = std::array<T, Order>;
template <class T, std::size_t Order>
using filter_matrix = std::array<filter_state<T, Order>, Order>;

/// matrix * state + offset.
template <class T, std::size_t Order>
[[gnu::noinline]] filter_state<T, Order> applied(filter_matrix<T, Order> const& matrix,
                                                 filter_state<T, Order> const& state, filter_state<T, Order> offset)
{
  for (std::size_t i = 0; i < Order; ++i)
    for (std::size_t j = 0; j < Order; ++j)
      offset[i] = static_cast<T>(plus{}(offset[i], elementary::rounded_product(matrix[i][j], state[j])));
  return offset;
}
template <class T, std::size_t Order>
[[gnu::noinline]] filter_matrix<T, Order> product(filter_matrix<T, Order> const& a, filter_matrix<T, Order> const& b)
{
  filter_matrix<T, Order> all{};
  for (std::size_t i = 0; i < Order; ++i)
    for (std::size_t k = 0; k < Order; ++k)
      for (std::size_t j = 0; j < Order; ++j)
        all[i][j] = static_cast<T>(plus{}(all[i][j], elementary::rounded_product(a[i][k], b[k][j])));
  return all;
}
template <class T, std::size_t Order>
filter_matrix<T, Order> identity_matrix()
{
  filter_matrix<T, Order> all{};
  for (std::size_t i = 0; i < Order; ++i) all[i][i] = T(1);
  return all;
}
/// The matrix of n steps: a power of the companion matrix.
template <class T, std::size_t Order>
filter_matrix<T, Order> companion_power(std::array<T, Order> const& feedback, std::size_t n)
{
  filter_matrix<T, Order> step{}, all = identity_matrix<T, Order>();
  step[0] = feedback;
  for (std::size_t i = 1; i < Order; ++i) step[i][i - 1] = T(1);
  for (; n != 0; n /= 2) {
    if (n % 2 == 1) all = product<T, Order>(all, step);
    step = product<T, Order>(step, step);
  }
  return all;
}

template <class T, std::size_t Order>
struct filter_map {
  filter_matrix<T, Order> matrix;
  filter_state<T, Order> offset;
};

/// Composition, the earlier map first.
struct compose_filters {
  template <class T, std::size_t Order>
  [[gnu::noinline]] filter_map<T, Order> operator()(filter_map<T, Order> const& earlier,
                                                    filter_map<T, Order> const& later) const
  {
    return {product<T, Order>(later.matrix, earlier.matrix),
            applied<T, Order>(later.matrix, earlier.offset, later.offset)};
  }
};

}  // namespace tally::detail::recurrence
