#include <algorithm>

#include "fuzz_input.hpp"
#include "io/text/column_reader.hpp"
#include "io/text/reader.hpp"
#include "io/writer.hpp"

using namespace tally::io;
using namespace tally::io::testing;

namespace {

/// The ways in which numbers may be written.
number_reading const ways[] = {{.rule = number_rule::instants},
                               {.rule = number_rule::durations},
                               {.rule = number_rule::decimals},
                               {.thousands = ","},
                               {.point = ',', .thousands = "\xe2\x80\xaf", .units = {"$", "%", "()"}},
                               {.notation = number_notation::si},
                               {.notation = number_notation::iec, .point = ','},
                               {.notation = number_notation::hexadecimal}};

/// Decimals and times that are written in their own way read back the same.
void read_units_back(everything const& whole, reader& from, text_options const& options)
{
  memory_file const copy;
  text_writer to(copy.target(),
                 {.style = {.point = options.numbers.point, .thousands = options.numbers.thousands}, .threads = 1});
  batch next;
  while (from.next(next)) {
    to.set_form(next.columns[0].form);
    to.write(next.values());
  }
  to.finish();
  everything const back = read_all([&] { return read_text(copy.source(unpacking::none), options, {}); });
  require(back.values == whole.values && back.error.empty(), "the same decimals and times are read back");
}

}  // namespace

/// The values do not depend on chunks, threads, or a pipe; values that are written read back the same.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
  choices const how(data, size);
  memory_file const file(how.rest);
  text_options options{
      .numbers = how.second < 64 ? number_reading{} : ways[how.first >> 5], .one_a_line = how.bit(2), .threads = 1};
  if (unit_of(options.numbers.rule) == number_unit::one) options.numbers.rule = static_cast<number_rule>(how.first % 4);
  everything const whole = read_all([&] { return read_text(file.source(how.unpack()), options, {}); });

  options.threads = how.bit(3) ? 2 : 1;
  chunk_sizes const small{.usual = 1 + how.second % 64};
  require(read_all([&] { return read_text(file.source(how.unpack()), options, small); }) == whole,
          "small chunks read the same");
  if (how.bit(4) && how.rest.size() <= full_pipe::most) {
    full_pipe const pipe(how.rest);
    require(read_all([&] { return read_text(pipe.source(how.unpack()), options, small); }) == whole,
            "a pipe reads the same");
  }
  // The tokens that are too long do not depend on chunks either.
  std::size_t const longest = small.usual;
  everything const short_ones =
      read_all([&] { return read_text(file.source(how.unpack()), options, {.longest = longest}); });
  for (std::size_t const usual : {std::size_t(1), 1 + longest / 2})
    require(read_all([&] {
              return read_text(file.source(how.unpack()), options, {.usual = usual, .longest = longest});
            }) == short_ones,
            "tokens too long are refused the same in small chunks");

  if (!whole.error.empty()) return 0;
  bool const hexadecimal = options.numbers.notation == number_notation::hexadecimal;
  if (unit_of(options.numbers.rule) != number_unit::one && !hexadecimal)
    read_units_back(whole, *read_text(file.source(how.unpack()), options, small), options);
  if (!options.numbers.plain()) return 0;
  memory_file const copy;
  text_writer to(copy.target(), {.threads = 1});
  auto const from = read_text(file.source(how.unpack()), options, small);
  batch next;
  while (from->next(next)) to.write(next.values());
  to.finish();
  // Whole doubles are written as integers; if all values are whole, only reading them as doubles gives doubles.
  auto const reread = [&] {
    return read_text(copy.source(unpacking::none), {.numbers = options.numbers, .threads = 1}, {});
  };
  everything const back = read_all(reread);
  require(back.values.size() == whole.values.size(), "as many values are read back");
  bool const floating = options.numbers.rule == number_rule::floating;
  options.numbers.rule = number_rule::floating;
  everything doubles = read_all([&] { return read_text(file.source(how.unpack()), options, {}); });
  everything again =
      read_all([&] { return read_text(copy.source(unpacking::none), {.numbers = options.numbers, .threads = 1}, {}); });
  // A value read as the integer 0 is written as 0, and may have been -0.
  for (everything* const each : {&doubles, &again})
    if (!floating) std::replace(each->values.begin(), each->values.end(), word(-0.0), word(0.0));
  require(doubles.values == again.values, "the same doubles are read back");
  return 0;
}
