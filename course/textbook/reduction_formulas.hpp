#pragma once

#include <algorithm>

#include "textbook/block_scan_formulas.hpp"

/// The cost of the reductions, exactly for every n.
namespace tally::textbook::formulas {

inline std::size_t log2_up(int n)
{
  return formulas::count(formulas::strides_below(n));
}

inline std::size_t all_but_one(int n)
{
  return static_cast<std::size_t>(n - 1);
}

/// The launches of a two_launch_reduction: the sum of `of_launch(elements, blocks)` over them.
template <class F>
std::size_t over_launches(int n, int section, F const& of_launch)
{
  std::size_t sum = 0;
  for (;; n = divide_up(n, section)) {
    int const sections = divide_up(n, section);
    sum += of_launch(n, sections);
    if (sections == 1) return sum;
  }
}

/// Of a reduction that is a tree alone.
template <int Section>
std::size_t tree_steps(int n)
{
  return over_launches(n, Section, [](int m, int) { return log2_up(std::min(m, Section)); });
}
template <int Section>
std::size_t tree_and_load_barriers(int n)
{
  return over_launches(n, Section, [](int m, int) { return 1 + log2_up(std::min(m, Section)); });
}

inline constexpr formula n_less_one = {"n - 1", all_but_one};
inline constexpr formula log2_n = {"log2 n", log2_up};
inline constexpr formula log2_n_and_load = {"log2 n + 1", [](int n) { return log2_up(n) + 1; }};
inline constexpr formula none = {"0", [](int) { return std::size_t{0}; }};

}  // namespace tally::textbook::formulas
