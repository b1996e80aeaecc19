#pragma once

#include <array>
#include <cstddef>

#include "tally/config.hpp"
#include "tally/detail/elementary/finite.hpp"
#include "tally/detail/elementary/rounding.hpp"
#include "tally/operators/arithmetic.hpp"

/// The steps of a recursive filter as maps of its state, and products of their matrices. The functions are called once
/// a block of 1280 elements and are not inlined: unrolled at every call, they took a quarter of the compiler's time.
namespace tally::detail::recurrence {

/// N values, as std::array, whose members are not for a device.
template <class T, std::size_t N>
struct filter_values {
  T of[N];

  TALLY_HD constexpr T& operator[](std::size_t k) { return of[k]; }
  TALLY_HD constexpr T const& operator[](std::size_t k) const { return of[k]; }
};

/// The last outputs, the latest first. A step changes them by state -> matrix * state + offset, and so do many steps.
template <class T, std::size_t Order>
using filter_state = filter_values<T, Order>;
template <class T, std::size_t Order>
using filter_matrix = filter_values<filter_state<T, Order>, Order>;

template <class T, std::size_t Order>
filter_state<T, Order> as_state(std::array<T, Order> const& values)
{
  filter_state<T, Order> state{};
  for (std::size_t k = 0; k < Order; ++k) state[k] = values[k];
  return state;
}
template <class T, std::size_t Order>
std::array<T, Order> as_array(filter_state<T, Order> const& state)
{
  std::array<T, Order> values{};
  for (std::size_t k = 0; k < Order; ++k) values[k] = state[k];
  return values;
}

template <class T, std::size_t Order>
TALLY_HD bool all_finite(filter_state<T, Order> const& state)
{
  bool all = true;
  for (std::size_t k = 0; k < Order; ++k) all = all && elementary::is_finite(state[k]);
  return all;
}

/// The output of a filter for the element x, which `last` then has.
template <class T, std::size_t Order>
TALLY_HD T filter_step(filter_state<T, Order> const& feedback, filter_state<T, Order>& last, T const& x)
{
  T y = x;
  // The latest output comes last, because the sum waits for it.
  for (std::size_t j = Order; j-- > 0;)
    y = static_cast<T>(plus{}(y, elementary::rounded_product(feedback[j], last[j])));
  for (std::size_t j = Order - 1; j > 0; --j) last[j] = last[j - 1];
  last[0] = y;
  return y;
}

/// matrix * state + offset.
template <class T, std::size_t Order>
[[gnu::noinline]] TALLY_HD filter_state<T, Order> applied(filter_matrix<T, Order> const& matrix,
                                                          filter_state<T, Order> const& state,
                                                          filter_state<T, Order> offset)
{
  for (std::size_t i = 0; i < Order; ++i)
    for (std::size_t j = 0; j < Order; ++j)
      offset[i] = static_cast<T>(plus{}(offset[i], elementary::rounded_product(matrix[i][j], state[j])));
  return offset;
}
template <class T, std::size_t Order>
[[gnu::noinline]] TALLY_HD filter_matrix<T, Order> product(filter_matrix<T, Order> const& a,
                                                           filter_matrix<T, Order> const& b)
{
  filter_matrix<T, Order> all{};
  for (std::size_t i = 0; i < Order; ++i)
    for (std::size_t k = 0; k < Order; ++k)
      for (std::size_t j = 0; j < Order; ++j)
        all[i][j] = static_cast<T>(plus{}(all[i][j], elementary::rounded_product(a[i][k], b[k][j])));
  return all;
}
template <class T, std::size_t Order>
TALLY_HD filter_matrix<T, Order> identity_matrix()
{
  filter_matrix<T, Order> all{};
  for (std::size_t i = 0; i < Order; ++i) all[i][i] = T(1);
  return all;
}
/// The matrix of n steps: a power of the companion matrix.
template <class T, std::size_t Order>
filter_matrix<T, Order> companion_power(filter_state<T, Order> const& feedback, std::size_t n)
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

/// Steps in a quarter of a block: a block's quarters run side by side.
inline constexpr std::size_t filter_quarter = 320;

/// A filter, and the matrices of the steps of a quarter and of a block.
template <class T, std::size_t Order>
struct filter_constants {
  filter_state<T, Order> feedback;
  filter_matrix<T, Order> of_quarter, of_block;

  explicit filter_constants(std::array<T, Order> const& given)
      : feedback(as_state(given)),
        of_quarter(companion_power(feedback, filter_quarter)),
        of_block(companion_power(feedback, 4 * filter_quarter))
  {
  }
};

/// The last outputs after a block of `steps` steps that ended with the state `last`, where `before` has those before
/// the block. (The state that a block starts from comes from maps, and differs from those outputs by rounding.)
template <class T, std::size_t Order>
TALLY_HD filter_state<T, Order> last_outputs(filter_state<T, Order> last, std::size_t steps,
                                             filter_state<T, Order> const& before)
{
  for (std::size_t k = steps; k < Order; ++k) last[k] = before[k - steps];
  return last;
}

template <class T, std::size_t Order>
struct filter_map {
  filter_matrix<T, Order> matrix;
  filter_state<T, Order> offset;
};

/// Composition, the earlier map first.
struct compose_filters {
  template <class T, std::size_t Order>
  [[gnu::noinline]] TALLY_HD filter_map<T, Order> operator()(filter_map<T, Order> const& earlier,
                                                             filter_map<T, Order> const& later) const
  {
    return {product<T, Order>(later.matrix, earlier.matrix),
            applied<T, Order>(later.matrix, earlier.offset, later.offset)};
  }
};

}  // namespace tally::detail::recurrence
