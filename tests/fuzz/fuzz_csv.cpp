#include "fuzz_input.hpp"
#include "io/tables/reader.hpp"
#include "io/text/column_reader.hpp"

using namespace tally::io;
using namespace tally::io::testing;

/// The rows of a table of any kind do not depend on chunks, threads, or a pipe; each has a key and a place.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
  choices const how(data, size);
  memory_file const file(how.rest);
  table_options options;
  options.delimiter = how.bit(0) ? '\t' : ',';
  options.first = !how.bit(1) ? first_row::values : how.bit(6) ? first_row::names : first_row::unsaid;
  options.columns = {how.bit(2) ? "2" : how.bit(1) ? "v" : "1"};
  if (how.bit(3)) options.keys = {"1"};
  options.numbers.rule = static_cast<number_rule>(how.second / 64 % 3);
  if (how.second % 4 == 3) options.comment = "1";
  options.threads = 1;
  table_kind kind = table_kind::csv;
  if (how.bit(7)) {
    constexpr table_kind kinds[] = {table_kind::csv, table_kind::blanks, table_kind::fixed_width, table_kind::unsaid};
    kind = kinds[how.second / 4 % 4];
    options.widths = {1, 2, 3};
    options.columns.emplace_back("1-2");
    options.lines = true;
    options.missing = {
        .rule = how.second / 16 % 2 == 0 ? missing_rule::skip : missing_rule::fill, .value = "0.5", .names = {"-"}};
  }
  auto const rows = [&](input source, chunk_sizes sizes) {
    return read_rows([&] { return read_table(std::move(source), kind, options, sizes); });
  };
  auto const whole = rows(file.source(how.unpack()), {});

  options.threads = how.bit(4) ? 2 : 1;
  chunk_sizes const small{.usual = 1 + how.second % 64};
  require(rows(file.source(how.unpack()), small) == whole, "small chunks read the same");
  if (how.bit(5) && how.rest.size() <= full_pipe::most) {
    full_pipe const pipe(how.rest);
    require(rows(pipe.source(how.unpack()), small) == whole, "a pipe reads the same");
  }
  // The rows that are too long do not depend on chunks either.
  std::size_t const longest = small.usual;
  auto const short_rows = rows(file.source(how.unpack()), {.longest = longest});
  for (std::size_t const usual : {std::size_t(1), 1 + longest / 2})
    require(rows(file.source(how.unpack()), {.usual = usual, .longest = longest}) == short_rows,
            "rows too long are refused the same in small chunks");

  everything const values = read_all([&] { return read_table(file.source(how.unpack()), kind, options, {}); });
  if (!values.error.empty()) return 0;
  require(values.keys.size() == (options.keys.empty() ? 0 : whole.size()), "every row has a key");
  auto const from = read_table(file.source(how.unpack()), kind, options, small);
  location last{"", 1, 0};
  batch next;
  while (from->next(next)) {
    for (std::size_t i = 0; i < next.rows; ++i) {
      location const place = from->locate(i);
      require(place.line > last.line || (place.line == last.line && place.column > last.column), "places ascend");
      last = place;
    }
  }
  return 0;
}
