#include "input/backwards.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace tally::cli {

namespace {

/// The values from the last one to the first.
value_buffer turned(io::values_view const& values)
{
  value_buffer room;
  std::visit([&]<class T>(std::span<T const> from) { std::ranges::reverse_copy(from, room.resize<T>(from.size())); },
             values);
  return room;
}

class backwards_writer final : public io::writer {
public:
  explicit backwards_writer(std::unique_ptr<io::writer> to) : to_(std::move(to)) {}

  void write(io::values_view const& values) override { pieces_.push_back(turned(values)); }
  void set_form(io::number_form form) override { to_->set_form(form); }
  void flush() override {}
  void finish() override
  {
    for (; !pieces_.empty(); pieces_.pop_back()) to_->write(pieces_.back().view());
    to_->finish();
  }

private:
  std::unique_ptr<io::writer> to_;
  std::vector<value_buffer> pieces_;
};

}  // namespace

held_backwards::held_backwards(command_settings const& settings, source& from) : settings_(settings)
{
  std::vector<std::uint32_t> group_numbers;  // of the groups of a batch
  io::batch batch;
  while (from.next(batch)) {
    piece next{.rows = batch.rows, .columns = {}, .groups = {}, .lines = {batch.lines.rbegin(), batch.lines.rend()}};
    auto const last = static_cast<std::uint32_t>(batch.rows - 1);
    for (io::column const& each : batch.columns) {
      forms_.resize(batch.columns.size());
      forms_[next.columns.size()] = each.form;  // the last one is the finest
      held_column& column = next.columns.emplace_back(turned(each.values));
      for (std::size_t k = each.rows.size(); k-- > 0;) column.rows.push_back(last - each.rows[k]);
    }
    group_numbers.clear();
    for (std::string_view const name : batch.group_names) group_numbers.push_back(number_of(name));
    for (std::size_t k = batch.groups.size(); k-- > 0;) next.groups.push_back(group_numbers[batch.groups[k]]);
    size_ += batch.rows;
    pieces_.push_back(std::move(next));
  }
  read_ = from.so_far();
}

std::uint32_t held_backwards::number_of(std::string_view key)
{
  if (auto const found = numbers_.find(key); found != numbers_.end()) return found->second;
  auto const number = static_cast<std::uint32_t>(keys_.size());
  numbers_.emplace(names_.emplace_back(keys_.emplace_back(key)), number);
  return number;
}

bool held_backwards::next(io::batch& into)
{
  size_ -= given_.rows;
  given_ = {};
  if (pieces_.empty()) return false;
  given_ = std::move(pieces_.back());
  pieces_.pop_back();
  columns_.clear();
  for (held_column const& each : given_.columns)
    columns_.push_back({each.values.view(), each.rows, forms_[columns_.size()]});
  lines_.assign(given_.lines.begin(), given_.lines.end());
  into = {.rows = given_.rows, .columns = columns_, .groups = given_.groups, .group_names = {}, .lines = lines_};
  if (!given_.groups.empty()) into.group_names = names_;
  return true;
}

io::location held_backwards::locate(std::size_t row, std::size_t column) const
{
  return location_of_row(settings_.input, settings_.threads, size_ - 1 - row, column);
}

std::unique_ptr<io::writer> write_backwards(std::unique_ptr<io::writer> to)
{
  return std::make_unique<backwards_writer>(std::move(to));
}

}  // namespace tally::cli
