#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tally/algorithms/allocate.hpp>

#include "app/application.hpp"
#include "app/input.hpp"
#include "help/pages/pages.hpp"
#include "io/numbers/number.hpp"
#include "settings/parser.hpp"
#include "values.hpp"

namespace tally::cli {

namespace {

command_page const& allocate_page()
{
  static command_page const page = {
      .name = "app allocate",
      .summary = "places for pieces of given sizes",
      .usage = "tally app allocate [OPTION...] [FILE...]",
      .description =
          {"Reads the sizes of pieces that are placed one after the other, and writes where each begins, one a line. "
           "The last line is the end of the last piece: the room needed.",
           "Camp slots, stalls of a market, memory of threads, buffers of messages: an exclusive scan places them "
           "all."},
      .options = {column_options(),
                  {"Places",
                   {{"--align", "N", "Begin each piece at a multiple of N; 1 if not given."},
                    {"--capacity", "N", "The room. A piece that ends behind it is an error that names the piece."}}},
                  {"Output", {output_option(), help_option()}}},
      .sections = {exit_section()},
      .examples = {
          {"Buffers on cache lines, within 4 KiB:", "tally app allocate --align 64 --capacity 4096 messages.txt"}}};
  return page;
}

command_page const& cut_page()
{
  static command_page const page = {
      .name = "app cut",
      .summary = "cut something long into portions",
      .usage = "tally app cut --length N [OPTION...] [FILE...]",
      .description =
          {"Reads portions, and prints where to cut a sausage of that length and how much is left. A portion of 0 is a "
           "cut at the same place."},
      .options = {column_options(),
                  {"Sausage", {{"--length", "N", "Its length. A portion that does not fit is an error."}}},
                  {"Output", {help_option()}}},
      .sections = {exit_section()},
      .examples = {{"Ten people and a hundred inches:", "echo 3 5 2 7 28 4 3 0 8 1 | tally app cut --length 100"}}};
  return page;
}

std::uint64_t size_option(std::string_view option, std::string const& text, std::uint64_t least)
{
  std::uint64_t value = 0;
  auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || value < least || value > INT64_MAX)
    throw command_line_error(std::string(option) + " takes a whole number from " + std::to_string(least) + " to " +
                             std::to_string(INT64_MAX) + ", not '" + text + "'");
  return value;
}

struct allocated_pieces {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> begins;  ///< of the pieces
  std::int64_t end = 0;              ///< of the last one
};

/// Throws `value_problem` for the first of `sizes` that does not fit from `begin` on, `before` other pieces having been
/// placed.
[[noreturn]] void refuse_piece(std::span<std::int64_t const> sizes, allocation_error const& error, std::size_t before,
                               std::uint64_t begin, std::uint64_t alignment, std::uint64_t most)
{
  std::size_t const piece = error.piece();
  std::string const found = "piece " + std::to_string(before + piece + 1) + " of " + std::to_string(sizes[piece]);
  if (sizes[piece] < 0) throw value_problem(piece, found, "a size that is not negative");
  // The sizes before it fit; it would begin at their end, rounded up.
  std::vector<std::int64_t> fitting(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(piece) + 1);
  fitting.back() = 0;
  std::vector<std::int64_t> begins(fitting.size());
  try {
    begin += tally::allocate(fitting.begin(), fitting.end(), begins.begin(), {alignment, most - begin});
  } catch (allocation_error const&) {
    begin = most;  // the rounded-up begin is beyond the largest integer
  }
  throw value_problem(piece, found,
                      "at most " + std::to_string(most - begin) + ", which is left of " + std::to_string(most));
}

/// Places the pieces of the input batch by batch, so that an error about one has its line even if the input is a pipe.
allocated_pieces allocate_input(input_settings const& input, allocation_rules rules)
{
  std::uint64_t const most = std::min<std::uint64_t>(rules.capacity, INT64_MAX);
  allocated_pieces all;
  for_each_integers(input, [&](std::span<std::int64_t const> sizes) {
    std::size_t const before = all.sizes.size();
    auto const behind = static_cast<std::uint64_t>(all.end) % rules.alignment;
    std::uint64_t const gap = behind == 0 ? 0 : rules.alignment - behind;
    std::uint64_t const room = most - static_cast<std::uint64_t>(all.end);
    std::uint64_t const begin = static_cast<std::uint64_t>(all.end) + std::min(gap, room);
    all.sizes.insert(all.sizes.end(), sizes.begin(), sizes.end());
    all.begins.resize(all.sizes.size());
    auto const begins = all.begins.begin() + static_cast<std::ptrdiff_t>(before);
    try {
      if (gap > room) throw allocation_error("no room behind the gap", 0);
      std::uint64_t const end =
          begin + tally::allocate(sizes.begin(), sizes.end(), begins, {rules.alignment, most - begin});
      for (auto each = begins; each != all.begins.end(); ++each) *each += static_cast<std::int64_t>(begin);
      all.end = static_cast<std::int64_t>(end);
    } catch (allocation_error const& error) {
      refuse_piece(sizes, error, before, begin, rules.alignment, most);
    }
  });
  return all;
}

void run_allocate(std::vector<std::string> const& words)
{
  input_settings input;
  allocation_rules rules;
  std::string output = "-";
  parser options(allocate_page());
  bind_input(options, input);
  options.value("--align", [&](std::string const& text) { rules.alignment = size_option("--align", text, 1); });
  options.value("--capacity", [&](std::string const& text) { rules.capacity = size_option("--capacity", text, 0); });
  bind_output(options, output);
  options.parse(words);
  complete_input(input);
  allocated_pieces const pieces = allocate_input(input, rules);
  write_text(output, lines(pieces.begins) + io::to_text(pieces.end) + '\n');
}

void run_cut(std::vector<std::string> const& words)
{
  input_settings input;
  std::optional<std::uint64_t> length;
  parser options(cut_page());
  bind_input(options, input);
  options.value("--length", [&](std::string const& text) { length = size_option("--length", text, 0); });
  options.parse(words);
  if (!length) throw command_line_error("--length is missing: how long is the sausage?");
  complete_input(input);
  allocated_pieces const portions = allocate_input(input, {.capacity = *length});
  std::string text = "cut at";
  for (std::size_t k = 0; k < portions.sizes.size(); ++k)
    text += ' ' + io::to_text(portions.begins[k] + portions.sizes[k]);
  if (portions.sizes.empty()) text = "no cut";
  text += '\n' + io::to_text(static_cast<std::int64_t>(*length) - portions.end) + " of " +
          io::to_text(static_cast<std::int64_t>(*length)) + " left\n";
  write_text("-", text);
}

}  // namespace

command allocate_application()
{
  return {allocate_page(), run_allocate};
}
command cut_application()
{
  return {cut_page(), run_cut};
}

}  // namespace tally::cli
