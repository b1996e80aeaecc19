#include "settings/output.hpp"

#include "io/format.hpp"
#include "settings/numbers.hpp"

namespace tally::cli {

namespace {

/// The format that follows from a file's ending, or nothing.
std::optional<output_format> format_of_ending(std::string const& file)
{
  struct ending {
    std::string_view text;
    output_format format;
  };
  static constexpr ending endings[] = {
      {".json", output_format::json},   {".csv", output_format::csv},     {".tsv", output_format::tsv},
      {".tab", output_format::tsv},     {".jsonl", output_format::jsonl}, {".ndjson", output_format::jsonl},
      {".md", output_format::markdown},
  };
  for (ending const& each : endings)
    if (file.ends_with(each.text)) return each.format;
  std::optional<io::file_format> const by_name = io::format_of_name(file);
  if (by_name == io::file_format::npy) return output_format::npy;
  if (by_name == io::file_format::raw) return output_format::raw;
  return std::nullopt;
}

/// Names, which may have blanks.
std::vector<std::string> split_at_commas(std::string_view list)
{
  std::vector<std::string> all;
  for (;;) {
    std::size_t const comma = list.find(',');
    all.emplace_back(list.substr(0, comma));
    if (comma == list.npos) return all;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

char delimiter_of(std::string_view option, std::string const& text)
{
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1 || text == "\"" || text == "\n")
    throw command_line_error(std::string(option) + ": '" + text + "' is not a single character (or tab)");
  return text[0];
}

char delimiter_of(output_settings const& output)
{
  return output.delimiter.value_or(output.format == output_format::csv ? ',' : '\t');
}

bool is_binary(output_format format)
{
  return format == output_format::npy || format == output_format::raw;
}

bool is_table(output_format format)
{
  return format == output_format::csv || format == output_format::tsv || format == output_format::jsonl ||
         format == output_format::markdown || format == output_format::table;
}

void bind_output(parser& options, output_settings& output, output_options& given)
{
  options.value("--output", output.file);
  options.choice("--format", given.format);
  options.flag("--json", given.json);
  options.value("--output-delimiter",
                [&](std::string const& text) { output.delimiter = delimiter_of("--output-delimiter", text); });
  bind_number_style(options, output.style);
  options.flag("--plot", output.plot);
  options.flag("--no-progress", output.quiet);
}

void bind_append(parser& options, output_settings& output)
{
  options.value("--append", [&](std::string const& names) {
    output.append = true;
    if (!names.empty()) output.append_names = split_at_commas(names);
  });
}

picture picture_of(output_settings const& output)
{
  return output.file.ends_with(".svg") ? picture::svg : output.file.ends_with(".png") ? picture::png : picture::text;
}

void complete_output(output_settings& output, output_options const& given)
{
  if (output.plot) {
    if (given.json || given.format || output.delimiter || output.append)
      throw command_line_error(
          "--plot draws the results and writes no table: it takes no format, delimiter or --append");
    if (picture_of(output) == picture::png && !has_png_program())
      throw command_line_error(
          "--plot -o FILE.png needs the program rsvg-convert, which PATH does not have (Debian: librsvg2-bin); "
          "-o FILE.svg needs none");
    return;
  }
  if (given.json && given.format && *given.format != output_format::json)
    throw command_line_error("--json and another --format exclude each other");
  output.format = given.json ? output_format::json
                             : given.format.value_or(format_of_ending(output.file).value_or(output_format::text));
  if (output.delimiter && output.format != output_format::text && output.format != output_format::csv)
    throw command_line_error("--output-delimiter is for text and csv output: other formats have their own");
}

}  // namespace tally::cli
