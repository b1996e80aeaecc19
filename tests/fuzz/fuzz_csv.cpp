#include "fuzz_input.hpp"
#include "io/column_reader.hpp"
#include "io/table_reader.hpp"

using namespace tally::io;
using namespace tally::io::testing;

/// The values do not depend on chunks, threads, or a pipe; each has a key and a place.
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
  options.threads = 1;
  everything const whole = read_all([&] { return read_table(file.source(), table_kind::csv, options, {}); });
  require(whole.keys.size() == (!options.keys.empty() ? whole.values.size() : 0), "every value has a key");

  options.threads = how.bit(4) ? 2 : 1;
  chunk_sizes const small{.usual = 1 + how.second % 64};
  require(read_all([&] { return read_table(file.source(), table_kind::csv, options, small); }) == whole, "small chunks read the same");
  if (how.bit(5) && how.rest.size() <= full_pipe::most) {
    full_pipe const pipe(how.rest);
    require(read_all([&] { return read_table(pipe.source(), table_kind::csv, options, small); }) == whole, "a pipe reads the same");
  }
  // The rows that are too long do not depend on chunks either.
  std::size_t const longest = small.usual;
  everything const short_rows = read_all([&] { return read_table(file.source(), table_kind::csv, options, {.longest = longest}); });
  for (std::size_t const usual : {std::size_t(1), 1 + longest / 2})
    require(read_all([&] { return read_table(file.source(), table_kind::csv, options, {.usual = usual, .longest = longest}); }) ==
                short_rows,
            "rows too long are refused the same in small chunks");

  if (!whole.error.empty()) return 0;
  auto const from = read_table(file.source(), table_kind::csv, options, small);
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
