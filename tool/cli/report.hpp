#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"
#include "table/table_writer.hpp"

/// The output of a reduction, in every format but arrays.
namespace tally::cli {

/// The results of one sequence, one for each operation of the settings.
std::string report(command_settings const& settings, std::vector<result> const& results);

/// Writes the results of groups, one group after the other.
class group_report {
public:
  explicit group_report(command_settings const& settings);

  /// Writes the results of a group, one for each operation of the settings. The key is that of the reader: the fields
  /// of several columns with NUL bytes between.
  void group(std::string_view key, std::span<result const> results);
  /// Ends the output. Without it no file is left behind.
  void finish();

private:
  std::size_t keys_;
  table_writer to_;
  std::vector<cell> cells_;
};

/// Appends the fields of a key of `count` columns.
void append_key(std::vector<cell>& to, std::string_view key, std::size_t count);

/// The columns of a table of groups: the keys, and the results.
std::vector<table_column> key_columns(command_settings const& settings);
std::vector<table_column> result_columns(command_settings const& settings);

}  // namespace tally::cli
