// Every scan of one block: right for any n, in order, with the counts of its formulas.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/sizes.hpp"
#include "scan_oracle.hpp"
#include "tally/error.hpp"
#include "textbook/catalogue.hpp"
#include "watching.hpp"

namespace tally::textbook {
namespace {

class block_scan : public testing::TestWithParam<std::string> {
protected:
  kernel_entry const& kernel() const { return *find_kernel(GetParam()); }

  /// All sizes up to 300, and sizes around multiples of a warp, powers of two, and the largest one.
  std::vector<int> sizes() const
  {
    std::vector<int> result = test::every_size_to(300);
    for (int const n : {333, 511, 512, 513, 768, 992, 993, 1000, 1023, 1024, 1025, 1100, 1536, 1999, 2016, 2047, 2048})
      if (n <= kernel().most) result.push_back(n);
    return result;
  }
};

TEST_P(block_scan, keeps_the_order_of_operands_and_its_formulas_for_any_n)
{
  for (int const n : sizes()) {
    SCOPED_TRACE(n);
    model::machine on;
    write_counter out("out", n);
    on.watch_with(&out);
    std::vector<letters> const in = alphabet(n);
    outcome const result = run(kernel(), on, in);
    ASSERT_EQ(std::get<std::vector<letters>>(result.result), scanned(in, join{}, kernel().result));
    ASSERT_EQ(out.times, std::vector<int>(in.size(), 1)) << "every output once";
    ASSERT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
    ASSERT_EQ(on.operations().work(), kernel().work.value(n));
    ASSERT_EQ(on.counts().steps, kernel().steps.value(n));
    ASSERT_EQ(on.counts().barriers, kernel().barriers.value(n));
    ASSERT_LE(on.operations().depth(), on.counts().steps);
  }
}

TEST_P(block_scan, takes_any_operator)
{
  for (int const n : {1, 2, 3, 31, 32, 33, 100, 1000}) {
    std::vector<int> in;
    std::vector<float> decimals;
    for (int k = 0; k < n; ++k) {
      in.push_back(k * 389 % 4999 - 5000);  // distinct and negative, so that 0 is no identity of the maximum
      decimals.push_back(static_cast<float>(in.back()) / 8);
    }
    for (operation const op : {operation::sum, operation::product, operation::minimum, operation::maximum}) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", operation " << static_cast<int>(op));
      model::machine on;
      outcome const integers = run(kernel(), on, in, op);
      ASSERT_EQ(std::get<std::vector<int>>(integers.result), scanned(in, selected_operator<int>{op}, kernel().result));
      if (op == operation::product) continue;  // rounds; the other results are exact
      outcome const floats = run(kernel(), on, decimals, op);
      ASSERT_EQ(std::get<std::vector<float>>(floats.result),
                scanned(decimals, selected_operator<float>{op}, kernel().result));
    }
  }
}

TEST_P(block_scan, says_what_it_does_not_take)
{
  model::machine on;
  EXPECT_THROW(run(kernel(), on, alphabet(kernel().most + 1)), usage_error);
  EXPECT_THROW(run(kernel(), on, alphabet(0)), usage_error);
}

std::vector<std::string> names()
{
  std::vector<std::string> result;
  for (kernel_entry const& each : block_scans()) result.emplace_back(each.name);
  return result;
}

INSTANTIATE_TEST_SUITE_P(all, block_scan, testing::ValuesIn(names()), [](auto const& of) {
  std::string name = of.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace tally::textbook
