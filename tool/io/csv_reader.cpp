#include "io/csv_reader.hpp"

#include <cstring>
#include <utility>

#include "io/byte_mask.hpp"
#include "io/column_reader.hpp"
#include "io/csv_header.hpp"
#include "io/csv_row.hpp"

namespace tally::io {

namespace {

bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

class csv_table final : public text_format {
public:
  explicit csv_table(csv_options options) : options_(std::move(options)) {}

  /// Cuts behind the last line feed that is not within quotes. Every chunk begins outside of quotes.
  std::size_t cut(char const* bytes, std::size_t size, std::size_t seen) override
  {
    if (seen == 0) odd_quotes_ = false;
    odd_quotes_ ^= count_bytes(bytes + seen, bytes + size, '"') % 2 != 0;
    bool inside = odd_quotes_;
    for (std::size_t end = size; end > seen; --end) {
      char const byte = bytes[end - 1];
      if (byte == '"') inside = !inside;
      if (byte == '\n' && !inside) return end;
    }
    return 0;
  }

  std::size_t begin(chunk const& first, std::string const& source) override
  {
    layout_ = read_layout(first, options_, source);
    return layout_.values_at;
  }

  void empty(std::string const& source) override
  {
    if (options_.first != first_row::values) throw data_error({source, 1}, "nothing", "a header");
  }

  void parse(parsed_chunk& into, number_rule rule) const override
  {
    into.values.begin(into.text.size(), rule);
    into.keys.clear();
    char const* const origin = into.text.begin();
    using perhaps = std::optional<offence>;
    into.wrong = for_each_row(into, [&](char const* begin, char const* end, csv_field const* key) -> perhaps {
      auto const at = static_cast<std::size_t>(begin - origin);
      if (begin == end) return offence{at, "an empty field", "a number"};
      if (!into.values.add(begin, end)) return into.values.refusal(at, begin, end);
      if (key && key->doubled)
        into.keys.add_copy(key->text());
      else if (key)
        into.keys.add(key->view());
      return std::nullopt;
    });
    into.values.end();
  }

  std::size_t locate(parsed_chunk const& in, std::size_t index) const override
  {
    std::size_t at = 0;
    for_each_row(in, [&](char const* begin, char const*, csv_field const*) -> std::optional<offence> {
      at = static_cast<std::size_t>(begin - in.text.begin());
      return index-- > 0 ? std::nullopt : std::optional(offence{});
    });
    return at;
  }

private:
  /// Calls f(begin, end, key) with the number of each row, without blanks around it, and its key, until it returns an
  /// offence. Returns that offence, or one of the rows themselves.
  template <class F>
  std::optional<offence> for_each_row(parsed_chunk const& in, F f) const
  {
    auto const size = in.text.size();
    return std::memchr(in.text.begin(), '"', size) ? for_each_row<true>(in, f) : for_each_row<false>(in, f);
  }

  template <bool Quotes, class F>
  std::optional<offence> for_each_row(parsed_chunk const& in, F f) const
  {
    char const* const origin = in.text.begin();
    char const* const limit = in.text.end();
    char const* begin = origin + in.start;  // of the field
    char const* row = begin;
    auto const* const nul = static_cast<char const*>(std::memchr(begin, '\0', static_cast<std::size_t>(limit - begin)));
    std::size_t column = 0;
    csv_field number, key, field;
    field_ends ends(begin, limit, options_.delimiter, Quotes);
    while (begin < limit || column > 0) {
      char const* const found = ends.next();
      char const* const stop = found ? found : limit;
      bool const row_ends = stop == limit || *stop == '\n';
      char const* const end = row_ends && stop > begin && stop[-1] == '\r' ? stop - 1 : stop;
      if (!found && in.text.overlong) return overlong_row(row, begin, limit, origin, options_.delimiter);
      if (column == layout_.column || column == layout_.key || Quotes) {
        if constexpr (Quotes) {
          if (auto wrong = unquote(begin, end, origin, options_.delimiter, field)) return wrong;
        } else {
          field = {begin, end, false};
        }
        if (column == layout_.column) number = field;
        if (column == layout_.key) key = field;
      }
      ++column;
      begin = stop + 1;
      if (!row_ends) continue;
      if (nul && nul < stop) return offence{static_cast<std::size_t>(nul - origin), "a NUL byte", "text"};
      if (column != layout_.columns) return ragged(row, end, column, origin);
      while (number.begin < number.end && is_blank(*number.begin)) ++number.begin;
      while (number.begin < number.end && is_blank(number.end[-1])) --number.end;
      if (auto wrong = f(number.begin, number.end, layout_.key ? &key : nullptr)) return wrong;
      column = 0;
      row = begin;
    }
    return std::nullopt;
  }

  offence ragged(char const* row, char const* end, std::size_t columns, char const* origin) const
  {
    auto const fields = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " field" : " fields"); };
    return {static_cast<std::size_t>(row - origin), row == end ? "an empty line" : "a row of " + fields(columns),
            fields(layout_.columns)};
  }

  csv_options options_;
  csv_layout layout_;
  bool odd_quotes_ = false;  // in the bytes that `cut` has seen
};

}  // namespace

std::unique_ptr<reader> read_csv(input source, csv_options const& options, chunk_sizes sizes)
{
  if (options.delimiter == '"' || options.delimiter == '\n' || options.delimiter == '\r' || options.delimiter == '\0')
    throw usage_error("found a quote, line end or NUL as the delimiter of fields, expected another character");
  return std::make_unique<column_reader>(std::move(source), std::make_unique<csv_table>(options), options.rule,
                                         options.threads, sizes);
}

std::unique_ptr<reader> read_csv(input source, csv_options const& options)
{
  return read_csv(std::move(source), options, {});
}

}  // namespace tally::io
