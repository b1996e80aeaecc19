#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tally/algorithms/linear_sequence.hpp>
#include <tally/algorithms/recurrence.hpp>
#include <tally/algorithms/recursive_filter.hpp>

#include "app/application.hpp"
#include "app/input.hpp"
#include "app/real_numbers.hpp"
#include "help/pages/pages.hpp"
#include "io/errors.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

constexpr std::size_t most_coefficients = 8;

struct recurrence_settings {
  input_settings input;
  std::string output = "-";
  std::string a, b;  ///< columns
  std::string coefficients, initial;
  bool backward = false;
  int count = 0;
  unsigned long long modulus = 0;
};

/// Calls `use` with the number of coefficients as a constant.
template <class Use, std::size_t... Sizes>
void with_order(std::size_t order, Use const& use, std::index_sequence<Sizes...>)
{
  ((order == Sizes + 1 ? use(std::integral_constant<std::size_t, Sizes + 1>{}) : void()), ...);
}
template <class Use>
void with_order(std::size_t order, Use const& use)
{
  if (order > most_coefficients)
    throw command_line_error("--coefficients: " + std::to_string(order) + " are too many; at most " +
                             std::to_string(most_coefficients));
  with_order(order, use, std::make_index_sequence<most_coefficients>{});
}
template <std::size_t Order, class T, class From>
std::array<T, Order> array_of(std::vector<From> const& values)
{
  std::array<T, Order> all{};
  for (std::size_t k = 0; k < Order && k < values.size(); ++k) all[k] = static_cast<T>(values[k]);
  return all;
}
void check_initial(std::size_t initial, std::size_t order)
{
  if (initial != 0 && initial != order)
    throw command_line_error("--initial: there are " + std::to_string(initial) + " values, but " +
                             std::to_string(order) + (order == 1 ? " is needed" : " are needed"));
}

/// Terms of a sequence modulo a number.
std::string sequence(recurrence_settings const& settings)
{
  auto const coefficients = natural_numbers("--coefficients", settings.coefficients);
  auto const first = natural_numbers("--initial", settings.initial);
  check_initial(first.size(), coefficients.size());
  std::vector<std::uint64_t> terms(static_cast<std::size_t>(settings.count));
  with_order(coefficients.size(), [&](auto order) {
    linear_sequence_modulo(cpu{}, array_of<order.value, std::uint64_t>(coefficients),
                           array_of<order.value, std::uint64_t>(first), settings.modulus, terms.size(), terms.begin());
  });
  return lines(terms);
}

/// A signal with feedback.
std::vector<double> filtered(recurrence_settings const& settings)
{
  auto const coefficients = real_numbers("--coefficients", settings.coefficients);
  std::vector<double> before;
  if (!settings.initial.empty()) before = real_numbers("--initial", settings.initial);
  check_initial(before.size(), coefficients.size());
  std::vector<double> signal;
  with_order(coefficients.size(), [&](auto order) {
    signal = read_doubles(settings.input);
    if (settings.backward) std::reverse(signal.begin(), signal.end());
    recursive_filter(cpu{}, array_of<order.value, double>(coefficients), signal.begin(), signal.end(), signal.begin(),
                     array_of<order.value, double>(before));
    if (settings.backward) std::reverse(signal.begin(), signal.end());
  });
  return signal;
}

/// Varying coefficients: two columns, or pairs of numbers.
std::vector<double> first_order(recurrence_settings const& settings)
{
  std::vector<double> const initial =
      settings.initial.empty() ? std::vector<double>{0} : real_numbers("--initial", settings.initial);
  check_initial(initial.size(), 1);
  std::vector<double> a, b;
  if (!settings.a.empty()) {
    input_settings input = settings.input;
    input.columns = {settings.a};
    a = read_doubles(input);
    input.columns = {settings.b};
    b = read_doubles(input);
    if (a.size() != b.size())
      throw io::data_error({input.files[0]},
                           std::to_string(a.size()) + " values of " + settings.a + " and " + std::to_string(b.size()) +
                               " of " + settings.b,
                           "as many of each");
  } else {
    std::vector<double> const pairs = read_doubles(settings.input);
    if (pairs.size() % 2 != 0)
      throw io::data_error({name_of(settings.input.files[0])}, std::to_string(pairs.size()) + " values",
                           "pairs of a and b");
    for (std::size_t k = 0; k < pairs.size(); k += 2) {
      a.push_back(pairs[k]);
      b.push_back(pairs[k + 1]);
    }
  }
  if (settings.backward)
    linear_recurrence_backward(cpu{}, a.begin(), a.end(), b.begin(), b.begin(), initial[0]);
  else
    linear_recurrence(cpu{}, a.begin(), a.end(), b.begin(), b.begin(), initial[0]);
  return b;
}

