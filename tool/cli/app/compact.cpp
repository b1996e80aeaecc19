#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <tally/algorithms/compact.hpp>
#include <tally/algorithms/run_lengths.hpp>

#include "app/application.hpp"
#include "app/condition.hpp"
#include "app/input.hpp"
#include "help/pages/pages.hpp"
#include "input/source.hpp"
#include "io/errors.hpp"
#include "io/numbers/number.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

struct compact_settings {
  input_settings input;
  std::string output = "-";
  std::optional<condition> where;
  bool unique = false;
  bool run_lengths = false;
  bool decode = false;
};

command_page const& compact_page()
{
  static command_page const page = {
      .name = "app compact",
      .summary = "keep some numbers, the first of equal ones, or runs and their lengths",
      .usage = "tally app compact [OPTION...] [FILE...]",
      .description =
          {"Reads numbers and writes the selected ones, in their order, one a line. They are integers if all are "
           "integers, else doubles.",
           "Stream compaction: a scan of flags, 1 for each selected number, gives the place of each."},
      .options = {column_options(),
                  {"What is kept",
                   {{"--where", "CONDITION",
                     "Numbers for which all comparisons hold: `x > 3`, or `x >= 0 and x != 5`. The signs are < <= > >= "
                     "== !=."},
                    {"--unique", "", "The first of equal adjacent numbers, after --where."},
                    {"--run-lengths", "", "The same, each followed by a tab and the number of equal ones."},
                    {"--decode", "",
                     "The reverse: the input is pairs of a number and a length, and each number is written that often. "
                     "Not with the others."}}},
                  {"Output", {output_option(), help_option()}}},
      .sections = {exit_section()},
      .examples = {
          {"Plausible temperatures:", "tally app compact --where 'x > -90 and x < 60' --column celsius log.csv"},
          {"Runs of a signal, and the signal again:",
           "tally app compact --run-lengths signal.txt | tally app compact --decode"}}};
  return page;
}

compact_settings parse_compact(std::vector<std::string> const& words)
{
  compact_settings settings;
  parser options(compact_page());
  bind_input(options, settings.input);
  options.value("--where", [&](std::string const& text) { settings.where.emplace(text); });
  options.flag("--unique", settings.unique);
  options.flag("--run-lengths", settings.run_lengths);
  options.flag("--decode", settings.decode);
  bind_output(options, settings.output);
  options.parse(words);
  complete_input(settings.input);
  if (settings.decode && (settings.where || settings.unique || settings.run_lengths))
    throw command_line_error("--decode goes with none of --where, --unique and --run-lengths");
  if (settings.unique && settings.run_lengths)
    throw command_line_error("--run-lengths says what --unique says: one of them");
  if (!settings.where && !settings.unique && !settings.run_lengths && !settings.decode)
    throw command_line_error("nothing says what to keep: --where, --unique, --run-lengths or --decode");
  return settings;
}

template <class T>
std::string compacted(std::vector<T> values, compact_settings const& settings)
{
  std::vector<T> kept(values.size());
  if (settings.where) {
    kept.erase(tally::copy_if(tally::cpu{}, values.begin(), values.end(), kept.begin(), *settings.where), kept.end());
    std::swap(kept, values);
    kept.resize(values.size());
  }
  if (settings.run_lengths) {
    std::vector<std::uint64_t> lengths(values.size());
    std::size_t const runs =
        tally::run_length_encode(tally::cpu{}, values.begin(), values.end(), kept.begin(), lengths.begin());
    std::string text;
    for (std::size_t r = 0; r < runs; ++r) text += io::to_text(kept[r]) + '\t' + io::to_text(lengths[r]) + '\n';
    return text;
  }
  if (!settings.unique) return lines(values);
  kept.erase(tally::unique_copy(tally::cpu{}, values.begin(), values.end(), kept.begin()), kept.end());
  return lines(kept);
}

/// A longer output is taken for a mistake: the text would have gigabytes.
constexpr std::uint64_t most_decoded = std::uint64_t{1} << 32;

template <class T>
std::string decoded(std::vector<T> const& pairs, input_settings const& input)
{
  auto const wrong = [&](std::size_t position, std::string const& expected) {
    return io::data_error(location_in(input, 0, position), io::to_text(pairs[position]), expected);
  };
  if (pairs.size() % 2 != 0) throw wrong(pairs.size() - 1, "a length behind it: the input is pairs");
  std::vector<T> values(pairs.size() / 2);
  std::vector<std::uint64_t> lengths(values.size());
  std::uint64_t total = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    values[r] = pairs[2 * r];
    T const length = pairs[2 * r + 1];
    if (!(length >= T(0) && length <= static_cast<T>(most_decoded)) ||
        static_cast<T>(static_cast<std::uint64_t>(length)) != length)
      throw wrong(2 * r + 1, "a length: an integer from 0 to " + std::to_string(most_decoded));
    total += lengths[r] = static_cast<std::uint64_t>(length);
    if (total > most_decoded) throw wrong(2 * r + 1, "at most " + std::to_string(most_decoded) + " numbers in all");
  }
  std::vector<T> all(total);
  tally::run_length_decode(tally::cpu{}, values.begin(), values.end(), lengths.begin(), all.begin());
  return lines(all);
}

void run_compact(std::vector<std::string> const& words)
{
  compact_settings const settings = parse_compact(words);
  if (settings.decode) keep_standard_input(settings.input);
  numbers all = read_numbers(settings.input);
  std::string const text = std::visit(
      [&](auto& values) {
        return settings.decode ? decoded(values, settings.input) : compacted(std::move(values), settings);
      },
      all);
  write_text(settings.output, text);
}

}  // namespace

command compact_application()
{
  return {compact_page(), run_compact};
}

}  // namespace tally::cli
