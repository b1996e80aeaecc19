#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "io/numbers/number.hpp"
#include "io/threads/worker_pool.hpp"
#include "io/writer.hpp"

namespace tally::io {

namespace {

/// The values that one thread formats at a time: about 100 KiB of text.
constexpr std::size_t block_values = 8192;
constexpr std::size_t block_bytes = block_values * (max_number_length + 1);

/// Fewer values than this are not worth another thread.
constexpr std::size_t few_values = 2 * block_values;

/// The most text that waits in memory while few values come at a time.
constexpr std::size_t most_waiting = std::size_t(128) << 10;

struct text_block {
  std::unique_ptr<char[]> text;
  std::size_t size = 0;

  void clear()
  {
    if (!text) text = std::make_unique_for_overwrite<char[]>(block_bytes);
    size = 0;
  }
};

template <class T>
void format_values(text_block& into, T const* values, std::size_t count, text_writer_options const& how)
{
  char* end = into.text.get() + into.size;
  if (how.style.plain()) {
    for (std::size_t i = 0; i < count; ++i) {
      end = format_number(end, values[i]);
      *end++ = how.line_end;
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      end = format_number(end, values[i], how.style);
      *end++ = how.line_end;
    }
  }
  into.size = static_cast<std::size_t>(end - into.text.get());
}

}  // namespace

struct text_writer::state {
  state(output out, text_writer_options const& options) : to(std::move(out)), how(options), workers(options.threads) {}

  /// The most bytes that a value and its line end need.
  std::size_t longest() const { return (how.style.plain() ? max_number_length : max_styled_length) + 1; }

  /// Formats on this thread, behind the text that waits.
  template <class T>
  void write_few(T const* values, std::size_t count)
  {
    while (count > 0) {
      text_block& last = room_for(block_bytes / 2);
      std::size_t const some = std::min(count, (block_bytes - last.size) / longest());
      format_values(last, values, some, how);
      values += some;
      count -= some;
      if (last.size > most_waiting) send();
    }
  }

  /// Formats on all threads, while one of them writes the text formatted before.
  template <class T>
  void write_many(T const* values, std::size_t count)
  {
    std::size_t const at_once = std::min<std::size_t>(2 * static_cast<std::size_t>(workers.threads()), 32);
    std::size_t const in_block = block_bytes / longest();
    for (std::size_t done = 0; done < count;) {
      std::size_t const blocks = std::min(at_once, (count - done + in_block - 1) / in_block);
      if (fresh.size() < blocks) fresh.resize(blocks);
      workers.for_each(blocks + 1, [&](std::size_t i) {
        if (i == 0) return send();
        std::size_t const first = done + (i - 1) * in_block;
        fresh[i - 1].clear();
        format_values(fresh[i - 1], values + first, std::min(in_block, count - first), how);
      });
      std::swap(waiting, fresh);
      held = blocks;
      done = std::min(count, done + blocks * in_block);
    }
  }

  /// The last block that waits if it has that much room, else a new one.
  text_block& room_for(std::size_t bytes)
  {
    if (held == 0 || block_bytes - waiting[held - 1].size < bytes) {
      if (waiting.size() == held) waiting.emplace_back();
      waiting[held++].clear();
    }
    return waiting[held - 1];
  }

  void send()
  {
    std::size_t const count = std::exchange(held, 0);
    for (std::size_t i = 0; i < count; ++i) to.write(waiting[i].text.get(), waiting[i].size);
  }

  output to;
  text_writer_options how;
  worker_pool workers;
  std::vector<text_block> waiting;  // formatted and not written: the first `held`
  std::size_t held = 0;
  std::vector<text_block> fresh;
};

text_writer::text_writer(output to, text_writer_options const& options)
    : state_(std::make_unique<state>(std::move(to), options))
{
}

text_writer::~text_writer() = default;

void text_writer::write(values_view const& values)
{
  std::visit(
      [this](auto const& span) {
        if (span.size() < few_values || state_->workers.threads() == 1)
          state_->write_few(span.data(), span.size());
        else
          state_->write_many(span.data(), span.size());
      },
      values);
}

void text_writer::set_form(number_form form)
{
  state_->how.style.form = form;
}

void text_writer::write_text(std::string_view text)
{
  while (!text.empty()) {
    text_block& last = state_->room_for(1);
    std::size_t const some = std::min(text.size(), block_bytes - last.size);
    text.copy(last.text.get() + last.size, some);
    last.size += some;
    text.remove_prefix(some);
    if (last.size > most_waiting) state_->send();
  }
}

void text_writer::flush()
{
  state_->send();
}

void text_writer::finish()
{
  state_->send();
  state_->to.commit();
}

}  // namespace tally::io
