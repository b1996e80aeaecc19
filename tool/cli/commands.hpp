#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accumulator.hpp"
#include "io/output.hpp"
#include "io/writer.hpp"
#include "settings.hpp"
#include "source.hpp"

namespace tally::cli {

/// Each runs a command by its words after the name, and throws `command_line_error`, `error` or what io throws.
void run_reduce(std::vector<std::string> const& words);
void run_scan(std::vector<std::string> const& words);
void run_bench(std::vector<std::string> const& words);
void run_explain(std::vector<std::string> const& words);
void run_compare(std::vector<std::string> const& words);
void run_brent(std::vector<std::string> const& words);
void run_exhibit(std::vector<std::string> const& words);

/// Along an axis of a .npy array with several.
void reduce_along_axis(command_settings const& settings);
void scan_along_axis(command_settings const& settings);

/// One sequence under every operation of the settings.
using accumulators = std::vector<std::unique_ptr<accumulator>>;

/// One accumulator for each operation of the settings, for values of `type`.
accumulators make_accumulators(command_settings const& settings, std::optional<io::element_type> type);
std::vector<result> results_of(accumulators const& all);

/// Gives all that is left of the input to every accumulator.
void reduce_all(command_settings const& settings, source& from, accumulators const& all);

/// Where the results of a scan go to, and in which type.
std::unique_ptr<io::writer> make_scan_writer(command_settings const& settings, io::output to, io::element_type type);
/// Scans all batches as one sequence, or a sequence for each group, and writes the results to the end.
void scan_all(command_settings const& settings, batches& from, std::optional<io::element_type> type, io::output to);

/// The result as a view of one value of `type`, valid as long as `value` and `room`. Throws `error` if the type cannot
/// hold it.
io::values_view as_type(result const& value, io::element_type type, operation op, value_buffer& room);

/// Whether the settings name an array with more than one axis, and one of them to go along.
bool goes_along_axis(command_settings const& settings);

}  // namespace tally::cli
