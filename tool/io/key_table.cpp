#include "io/key_table.hpp"

#include <functional>
#include <utility>

namespace tally::io {

void key_index::clear()
{
  hashes_.clear();
  // The table keeps its size: the next keys are likely to be as many.
  table_.assign(table_.size(), vacant);
}

void key_index::grow()
{
  table_.assign(2 * table_.size(), vacant);
  for (std::size_t number = 0; number < hashes_.size(); ++number) {
    std::size_t at = hashes_[number] & (table_.size() - 1);
    while (table_[at] != vacant) at = (at + 1) & (table_.size() - 1);
    table_[at] = static_cast<std::uint32_t>(number);
  }
}

void key_table::clear()
{
  groups_.clear();
  names_.clear();
  index_.clear();
  copies_.clear();
}

void key_table::add(std::string_view key)
{
  // In many tables equal keys are adjacent.
  if (!groups_.empty() && names_[groups_.back()] == key) {
    groups_.push_back(groups_.back());
    return;
  }
  bool is_new = false;
  groups_.push_back(number_of(key, is_new));
}

void key_table::add_copy(std::string key)
{
  bool is_new = false;
  std::uint32_t const number = number_of(key, is_new);
  if (is_new) names_[number] = copies_.emplace_back(std::move(key));
  groups_.push_back(number);
}

std::uint32_t key_table::number_of(std::string_view key, bool& is_new)
{
  std::uint32_t const number =
      index_.number_of(std::hash<std::string_view>()(key), [&](std::uint32_t known) { return names_[known] == key; });
  is_new = number == names_.size();
  if (is_new) names_.push_back(key);
  return number;
}

}  // namespace tally::io
