#include "explain/own_operator.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/figures.hpp"
#include "tally/laws.hpp"

namespace tally::cli {

namespace {

/// The operator as the law checker takes it. Elements that are integers are doubles here, so that no result overflows,
/// and lose the digits behind the point.
template <class T, bool Whole>
struct claimed {
  static constexpr bool commutative = true;
  textbook::own_operator const& op;

  T operator()(T a, T b) const
  {
    double const result = op.combine(static_cast<double>(a), static_cast<double>(b));
    return static_cast<T>(Whole ? std::trunc(result) + 0.0 : result);  // no zero below zero
  }
};

template <class T, bool Whole>
struct claimed_with_identity : claimed<T, Whole> {
  T identity() const { return static_cast<T>(*this->op.identity); }
};

/// Small numbers, the simplest first, and some of the elements.
template <class T, class Element>
std::vector<T> samples_of(std::vector<Element> const& elements)
{
  constexpr std::size_t most = 24;
  std::vector<T> samples = {0, 1, 2, -1, 3, -2, 5, 7};
  if (std::is_same_v<Element, float>) samples.insert(samples.end(), {T(0.5), T(-0.25)});
  for (Element const& each : elements) {
    if (samples.size() == most) break;
    auto const sample = static_cast<T>(each);
    if (std::isfinite(sample) && std::ranges::find(samples, sample) == samples.end()) samples.push_back(sample);
  }
  return samples;
}

template <class T, bool Whole, class Element>
own_laws checked(textbook::own_operator const& op, std::vector<Element> const& elements)
{
  std::vector<T> const samples = samples_of<T>(elements);
  law_report<T> const found = op.identity ? check_laws(claimed_with_identity<T, Whole>{{op}}, samples)
                                          : check_laws(claimed<T, Whole>{op}, samples);
  own_laws laws;
  laws.samples = samples.size();
  for (law_violation<T> const& each : found.violations) {
    std::size_t const colon = each.message.find(": ");
    laws.broken.push_back({each.message.substr(0, colon), each.message.substr(colon + 2)});
  }
  return laws;
}

}  // namespace

bool own_laws::keeps(std::string_view law) const
{
  return std::ranges::find(broken, law, &broken_law::law) == broken.end();
}

own_laws laws_of(textbook::own_operator const& op, textbook::values const& elements)
{
  if (auto const* integers = std::get_if<std::vector<int>>(&elements)) return checked<double, true>(op, *integers);
  return checked<float, false>(op, std::get<std::vector<float>>(elements));
}

void judge(explanation& run)
{
  if (run.own)
    run.judged = {laws_of(*run.own, run.in),
                  expected_result(run.in, run.kernel->result, textbook::operation::own, &*run.own)};
}

}  // namespace tally::cli
