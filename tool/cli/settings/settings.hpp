#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accumulators/accumulator.hpp"
#include "groups/order.hpp"
#include "io/element_type.hpp"
#include "io/format.hpp"
#include "io/numbers/number.hpp"
#include "io/numbers/reading.hpp"
#include "operations/operation.hpp"
#include "settings/files.hpp"
#include "settings/memory.hpp"
#include "settings/output.hpp"
#include "settings/parser.hpp"
#include "settings/tables.hpp"

namespace tally::cli {

class value_store;

/// The source of the numbers.
struct input_settings : table_settings {
  std::vector<std::string> files;  ///< "-" is standard input; never empty
  file_settings opening;
  std::optional<io::file_format> format;
  std::optional<io::element_type> type;
  io::number_reading numbers;  ///< how the numbers of text are written
  std::endian order = std::endian::native;
  bool order_given = false;
  std::vector<int> axes;  ///< as they are named: negative ones count from the end
  bool lines = false;     ///< whether the text of each row is wanted

  /// The format that `file` is read in.
  io::file_format format_of(std::string const& file) const;
};

/// Binds the options of `column_options`.
void bind_input(parser& options, input_settings& input);
/// Binds --axis.
void bind_axes(parser& options, std::vector<int>& axes);
/// To be called after parsing: without a file the input is standard input. Throws `command_line_error` if options
/// exclude each other.
void complete_input(input_settings& input);

/// The processor that computes. The results are the same.
enum class processor { cpu, gpu };

/// `tally reduce` and `tally scan`.
struct command_settings {
  std::vector<operation> operations = {operation::sum};
  std::optional<std::string> init_text;  ///< as it is given
  std::optional<io::number> init;
  scan_kind kind = scan_kind::inclusive;  ///< of a scan
  bool reversed = false;                  ///< a scan begins with the last value
  std::size_t window = 0;                 ///< the number of values that a result of a scan is of; 0 for all so far
  group_order sort = group_order::first;  ///< of the groups of a reduction
  input_settings input;
  output_settings output;
  processor on = processor::cpu;
  int threads = 0;
  std::size_t memory = default_memory();  ///< bytes for groups, and for values that are held in order
  std::shared_ptr<value_store> store;     ///< of such values; made of `memory` when all options are known
};

/// Reads the words after `tally reduce` or `tally scan`. Throws `command_line_error`.
command_settings parse_reduce(std::vector<std::string> const& words);
command_settings parse_scan(std::vector<std::string> const& words);

struct bench_settings {
  bool json = false;
  int threads = 0;
};
bench_settings parse_bench(std::vector<std::string> const& words);

}  // namespace tally::cli
