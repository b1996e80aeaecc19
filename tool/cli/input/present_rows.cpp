#include "input/present_rows.hpp"

namespace tally::cli {

io::batch present_rows::of(io::batch const& all, std::size_t column)
{
  column_ = all.columns[column];
  io::batch present = all;
  present.rows = io::size_of(column_.values);
  present.columns = {&column_, 1};
  if (column_.rows.empty() && present.rows == all.rows) return present;
  groups_.clear();
  lines_.clear();
  for (std::size_t k = 0; k < present.rows; ++k) {
    std::size_t const row = column_.row_of(k);
    if (!all.groups.empty()) groups_.push_back(all.groups[row]);
    if (!all.lines.empty()) lines_.push_back(all.lines[row]);
  }
  column_.rows = {};
  present.groups = groups_;
  present.lines = lines_;
  return present;
}

}  // namespace tally::cli
