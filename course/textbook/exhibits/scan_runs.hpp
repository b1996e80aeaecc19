#pragma once

#include <string_view>
#include <vector>

#include "runs.hpp"
#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/sections.hpp"

/// Inputs and results of the runs of scans of one block.
namespace tally::textbook::exhibits {

inline std::vector<int> const sample = {3, 1, 7, 0, 4, 1, 6, 3};  // of the lecture notes
inline std::vector<int> const negatives = {-3, -1, -7, -4, -2, -6, -5, -8};

/// The output of a kernel of threads, as long as its input. `sizes` are the kernel's arguments between the arrays and
/// the operator.
template <class Kernel, class Op, class... Sizes>
trial by_threads(scan_kind kind, int threads, std::vector<int> const& values, Op op, Sizes... sizes)
{
  return tried([&](model::machine& on) {
    auto const in = on.input(values, "in"), out = on.allocate<model::traced<int>>(values.size(), "out");
    on.launch_threads(1, threads, Kernel{}, in, out, sizes..., on.watch<int>(op));
    expect_scan<int>(on, out, in, op, kind);
    return text(out);
  });
}

/// The same for an exclusive scan whose first argument is the output.
template <class Kernel, class Op>
trial bl_scan(std::vector<int> const& values, Op op)
{
  return tried([&](model::machine& on) {
    int const n = static_cast<int>(values.size());
    auto const in = on.input(values, "idata"), out = on.allocate<model::traced<int>>(values.size(), "odata");
    on.launch_threads(1, n / 2, Kernel{}, out, in, n, on.watch<int>(op));
    expect_scan<int>(on, out, in, op, scan_kind::exclusive);
    return text(out);
  });
}

/// The output of a kernel of the textbook.
template <class Kernel, class Op>
trial by_block(std::vector<int> const& values, Op op)
{
  return tried([&](model::machine& on) {
    auto const in = on.input(values, "in"), out = on.allocate<model::traced<int>>(values.size(), "out");
    on_one_block<Kernel>{}(on, in, out, static_cast<int>(values.size()), on.watch<int>(op));
    return text(out);
  });
}

template <class Scan>
trial scan(std::vector<int> const& values)
{
  return by_block<scan_of_sections<Scan>>(values, plus{});
}

constexpr std::string_view inclusive_sums = "The inclusive sums", exclusive_sums = "The exclusive sums";

}  // namespace tally::textbook::exhibits
