#include "io/tables/reader.hpp"

#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "io/errors.hpp"
#include "io/tables/column_choice.hpp"
#include "io/tables/format.hpp"

namespace tally::io {

namespace {

std::unique_ptr<text_format> format_of(table_kind kind, table_options const& options);

/// A table whose first line decides its kind. The first piece of the input that is looked at holds that line whole, or
/// as much of it as a row may have, whatever the pieces in which it arrives.
class table_by_first_line final : public text_format {
public:
  explicit table_by_first_line(table_options const& options)
      : options_(options),
        skipped_(options.comment, skipped_lines::besides_comments::empty)
  {
  }

  std::size_t cut(char const* bytes, std::size_t size, std::size_t seen) override
  {
    if (format_) return format_->cut(bytes, size, seen);
    std::size_t const before = skipped_.before_data(bytes, bytes + size, false);
    if (std::memchr(bytes + before, '\n', size - before) == nullptr) return 0;
    choose({bytes, size});
    return format_->cut(bytes, size, 0);
  }
  std::size_t begin(chunk const& first, std::string const& source) override
  {
    if (!format_) choose({first.begin(), first.size()});
    return format_->begin(first, source);
  }
  void empty(std::string const& source) override
  {
    choose({});
    format_->empty(source);
  }
  std::size_t columns() const override { return format_->columns(); }
  void parse(parsed_chunk& into, std::span<number_reading const> numbers) const override
  {
    format_->parse(into, numbers);
  }
  std::size_t locate(parsed_chunk const& in, std::size_t row, std::size_t column) const override
  {
    return format_->locate(in, row, column);
  }
  table_head const* head() const override { return format_->head(); }

private:
  void choose(std::string_view text)
  {
    text.remove_prefix(skipped_.before_data(text.data(), text.data() + text.size(), true));
    std::string_view const line = text.substr(0, text.find('\n'));
    bool const comma = line.find(',') != line.npos, tab = line.find('\t') != line.npos;
    options_.delimiter = comma ? ',' : '\t';
    options_.guessed = true;
    // As in tables with blanks, a number is data where columns are chosen by numbers: `du -h`, `cut -f`.
    if (tab && !comma && options_.first == first_row::unsaid && !options_.all && !chosen_by_name(options_))
      options_.first = first_row::values_if_numbers;
    format_ = format_of(comma || tab ? table_kind::csv : table_kind::blanks, options_);
  }

  table_options options_;
  skipped_lines skipped_;
  std::unique_ptr<text_format> format_;
};

std::unique_ptr<text_format> format_of(table_kind kind, table_options const& options)
{
  switch (kind) {
    case table_kind::csv: return csv_format(options);
    case table_kind::blanks: return blank_format(options);
    case table_kind::fixed_width: return fixed_width_format(options);
    case table_kind::unsaid: break;
  }
  return std::make_unique<table_by_first_line>(options);
}

}  // namespace

std::unique_ptr<reader> read_table(input source, table_kind kind, table_options const& options, chunk_sizes sizes)
{
  return std::make_unique<column_reader>(std::move(source), format_of(kind, options), options.numbers, options.floating,
                                         options.threads, sizes);
}

std::unique_ptr<reader> read_table(input source, table_kind kind, table_options const& options)
{
  return read_table(std::move(source), kind, options, {});
}

std::string_view first_line(chunk const& first, std::size_t at, std::string const& source)
{
  char const* const begin = first.begin() + at;
  auto const* const newline =
      static_cast<char const*>(std::memchr(begin, '\n', static_cast<std::size_t>(first.end() - begin)));
  char const* end = newline ? newline : first.end();
  if (!newline && first.overlong)
    throw data_error(place_in(first, at, source),
                     "a row of more than " + std::to_string(first.size() - at - 1) + " bytes", "a shorter one");
  if (auto const* const nul = static_cast<char const*>(std::memchr(begin, '\0', static_cast<std::size_t>(end - begin))))
    throw data_error(place_in(first, static_cast<std::size_t>(nul - first.begin()), source), "a NUL byte", "text");
  if (end > begin && end[-1] == '\r') --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace tally::io
