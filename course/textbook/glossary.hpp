#pragma once

#include <string_view>
#include <vector>

/// The words of the textbook: what each term in an output, a drawing or a page means.
namespace tally::textbook {

struct glossary_term {
  std::string_view name;     ///< "warp-step"
  std::string_view meaning;  ///< a sentence or two, in words that are everyday ones or in the glossary
};

/// The terms of one subject, in the order in which they build on each other.
struct glossary_part {
  std::string_view subject;  ///< "Work and time"
  std::vector<glossary_term> terms;
};

std::vector<glossary_part> const& glossary();

}  // namespace tally::textbook
