#include "groups/group_table.hpp"

namespace tally::cli {

std::uint32_t group_table::number_of(std::string_view key)
{
  std::uint32_t const number =
      index_.number_of(io::hash_of(key), [&](std::uint32_t known) { return keys_[known] == key; });
  if (number == keys_.size()) keys_.emplace_back(key);
  return number;
}

std::span<group_table::part const> group_table::sort(io::batch const& batch)
{
  // A stable counting sort: count, turn counts into beginnings (an exclusive scan), place.
  ends_.assign(batch.group_names.size(), 0);
  present_.clear();
  for (std::uint32_t const group : batch.groups) {
    if (ends_[group]++ == 0) present_.push_back(group);
  }
  std::uint32_t begin = 0;
  for (std::uint32_t const group : present_) {
    std::uint32_t const count = ends_[group];
    ends_[group] = begin;
    begin += count;
  }
  rows_.resize(batch.groups.size());
  for (std::uint32_t row = 0; row < batch.groups.size(); ++row) rows_[ends_[batch.groups[row]]++] = row;

  parts_.clear();
  begin = 0;
  for (std::uint32_t const group : present_) {
    parts_.push_back({number_of(batch.group_names[group]), std::span(rows_).subspan(begin, ends_[group] - begin)});
    begin = ends_[group];
  }
  return parts_;
}

}  // namespace tally::cli