command_page const& recurrence_page();

recurrence_settings parse(std::vector<std::string> const& words)
{
  recurrence_settings settings;
  bool modulo = false;
  parser options(recurrence_page());
  options.value("--a", settings.a);
  options.value("--b", settings.b);
  options.value("--coefficients", settings.coefficients);
  options.value("--initial", settings.initial);
  bind_output(options, settings.output);
  options.flag("--backward", settings.backward);
  options.number("--count", settings.count, 1);
  options.value("--modulo", [&](std::string const& value) {
    auto const all = natural_numbers("--modulo", value);
    if (all.size() != 1 || all[0] == 0 || all[0] > 1ull << 32)
      throw command_line_error("--modulo: '" + value + "' is not a whole number from 1 to 4294967296");
    settings.modulus = all[0];
    modulo = true;
  });
  bind_input(options, settings.input);
  options.parse(words);
  if (settings.a.empty() != settings.b.empty()) throw command_line_error("--a and --b are given together");
  if (!settings.a.empty() && !settings.coefficients.empty())
    throw command_line_error("--a and --b vary, --coefficients do not; give one or the other");
  if (!settings.a.empty() && !settings.input.columns.empty())
    throw command_line_error("--a and --b are the columns; no --column");
  if (modulo != (settings.count > 0)) throw command_line_error("--modulo and --count are given together");
  if (modulo && (settings.coefficients.empty() || settings.initial.empty()))
    throw command_line_error("a sequence has --coefficients and --initial terms");
  if (modulo && (settings.backward || !settings.input.files.empty()))
    throw command_line_error("a sequence has its first terms and --count; neither files nor --backward");
  if (modulo) return settings;
  if (!settings.a.empty()) settings.input.columns = {settings.a};
  complete_input(settings.input);
  if (!settings.a.empty() &&
      std::find(settings.input.files.begin(), settings.input.files.end(), "-") != settings.input.files.end())
    throw command_line_error("--a and --b are read from a file; standard input can be read once only");
  return settings;
}

command_page const& recurrence_page()
{
  static command_page const page = {
      .name = "app recurrence",
      .summary = "linear recurrences: each value from the one before, or from several",
      .usage = "tally app recurrence [OPTION...] [FILE...]",
      .description =
          {"Computes y[k] = a[k] y[k-1] + b[k] and prints each y, one a line. The input is pairs, a[0] b[0] a[1] b[1] "
           "..., or two columns of a table.",
           "With --coefficients C1,C2,... the input is one column x, and y[k] = x[k] + C1 y[k-1] + C2 y[k-2] + ... : a "
           "filter with feedback.",
           "With --modulo M and --count N there is no input: y[k] = C1 y[k-1] + C2 y[k-2] + ... modulo M, and "
           "--initial are the first terms."},
      .options =
          {{"Recurrence",
            {{"--a", "COLUMN", "The column of the factors a of a table."},
             {"--b", "COLUMN", "The column of the terms b."},
             {"--coefficients", "C1,...", "The factors of the values before, the latest first; at most 8."},
             {"--initial", "Y,...",
              "The values before the first one: y[-1], with --coefficients y[-1],y[-2],...; 0 if not given. With "
              "--modulo the first terms y[0],y[1],..."},
             {"--backward", "", "Begin at the end: y[k] from y[k+1], and --initial is behind the last value."},
             {"--modulo", "M", "Terms of a sequence of whole numbers modulo M, from 1 to 4294967296."},
             {"--count", "N", "The number of terms."}}},
           column_options(),
           {"Output", {output_option(), help_option()}}},
      .sections = {{"Notes",
                    {"Values are doubles. They have the same bits for every number of threads, and differ from those "
                     "of a loop by rounding. A value that grows beyond all doubles is inf, as in a loop."}},
                   exit_section()},
      .examples = {{"A loan with interest and payments:",
                    "printf '1.01 -180\\n1.01 -180\\n' | tally app recurrence --initial 1000"},
                   {"A smoothed signal:", "tally app recurrence --coefficients 0.9 --column signal run.csv"},
                   {"Fibonacci's numbers modulo 1000:",
                    "tally app recurrence --coefficients 1,1 --initial 0,1 --modulo 1000 --count 20"}}};
  return page;
}

void run_recurrence(std::vector<std::string> const& words)
{
  recurrence_settings const settings = parse(words);
  write_text(settings.output, settings.modulus != 0            ? sequence(settings)
                              : !settings.coefficients.empty() ? lines(filtered(settings))
                                                               : lines(first_order(settings)));
}

}  // namespace

command recurrence_application()
{
  return {recurrence_page(), run_recurrence};
}

}  // namespace tally::cli
