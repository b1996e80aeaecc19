#include "groups/kept_batch.hpp"

#include <algorithm>
#include <cstring>

#include "io/tables/key_table.hpp"

namespace tally::cli {

void kept_batch::copy(io::batch const& batch, std::uint64_t first_row)
{
  first_row_ = first_row;
  std::size_t characters = 0;
  for (std::string_view const name : batch.group_names) characters += name.size();
  text_.clear();
  text_.reserve(characters);  // the keys' views stay valid
  names_.clear();
  names_.reserve(batch.group_names.size());
  for (std::string_view const name : batch.group_names) {
    char const* const begin = text_.data() + text_.size();
    text_ += name;
    names_.push_back({{begin, name.size()}, 0, 0});
  }
  groups_.assign(batch.groups.begin(), batch.groups.end());
  bytes_ = characters + 2 * names_.size() * sizeof(part) + groups_.size() * sizeof(std::uint32_t);

  column_count_ = batch.columns.size();
  if (columns_.size() < column_count_) columns_.resize(column_count_);
  for (std::size_t c = 0; c < column_count_; ++c) {
    io::column const& from = batch.columns[c];
    kept_column& to = columns_[c];
    void* const values = to.values.resize(io::type_of(from.values), io::size_of(from.values));
    std::visit(
        [&](auto in) {
          if (!in.empty()) std::memcpy(values, in.data(), in.size_bytes());
          bytes_ += 2 * in.size_bytes() + in.size() * sizeof(std::uint32_t);
        },
        from.values);
    to.rows.assign(from.rows.begin(), from.rows.end());
  }
}

void kept_batch::sort()
{
  sort_parts();
  for (std::size_t c = 0; c < column_count_; ++c) sort(columns_[c]);
}

/// Sorts the names that have rows by partition: a stable counting sort.
void kept_batch::sort_parts()
{
  constexpr std::uint32_t none = ~std::uint32_t{0};
  first_seen_.assign(names_.size(), none);
  for (std::uint32_t row = 0; row < groups_.size(); ++row) {
    std::uint32_t& first = first_seen_[groups_[row]];
    first = std::min(first, row);
  }
  begins_.fill(0);
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (first_seen_[k] == none) continue;
    names_[k].hash = io::hash_of(names_[k].key);
    names_[k].first_row = first_row_ + first_seen_[k];
    ++begins_[partition_of(names_[k].hash) + 1];
  }
  for (std::size_t p = 0; p < partition_count; ++p) begins_[p + 1] += begins_[p];
  parts_.resize(begins_[partition_count]);
  part_of_.resize(names_.size());
  std::array<std::uint32_t, partition_count + 1> next = begins_;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (first_seen_[k] == none) continue;
    part_of_[k] = next[partition_of(names_[k].hash)]++;
    parts_[part_of_[k]] = names_[k];
  }
}

/// Sorts the values of a column by part: a stable counting sort.
void kept_batch::sort(kept_column& column) const
{
  std::size_t const n = io::size_of(column.values.view());
  auto const part_of_value = [&](std::size_t k) { return part_of_[groups_[column.rows.empty() ? k : column.rows[k]]]; };
  column.ends.assign(parts_.size() + 1, 0);
  for (std::size_t k = 0; k < n; ++k) ++column.ends[part_of_value(k) + 1];
  for (std::size_t at = 0; at < parts_.size(); ++at) column.ends[at + 1] += column.ends[at];
  column.order.resize(n);
  // An end begins as the place of its part's first value, and moves as values are placed.
  for (std::size_t k = 0; k < n; ++k) column.order[column.ends[part_of_value(k)]++] = static_cast<std::uint32_t>(k);
  gathered(column.values.view(), column.order, column.sorted);
}

}  // namespace tally::cli
