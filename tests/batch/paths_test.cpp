// Every path of batches on a CPU is taken by some test of this program.
#include <gtest/gtest.h>

#include "../support/visits.hpp"

namespace {

[[maybe_unused]] auto* const counted = testing::AddGlobalTestEnvironment(
    new tally::test::visits({"include/tally/detail/batch"}, {"include/tally/detail/batch/host_recurrences.hpp"}));

}  // namespace
