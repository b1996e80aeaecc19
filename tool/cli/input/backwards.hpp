#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "input/source.hpp"
#include "io/writer.hpp"
#include "settings/settings.hpp"
#include "values.hpp"

/// Scans of input that can only be read from its beginning, from its end: all values are held in memory, and then their
/// results.
namespace tally::cli {

/// All rows of a source, from the last one to the first.
class held_backwards final : public batches {
public:
  held_backwards(command_settings const& settings, source& from);

  bool next(io::batch& into) override;
  bool waiting() const override { return false; }
  io::progress so_far() const override { return read_; }
  io::location locate(std::size_t row, std::size_t column) const override;

private:
  struct held_column {
    value_buffer values;
    std::vector<std::uint32_t> rows;  // of the values, if some have none
  };
  struct piece {
    std::size_t rows = 0;
    std::vector<held_column> columns;
    std::vector<std::uint32_t> groups;
    std::vector<std::string> lines;
  };
  std::uint32_t number_of(std::string_view key);

  command_settings const& settings_;
  std::vector<piece> pieces_;
  piece given_;
  std::vector<io::column> columns_;  // of given_
  std::vector<std::string_view> lines_;
  std::uint64_t size_ = 0;        // rows in given_ and pieces_
  std::deque<std::string> keys_;  // never moves a key, so the views below stay valid
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  io::progress read_;
  std::vector<io::number_form> forms_;  // of all values of each column
};

/// Writes all values, from the last one to the first, when there are no more.
std::unique_ptr<io::writer> write_backwards(std::unique_ptr<io::writer> to);

}  // namespace tally::cli
