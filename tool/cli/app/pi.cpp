#include <cmath>
#include <cstddef>
#include <future>
#include <numbers>
#include <string>
#include <vector>

#include <tally/algorithms/integrate.hpp>

#include "app/application.hpp"
#include "app/input.hpp"
#include "app/real_numbers.hpp"
#include "help/pages/pages.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

struct half_circle {
  template <class T>
  T operator()(T x) const
  {
    return std::sqrt(1 - x * x);
  }
};

/// The value at a node times half an interval: the term of both sums.
template <class T>
struct half_areas {
  std::size_t n;
  T operator()(std::size_t k) const
  {
    double const at = k == n ? 1.0 : -1 + 2 * static_cast<double>(k) / static_cast<double>(n);
    return half_circle{}(static_cast<T>(at)) / static_cast<T>(n);
  }
};

template <class T>
T one_by_one(std::size_t n)
{
  auto const areas = elements_from(trapezoids(half_circle{}, T(-1), T(1), n));
  T sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += areas[static_cast<std::ptrdiff_t>(k)];
  return 2 * sum;
}
template <class T>
T one_sum(std::size_t n)
{
  auto const areas = elements_from(trapezoids(half_circle{}, T(-1), T(1), n));
  return 2 * tally::reduce(cpu{}, areas, areas + static_cast<std::ptrdiff_t>(n));
}
template <class T>
T two_sums(std::size_t n)
{
  auto const values = elements_from(half_areas<T>{n});
  auto const sum = [=](std::ptrdiff_t begin) {
    return tally::reduce(cpu{1}, values + begin, values + begin + static_cast<std::ptrdiff_t>(n));
  };
  auto right = std::async(std::launch::async, sum, 1);
  T const left = sum(0);
  return 2 * (left + right.get());
}
template <class T, class Rule>
T by(Rule rule, std::size_t n)
{
  return 2 * integrate(cpu{}, half_circle{}, T(-1), T(1), n, rule);
}

std::string line(std::string const& name, double in_float, double in_double)
{
  auto const padded = [](std::string text, std::size_t width) {
    text.resize(text.size() < width ? width : text.size(), ' ');
    return text;
  };
  return padded(name, 36) + padded(with_digits(in_float, 7), 11) + padded(as_error(in_float - std::numbers::pi), 10) +
         padded(with_digits(in_double, 12), 16) + as_error(in_double - std::numbers::pi) + '\n';
}

command_page const& pi_page()
{
  static command_page const page = {
      .name = "app pi",
      .summary = "pi as the area of half a disc: one integral, summed up in several ways",
      .usage = "tally app pi [OPTION...]",
      .description =
          {"Integrates sqrt(1 - x^2) from -1 to 1, which is pi/2, over n intervals, and prints twice that in float and "
           "in double with the errors: the areas of trapezoids added up one by one and by `tally reduce`'s order, the "
           "values at the left and the right ends as two sums at the same time, and other rules."},
      .options = {{"Options", {{"--n", "N", "The number of intervals; 1048576 if not given."}, help_option()}}},
      .sections = {{"Notes",
                    {"The error in double is that of the rules: the half circle is steep at its ends, so the error "
                     "falls like n^-1.5 and not like n^-2 or n^-4. The error in float is that of the sum, in which "
                     "small numbers are added one by one to a much greater sum."}},
                   exit_section()},
      .examples = {{"A million intervals:", "tally app pi"}, {"A thousand:", "tally app pi --n 1000"}}};
  return page;
}

void run_pi(std::vector<std::string> const& words)
{
  int intervals = 1 << 20;
  parser options(pi_page());
  options.number("--n", intervals, 1);
  options.parse(words);
  auto const n = static_cast<std::size_t>(intervals);
  auto const row = [](std::string const& name, float in_float, double in_double) {
    return line(name, static_cast<double>(in_float), in_double);
  };
  std::string text = std::to_string(n) + " intervals                    float      error     double          error\n";
  text.insert(0, text.find(" i") < 8 ? 8 - text.find(" i") : 0, ' ');
  text += row("trapezoids, one by one", one_by_one<float>(n), one_by_one<double>(n));
  text += row("trapezoids, reduced", one_sum<float>(n), one_sum<double>(n));
  text += row("left and right ends, two sums", two_sums<float>(n), two_sums<double>(n));
  text += row("trapezoidal rule, by nodes", by<float>(trapezoidal{}, n), by<double>(trapezoidal{}, n));
  text += row("midpoints", by<float>(midpoint{}, n), by<double>(midpoint{}, n));
  text += row("Simpson's rule", by<float>(simpson{}, n), by<double>(simpson{}, n));
  write_text("-", text);
}

}  // namespace

command pi_application()
{
  return {pi_page(), run_pi};
}

}  // namespace tally::cli
