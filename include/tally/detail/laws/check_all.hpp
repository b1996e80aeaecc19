#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "tally/detail/laws/checks.hpp"
#include "tally/detail/laws/search.hpp"
#include "tally/detail/laws/values.hpp"
#include "tally/law_report.hpp"

/// The check of an operator against all laws.
namespace tally::detail::laws {

/// Looks for a violation of one law among the samples, makes it small, and reports it. Returns whether the law holds.
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

/// Checks all laws. A violation of closure ends the check.
template <class Op, class T, class Shrink>
law_report<T> check_all(Op op, std::vector<T> const& samples, law_options const& options, std::uint64_t seed,
                        Shrink const& shrink)
{
  subject<Op, T> trial{std::move(op), options.tolerance};
  law_report<T> report;
  report.samples = samples.size();
  // Closure first: if a result is no element, the other laws mean nothing, and a conversion may be undefined.
  if (!check<closure_law>(trial, samples, options, seed, shrink, report)) return report;
  check<identity_law>(trial, samples, options, seed, shrink, report);
  check<commutativity_law>(trial, samples, options, seed, shrink, report);
  check<associativity_law>(trial, samples, options, seed, shrink, report);
  return report;
}

}  // namespace tally::detail::laws
