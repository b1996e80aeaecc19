#pragma once

#include <string>
#include <vector>

#include "kernels/figures.hpp"
#include "output/json.hpp"

/// Texts that the commands about kernels share.
namespace tally::cli {

/// The length of the longest line.
inline constexpr std::size_t line_width = 118;

/// The text in lines of at most `line_width` characters.
std::string wrapped(std::string const& text);

json json_of(std::vector<crossover> const& all);
json json_of(std::vector<left_out_kernel> const& all);

/// "a, b from p = 10 on; c from p = 683 on"
std::string list(std::vector<crossover> const& all);

/// Each kernel on a line, with the reason; empty if there are none.
std::string list(std::vector<left_out_kernel> const& all);

}  // namespace tally::cli
