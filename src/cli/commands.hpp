#pragma once

#include <optional>
#include <string>
#include <vector>

#include "accumulator.hpp"
#include "settings.hpp"

namespace tally::cli {

/// Each runs a command by its words after the name, and throws `command_line_error`, `error` or what io throws.
void run_reduce(std::vector<std::string> const& words);
void run_scan(std::vector<std::string> const& words);
void run_bench(std::vector<std::string> const& words);

/// Along an axis of a .npy array with several.
void reduce_along_axis(command_settings const& settings);
void scan_along_axis(command_settings const& settings);

/// One accumulator for each operation of the settings, for values of `type`.
std::vector<std::unique_ptr<accumulator>> make_accumulators(command_settings const& settings,
                                                            std::optional<io::element_type> type);

/// The result as a view of one value of `type`, valid as long as `value` and `room`. Throws `error` if the type cannot
/// hold it.
io::values_view as_type(result const& value, io::element_type type, operation op, value_buffer& room);

/// Whether the settings name an array with more than one axis, and one of them to go along.
bool goes_along_axis(command_settings const& settings);

}  // namespace tally::cli
