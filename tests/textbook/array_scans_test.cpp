// The catalogue's scans of whole arrays: right for any n, over several levels, in order, with the counts of their
// formulas.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/sizes.hpp"
#include "scan_oracle.hpp"
#include "tally/textbook/brent_kung.hpp"
#include "tally/textbook/hillis_steele.hpp"
#include "tally/textbook/kogge_stone.hpp"
#include "tally/textbook/scan_scan_add.hpp"
#include "tally/textbook/sklansky.hpp"
#include "textbook/catalogue.hpp"

namespace tally::textbook {
namespace {

class array_scan : public testing::TestWithParam<std::string> {
protected:
  kernel_entry const& kernel(blocks size = blocks::full) const { return *find_kernel(GetParam(), size); }
  void expect_formulas(model::machine const& on, int n, blocks size = blocks::full) const
  {
    EXPECT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
    EXPECT_EQ(on.operations().work(), kernel(size).work.value(n));
    EXPECT_EQ(on.counts().steps, kernel(size).steps.value(n));
    EXPECT_EQ(on.counts().barriers, kernel(size).barriers.value(n));
  }
};

TEST_P(array_scan, keeps_the_order_of_operands_and_its_formulas_for_any_n)
{
  std::vector<int> sizes = test::every_size_to(300);
  for (int const n : {511, 512, 513, 514, 767, 768, 769, 1023, 1024, 1025, 1535, 1536, 1537, 2048, 2049, 5000, 16384})
    sizes.push_back(n);
  for (int const n : sizes) {
    SCOPED_TRACE(n);
    model::machine on;
    std::vector<letters> const in = alphabet(n);
    outcome const result = run(kernel(), on, in);
    ASSERT_EQ(std::get<std::vector<letters>>(result.result), scanned(in, join{}, kernel().result));
    expect_formulas(on, n);
    ASSERT_FALSE(HasFailure());
  }
}

std::vector<int> distinct(int n)
{
  std::vector<int> result;
  for (int k = 0; k < n; ++k) result.push_back(static_cast<int>(k * 7919LL % 1'000'003) - 1'000'004);
  return result;
}

/// Sections of four elements: several levels.
TEST_P(array_scan, of_small_blocks_keeps_order_and_formulas_for_any_n)
{
  for (int const n : test::every_size_to(300)) {
    SCOPED_TRACE(n);
    model::machine on;
    std::vector<letters> const in = alphabet(n);
    outcome const result = run(kernel(blocks::small), on, in);
    ASSERT_EQ(std::get<std::vector<letters>>(result.result), scanned(in, join{}, kernel().result));
    expect_formulas(on, n, blocks::small);
    ASSERT_FALSE(HasFailure());
  }
}

TEST_P(array_scan, takes_any_operator)
{
  for (int const n : {1, 2, 33, 512, 513, 3000})
    for (operation const op : {operation::sum, operation::product, operation::minimum, operation::maximum}) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", operation " << static_cast<int>(op));
      model::machine on;
      std::vector<int> in = distinct(n);
      if (op == operation::sum || op == operation::product)
        for (int& each : in) each = op == operation::sum ? each / 1000 : each % 2 == 0 ? -1 : 1;
      outcome const result = run(kernel(), on, in, op);
      ASSERT_EQ(std::get<std::vector<int>>(result.result), scanned(in, selected_operator<int>{op}, kernel().result));
    }
}

TEST_P(array_scan, of_three_levels)
{
  int const n = 512 * 512 + 1;
  model::machine on;
  std::vector<int> const in = distinct(n);
  outcome const result = run(kernel(), on, in, operation::maximum);
  ASSERT_EQ(std::get<std::vector<int>>(result.result),
            scanned(in, selected_operator<int>{operation::maximum}, kernel().result));
  expect_formulas(on, n);
}

