#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/files/output.hpp"
#include "io/threads/worker_pool.hpp"
#include "table/row_format.hpp"

namespace tally::cli {

/// Writes a table, row by row, in one of the formats.
class table_writer {
public:
  /// `threads` format rows; 0 lets the library choose. They never change the output.
  table_writer(io::output to, std::unique_ptr<row_format> format, int threads = 1);

  /// Appends a row. Throws as io::output does.
  void row(std::span<cell const> cells);
  /// Appends `count` rows. Several threads call `fill(k, cells)` for the cells of row k; cells are those of another row
  /// before.
  void rows(std::size_t count, std::function<void(std::size_t, std::vector<cell>&)> const& fill);
  using add_row = std::function<void(std::span<cell const>)>;
  /// Appends blocks of rows. Several threads call `fill(k, add)`, which calls `add` with each row of block k. The text
  /// of some blocks is held in memory.
  void blocks(std::size_t count, std::function<void(std::size_t, add_row const&)> const& fill);
  /// Writes what waits, for a reader that waits.
  void flush();
  /// Ends and commits the output. Without it no file is left behind.
  void finish();

private:
  void begin();
  void send_if_long();

  io::output to_;
  std::unique_ptr<row_format> format_;
  io::worker_pool workers_;
  bool begun_ = false;
  bool has_rows_ = false;
  std::string text_;                 // formatted and not written
  std::vector<std::string> blocks_;  // formatted in turn
};

}  // namespace tally::cli
