#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tally/model/report.hpp"

/// Traps of the course material, kept wrong on purpose, each beside the right kernel, with the findings of the model
/// machine.
namespace tally::textbook {

/// A part of a header in course/include/tally/textbook.
struct excerpt {
  std::string_view header;  ///< "exhibits/in_place_sum.hpp"
  std::string_view begins;  ///< "struct in_place_sum": a piece of its first line; it ends with the struct
};

/// The result and the counts of a run.
struct trial {
  std::string result;
  model::report counts;
};

struct exhibit_run {
  trial wrong, fixed;
  std::string expected;  ///< the right result, by a plain loop
};

struct exhibit {
  std::string_view name;   ///< "in-place-sum": what the tool calls it
  std::string_view title;  ///< a heading, and a line of the list
  std::string_view from;   ///< the document
  std::string_view says;   ///< the statement of the document, in other words
  std::string_view why;    ///< the mistake, a paragraph
  excerpt wrong;
  std::string_view line;  ///< the wrong line of it, or the comment in place of a missing line
  excerpt fix;
  std::string_view shows;  ///< the name of the results: "The sums", "Wavefronts"
  exhibit_run (*run)();
};

/// All exhibits: reductions, then scans of a block, then kernels of several blocks.
std::vector<exhibit> const& all_exhibits();

/// The exhibit of that name, or null.
exhibit const* find_exhibit(std::string_view name);

/// The lines of an excerpt, from its template's to its closing brace, and the number of the first.
struct numbered_lines {
  std::size_t first = 0;  ///< 0: there is no such excerpt
  std::vector<std::string_view> lines;
};
numbered_lines lines_of(excerpt const& which);

/// The number, in its file, of the line of an excerpt that is `text` apart from its indentation; 0 if there is none, or
/// several.
std::size_t line_number(excerpt const& where, std::string_view text);

/// The exhibits of one kind, each kind in a file of its own.
std::vector<exhibit> reduction_exhibits();
std::vector<exhibit> hillis_steele_exhibits();
std::vector<exhibit> tree_scan_exhibits();
std::vector<exhibit> grid_exhibits();

}  // namespace tally::textbook
