#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <tally/algorithms/polynomial.hpp>

#include "app/application.hpp"
#include "app/input.hpp"
#include "app/real_numbers.hpp"
#include "help/pages/pages.hpp"
#include "io/numbers/number.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

double horner(std::vector<double> const& c, double x)
{
  double y = 0;
  for (std::size_t k = c.size(); k-- > 0;) y = y * x + c[k];
  return y;
}

/// A scan makes all powers of x, a reduction the sum of products.
double by_powers(std::vector<double> const& c, double x)
{
  std::vector<double> power(c.size());
  powers(cpu{}, x, power.size(), power.begin());
  return transform_reduce(cpu{}, c.begin(), c.end(), power.begin(), 0.0);
}

/// The reference for the other methods: 64 bits of precision or more if the processor has them.
long double exact_value(std::vector<double> const& c, double x)
{
  long double y = 0;
  for (std::size_t k = c.size(); k-- > 0;) y = y * static_cast<long double>(x) + static_cast<long double>(c[k]);
  return y;
}

std::string compared(std::vector<double> const& c, double x)
{
  long double const right = exact_value(c, x);
  auto const line = [&](char const* name, double value) {
    return std::string(name) + '\t' + io::to_text(value) + '\t' +
           as_error(static_cast<double>(static_cast<long double>(value) - right)) + '\n';
  };
  return "x = " + io::to_text(x) + '\n' + line("Horner's rule, one by one", horner(c, x)) +
         line("Horner's rule as a reduction", polynomial_value(cpu{}, c.begin(), c.end(), x)) +
         line("powers by a scan, then a sum", by_powers(c, x));
}

command_page const& polynomial_page()
{
  static command_page const page = {
      .name = "app polynomial",
      .summary = "values of a polynomial: Horner's rule as a reduction",
      .usage = "tally app polynomial --at X[,X...] [OPTION...] [FILE...]",
      .description =
          {"Reads coefficients, that of x^0 first, and prints the value of the polynomial at each X, one a line."},
      .options = {{"Polynomial",
                   {{"--at", "X[,X...]", "The x at which to evaluate it; several are separated by commas or blanks."},
                    {"--coefficients", "C0,C1,...", "The coefficients, instead of input."},
                    {"--compare", "",
                     "At each X print the results of three methods and their errors: Horner's rule step by step, the "
                     "reduction, and all powers of x by a scan."}}},
                  column_options(),
                  {"Help", {help_option()}}},
      .sections = {{"Notes",
                    {"Coefficients are read as doubles. With one X and many coefficients the threads share the "
                     "reduction; with many X each thread runs Horner's rule for its own."}},
                   exit_section()},
      .examples = {{"x^3 - 6x^2 + 11x - 6:", "tally app polynomial --coefficients=-6,11,-6,1 --at 0,1.5,4"},
                   {"A million coefficients:", "seq 1000000 | tally app polynomial --at 0.999"}}};
  return page;
}

void run_polynomial(std::vector<std::string> const& words)
{
  input_settings input;
  std::vector<double> points, coefficients;
  bool given = false, compare = false;
  parser options(polynomial_page());
  options.value("--at", [&](std::string const& text) { points = real_numbers("--at", text); });
  options.value("--coefficients", [&](std::string const& text) {
    coefficients = real_numbers("--coefficients", text);
    given = true;
  });
  options.flag("--compare", compare);
  bind_input(options, input);
  options.parse(words);
  if (points.empty()) throw command_line_error("say --at which x the polynomial is to be evaluated");
  if (given && !input.files.empty())
    throw command_line_error("--coefficients and a file are two polynomials; give one");
  if (!given) {
    complete_input(input);
    coefficients = read_doubles(input);
  }
  if (compare) {
    std::string text;
    for (double const x : points) text += compared(coefficients, x);
    return write_text("-", text);
  }
  if (points.size() == 1)
    points[0] = polynomial_value(cpu{}, coefficients.begin(), coefficients.end(), points[0]);
  else
    polynomial_values(cpu{}, coefficients.begin(), coefficients.end(), points.begin(), points.end(), points.begin());
  write_text("-", lines(points));
}

}  // namespace

command polynomial_application()
{
  return {polynomial_page(), run_polynomial};
}

}  // namespace tally::cli
