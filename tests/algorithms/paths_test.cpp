// Every path of the applications (docs/testing.md): each is taken, at every remainder, and each result is that of a
// plain loop. The tests stand in paths_of_*.cpp.
#include <gtest/gtest.h>

#include "../support/visits.hpp"
#include "tally/detail/application_tuning.hpp"
#include "tally/detail/cpu/tuning.hpp"

namespace {

/// Sets the sizes by which paths are chosen, so that small arrays take all of them.
class small_sizes : public testing::Environment {
public:
  void SetUp() override
  {
    tally::cpu_backend::tuning_in_use().kept_bytes = 20'000;
    auto& sizes = tally::detail::tuning_of_applications;
    sizes.blocks_of_a_long_segment = 1;
    sizes.radix_blocks = 4;
    sizes.radix_least_block = 64;
    sizes.radix_most_block = 256;
    sizes.tour_block = 100;
    sizes.least_range_bits = 5;
    sizes.most_ranges = 40;
    sizes.sections_a_draw = 40;
  }
};

[[maybe_unused]] auto* const sizes = testing::AddGlobalTestEnvironment(new small_sizes);
[[maybe_unused]] auto* const counted = testing::AddGlobalTestEnvironment(
    new tally::test::visits({"include/tally/algorithms", "include/tally/for_each.hpp", "include/tally/sequences.hpp",
                             "src/cpu/compress.cpp", "src/cpu/even_bins.cpp", "src/cpu/memory.cpp"}));

}  // namespace
