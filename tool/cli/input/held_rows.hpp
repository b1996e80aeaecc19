#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "input/source.hpp"
#include "settings/settings.hpp"
#include "values.hpp"

namespace tally::cli {

/// All rows of other batches, held in memory, to be seen several times: for scans whose first result needs the last
/// value.
class held_rows final : public batches {
public:
  /// Requires: with `settings.reversed` the batches come from the end of the input.
  held_rows(command_settings const& settings, batches& from);

  void rewind() override { given_ = 0; }
  bool next(io::batch& into) override;
  bool waiting() const override { return false; }
  io::progress so_far() const override { return read_; }
  io::location locate(std::size_t row, std::size_t column) const override;

private:
  struct held_column {
    value_buffer values;
    std::vector<std::uint32_t> rows;
  };
  struct piece {
    std::size_t rows;
    std::uint64_t before;  // rows
    std::vector<held_column> columns;
    std::vector<std::uint32_t> groups;
    std::vector<std::string> names;
    std::vector<std::string> lines;
  };

  command_settings const& settings_;
  std::vector<piece> pieces_;
  std::size_t given_ = 0;  // pieces
  std::uint64_t total_ = 0;
  std::vector<io::number_form> forms_;  // of all values of each column
  io::progress read_;
  std::vector<io::column> columns_;  // of the piece given last, as the two below
  std::vector<std::string_view> names_;
  std::vector<std::string_view> lines_;
};

}  // namespace tally::cli
