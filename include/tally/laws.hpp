#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/detail/laws/check_all.hpp"
#include "tally/detail/laws/simpler.hpp"
#include "tally/law_report.hpp"
#include "tally/operators/traits.hpp"

/// The law checker. Call it in your tests, with any framework, for every operator of your own.
///
///     auto const report = tally::check_laws(my_operator{}, {0, 1, -1, 2, 1000});
///     EXPECT_TRUE(report) << report.message();
///
/// It checks that an operator keeps what it declares about itself (operators/traits.hpp), and that every operator is
/// associative: the bracketing of a reduction must not change its result beyond rounding.
namespace tally {

/// Looks for samples on which `op` breaks a law.
///
/// Requires  `op` gives the same result for the same operands. List the simplest samples first.
/// Result    for each broken law, the counterexample whose samples come first in the list.
/// Cost      at most 2 * options.cases tuples a law, and the work of making a counterexample smaller.
template <class Op, std::ranges::input_range Samples>
  requires operator_over<Op, std::ranges::range_value_t<Samples>>
[[nodiscard]] law_report<std::ranges::range_value_t<Samples>> check_laws(Op op, Samples const& samples,
                                                                         law_options const& options = {})
{
  using T = std::ranges::range_value_t<Samples>;
  std::vector<T> list;
  for (auto const& sample : samples) list.push_back(static_cast<T>(sample));
  return detail::laws::check_all(std::move(op), list, options, 0, detail::laws::as_it_is{});
}

template <class Op, class T>
  requires operator_over<Op, T>
[[nodiscard]] law_report<T> check_laws(Op op, std::initializer_list<T> samples, law_options const& options = {})
{
  return detail::laws::check_all(std::move(op), std::vector<T>(samples), options, 0, detail::laws::as_it_is{});
}

/// Looks for values on which `op` breaks a law, among `count` values of `generator(random)`, where `random` is a
/// std::mt19937_64 with that seed.
///
/// Result    as above, but the counterexample is made smaller than the generated values while the law stays broken.
///           `shrink(x)` lists values simpler than x, the simplest first; repeated, it must come to an end. The default
///           takes numbers towards zero, strings towards the empty one, and compound values part by part.
template <class Op, class Generator, class Shrink = detail::laws::simpler>
  requires std::invocable<Generator&, std::mt19937_64&> &&
           operator_over<Op, std::decay_t<std::invoke_result_t<Generator&, std::mt19937_64&>>>
[[nodiscard]] auto check_laws(Op op, Generator generator, std::size_t count, std::uint64_t seed,
                              law_options const& options = {}, Shrink const& shrink = {})
{
  using T = std::decay_t<std::invoke_result_t<Generator&, std::mt19937_64&>>;
  std::mt19937_64 random(seed);
  std::vector<T> samples;
  samples.reserve(count);
  for (std::size_t k = 0; k < count; ++k) samples.push_back(generator(random));
  return detail::laws::check_all(std::move(op), samples, options, seed, shrink);
}

}  // namespace tally
