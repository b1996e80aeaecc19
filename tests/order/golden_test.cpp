#include "golden_files.hpp"

#include <unistd.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace tally::test::golden {
namespace {

TEST(golden, the_reference_gives_every_bit)
{
  for_each_file([]<class Case, class T>() {
    EXPECT_EQ((rows<Case, T>(by_reference{})), (rows_in<Case, T>(folder(TALLY_GOLDEN_FOLDER))))
        << (file_name<Case, T>());
  });
}

TEST(golden, the_reference_gives_every_bit_of_recurrences)
{
  for_each_recurrence_file([]<class T>() {
    std::string const path = folder(TALLY_GOLDEN_FOLDER) + "/" + recurrence_file_name<T>();
    EXPECT_EQ((recurrence_rows<T>(recurrences_by_reference{})), rows_of_file(path)) << path;
    EXPECT_TRUE(read(path).starts_with(recurrence_header<T>())) << path;
  });
}

TEST(golden, the_comments_state_the_rule_that_made_the_inputs)
{
  for_each_file([]<class Case, class T>() {
    std::string const text = read(folder(TALLY_GOLDEN_FOLDER) + "/" + file_name<Case, T>());
    EXPECT_TRUE(text.starts_with(header<Case, T>())) << (file_name<Case, T>());
  });
}

TEST(golden, files_are_found_beside_a_program_that_was_carried_elsewhere)
{
  std::filesystem::path const bundle =
      std::filesystem::path(testing::TempDir()) / ("tally_bundle" + std::to_string(getpid()));
  std::filesystem::create_directories(bundle / "golden");
  EXPECT_EQ(folder("checkout", bundle / "program"), bundle / "golden");
  EXPECT_EQ(folder("checkout", bundle / "golden" / "program"), "checkout");
  EXPECT_EQ(folder(TALLY_GOLDEN_FOLDER), TALLY_GOLDEN_FOLDER);
  std::filesystem::remove_all(bundle);
}

TEST(golden, a_changed_bit_changes_the_rows)
{
  auto const off_by_one_bit = []<class T, class Op>(std::vector<T> const& x, Op op, T const& init) {
    answers<T> a = by_reference{}(x, op, init);
    if (x.size() == 33) a.exclusive[17] = std::bit_cast<T>(bits_of(a.exclusive[17]) ^ 1);
    return a;
  };
  auto const rows_of_33 = [](auto const& compute) {
    answers<float> const a = compute(input<sums, float>(33), plus{}, 1.0f);
    return hash(a.exclusive);
  };
  EXPECT_NE(rows_of_33(off_by_one_bit), rows_of_33(by_reference{}));
}

}  // namespace
}  // namespace tally::test::golden
