#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/numbers/style.hpp"
#include "plot/picture.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

enum class output_format { text, npy, raw, json, csv, tsv, jsonl, markdown, table };

/// The destination of the results.
struct output_settings {
  std::string file = "-";
  output_format format = output_format::text;
  std::optional<char> delimiter;          ///< between the fields of text and csv
  bool append = false;                    ///< a scan writes the rows of its table, its results behind them
  std::vector<std::string> append_names;  ///< of the results, or none
  bool plot = false;                      ///< draws the results, as `picture_of` says
  bool quiet = false;                     ///< no progress on the terminal
  io::number_style style = {};            ///< of the results as text
};

/// The options of the output as they are given. `complete_output` turns them into settings.
struct output_options {
  std::optional<output_format> format;
  bool json = false;
};

/// Binds the options of `output_options_group`.
void bind_output(parser& options, output_settings& output, output_options& given);
/// Binds --append.
void bind_append(parser& options, output_settings& output);
/// To be called after parsing: chooses the format. Throws `command_line_error` if options exclude each other.
void complete_output(output_settings& output, output_options const& given);

/// The format of a drawing, by the file's ending.
picture picture_of(output_settings const& output);
/// Whether results are stored as they lie in memory, in one type.
bool is_binary(output_format format);
/// Whether results are rows under a line of names, with the keys of their groups.
bool is_table(output_format format);

/// The character between the fields of text, csv and tsv.
char delimiter_of(output_settings const& output);

/// A delimiter as it is written on the command line: a single character, or "tab".
char delimiter_of(std::string_view option, std::string const& text);

}  // namespace tally::cli
