#pragma once

#include <cstddef>
#include <span>
#include <string_view>

/// The textbook's headers as text, as they were when Tally was built: an installed tool has no source tree.
namespace tally::textbook {

struct source {
  std::string_view header;  ///< "hillis_steele.hpp", "exhibits/in_place.hpp": below course/include/tally/textbook
  std::string_view text;
};

/// All of them, sorted by name.
std::span<source const> sources();

/// The text of one; empty if there is none of that name. A longer path will do, as compilers and `place::file` give it.
std::string_view source_of(std::string_view header);

/// Its line of that number, 1 the first, without the line's end; empty if it has fewer.
std::string_view line_of(std::string_view header, std::size_t number);

}  // namespace tally::textbook
