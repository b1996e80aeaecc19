#include <optional>
#include <string>
#include <vector>

#include <tally/algorithms/integrate.hpp>

#include "app/application.hpp"
#include "app/input.hpp"
#include "app/real_numbers.hpp"
#include "help/pages/pages.hpp"
#include "io/numbers/number.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

std::vector<choice> const& rule_choices()
{
  static std::vector<choice> const all = {
      {"simpson",
       "parabolas through three samples each; the last three intervals by the 3/8 rule if their number is odd"},
      {"trapezoidal", "straight lines from sample to sample"},
      {"midpoint", "each sample stands for the interval around it"},
  };
  return all;
}

command_page const& integral_page()
{
  static command_page const page = {
      .name = "app integral",
      .summary = "the integral of a function, from samples",
      .usage = "tally app integral [OPTION...] [FILE...]",
      .description = {"Reads samples of a function at equal distances and prints its integral."},
      .options = {{"Rule",
                   {{"--step", "STEP", "The distance from sample to sample; 1 if not given."},
                    {"--rule", "RULE", "The rule that makes an area of samples; simpson if not given.",
                     completes::choices, rule_choices()}}},
                  column_options(),
                  {"Help", {help_option()}}},
      .sections = {{"Notes",
                    {"Samples are read as doubles. Fewer than two have no area, unless the rule is midpoint."}},
                   exit_section()},
      .examples = {{"From 0 to 2 by steps of 0.5:", "echo 0 0.25 1 2.25 4 | tally app integral --step 0.5"},
                   {"A column of a table:", "tally app integral --column power --step 0.02 run.csv"}}};
  return page;
}

void run_integral(std::vector<std::string> const& words)
{
  input_settings input;
  double step = 1;
  std::size_t rule = 0;
  parser options(integral_page());
  options.value("--step", [&](std::string const& text) { step = real_number("--step", text); });
  options.choice("--rule", rule);
  bind_input(options, input);
  options.parse(words);
  complete_input(input);
  std::vector<double> const samples = read_doubles(input);
  auto const by = [&](auto a_rule) { return integrate_samples(cpu{}, samples.begin(), samples.end(), step, a_rule); };
  double const area = rule == 0 ? by(simpson{}) : rule == 1 ? by(trapezoidal{}) : by(midpoint{});
  write_text("-", io::to_text(area) + '\n');
}

}  // namespace

command integral_application()
{
  return {integral_page(), run_integral};
}

}  // namespace tally::cli
