#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "groups/sink.hpp"
#include "settings/settings.hpp"
#include "table/table_writer.hpp"

/// The output of a reduction, in every format but arrays.
namespace tally::cli {

/// The results of one sequence, one for each operation of the settings.
std::string report(command_settings const& settings, std::vector<result> const& results);

/// The results of several columns: those of all operations on the first, then on the second...
std::string report(command_settings const& settings, std::vector<std::string> const& columns,
                   std::vector<result> const& results);

/// Writes the results of groups.
class group_report final : public group_sink {
public:
  /// Of the columns of these names, which have these forms, and keys of those.
  group_report(command_settings const& settings, std::vector<std::string> const& columns,
               std::vector<std::string> const& keys, std::vector<io::number_form> forms);

  /// Writes the results of a group: those of all operations on the first column, then on the second... The key is that
  /// of the reader: the fields of several columns with NUL bytes between.
  void group(std::string_view key, std::span<result const> results) override;
  void blocks(std::size_t count, std::function<void(std::size_t, add_group const&)> const& fill) override;
  /// Ends the output. Without it no file is left behind.
  void finish();

private:
  void make_cells(std::vector<cell>& cells, std::string_view key, std::span<result const> results) const;

  std::vector<operation> operations_;
  std::vector<io::number_form> forms_;
  std::size_t keys_;
  table_writer to_;
  std::vector<cell> cells_;
};

/// Appends the fields of a key of `count` columns.
void append_key(std::vector<cell>& to, std::string_view key, std::size_t count);

/// The columns of a table of groups: the keys, and the results. The results of several columns are called `amount_sum`.
std::vector<table_column> key_columns(std::vector<std::string> const& keys);
std::vector<table_column> result_columns(command_settings const& settings,
                                         std::vector<std::string> const& columns = {});

}  // namespace tally::cli
