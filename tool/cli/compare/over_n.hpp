#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/comparison.hpp"

namespace tally::cli {

/// One figure of every kernel, over the number of elements.
struct comparison_over_n {
  std::string figure;      ///< "T_32", "work": the name in the output
  std::string meaning;     ///< "the time of 32 processors"
  std::vector<int> sizes;  ///< powers of two

  struct row {
    textbook::kernel_entry const* kernel;
    std::vector<std::optional<std::size_t>> values;  ///< for each size; none where the kernel does not take as many
  };
  std::vector<row> rows;

  /// The kernel with the least value of those that give the same kind of result, from a size on. Of equals the first.
  struct lead {
    int from;
    textbook::kernel_entry const* kernel;
    std::size_t value;
  };
  std::vector<lead> scans, reductions;  ///< empty where fewer than two kernels are of that kind
};

/// The figure of a kernel that has run.
struct compared_figure {
  std::string name, meaning;
  std::size_t (*column)(compared_kernel const& of) = nullptr;  ///< null: the time of `processors`
  std::size_t processors = 0;
};

/// Runs the kernels on 2, 4, 8 .. up to `most` elements.
comparison_over_n over_n(std::vector<textbook::kernel_entry const*> const& kernels, int most,
                         std::optional<kernel_operation> op, compared_figure const& figure);

/// The rows of these kernels alone.
comparison_over_n part(comparison_over_n const& all, std::span<std::string_view const> names);

std::string table(comparison_over_n const& all);
std::string json_text(comparison_over_n const& all);
/// As SVG. Requires at most `draw::chart::most_curves` kernels.
std::string plot(comparison_over_n const& all);

}  // namespace tally::cli
