#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <tally/algorithms/by_key.hpp>
#include <tally/operators.hpp>

#include "app/application.hpp"
#include "app/input.hpp"
#include "help/pages/pages.hpp"
#include "input/present_rows.hpp"
#include "input/source.hpp"
#include "io/numbers/number.hpp"
#include "settings/parser.hpp"
#include "values.hpp"

namespace tally::cli {

namespace {

std::vector<choice> const& group_operations()
{
  static std::vector<choice> const all = {{"sum", "all added up"},
                                          {"min", "the least"},
                                          {"max", "the greatest"},
                                          {"mean", "the arithmetic mean"},
                                          {"count", "their number"}};
  return all;
}
enum class group_operation { sum, min, max, mean, count };

struct group_settings {
  input_settings input;
  std::string output = "-";
  group_operation op = group_operation::sum;
  bool running = false;
  bool collect = false;
};

command_page const& group_page()
{
  static command_page const page = {
      .name = "app group",
      .summary = "reduce or scan runs of equal keys",
      .usage = "tally app group --by COLUMN [OPTION...] [FILE...]",
      .description =
          {"Reads a table and combines the numbers of each run of rows whose keys are equal. It prints a line for each "
           "run: the key, a tab, the result. A key that comes again later is a run of its own (`tally reduce --by` "
           "collects them).",
           "Integers are exact. The result of a run of floating-point numbers has the bits of these numbers alone, "
           "wherever in the table the run is."},
      .options = {column_options(),
                  {"Groups",
                   {{"--by", "COLUMN", "The column of the keys: its name in the header line, or its number."},
                    {"--op", "OPERATION", "The operation on the numbers of a run: their sum if not given.",
                     completes::choices, group_operations()},
                    {"--running", "", "Print a line for each row: the key and the result so far in its run."},
                    {"--collect", "",
                     "Make one run of all rows of a key; runs come in the order of their first rows. With --running "
                     "rows keep their places."}}},
                  {"Output", {output_option(), help_option()}}},
      .sections = {exit_section()},
      .examples = {{"The time of each visit to a station:", "tally app group --by station --column seconds log.csv"},
                   {"The balance of each account after each booking:",
                    "tally app group --by account --column amount --running --collect bookings.csv"}}};
  return page;
}

group_settings parse_group(std::vector<std::string> const& words)
{
  group_settings settings;
  parser options(group_page());
  bind_input(options, settings.input);
  bind_keys(options, settings.input);
  options.choice("--op", settings.op);
  options.flag("--running", settings.running);
  options.flag("--collect", settings.collect);
  bind_output(options, settings.output);
  options.parse(words);
  if (settings.input.keys.empty()) throw command_line_error("--by is missing: the column of the keys");
  complete_input(settings.input);
  return settings;
}

/// A table in memory: the value of each row, and its key as an index into `names`, which are in the order of first
/// rows.
struct keyed_rows {
  std::vector<std::string> names;
  std::vector<std::uint32_t> keys;
  std::variant<std::vector<io::int128>, std::vector<double>> values;
};

keyed_rows read_rows(input_settings const& input)
{
  keyed_rows rows;
  std::unordered_map<std::string, std::uint32_t> numbers;
  source from(input, 0);
  io::batch next;
  present_rows present;
  value_buffer room;
  std::vector<std::uint32_t> number_of;
  while (from.next(next)) {
    io::batch const batch = present.of(next);
    if (batch.rows == 0) continue;
    number_of.assign(batch.group_names.size(), 0);
    std::vector<bool> known(batch.group_names.size());
    for (std::uint32_t const group : batch.groups) {
      if (!known[group]) {
        known[group] = true;
        auto const [at, is_new] =
            numbers.try_emplace(std::string(batch.group_names[group]), static_cast<std::uint32_t>(rows.names.size()));
        if (is_new) {
          rows.names.push_back(at->first);
          std::ranges::replace(rows.names.back(), '\0', '\t');  // between the fields of several columns
        }
        number_of[group] = at->second;
      }
      rows.keys.push_back(number_of[group]);
    }
    bool const integers = io::is_integer(io::type_of(batch.values()));
    if (!integers && rows.values.index() == 0) {
      auto const& before = std::get<0>(rows.values);
      rows.values = std::vector<double>(before.begin(), before.end());
    }
    auto const append = [](auto& all, auto const& more) { all.insert(all.end(), more.begin(), more.end()); };
    if (rows.values.index() == 0)
      append(std::get<0>(rows.values),
             std::get<std::span<io::int128 const>>(converted(batch.values(), io::element_type::int128, room)));
    else
      append(std::get<1>(rows.values), as_doubles(batch.values(), room));
  }
  return rows;
}

/// Brings the rows of each key together, in their order. Returns the former place of each row.
template <class T>
std::vector<std::size_t> collect(std::vector<std::uint32_t>& keys, std::vector<T>& values)
{
  std::vector<std::size_t> from(keys.size());
  std::iota(from.begin(), from.end(), std::size_t{0});
  std::stable_sort(from.begin(), from.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<std::uint32_t> sorted_keys(keys.size());
  std::vector<T> sorted(values.size());
  for (std::size_t k = 0; k < from.size(); ++k) {
    sorted_keys[k] = keys[from[k]];
    sorted[k] = values[from[k]];
  }
  keys = std::move(sorted_keys);
  values = std::move(sorted);
  return from;
}

/// Calls `use(results)`, a reduction of each run or a scan of it, for the operation.
template <class T, class Op>
std::vector<T> combined(std::vector<std::uint32_t> const& keys, std::vector<T> const& values,
                        std::vector<std::uint32_t>& keys_out, bool running, Op op)
{
  std::vector<T> out(values.size());
  if (running) {
    keys_out = keys;
    tally::inclusive_scan_by_key(tally::cpu{}, keys.begin(), keys.end(), values.begin(), out.begin(), op);
  } else {
    keys_out.resize(keys.size());
    std::size_t const runs =
        tally::reduce_by_key(tally::cpu{}, keys.begin(), keys.end(), values.begin(), keys_out.begin(), out.begin(), op);
    keys_out.resize(runs);
    out.resize(runs);
  }
  return out;
}

template <class T>
std::string lines_of_runs(keyed_rows rows, std::vector<T> values, group_settings const& settings)
{
  std::vector<std::size_t> from;
  if (settings.collect) from = collect(rows.keys, values);
  std::vector<std::uint32_t> keys;
  std::vector<std::string> results;
  auto const take = [&](auto const& all) {
    for (auto const& each : all) results.push_back(io::to_text(each));
  };
  auto const counts = [&] {
    return combined(rows.keys, std::vector<std::uint64_t>(values.size(), 1), keys, settings.running, tally::plus{});
  };
  switch (settings.op) {
    case group_operation::sum: take(combined(rows.keys, values, keys, settings.running, tally::plus{})); break;
    case group_operation::min: take(combined(rows.keys, values, keys, settings.running, tally::minimum{})); break;
    case group_operation::max: take(combined(rows.keys, values, keys, settings.running, tally::maximum{})); break;
    case group_operation::count: take(counts()); break;
    case group_operation::mean: {
      auto const sums = combined(rows.keys, values, keys, settings.running, tally::plus{});
      auto const sizes = counts();
      for (std::size_t k = 0; k < sums.size(); ++k)
        results.push_back(io::to_text(static_cast<double>(sums[k]) / static_cast<double>(sizes[k])));
    }
  }
  std::vector<std::size_t> at(results.size());
  std::iota(at.begin(), at.end(), std::size_t{0});
  if (settings.running)
    for (std::size_t k = 0; k < from.size(); ++k) at[from[k]] = k;
  std::string text;
  for (std::size_t const k : at) text += rows.names[keys[k]] + '\t' + results[k] + '\n';
  return text;
}

void run_group(std::vector<std::string> const& words)
{
  group_settings const settings = parse_group(words);
  keyed_rows rows = read_rows(settings.input);
  auto const values = std::move(rows.values);
  write_text(settings.output,
             std::visit([&](auto const& all) { return lines_of_runs(std::move(rows), all, settings); }, values));
}

}  // namespace

command group_application()
{
  return {group_page(), run_group};
}

}  // namespace tally::cli
