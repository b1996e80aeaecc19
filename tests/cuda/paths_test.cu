// Every path on a GPU at every remainder (paths.cuh): integers of one to eight bytes, in memory.
#include "paths_kinds.cuh"

namespace tally::test {
namespace {

/// Sums of bytes are added four to a register.
struct sums_of_bytes : in_memory_kind<std::uint8_t, plus> {
  static constexpr char const* name = "sums of bytes";
};
TEST(cuda_paths, of_sums_of_bytes)
{
  expect_everywhere<sums_of_bytes>();
}

struct bytes : in_memory_kind<std::uint8_t, exactly_composing> {
  static constexpr char const* name = "bytes";
};
TEST(cuda_paths, of_bytes)
{
  expect_everywhere<bytes>();
}

struct two_bytes : in_memory_kind<std::uint16_t, composing> {
  static constexpr char const* name = "two bytes";
};
TEST(cuda_paths, of_two_bytes)
{
  expect_everywhere<two_bytes>();
}

struct four_bytes : in_memory_kind<std::uint32_t, exactly_composing> {
  static constexpr char const* name = "four bytes";
};
TEST(cuda_paths, of_four_bytes)
{
  expect_everywhere<four_bytes>();
}

struct eight_bytes : in_memory_kind<std::uint64_t, composing> {
  static constexpr char const* name = "eight bytes";
};
TEST(cuda_paths, of_eight_bytes)
{
  expect_everywhere<eight_bytes>();
}

/// Read as two bytes, combined as four, written as eight.
struct converted : in_memory_kind<std::uint32_t, composing, std::uint16_t, std::uint64_t> {
  static constexpr char const* name = "converted";
};
TEST(cuda_paths, of_numbers_that_are_converted)
{
  expect_everywhere<converted>();
}

/// Each kernel that there is was launched, if all tests were run.
class every_kernel : public ::testing::Environment {
public:
  void TearDown() override
  {
    if (GTEST_FLAG_GET(filter) != "*" || std::getenv("TALLY_TEST_EVERY") != nullptr) return;
    for (int which = 0; which <= static_cast<int>(kernel::cluster); ++which)
      EXPECT_GT(visits::instance().counts[path_of(static_cast<kernel>(which))], 0u)
          << path_of(static_cast<kernel>(which)) << " was never taken";
    for (char const* const name : {"cuda: map, an index a thread", "cuda: map, several indices a thread",
                                   "cuda: teams, a block each", "cuda: teams, several blocks each"})
      EXPECT_GT(visits::instance().counts[name], 0u) << name << " was never taken";
    for (auto const& [name, count] : visits::instance().counts) std::printf("%12zu  %s\n", count, name.c_str());
  }
};
[[maybe_unused]] auto* const registered = ::testing::AddGlobalTestEnvironment(new every_kernel);

}  // namespace
}  // namespace tally::test
