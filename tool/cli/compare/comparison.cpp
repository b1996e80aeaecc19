#include "compare/comparison.hpp"

#include <algorithm>

namespace tally::cli {

std::vector<comparison_column> const& comparison_columns()
{
  using one = compared_kernel const&;
  static std::vector<comparison_column> const all = {
      {"kernel", "", "kernel", "its name", nullptr},
      {"result", "", "result", "a reduction, an inclusive or exclusive scan, or a histogram", nullptr},
      {"work", "", "work", "applications of op: T_1, the time of one processor",
       [](one of) { return of.figures.operations.work(); }},
      {"depth", "", "depth", "the longest chain of them: T_inf, the time of unlimited processors",
       [](one of) { return of.figures.operations.depth(); }},
      {"T_32", "", "T_32", "the time of 32 processors", [](one of) { return of.times[0]; }},
      {"T_1024", "", "T_1024", "the time of 1024 processors", [](one of) { return of.times[1]; }},
      {"steps", "", "steps", "applications of op one after the other, as the kernel is written",
       [](one of) { return of.figures.counts.steps; }},
      {"barriers", "bar-", "riers", "of a block, over all launches", [](one of) { return of.figures.counts.barriers; }},
      {"wavefronts", "wave-", "fronts", "passes over shared memory, without loading and storing",
       [](one of) { return of.figures.counts.shared.wavefronts; }},
      {"ideal", "", "ideal", "what they would be if no two words met in one bank",
       [](one of) { return of.figures.counts.shared.ideal; }},
      {"degree", "worst", "bank", "the most words that met in one bank",
       [](one of) { return static_cast<std::size_t>(of.figures.counts.shared.worst_degree); }},
      {"warp-steps", "warp-", "steps", "steps of warps, without loading and storing",
       [](one of) { return of.figures.counts.warps.steps; }},
      {"divergent", "diver-", "gent", "those of them whose lanes do not all do the same",
       [](one of) { return of.figures.counts.warps.divergent; }},
      {"sectors", "sec-", "tors", "32 bytes of global memory each, read or written by a warp at once",
       [](one of) { return of.figures.counts.global.sectors_read + of.figures.counts.global.sectors_written; }},
  };
  return all;
}

std::vector<choice> const& column_choices()
{
  static std::vector<choice> const all = [] {
    std::vector<choice> choices;
    for (comparison_column const& each : comparison_columns()) choices.push_back({each.name, each.meaning});
    return choices;
  }();
  return all;
}

void sort(comparison& all, std::size_t column)
{
  auto const less = [&](compared_kernel const& a, compared_kernel const& b) {
    textbook::kernel_entry const &first = *a.figures.kernel, &second = *b.figures.kernel;
    if (column == 0) return first.name < second.name;
    if (column == 1) return first.result < second.result;
    auto const value = comparison_columns()[column].value;
    return value(a) < value(b);
  };
  std::stable_sort(all.kernels.begin(), all.kernels.end(), less);
}

}  // namespace tally::cli
