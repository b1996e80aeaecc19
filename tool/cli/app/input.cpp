#include "app/input.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "input/source.hpp"
#include "io/files/input.hpp"
#include "io/files/output.hpp"
#include "values.hpp"

namespace tally::cli {

namespace {

template <class T>
void append(std::vector<T>& all, std::span<T const> values)
{
  all.insert(all.end(), values.begin(), values.end());
}

}  // namespace

option_page output_option()
{
  return {"-o,--output", "FILE",
          "Write to FILE instead of standard output. It appears under its name when it is complete.", completes::files};
}

option_page help_option()
{
  return {"-h,--help", "", "Show this help."};
}

void bind_output(parser& options, std::string& file)
{
  options.value("--output", file);
}

void keep_standard_input(input_settings const& input)
{
  if (std::find(input.files.begin(), input.files.end(), "-") != input.files.end()) io::input::keep_standard_input();
}

std::vector<double> read_doubles(input_settings const& input)
{
  source from(input, 0);
  io::batch batch;
  value_buffer room;
  std::vector<double> all;
  while (from.next(batch)) append(all, as_doubles(batch.values(), room));
  return all;
}

void for_each_integers(input_settings const& input, std::function<void(std::span<std::int64_t const>)> const& use)
{
  input_settings integers = input;
  if (!integers.type) integers.type = io::element_type::int64;  // text is then never rounded to doubles
  source from(integers, 0);
  io::batch batch;
  value_buffer room;
  while (from.next(batch)) {
    located(from, batch, [&] {
      use(std::get<std::span<std::int64_t const>>(read_as(batch.values(), io::element_type::int64, room)));
    });
  }
}

std::vector<std::int64_t> read_integers(input_settings const& input)
{
  std::vector<std::int64_t> all;
  for_each_integers(input, [&](std::span<std::int64_t const> values) { append(all, values); });
  return all;
}

numbers read_numbers(input_settings const& input)
{
  source from(input, 0);
  io::batch batch;
  value_buffer room;
  std::vector<std::int64_t> integers;
  while (from.next(batch)) {
    if (io::is_integer(io::type_of(batch.values()))) {
      located(from, batch, [&] {
        append(integers,
               std::get<std::span<std::int64_t const>>(converted(batch.values(), io::element_type::int64, room)));
      });
      continue;
    }
    // One value that is not an integer makes all of them doubles.
    std::vector<double> all(integers.begin(), integers.end());
    do append(all, as_doubles(batch.values(), room));
    while (from.next(batch));
    return all;
  }
  return integers;
}

std::string read_bytes(std::string const& file, io::unpacking how)
{
  io::input from = io::input::named(file, how);
  std::string bytes;
  if (auto const size = from.size()) {
    bytes.resize(static_cast<std::size_t>(*size));
    bytes.resize(from.read_full(bytes.data(), bytes.size()));
    return bytes;
  }
  constexpr std::size_t piece = std::size_t{1} << 20;
  for (std::size_t before = 0;; before = bytes.size()) {
    bytes.resize(before + piece);
    bytes.resize(before + from.read_full(bytes.data() + before, piece));
    if (bytes.size() < before + piece) return bytes;
  }
}

std::string name_of(std::string const& file)
{
  return file == "-" ? "(standard input)" : file;
}

void write_text(std::string const& file, std::string_view text)
{
  io::write_whole(io::output::named(file), text);
}

}  // namespace tally::cli
