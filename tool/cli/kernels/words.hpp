#pragma once

#include <string>
#include <vector>

#include "json.hpp"
#include "kernels/figures.hpp"

/// What the commands about kernels say in the same words.
namespace tally::cli {

/// The longest line.
inline constexpr std::size_t line_width = 118;

/// Lines of at most that many characters.
std::string wrapped(std::string const& text);

json json_of(std::vector<crossover> const& all);
json json_of(std::vector<left_out_kernel> const& all);

/// "a, b from p = 10 on; c from p = 683 on"
std::string list(std::vector<crossover> const& all);

/// Each in a line, with the reason; nothing if there are none.
std::string list(std::vector<left_out_kernel> const& all);

}  // namespace tally::cli
