#include "settings/settings.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "help/pages/pages.hpp"
#include "input/pairs.hpp"
#include "io/errors.hpp"
#include "settings/numbers.hpp"
#include "sorting/value_store.hpp"

namespace tally::cli {

namespace {

io::number number_of(std::string const& text, io::number_reading const& numbers)
{
  try {
    return io::parse_number(text, "--init", numbers);
  } catch (io::data_error const& problem) {
    throw command_line_error("--init: found " + problem.found() + ", expected " + problem.expected());
  }
}

int axis_of(std::string const& text)
{
  int axis = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), axis);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size())
    throw command_line_error("--axis: '" + text +
                             "' is not an axis: 0, 1, ... from the first on, or -1, -2, ... from the last");
  return axis;
}

io::element_type type_of_name(std::string const& text)
{
  if (auto const type = io::element_type_named(text); type && *type != io::element_type::int128) return *type;
  return static_cast<io::element_type>(index_of_choice("--type", text, type_choices()));
}

void bind_operations(parser& options, std::vector<operation>& operations)
{
  options.values("--op", [&](std::string const& text) {
    for (operation const op : operations_named(text)) {
      if (std::find(operations.begin(), operations.end(), op) != operations.end())
        throw command_line_error("--op: " + name_of(op) + " is named twice");
      operations.push_back(op);
    }
  });
}

/// Binds the options that reduce and scan share. `complete` completes the settings.
void bind(parser& options, command_settings& settings, output_options& output)
{
  input_settings& input = settings.input;
  options.value("--init", settings.init_text);
  bind_input(options, input);
  bind_all_columns(options, input);
  bind_keys(options, input);
  bind_weights(options, input);
  bind_axes(options, input.axes);
  bind_output(options, settings.output, output);
  options.choice("--on", settings.on);
  options.number("--threads", settings.threads, 1);
  options.value("--memory", [&](std::string const& text) { settings.memory = memory_of(text); });
}

/// Checks the options against each other. Each message names the options that exclude each other, and the reason.
void check_input(input_settings const& input)
{
  bool table = false;
  bool text = false;
  bool fixed = false;
  bool blanks = false;
  bool raw = false;
  bool npy = false;
  int standard_inputs = 0;
  for (std::string const& file : input.files) {
    io::file_format const format = input.format_of(file);
    table = table || io::is_table(format);
    text = text || format == io::file_format::text;
    fixed = fixed || format == io::file_format::fixed;
    blanks = blanks || format == io::file_format::blanks;
    raw = raw || format == io::file_format::raw;
    npy = npy || format == io::file_format::npy;
    standard_inputs += file == "-";
  }
  if (standard_inputs > 1) throw command_line_error("standard input (-) can be read once only");
  if (raw && !input.type) throw command_line_error("raw input needs --type: the bytes do not say what they are");
  if (input.order_given && !raw) throw command_line_error("--byte-order is for raw input");
  if (input.widths.empty() && fixed) throw command_line_error("--input-format fixed needs --widths");
  if (!input.widths.empty() && !fixed)
    throw command_line_error("--widths and another --input-format exclude each other");
  check_table(input, table, text);
  check_number_reading(input.numbers);
  if (!input.numbers.plain() && (npy || raw))
    throw command_line_error(
        "--from, --thousands, --decimal-point, --unit and --type decimal, time and duration are for text and tables");
  if (input.numbers.thousands == " " && (!table || blanks))
    throw command_line_error("--thousands space is for CSV and TSV input: elsewhere a number ends at a blank");
  check_missing(input.missing, input.numbers);
  if (input.missing.rule == io::missing_rule::fill && input.type && io::is_integer(*input.type) &&
      !std::holds_alternative<int128>(io::parse_number(input.missing.value, "--missing", input.numbers)))
    throw command_line_error("--missing " + input.missing.value + ": --type " + std::string(io::name_of(*input.type)) +
                             " needs an integer");
  if (input.opening.follow && npy)
    throw command_line_error("--follow is for text, tables and raw values: an array does not grow");
  if (!input.axes.empty() && (!npy || input.files.size() > 1))
    throw command_line_error("--axis is for a single .npy file");
}

