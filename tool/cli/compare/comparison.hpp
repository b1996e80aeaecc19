#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/figures.hpp"

namespace tally::cli {

/// One row of the comparison.
struct compared_kernel {
  kernel_figures figures;
  std::vector<std::size_t> times;                     ///< T_p for each of `processors`
  std::optional<double> microseconds = std::nullopt;  ///< on a GPU, where it has run there
};

/// The processors for which the table has a column: a warp, and a block.
inline constexpr std::size_t processors[] = {32, 1024};

/// The result of `tally compare`.
struct comparison {
  int n = 0;
  std::optional<kernel_operation> op;  ///< if none is asked for: the sum, or what a kernel is made for
  std::vector<compared_kernel> kernels;
  std::vector<left_out_kernel> left_out;
  std::string gpu;  ///< its name, where the kernels have run on one
};

/// A column of the table, which --sort can name.
struct comparison_column {
  std::string_view name;
  std::string_view upper, lower;  ///< two lines of heading
  std::string_view meaning;
  std::size_t (*value)(compared_kernel const& of);  ///< null of the two columns of words
};
std::vector<comparison_column> const& comparison_columns();
std::vector<choice> const& column_choices();

/// Sorts by a column of `comparison_columns`, the least first; equal rows keep their order.
void sort(comparison& all, std::size_t column);

/// Runs the same kernels on the GPU, checks and times them. Requires: there is one. Throws `error` if a result is
/// wrong.
void add_gpu(comparison& all);
/// The time of a kernel on a GPU that its counts suggest, in microseconds: a rough rule (gpu.cpp).
double expected_microseconds(model::report const& counts);
/// The second table: expected and measured.
std::string gpu_table(comparison const& all);

std::string table(comparison const& all);
std::string json_text(comparison const& all);

}  // namespace tally::cli
