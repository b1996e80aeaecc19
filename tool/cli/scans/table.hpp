#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "input/source.hpp"
#include "io/files/output.hpp"
#include "io/reader.hpp"
#include "scans/scanner.hpp"
#include "settings/settings.hpp"
#include "table/table_writer.hpp"

namespace tally::cli {

/// Whether the results of a scan are rows of several cells: of several operations or columns, behind the rows of the
/// input, or behind keys. `head` is that of the table that is read, or null.
bool has_rows(command_settings const& settings, io::table_head const* head);

/// Scans every column of a table by every operation, and writes the results of each row: behind the row as it stands in
/// the input (`--append`), behind its key, or alone.
class scan_table {
public:
  /// Throws `command_line_error` if names are given and not one for each result.
  scan_table(command_settings const& settings, io::table_head const* head, std::optional<io::element_type> type,
             io::output to);
  ~scan_table();

  /// Takes rows before any are scanned, for operations whose first result needs all.
  void prepare(io::batch const& batch);
  /// Scans the next rows. `head` is that of the table that they are from. Throws `io::data_error`, with places of
  /// `from`.
  void write(io::batch const& batch, batches const& from, io::table_head const* head);
  void flush();
  /// Ends the output. Without it no file is left behind.
  void finish();

private:
  struct column_scan {
    std::size_t column;  // of the input
    std::unique_ptr<scanner> by;
  };
  /// The rows of a batch with their results.
  struct piece {
    std::size_t rows = 0;
    std::vector<io::values_view> results;
    std::vector<io::number_form> forms;              // of the results
    std::vector<std::vector<std::uint32_t>> places;  // of each row's result, or `none`; empty if every row has one
    std::span<std::string_view const> lines, group_names;
    std::span<std::uint32_t const> groups;
  };
  struct held_piece;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::vector<table_column> result_names() const;
  io::batch values_of(io::batch const& batch, std::size_t column);
  std::vector<table_column> front_names(std::string_view first_line) const;
  void begin(std::string_view first_line);
  void write(piece const& rows);
  void append_front(piece const& from, std::size_t row, std::vector<cell>& to) const;

  command_settings const& settings_;
  std::optional<io::table_head> head_;
  io::output output_;
  bool appends_;           // to the row's fields
  bool verbatim_ = false;  // which stay as they are
  std::size_t keys_ = 0;   // in front of the results
  std::vector<column_scan> scans_;
  std::vector<std::uint32_t> groups_;  // of the values of a column
  std::vector<held_piece> held_;       // of rows that come from the last to the first
  std::unique_ptr<table_writer> to_;
};

}  // namespace tally::cli
