#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tally/algorithms/recursive_filter.hpp>

#include "settings/parser.hpp"

/// Filters of a number of coefficients that is known when the tool runs.
namespace tally::cli {

constexpr std::size_t most_coefficients = 8;

inline void check_order(std::size_t order)
{
  if (order > most_coefficients)
    throw command_line_error("--coefficients: " + std::to_string(order) + " are too many; at most " +
                             std::to_string(most_coefficients));
}

template <class Use, std::size_t... Sizes>
void with_order(std::size_t order, Use const& use, std::index_sequence<Sizes...>)
{
  ((order == Sizes + 1 ? use(std::integral_constant<std::size_t, Sizes + 1>{}) : void()), ...);
}
/// Calls `use` with the number of coefficients, from 1 to most_coefficients, as a constant.
template <class Use>
void with_order(std::size_t order, Use const& use)
{
  with_order(order, use, std::make_index_sequence<most_coefficients>{});
}

template <std::size_t Order, class T, class Values>
std::array<T, Order> array_of(Values const& values)
{
  std::array<T, Order> all{};
  for (std::size_t k = 0; k < Order && k < values.size(); ++k) all[k] = static_cast<T>(values[k]);
  return all;
}

/// The outputs of a filter take the place of its signal, and the last state, the latest value first, that of the state
/// before. `reversed`: from the end of the signal.
template <std::size_t Order>
void filter_line(std::array<double, Order> const& feedback, std::span<double> signal, bool reversed,
                 std::span<double> state)
{
  if (reversed) std::ranges::reverse(signal);
  auto const before = array_of<Order, double>(state);
  recursive_filter(cpu{}, feedback, signal.begin(), signal.end(), signal.begin(), before);
  for (std::size_t k = 0; k < Order; ++k)
    state[k] = k < signal.size() ? signal[signal.size() - 1 - k] : before[k - signal.size()];
  if (reversed) std::ranges::reverse(signal);
}

}  // namespace tally::cli
