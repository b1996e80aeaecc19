// Every path of batches on a CPU is taken by some test of this program.
#include <gtest/gtest.h>

#include "../support/visits.hpp"
#include "tally/detail/cpu/tuning.hpp"

namespace {

/// Small arrays take the paths of large ones.
class small_sizes : public testing::Environment {
public:
  void SetUp() override { tally::cpu_backend::tuning_in_use().gathered_distance = 64; }
};

[[maybe_unused]] auto* const sizes = testing::AddGlobalTestEnvironment(new small_sizes);
[[maybe_unused]] auto* const counted =
    testing::AddGlobalTestEnvironment(new tally::test::visits({"include/tally/detail/batch"}));

}  // namespace
