// Every path of the applications (docs/testing.md), at every remainder, against plain loops. The tests are in
// paths_of_*.cpp.
#include <gtest/gtest.h>

#include "../support/visits.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/radix_sort/tuning.hpp"
#include "tally/detail/segments/tuning.hpp"
#include "tally/detail/tree/tuning.hpp"

namespace {

/// Sets the sizes that choose the paths, so that small arrays take all of them.
class small_sizes : public testing::Environment {
public:
  void SetUp() override
  {
    tally::cpu_backend::tuning_in_use().kept_bytes = 20'000;
    tally::cpu_backend::tuning_in_use().long_sequence = 4096;
    tally::detail::segments::tuning_in_use.blocks_of_a_long_segment = 1;
    tally::detail::radix_sort::tuning_in_use = {.blocks = 4, .least_block = 64, .most_block = 256};
    auto& trees = tally::detail::tree::tuning_in_use;
    trees.tour_block = 100;
    trees.least_range_bits = 5;
    trees.most_ranges = 40;
    trees.sections_a_draw = 40;
  }
};

[[maybe_unused]] auto* const sizes = testing::AddGlobalTestEnvironment(new small_sizes);
[[maybe_unused]] auto* const counted = testing::AddGlobalTestEnvironment(
    new tally::test::visits({"include/tally/algorithms", "include/tally/detail", "include/tally/sequences.hpp",
                             "src/cpu/compress.cpp", "src/cpu/even_bins.cpp", "src/cpu/memory.cpp"},
                            {"include/tally/detail/cpu", "include/tally/detail/cuda", "include/tally/detail/batch",
                             "include/tally/detail/ranks", "include/tally/detail/nccl"}));

}  // namespace
