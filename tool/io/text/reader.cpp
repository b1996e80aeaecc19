#include "io/text/reader.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "io/numbers/other_notation.hpp"
#include "io/numbers/padded_token.hpp"
#include "io/text/byte_mask.hpp"
#include "io/text/column_reader.hpp"
#include "io/text/skipped_lines.hpp"

namespace tally::io {

namespace {

/// Calls f(begin, end) for each run of bytes without white space, in order, until it returns false. Beginnings and ends
/// are found 4 KiB ahead, so that finding and decoding do not wait for each other.
template <class F>
void for_each_token(char const* begin, char const* end, F f)
{
  constexpr std::size_t ahead = 4096;
  std::uint32_t edges[ahead + 2];  // offsets at which white space ends and begins, alternating
  auto const size = static_cast<std::size_t>(end - begin);
  std::uint64_t before = 1;  // whether the byte before is white space
  std::size_t held = 0;      // 1 if a token has begun and not ended
  for (std::size_t at = 0; at < size;) {
    std::size_t const stop = size - at < ahead ? size : at + ahead;
    std::size_t count = held;
    for (; at < stop; at += 64) {
      std::uint64_t spaces = mask_space(begin + at);
      if (stop - at < 64) spaces |= ~std::uint64_t(0) << (stop - at);
      std::uint64_t changes = spaces ^ (spaces << 1 | before);
      before = spaces >> 63;
      for (; changes != 0; changes &= changes - 1)
        edges[count++] = static_cast<std::uint32_t>(at + static_cast<std::size_t>(std::countr_zero(changes)));
    }
    if (at >= size && count % 2 == 1) edges[count++] = static_cast<std::uint32_t>(size);
    std::size_t const pairs = count / 2;
    for (std::size_t i = 0; i < pairs; ++i)
      if (!f(begin + edges[2 * i], begin + edges[2 * i + 1])) return;
    held = count % 2;
    edges[0] = edges[count - held];
  }
}

/// Calls f(begin, end) for each line, without blanks around it, until it returns false.
template <class F>
void for_each_line(char const* begin, char const* end, F f)
{
  while (begin < end) {
    auto const* stop = static_cast<char const*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
    if (!stop) stop = end;
    char const* first = begin;
    char const* last = stop;
    while (first < last && is_space(*first)) ++first;
    while (first < last && is_space(last[-1])) --last;
    if (!f(first, last)) return;
    begin = stop + 1;
  }
}

class number_text final : public text_format {
public:
  explicit number_text(text_options const& options)
      : one_a_line_(options.one_a_line),
        numbers_(options.numbers),
        missing_(options.missing),
        comments_(options.comment, skipped_lines::besides_comments::nothing),
        value_(options.missing.value)
  {
  }

  std::size_t cut(char const* bytes, std::size_t size, std::size_t seen) override
  {
    for (; size > seen; --size)
      if (by_lines() ? bytes[size - 1] == '\n' : is_space(bytes[size - 1])) return size;
    return 0;
  }

  std::size_t begin(chunk const& first, std::string const&) override { return byte_order_mark(first); }
  void empty(std::string const&) override {}

  void parse(parsed_chunk& into, std::span<number_reading const> numbers) const override
  {
    chunk const& text = into.text;
    column_sink const& values = into.columns[0].values;
    into.columns[0].begin(text.size() / 2 + 1, numbers[0]);
    into.rows = 0;
    if (text.overlong) {
      std::string const what = by_lines() ? "a line" : "a token";
      into.wrong =
          offence{into.start, what + " of more than " + std::to_string(text.size() - 1) + " bytes", "a number"};
    } else {
      for_each(text.begin() + into.start, text.end(), [&](char const* begin, char const* end) {
        if (missing_.is_name({begin, static_cast<std::size_t>(end - begin)})) {
          into.wrong = take_missing(begin, end, into);
        } else if (begin == end || !into.columns[0].add(into.rows, begin, end)) {
          auto const at = static_cast<std::size_t>(begin - text.begin());
          into.wrong = begin != end ? values.refusal(at, begin, end) : offence{at, "an empty line", "a number"};
          into.wrong->expected += comments_.has_mark() || begin == end || *begin != '#'
                                      ? options_to_read_word({begin, end}, numbers_)
                                      : option_for_comments;
        }
        if (!into.wrong) ++into.rows;
        return !into.wrong;
      });
    }
    into.columns[0].values.end();
  }

  std::size_t locate(parsed_chunk const& in, std::size_t index, std::size_t) const override
  {
    std::size_t at = 0;
    for_each(in.text.begin() + in.start, in.text.end(), [&](char const* begin, char const*) {
      at = static_cast<std::size_t>(begin - in.text.begin());
      return index-- > 0;
    });
    return at;
  }

private:
  std::optional<offence> take_missing(char const* begin, char const* end, parsed_chunk& into) const
  {
    parsed_column& column = into.columns[0];
    auto const at = static_cast<std::size_t>(begin - into.text.begin());
    if (missing_.rule == missing_rule::error)
      return offence{at, describe({begin, static_cast<std::size_t>(end - begin)}) + ", which is missing",
                     expected_instead(numbers_)};
    if (missing_.rule == missing_rule::skip) {
      column.leave_out(into.rows);
      return std::nullopt;
    }
    ++column.missing;
    if (column.add(into.rows, value_.begin(), value_.end())) return std::nullopt;
    return offence{at, "a missing cell, which --missing takes as " + describe(missing_.value),
                   column.values.refusal(at, value_.begin(), value_.end()).expected};
  }

  /// Whether chunks are whole lines.
  bool by_lines() const { return one_a_line_ || comments_.has_mark(); }

  template <class F>
  void for_each(char const* begin, char const* end, F f) const
  {
    bool more = true;
    auto const on = [&](char const* first, char const* last) { return more = f(first, last); };
    comments_.for_each_stretch(begin, end, [&](char const* from, char const* to) {
      if (one_a_line_)
        for_each_line(from, to, on);
      else
        for_each_token(from, to, on);
      return more;
    });
  }

  bool one_a_line_;
  number_reading numbers_;
  missing_cells missing_;
  skipped_lines comments_;
  padded_token value_;
};

}  // namespace

std::unique_ptr<reader> read_text(input source, text_options const& options, chunk_sizes sizes)
{
  return std::make_unique<column_reader>(std::move(source), std::make_unique<number_text>(options), options.numbers,
                                         std::vector<bool>{}, options.threads, sizes);
}

std::unique_ptr<reader> read_text(input source, text_options const& options)
{
  return read_text(std::move(source), options, {});
}

}  // namespace tally::io
