#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/figures.hpp"

namespace tally::cli {

/// The times of p processors for one graph of operations.
struct brent_times {
  std::string name;
  std::size_t work = 0;            ///< T_1
  std::size_t depth = 0;           ///< T_inf
  std::size_t widest = 0;          ///< the most operations that can be done at once
  std::vector<std::size_t> times;  ///< T_p of greedy schedules, for p = 1, 2, 4 ..
};

/// The result of `tally brent`.
struct brent_report {
  int n = 0;
  std::vector<brent_times> all;  ///< for the same p, up to the first that is not less than n
  std::vector<left_out_kernel> left_out;
  std::vector<crossover> crossovers;
};

/// T_p for p = 1, 2, 4 .. up to the first that is not less than n. Throws `error` unless T_1/p <= T_p <= T_1/p + T_inf
/// and T_inf <= T_p.
brent_times times_of(std::string name, model::dag const& operations, int n);
/// Throws `error` if a time is not within these bounds.
void check(brent_times const& each);
/// n operations, none of which needs another.
model::dag map_of(int n);

/// A line for each kernel.
std::string table(brent_report const& report);
/// A table for each kernel, with the bounds.
std::string tables(brent_report const& report);
std::string json_text(brent_report const& report);
/// As SVG. Requires at most `draw::chart::most_curves` kernels.
std::string plot(brent_report const& report);

}  // namespace tally::cli
