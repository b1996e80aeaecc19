#pragma once

#include "tally/textbook/blelloch.hpp"
#include "tally/textbook/transfer.hpp"
#include "textbook/catalogue.hpp"

/// The cost of the scans of one block, as the course says it, for powers of two, and exactly for every n.
namespace tally::textbook::formulas {

inline std::size_t count(int value)
{
  return static_cast<std::size_t>(value);
}

/// Strides s = 1, 2, 4 .. < n: log2 n, rounded up.
inline int strides_below(int n)
{
  int strides = 0;
  for (int s = 1; s < n; s *= 2) ++strides;
  return strides;
}

/// Strides s = 1, 2, 4 .. with s <= n: log2 n + 1, rounded down.
inline int strides_to(int n)
{
  return n < 1 ? 0 : 1 + strides_to(n / 2);
}

inline int binary_ones(int k)
{
  return k < 1 ? 0 : k % 2 + binary_ones(k / 2);
}

// Loading and storing have a barrier each.

// One thread.
inline constexpr formula one_less = {"n - 1", [](int n) { return count(n - 1); }};
inline constexpr formula barriers_of_one_step = {"3", [](int) { return count(3); }};
inline constexpr formula all_pairs = {"n (n - 1) / 2", [](int n) { return count(n * (n - 1) / 2); }};
inline constexpr formula barriers_of_two_steps = {"4", [](int) { return count(4); }};

// Every element takes in the one s before it.
inline int all_strides(int n)
{
  int work = 0;
  for (int s = 1; s < n; s *= 2) work += n - s;
  return work;
}
inline constexpr formula every_stride = {"n log2 n - (n - 1)", [](int n) { return count(all_strides(n)); }};
inline constexpr formula logarithm = {"log2 n", [](int n) { return count(strides_below(n)); }};
inline constexpr formula two_barriers_a_stride = {"2 log2 n + 2",
                                                  [](int n) { return count(2 * strides_below(n) + 2); }};
inline constexpr formula barriers_in_pairs = {"log2 n + 2, with log2 n rounded up to an even number",
                                              [](int n) { return count(divide_up(strides_below(n), 2) * 2 + 2); }};

// Divide and conquer: k works at stride s if it has that bit.
inline constexpr formula every_bit = {"n/2 log2 n", [](int n) {
                                        int work = 0;
                                        for (int k = 0; k < n; ++k) work += binary_ones(k);
                                        return count(work);
                                      }};
inline constexpr formula one_barrier_a_stride = {"log2 n + 2", [](int n) { return count(strides_below(n) + 2); }};

// Up: a carry for each 1 that counting to n sets and clears again. Down: every k + 1 but the powers of two, once.
inline constexpr formula tree_and_back = {"2n - 2 - log2 n",
                                          [](int n) { return count((n - binary_ones(n)) + (n - strides_to(n))); }};
inline int tree_strides(int n)
{
  return strides_to(n / 2) + strides_to(n / 3);
}
inline constexpr formula tree_and_back_steps = {"2 log2 n - 1", [](int n) { return count(tree_strides(n)); }};
inline constexpr formula tree_and_back_barriers = {"2 log2 n + 1", [](int n) { return count(tree_strides(n) + 2); }};

// Two sweeps over a whole tree, without the subtrees where nothing is.
inline constexpr formula two_sweeps = {"2 (n - 1)", [](int n) {
                                         int sweep = 0;
                                         for (int s = 1; s < blelloch::room(n); s *= 2) sweep += divide_up(n, 2 * s);
                                         return count(2 * sweep);
                                       }};
inline constexpr formula two_sweeps_steps = {"2 log2 n",
                                             [](int n) { return count(2 * strides_below(blelloch::room(n))); }};
inline constexpr formula two_sweeps_barriers = {"2 log2 n + 2",
                                                [](int n) { return count(2 * strides_below(blelloch::room(n)) + 2); }};

// In each warp; on the totals of those before the last one; and one to take these in.
inline constexpr formula two_levels = {"161 n/32 - 32 + (n/32 - 1) (log2 n - 6)", [](int n) {
                                         int const before = (n - 1) / warp_lanes, rest = n - before * warp_lanes;
                                         return count(before * all_strides(warp_lanes) + all_strides(rest) +
                                                      all_strides(before) + (before > 0 ? n - warp_lanes : 0));
                                       }};
inline constexpr formula two_levels_steps = {"log2 n + 1, from n = 128 on", [](int n) {
                                               if (n <= warp_lanes) return count(strides_below(n));
                                               return count(5 + strides_below((n - 1) / warp_lanes) + 1);
                                             }};
inline constexpr formula two_levels_barriers = {"5, from n = 33 on",
                                                [](int n) { return count(n <= warp_lanes ? 3 : 5); }};

}  // namespace tally::textbook::formulas
