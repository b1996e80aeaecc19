#pragma once

#include "tally/textbook/block.hpp"

/// Copies between global and shared memory, the same for every kernel: neighbouring threads take neighbouring elements,
/// so that a warp's accesses are whole sectors.
namespace tally::textbook {

/// to[k] = from[k] for k in [0, n), by one step.
template <block Block, class From, class To>
TALLY_HD void copy(Block const& block, From from, To to, int n)
{
  block.step([&](int t) {
    for (int k = t; k < n; k += block.size()) to[k] = from[k];
  });
}

/// The same, and `rest` in [n, padded): the identity, which makes a tree complete.
template <block Block, class From, class To, class E>
TALLY_HD void copy_and_fill(Block const& block, From from, To to, int n, int padded, E const& rest)
{
  block.step([&](int t) {
    for (int k = t; k < padded; k += block.size()) {
      if (k < n)
        to[k] = from[k];
      else
        to[k] = rest;
    }
  });
}

/// The same one place later, after `first`: an inclusive scan of this is the exclusive one of `from`. The whole array
/// has one identity only: a later section is preceded by the element before it.
template <block Block, class From, class To, class E>
TALLY_HD void copy_shifted(Block const& block, From from, To to, int n, int padded, E const& first, bool begins)
{
  block.step([&](int t) {
    for (int k = t; k < padded; k += block.size()) {
      if (k < n && (k > 0 || !begins))
        to[k] = from[k - 1];
      else
        to[k] = first;
    }
  });
}

/// The least power of two that is not less than n.
TALLY_HD constexpr int power_of_two_from(int n)
{
  int p = 1;
  while (p < n) p *= 2;
  return p;
}

/// The greatest power of two that is not more than n; 0 if there is none.
TALLY_HD constexpr int power_of_two_to(int n)
{
  return n < 1 ? 0 : power_of_two_from(n / 2 + 1);
}

/// The least whole number that is not less than n / d.
TALLY_HD constexpr int divide_up(int n, int d)
{
  return (n + d - 1) / d;
}

}  // namespace tally::textbook
