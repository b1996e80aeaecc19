#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tally/model/report.hpp"

/// Traps of the course material, kept wrong on purpose, each with what the model machine finds and with the right
/// kernel beside it.
namespace tally::textbook {

/// Where something stands: a header in course/include/tally/textbook, and a piece of the line that it begins at.
struct excerpt {
  std::string_view header;  ///< "exhibits/in_place_sum.hpp"
  std::string_view begins;  ///< "struct in_place_sum": from there to the end of the struct
};

/// What a run leaves.
struct trial {
  std::string result;
  model::report counts;
};

struct exhibit_run {
  trial wrong, fixed;
  std::string expected;  ///< what the result should be, by a plain loop
};

struct exhibit {
  std::string_view name;   ///< "in-place-sum": what the tool calls it
  std::string_view title;  ///< a heading, and a line of the list
  std::string_view from;   ///< which document
  std::string_view says;   ///< what that says, in other words
  std::string_view why;    ///< what is wrong with it, a paragraph
  excerpt wrong;
  std::string_view line;  ///< the line of it that is wrong, or the comment that stands where one is missing
  excerpt fix;
  std::string_view shows;  ///< what the results are: "The sums", "Wavefronts"
  exhibit_run (*run)();
};

/// All of them, reductions first, then the scans of a block, then what spans blocks.
std::vector<exhibit> const& all_exhibits();

/// The one of that name, or null.
exhibit const* find_exhibit(std::string_view name);

/// The lines of an excerpt, from its template's to its closing brace, and the number of the first.
struct numbered_lines {
  std::size_t first = 0;  ///< 0: there is no such excerpt
  std::vector<std::string_view> lines;
};
numbered_lines lines_of(excerpt const& which);

/// The number in its file of the line of an excerpt that is `text` but for its indentation; 0 if there is none, or
/// several.
std::size_t line_number(excerpt const& where, std::string_view text);

/// The parts of the catalogue, each in a file of its own.
std::vector<exhibit> reduction_exhibits();
std::vector<exhibit> hillis_steele_exhibits();
std::vector<exhibit> tree_scan_exhibits();
std::vector<exhibit> grid_exhibits();

}  // namespace tally::textbook
