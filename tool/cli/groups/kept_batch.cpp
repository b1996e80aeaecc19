#include "groups/kept_batch.hpp"

#include <algorithm>
#include <cstring>

#include "io/tables/key_table.hpp"

namespace tally::cli {

namespace {

constexpr std::uint32_t no_row = ~std::uint32_t{0};

}  // namespace

void kept_batch::copy(io::batch const& batch, std::uint64_t first_row)
{
  first_row_ = first_row;
  copy_keys(batch);
  bytes_ = 2 * text_.size() + unsorted_.size() * (2 * sizeof(part) + 5) + groups_.size() * sizeof(std::uint32_t);

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

void kept_batch::copy_keys(io::batch const& batch)
{
  by_rows_ = 2 * batch.group_names.size() > batch.groups.size();
  std::size_t characters = 0;
  auto const for_each_key = [&](auto use) {
    if (by_rows_)
      for (std::uint32_t row = 0; row < batch.groups.size(); ++row) use(batch.group_names[batch.groups[row]], row);
    else
      for (std::string_view const name : batch.group_names) use(name, no_row);
  };
  for_each_key([&](std::string_view key, std::uint32_t) { characters += key.size(); });
  text_.clear();
  text_.resize(characters);
  unsorted_.clear();
  unsorted_.reserve(by_rows_ ? batch.groups.size() : batch.group_names.size());
  std::uint32_t at = 0;
  for_each_key([&](std::string_view key, std::uint32_t row) {
    std::memcpy(text_.data() + at, key.data(), key.size());
    auto const bytes = static_cast<std::uint32_t>(key.size());
    unsorted_.push_back({at, bytes, 0, row});
    at += bytes;
  });
  if (by_rows_)
    groups_.clear();
  else
    groups_.assign(batch.groups.begin(), batch.groups.end());
}

void kept_batch::sort()
{
  sort_parts();
  for (std::size_t c = 0; c < column_count_; ++c) {
    kept_column& column = columns_[c];
    if (by_rows_ && column.rows.empty() && io::size_of(column.values.view()) == unsorted_.size())
      gather(column);
    else
      sort(column);
  }
}

/// Sorts the parts that have rows by partition: a stable counting sort.
void kept_batch::sort_parts()
{
  for (std::uint32_t row = 0; row < groups_.size(); ++row) {
    std::uint32_t& first = unsorted_[groups_[row]].first_row;
    first = std::min(first, row);
  }
  begins_.fill(0);
  std::array<std::uint32_t, partition_count + 1> text_begins{};
  partitions_.resize(unsorted_.size());
  for (std::size_t k = 0; k < unsorted_.size(); ++k) {
    part& from = unsorted_[k];
    if (from.first_row == no_row) continue;
    std::uint64_t const hash = io::hash_of({text_.data() + from.key_at, from.key_bytes});
    from.hash = static_cast<std::uint32_t>(hash);
    std::size_t const partition = partition_of(hash);
    partitions_[k] = static_cast<std::uint8_t>(partition);
    ++begins_[partition + 1];
    text_begins[partition + 1] += from.key_bytes;
  }
  for (std::size_t p = 0; p < partition_count; ++p) {
    begins_[p + 1] += begins_[p];
    text_begins[p + 1] += text_begins[p];
  }
  parts_.resize(begins_[partition_count]);
  part_of_.resize(unsorted_.size());
  sorted_text_.resize(text_.size());
  std::array<std::uint32_t, partition_count + 1> next = begins_;
  for (std::size_t k = 0; k < unsorted_.size(); ++k) {
    part const& from = unsorted_[k];
    if (from.first_row == no_row) continue;
    std::uint32_t const at = next[partitions_[k]]++;
    std::uint32_t& text_at = text_begins[partitions_[k]];
    std::memcpy(sorted_text_.data() + text_at, text_.data() + from.key_at, from.key_bytes);
    parts_[at] = from;
    parts_[at].key_at = text_at;
    text_at += from.key_bytes;
    part_of_[k] = at;
  }
}

/// Sorts the values of a column by part: a stable counting sort.
void kept_batch::sort(kept_column& column) const
{
  std::size_t const n = io::size_of(column.values.view());
  auto const part_of_value = [&](std::size_t k) {
    std::size_t const row = column.rows.empty() ? k : column.rows[k];
    return part_of_[by_rows_ ? row : groups_[row]];
  };
  column.ends.assign(parts_.size() + 1, 0);
  for (std::size_t k = 0; k < n; ++k) ++column.ends[part_of_value(k) + 1];
  for (std::size_t at = 0; at < parts_.size(); ++at) column.ends[at + 1] += column.ends[at];
  column.order.resize(n);
  // An end begins as the place of its part's first value, and moves as values are placed.
  for (std::size_t k = 0; k < n; ++k) column.order[column.ends[part_of_value(k)]++] = static_cast<std::uint32_t>(k);
  gathered(column.values.view(), column.order, column.sorted);
}

/// Puts the values of a column, one in each row, in the order of the parts, which are the rows.
void kept_batch::gather(kept_column& column) const
{
  column.ends.clear();
  std::visit(
      [&]<class T>(std::span<T const> from) {
        T* const to = column.sorted.resize<T>(from.size());
        for (std::size_t k = 0; k < from.size(); ++k) to[part_of_[k]] = from[k];
      },
      column.values.view());
}

}  // namespace tally::cli
