#include "io/column_reader.hpp"

#include <cstring>
#include <utility>

#include "io/byte_mask.hpp"
#include "io/signature.hpp"

namespace tally::io {

column_reader::column_reader(input source, std::unique_ptr<text_format> format, number_rule rule, int threads,
                             chunk_sizes sizes)
    : format_(std::move(format)),
      source_(
          std::move(source),
          [this](char const* bytes, std::size_t size, std::size_t seen) { return format_->cut(bytes, size, seen); },
          sizes),
      rule_(rule),
      floating_(rule == number_rule::floating),
      tasks_(threads, {[this](parsed_chunk& into) { return prepare(into); },
                       [this](parsed_chunk& into) { parse(into); }, [this] { return source_.ready(); }})
{
}

bool column_reader::prepare(parsed_chunk& into)
{
  bool const more = source_.next(into.text);
  into.start = 0;
  if (!begun_) {
    begun_ = true;
    if (more) {
      refuse_other_formats({into.text.begin(), into.text.size()}, source_.source().name(), "text");
      into.start = format_->begin(into.text, source_.source().name());
    } else {
      format_->empty(source_.source().name());
    }
  }
  return more;
}

void column_reader::parse(parsed_chunk& into) const
{
  into.wrong.reset();
  format_->parse(into, floating_.load(std::memory_order_relaxed) ? number_rule::floating : rule_);
  into.newlines = count_bytes(into.text.begin(), into.text.end(), '\n');
  into.after_newline = into.text.size();
  if (into.newlines > 0) {
    auto const* last = static_cast<char const*>(memrchr(into.text.begin(), '\n', into.text.size()));
    into.after_newline = static_cast<std::size_t>(into.text.end() - last) - 1;
  }
}

bool column_reader::next_chunk()
{
  if (current_) {
    lines_ += current_->newlines;
    columns_ = (current_->newlines > 0 ? 0 : columns_) + current_->after_newline;
    bytes_ += current_->text.size();
  }
  run_ = 0;
  current_ = tasks_.next();
  if (!current_) return false;
  // Some chunks were parsed before the column was known to be floating. They are parsed again, so that the result is
  // the same.
  if (floating_.load(std::memory_order_relaxed) && current_->values.began_with_integers()) parse(*current_);
  column_sink const& values = current_->values;
  if (values.run_of(values.run_count() - 1).type == element_type::float64)
    floating_.store(true, std::memory_order_relaxed);
  return true;
}

bool column_reader::next(batch& into)
{
  for (;;) {
    while (current_ && run_ < current_->values.run_count()) {
      column_sink::run const& run = current_->values.run_of(run_++);
      if (run.count == 0) continue;
      into.values = view_as(run.type, run.data, run.count);
      into.groups = {};
      into.group_names = current_->keys.names();
      if (!current_->keys.groups().empty()) into.groups = current_->keys.groups().subspan(run.first, run.count);
      return true;
    }
    if (current_ && current_->wrong) {
      offence const& wrong = *current_->wrong;
      throw data_error(locate_byte(wrong.at), wrong.found, wrong.expected);
    }
    if (!next_chunk()) return false;
  }
}

bool column_reader::waiting() const
{
  if (current_) {
    for (std::size_t run = run_; run < current_->values.run_count(); ++run)
      if (current_->values.run_of(run).count > 0) return false;
    if (current_->wrong) return false;
  }
  return tasks_.waiting();
}

progress column_reader::so_far() const
{
  return {bytes_ + (current_ ? current_->text.size() : 0), source_.source().size()};
}

location column_reader::locate(std::size_t index) const
{
  return locate_byte(format_->locate(*current_, current_->values.run_of(run_ - 1).first + index));
}

location column_reader::locate_byte(std::size_t at) const
{
  char const* const begin = current_->text.begin();
  auto const* newline = static_cast<char const*>(memrchr(begin, '\n', at));
  std::uint64_t const column = newline ? static_cast<std::uint64_t>(begin + at - newline) : columns_ + at + 1;
  return {source_.source().name(), lines_ + count_bytes(begin, begin + at, '\n') + 1, column};
}

std::size_t byte_order_mark(chunk const& first)
{
  return first.size() >= 3 && std::memcmp(first.data(), "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

}  // namespace tally::io
