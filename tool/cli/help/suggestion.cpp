#include "help/suggestion.hpp"

#include <algorithm>

namespace tally::cli {

std::size_t edit_distance(std::string_view a, std::string_view b)
{
  // The rows of the table for the prefixes of `a` of length i-2, i-1 and i.
  std::vector<std::size_t> two_before(b.size() + 1), before(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_before.swap(before);
    before.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const substitution = before[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, substitution});
      bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view word, std::vector<std::string_view> const& candidates)
{
  std::string small(word);  // names have small letters
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  std::string_view best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (std::string_view const candidate : candidates) {
    std::size_t const distance = std::min(edit_distance(word, candidate), edit_distance(small, candidate));
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  if (!best.empty() || word.size() < 3) return std::string(best);
  // A word that was cut short ("--out" for "--output") is meant too.
  auto const whole =
      std::find_if(candidates.begin(), candidates.end(), [&](std::string_view c) { return c.starts_with(word); });
  return whole == candidates.end() ? std::string{} : std::string(*whole);
}

std::string suggest(std::string_view word, std::vector<std::string_view> const& candidates)
{
  std::string const meant = nearest(word, candidates);
  return meant.empty() ? meant : " (did you mean '" + meant + "'?)";
}

}  // namespace tally::cli
