#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "io/reader.hpp"

namespace tally::cli {

/// The values of a column in a batch, as a batch of that column alone in which every value is a row.
class present_rows {
public:
  /// A view of `all` and of this object, valid until the next call. It may have no rows. Its row k is row
  /// `all.columns[column].row_of(k)` of `all`.
  io::batch of(io::batch const& all, std::size_t column = 0);

private:
  io::column column_;
  std::vector<std::uint32_t> groups_;
  std::vector<std::string_view> lines_;
};

}  // namespace tally::cli
