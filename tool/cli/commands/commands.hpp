#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "accumulators/accumulator.hpp"
#include "input/source.hpp"
#include "io/files/output.hpp"
#include "io/writer.hpp"
#include "settings/settings.hpp"

namespace tally::cli {

class along_axes;

/// Each runs the command with the words after its name. Throws `command_line_error`, `error` and the errors of io.
void run_reduce(std::vector<std::string> const& words);
void run_scan(std::vector<std::string> const& words);
void run_bench(std::vector<std::string> const& words);
void run_explain(std::vector<std::string> const& words);
void run_compare(std::vector<std::string> const& words);
void run_brent(std::vector<std::string> const& words);
void run_exhibit(std::vector<std::string> const& words);

/// Reduces a .npy array along axes, or scans it along one or, from its end, as one sequence.
void reduce_along_axis(command_settings const& settings);
void scan_along_axis(command_settings const& settings);

/// Writes the results of lines.
void reduce_lines(command_settings const& settings, along_axes& lines);
void scan_lines(command_settings const& settings, along_axes& lines);

/// The accumulators of one sequence, one for each operation of the settings.
using accumulators = std::vector<std::unique_ptr<accumulator>>;

/// Makes them for values of `type`, or of text if there is none.
accumulators make_accumulators(command_settings const& settings, std::optional<io::element_type> type);
std::vector<result> results_of(accumulators const& all);

/// The result of the operation on values of the form, as it is written.
result in_form(result const& value, operation op, io::number_form form);

/// Writes the result of a sequence of values of `type` as an array of one value, or as its bytes.
void write_array_result(command_settings const& settings, std::optional<io::element_type> type, result const& value);

/// Gives the rest of the input to the accumulators of each column.
void reduce_all(command_settings const& settings, batches& from, std::span<accumulators const> columns);

/// The writer of a scan's results, which are of `type`.
std::unique_ptr<io::writer> make_scan_writer(command_settings const& settings, io::output to, io::element_type type);
/// Scans all batches as one sequence, or as one for each group, and writes the results.
void scan_all(command_settings const& settings, batches& from, std::optional<io::element_type> type, io::output to);

/// The result as a view of one value of `type`, valid as long as `value` and `room`. Throws `error` if the type cannot
/// hold it.
io::values_view as_type(result const& value, io::element_type type, operation op, value_buffer& room);

/// Whether the calls on axes do it: --axis names some, or a scan from the end finds an array that it can read so.
bool goes_along_axis(command_settings const& settings);

}  // namespace tally::cli
