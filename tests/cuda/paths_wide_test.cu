// Every path on a GPU at every remainder (paths.cuh): structs of 16 bytes and more, in memory.
#include "paths_kinds.cuh"

namespace tally::test {
namespace {

struct sixteen_bytes : in_memory_kind<wide_map<2>, exactly_composing> {
  static constexpr char const* name = "16 bytes";
};
TEST(cuda_paths, of_16_bytes)
{
  expect_everywhere<sixteen_bytes>();
}

/// A group is one element here, and a ring has one warp that folds.
struct twenty_four_bytes : in_memory_kind<wide_map<3>, composing> {
  static constexpr char const* name = "24 bytes";
};
TEST(cuda_paths, of_24_bytes)
{
  static_assert(calls<twenty_four_bytes>::fits_ring);
  expect_everywhere<twenty_four_bytes>();
}

/// Too large for a ring.
struct forty_bytes : in_memory_kind<wide_map<5>, exactly_composing> {
  static constexpr char const* name = "40 bytes";
};
TEST(cuda_paths, of_40_bytes)
{
  static_assert(!calls<forty_bytes>::fits_ring);
  expect_everywhere<forty_bytes>();
}

}  // namespace
}  // namespace tally::test
