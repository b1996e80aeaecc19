#include "table/table_writer.hpp"

#include <algorithm>
#include <utility>

namespace tally::cli {

namespace {

/// The rows that one thread formats at a time: some 100 KiB of text.
constexpr std::size_t block_rows = 4096;

/// The most text that waits in memory while few rows come at a time.
constexpr std::size_t most_waiting = std::size_t{1} << 16;

}  // namespace

table_writer::table_writer(io::output to, std::unique_ptr<row_format> format, int threads)
    : to_(std::move(to)),
      format_(std::move(format)),
      workers_(threads)
{
}

void table_writer::begin()
{
  if (!std::exchange(begun_, true)) text_ = format_->head();
}

void table_writer::send_if_long()
{
  if (text_.size() > most_waiting) flush();
}

void table_writer::row(std::span<cell const> cells)
{
  begin();
  if (std::exchange(has_rows_, true)) text_ += format_->between();
  format_->row(text_, cells);
  send_if_long();
}

void table_writer::rows(std::size_t count, std::function<void(std::size_t, std::vector<cell>&)> const& fill)
{
  blocks((count + block_rows - 1) / block_rows, [&](std::size_t block, add_row const& add) {
    std::vector<cell> cells;
    for (std::size_t k = block * block_rows; k < std::min(count, (block + 1) * block_rows); ++k) {
      fill(k, cells);
      add(cells);
    }
  });
}

void table_writer::blocks(std::size_t count, std::function<void(std::size_t, add_row const&)> const& fill)
{
  begin();
  std::size_t const at_once = std::min<std::size_t>(2 * static_cast<std::size_t>(workers_.threads()), 32);
  for (std::size_t done = 0; done < count;) {
    std::size_t const blocks = std::min(at_once, count - done);
    if (blocks_.size() < blocks) blocks_.resize(blocks);
    workers_.for_each(blocks, [&](std::size_t block) {
      std::string& text = blocks_[block];
      text.clear();
      fill(done + block, [&](std::span<cell const> cells) {
        if (!text.empty()) text += format_->between();
        format_->row(text, cells);
      });
    });
    for (std::size_t block = 0; block < blocks; ++block) {
      if (blocks_[block].empty()) continue;
      if (std::exchange(has_rows_, true)) text_ += format_->between();
      text_ += blocks_[block];
      send_if_long();
    }
    done += blocks;
  }
}

void table_writer::flush()
{
  if (format_->needs_all()) return;
  to_.write(text_.data(), text_.size());
  text_.clear();
}

void table_writer::finish()
{
  begin();
  text_ += format_->tail();
  if (format_->needs_all()) text_ = format_->arranged(std::move(text_));
  to_.write(text_.data(), text_.size());
  to_.commit();
}

}  // namespace tally::cli