void complete_files(input_settings& input)
{
  if (input.files.empty()) input.files.emplace_back("-");
  input.files = expanded(input.files);
  check_files(input.opening, input.files);
  check_input(input);
}

void check(command_settings const& settings)
{
  bool const binary = is_binary(settings.output.format);
  if (binary && unit_of(settings.input.numbers.rule) != io::number_unit::one)
    throw command_line_error("--type decimal, time and duration have results in text: .npy and raw files hold none");
  if (binary && !io::number_style(settings.output.style).plain())
    throw command_line_error("--precision, --to, --grouping and --decimal-point are for results in text");
  for (operation const op : settings.operations) {
    std::string const name = name_of(op);
    if (settings.init && !takes_init(op)) throw command_line_error("--init is of no use to --op " + name);
    if (settings.kind == scan_kind::exclusive) {
      if (!has_identity(op)) throw command_line_error("--exclusive: " + name + " has no result before the first value");
      if (kind_of(op) == operation_kind::choosing && !settings.init && !settings.input.type &&
          settings.input.format_of(settings.input.files[0]) < io::file_format::npy)
        throw command_line_error("--exclusive --op " + name +
                                 " needs --init, or --type: nothing is known before the first value");
    }
  }
  check_pairs(settings);
  if (settings.operations.size() > 1 && (binary || !settings.input.axes.empty()))
    throw command_line_error("several operations have named results: as text or --json, without --axis");
}

void check_append(command_settings const& settings)
{
  if (is_binary(settings.output.format))
    throw command_line_error("--append writes the rows of a table: as text, csv, tsv, json, jsonl, markdown or table");
  for (std::string const& file : settings.input.files) {
    io::file_format const format = settings.input.format_of(file);
    if (!io::is_table(format) || format == io::file_format::fixed)
      throw command_line_error("--append is for tables with commas, tabs or blanks between the cells, whose rows it "
                               "writes (--column names a "
                               "column)");
  }
}

/// Whether nothing but rows is counted: no column says which cells have to be numbers.
bool counts_rows(command_settings const& settings)
{
  input_settings const& input = settings.input;
  return input.columns.empty() && !input.all_columns && input.weights.empty() &&
         std::ranges::all_of(settings.operations, [](operation op) { return op == operation::count; });
}

void complete(command_settings& settings, output_options const& output)
{
  settings.input.count_rows = counts_rows(settings);
  complete_files(settings.input);
  complete_output(settings.output, output);
  complete_number_style(settings.output.style, settings.input.numbers);
  if (settings.init_text) settings.init = number_of(*settings.init_text, settings.input.numbers);
  check(settings);
  if (settings.input.count_rows) settings.input.numbers.rule = io::number_rule::automatic;
  // Sorting takes the memory of the values once more.
  settings.store = std::make_shared<value_store>(settings.memory / 2, cpu{.threads = settings.threads});
}

}  // namespace

void bind_input(parser& options, input_settings& input)
{
  options.arguments("FILE...", input.files);
  bind_files(options, input.opening);
  options.choice("--input-format", input.format);
  bind_table(options, input);
  options.value("--type", [&](std::string const& text) {
    if (std::optional<io::number_rule> const rule = rule_of_type(text))
      input.numbers.rule = *rule;
    else
      input.type = type_of_name(text);
  });
  bind_number_reading(options, input.numbers);
  options.value("--byte-order", [&](std::string const& text) {
    input.order =
        index_of_choice("--byte-order", text, byte_order_choices()) == 0 ? std::endian::little : std::endian::big;
    input.order_given = true;
  });
}

