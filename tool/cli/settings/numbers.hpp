#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/numbers/reading.hpp"
#include "io/numbers/style.hpp"
#include "operations/operation.hpp"
#include "settings/parser.hpp"

/// The options that say how numbers are written, in the input and in the output.
namespace tally::cli {

/// The rule of --type decimal, time or duration.
std::optional<io::number_rule> rule_of_type(std::string_view name);

/// Binds the options of `number_reading_options`.
void bind_number_reading(parser& options, io::number_reading& numbers);
/// Binds the options of `number_style_options`.
void bind_number_style(parser& options, io::number_style& style);

/// To be called after parsing. Throws `command_line_error` if options exclude each other.
void check_number_reading(io::number_reading const& numbers);
/// The same; then the style has the point of the input.
void complete_number_style(io::number_style& style, io::number_reading const& numbers);

/// The style of the results of `op`: places and counts are whole, and have no decimals.
io::number_style style_for(operation op, io::number_style style);

}  // namespace tally::cli
