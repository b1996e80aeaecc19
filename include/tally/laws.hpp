#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <ranges>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/detail/laws/checks.hpp"
#include "tally/detail/laws/report.hpp"
#include "tally/detail/laws/search.hpp"
#include "tally/detail/laws/simpler.hpp"
#include "tally/detail/laws/values.hpp"
#include "tally/operators/traits.hpp"

/// The law checker: call it in your tests, with any framework, for every operator of your own.
///
///     auto const report = tally::check_laws(my_operator{}, {0, 1, -1, 2, 1000});
///     EXPECT_TRUE(report) << report.message();
///
/// It holds an operator to what the operator says about itself (operators/traits.hpp), and every operator to
/// associativity: how a reduction is bracketed must not show in its result, beyond rounding.
namespace tally {

struct law_options {
  /// How far apart the two sides of associativity may be that is not claimed to be exact: this many roundings of the
  /// largest operand or result. Where finite operands overflow, or vanish beside an infinity, nothing is required.
  double tolerance = 16;
  /// How many tuples of samples to try for each law, in order; and as many at random if there are more.
  std::size_t cases = 100'000;
};

namespace laws {

/// Looks for a violation of one law among the samples, makes it small, and reports it. Whether the law holds.
template <class Law, class Op, class T, class Shrink>
bool check(subject<Op, T>& op, std::vector<T> const& samples, law_options const& options, std::uint64_t seed,
           Shrink const& shrink, law_report<T>& report)
{
  using operands = std::array<T, Law::operands>;
  if constexpr (Law::template required<Op, T>()) {
    auto const breaks = [&](operands const& x) { return !Law::holds(op, x); };
    std::optional<operands> found = smallest<Law::operands>(samples, options.cases, seed, breaks);
    if (!found) return true;
    operands const least = shrunk(*std::move(found), shrink, breaks);
    std::ostringstream message;
    Law::describe(message, op, least);
    constexpr std::array<char const*, 3> names = {" at a = ", ", b = ", ", c = "};
    for (std::size_t k = 0; k < least.size(); ++k) print(message << names[k], least[k]);
    report.violations.push_back({Law::name, std::vector<T>(least.begin(), least.end()), message.str()});
    return false;
  }
  return true;
}

template <class Op, class T, class Shrink>
law_report<T> check_all(Op op, std::vector<T> const& samples, law_options const& options, std::uint64_t seed,
                        Shrink const& shrink)
{
  subject<Op, T> trial{std::move(op), options.tolerance};
  law_report<T> report;
  report.samples = samples.size();
  // Closure first: where a result is no element the other laws are moot, and a conversion may be undefined.
  if (!check<closure_law>(trial, samples, options, seed, shrink, report)) return report;
  check<identity_law>(trial, samples, options, seed, shrink, report);
  check<commutativity_law>(trial, samples, options, seed, shrink, report);
  check<associativity_law>(trial, samples, options, seed, shrink, report);
  return report;
}

}  // namespace laws

/// Looks for samples on which `op` breaks a law.
///
/// Requires  `op` gives the same result whenever it is called. List the simplest samples first.
/// Result    for each law that is broken, the counterexample whose samples come first in the list.
/// Cost      at most 2 * options.cases tuples a law, and what it takes to make a counterexample smaller.
template <class Op, std::ranges::input_range Samples>
  requires operator_over<Op, std::ranges::range_value_t<Samples>>
[[nodiscard]] law_report<std::ranges::range_value_t<Samples>> check_laws(Op op, Samples const& samples,
                                                                         law_options const& options = {})
{
  using T = std::ranges::range_value_t<Samples>;
  std::vector<T> list;
  for (auto const& sample : samples) list.push_back(static_cast<T>(sample));
  return laws::check_all(std::move(op), list, options, 0, laws::as_it_is{});
}

template <class Op, class T>
  requires operator_over<Op, T>
[[nodiscard]] law_report<T> check_laws(Op op, std::initializer_list<T> samples, law_options const& options = {})
{
  return laws::check_all(std::move(op), std::vector<T>(samples), options, 0, laws::as_it_is{});
}

/// Looks for values on which `op` breaks a law, among `count` values of `generator(random)`, where `random` is a
/// std::mt19937_64 of that seed.
///
/// Result    as above, but made smaller beyond the generated values as long as the law stays broken: `shrink(x)` lists
///           values simpler than x, the simplest first, and must come to an end. Unless told otherwise it takes numbers
///           towards zero, strings towards the empty one, and compound values part by part.
template <class Op, class Generator, class Shrink = laws::simpler>
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
  return laws::check_all(std::move(op), samples, options, seed, shrink);
}

}  // namespace tally
