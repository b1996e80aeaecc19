#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tally::cli {

/// The least number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
/// (optimal string alignment). O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, the first of equals. Empty if none is near: more than a third of the letters would
/// have to change.
std::string nearest(std::string_view word, std::vector<std::string_view> const& candidates);

/// " (did you mean 'x'?)", or nothing where no candidate is near.
std::string suggest(std::string_view word, std::vector<std::string_view> const& candidates);

}  // namespace tally::cli