void bind_axes(parser& options, std::vector<int>& axes)
{
  options.value("--axis", [&](std::string const& text) {
    for (std::string const& axis : list_elements(text)) axes.push_back(axis_of(axis));
  });
}

void complete_input(input_settings& input)
{
  complete_files(input);
  if (unit_of(input.numbers.rule) != io::number_unit::one)
    throw command_line_error("--type decimal, time and duration are for reduce and scan");
}

io::file_format input_settings::format_of(std::string const& file) const
{
  if (format) return *format;
  if (!widths.empty()) return io::file_format::fixed;
  if (auto const by_name = io::format_of_input(file); by_name && *by_name != io::file_format::text) return *by_name;
  if (!choose_columns()) return io::file_format::text;
  // A blank between thousands stands between no cells.
  return delimiter || numbers.thousands == " " ? io::file_format::csv : io::file_format::table;
}

command_settings parse_reduce(std::vector<std::string> const& words)
{
  command_settings settings;
  settings.input.several_columns = true;
  output_options output;
  parser options(reduce_page());
  std::vector<operation> operations;
  bind_operations(options, operations);
  options.choice("--sort", settings.sort);
  bind(options, settings, output);
  options.parse(words);
  if (!operations.empty()) settings.operations = std::move(operations);
  for (operation const op : settings.operations)
    if (is_for_scans(op))
      throw command_line_error("--op " + name_of(op) + " has a result for every value: tally scan --op " + name_of(op));
  complete(settings, output);
  if (settings.output.plot && (settings.operations.size() > 1 || settings.input.keys.empty()))
    throw command_line_error("--plot draws a bar for each group (--by) of one operation; values are drawn by tally app "
                             "histogram, running results by tally scan --plot");
  if (settings.sort != group_order::first && settings.input.keys.empty())
    throw command_line_error("--sort orders groups: it needs --by");
  if (!settings.input.keys.empty() && is_binary(settings.output.format))
    throw command_line_error("--by has a key beside every result: as text or --json");
  return settings;
}

command_settings parse_scan(std::vector<std::string> const& words)
{
  command_settings settings;
  settings.input.several_columns = true;
  output_options output;
  parser options(scan_page());
  bool exclusive = false;
  std::vector<operation> operations;
  bind_operations(options, operations);
  options.flag("--exclusive", exclusive);
  bind_append(options, settings.output);
  options.flag("--reverse", settings.reversed);
  options.number("--window", settings.window, 1);
  bind(options, settings, output);
  options.parse(words);
  if (!operations.empty()) settings.operations = std::move(operations);
  if (exclusive) settings.kind = scan_kind::exclusive;
  if (settings.window > 0 && exclusive) throw command_line_error("--window and --exclusive exclude each other");
  for (operation const op : settings.operations) {
    if (settings.window > 0 && is_for_scans(op))
      throw command_line_error("--window is of no use to --op " + name_of(op));
    if (!settings.input.axes.empty() && needs_all(op))
      throw command_line_error("--axis: --op " + name_of(op) + " is for one sequence, or one for each group");
  }
  if (settings.window > 0 && settings.init_text)
    throw command_line_error("--init is of no use to --window: the value before all others would leave it");
  complete(settings, output);
  if (settings.output.plot && (settings.operations.size() > 1 || !settings.input.keys.empty()))
    throw command_line_error("--plot draws one curve: of one operation, without --by");
  settings.input.lines = settings.output.append;
  if (settings.output.append) check_append(settings);
  if (settings.input.axes.size() > 1)
    throw command_line_error("--axis: a scan goes along one axis, and " + std::to_string(settings.input.axes.size()) +
                             " are named");
  return settings;
}

bench_settings parse_bench(std::vector<std::string> const& words)
{
  bench_settings settings;
  parser options(bench_page());
  options.flag("--json", settings.json);
  options.number("--threads", settings.threads, 1);
  options.parse(words);
  return settings;
}

}  // namespace tally::cli