/// The shift goes across the borders of blocks, of one and of two elements a thread.
template <class Scan>
void check_shifted(int threads)
{
  for (int const n : {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 500, 2100}) {
    SCOPED_TRACE(testing::Message() << Scan::name << ", " << n);
    model::machine on;
    std::vector<letters> const in = alphabet(n);
    auto const out = on.allocate<model::traced<letters>>(in.size(), "out");
    auto const scan = [&](auto const& algorithm) {
      algorithm(on, on.input(in, "in"), out, n, on.watch<letters>(join{}));
    };
    threads == 32 ? scan(scan_scan_add<shifted<Scan>, 32>{}) : scan(scan_scan_add<shifted<Scan>, 64>{});
    ASSERT_EQ(on.values(out), scanned(in, join{}, result_kind::exclusive_scan));
    ASSERT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
  }
}

TEST(shifted_sections, of_any_block_scan_and_size)
{
  for (int const threads : {32, 64}) {
    check_shifted<hillis_steele>(threads);
    check_shifted<sklansky>(threads);
    check_shifted<brent_kung>(threads);
    check_shifted<kogge_stone>(threads);
  }
}

/// The printed formulas hold for powers of two.
TEST(array_scan_formulas, of_powers_of_two)
{
  for (int log2 = 10; log2 <= 16; ++log2) {
    int const n = 1 << log2;
    std::size_t const two = 2 * static_cast<std::size_t>(log2);
    auto const steps = [n](char const* name) { return find_kernel(name)->steps.value(n); };
    auto const barriers = [n](char const* name) { return find_kernel(name)->barriers.value(n); };
    EXPECT_EQ(steps("scan-scan-add"), two - 2 + 2);
    EXPECT_EQ(barriers("scan-scan-add"), two - 1 + 4);
    EXPECT_EQ(steps("scan-scan-add-exclusive"), two - 3 + 6);
    EXPECT_EQ(barriers("scan-scan-add-exclusive"), two - 1 + 6);
    EXPECT_EQ(steps("scan-scan-add-shifted"), two - 2 + 2);
    EXPECT_EQ(barriers("scan-scan-add-shifted"), two - 1 + 4);
    EXPECT_EQ(steps("inclusive-from-exclusive"), two - 2 + 6);
    EXPECT_EQ(barriers("inclusive-from-exclusive"), two + 6);
    EXPECT_EQ(steps("exclusive-from-inclusive"), two - 2 + 2);
    EXPECT_EQ(barriers("exclusive-from-inclusive"), two + 4);
    EXPECT_EQ(steps("single-pass-look-back"), 20u);
    EXPECT_EQ(barriers("single-pass-look-back"), 22u);
    if (log2 < 11) continue;
    EXPECT_EQ(steps("reduce-scan-scan"), two + 7);
    EXPECT_EQ(barriers("reduce-scan-scan"), two + 12);
    if (log2 < 15) continue;
    for (kernel_entry const& each : array_scans(blocks::full))
      EXPECT_NEAR(double(each.work.value(n)) / n, 3, 0.05) << each.name;
  }
}

/// The accesses to global memory, in units of n elements. They distinguish the three scans.
TEST(array_scan_traffic, of_each_scheme)
{
  int const n = 1 << 16;
  auto const accesses = [](char const* name) {
    model::machine on;
    run(*find_kernel(name), on, distinct(n), operation::minimum);
    return double(on.counts().global.reads + on.counts().global.writes) / n;
  };
  // Further accesses are those to the sums of sections, and the broadcast of a sum to every warp.
  EXPECT_NEAR(accesses("scan-scan-add"), 4 + 0.5, 0.02);
  EXPECT_NEAR(accesses("reduce-scan-scan"), 3, 0.02);
  EXPECT_NEAR(accesses("single-pass-look-back"), 2, 0.02);
}

std::vector<std::string> names()
{
  std::vector<std::string> result;
  for (kernel_entry const& each : array_scans(blocks::full)) result.emplace_back(each.name);
  return result;
}

INSTANTIATE_TEST_SUITE_P(all, array_scan, testing::ValuesIn(names()), [](auto const& of) {
  std::string name = of.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace tally::textbook
