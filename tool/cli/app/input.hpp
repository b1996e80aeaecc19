#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/numbers/number.hpp"
#include "settings/settings.hpp"

/// Input and output of applications, whole columns of numbers and whole texts, and the options that applications share.
namespace tally::cli {

/// `-o,--output FILE`.
option_page output_option();
option_page help_option();
/// Binds --output. If it is not given, `file` keeps its value, "-" for standard output.
void bind_output(parser& options, std::string& file);

/// Makes standard input readable twice if it is among the files. `location_in` then finds the line of a value that
/// proves to be wrong only when all have been read. The copy takes as much memory as the input has bytes.
void keep_standard_input(input_settings const& input);

/// All values of the input. Throws the errors of readers: io::data_error with file, line and column.
std::vector<double> read_doubles(input_settings const& input);
/// Gives all values to `use` as integers of 64 bits, a batch at a time, in order. A value that is not an integer is an
/// error with its place; so is a value for which `use` throws value_problem, with its index in the batch.
void for_each_integers(input_settings const& input, std::function<void(std::span<std::int64_t const>)> const& use);
std::vector<std::int64_t> read_integers(input_settings const& input);
/// Integers if all values are integers, else doubles.
using numbers = std::variant<std::vector<std::int64_t>, std::vector<double>>;
numbers read_numbers(input_settings const& input);

/// The bytes of a file, "-" being standard input.
std::string read_bytes(std::string const& file, io::unpacking how);

/// The name of a file in messages.
std::string name_of(std::string const& file);

/// The values, one a line, each with the fewest digits that read back to it.
template <class T>
std::string lines(std::vector<T> const& values)
{
  std::string text;
  for (T const value : values) text += io::to_text(value) += '\n';
  return text;
}

/// Writes `text` to `file`, "-" being standard output; it appears under its name when it is complete.
void write_text(std::string const& file, std::string_view text);

}  // namespace tally::cli
