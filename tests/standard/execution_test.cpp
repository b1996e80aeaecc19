#include <execution>
#include <functional>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

/// Tests of the overloads with an execution policy. Compiled twice: as it stands, and with as_std.hpp before it.
namespace {

template <class Policy>
void check(Policy const& policy)
{
  for (int const n : {0, 1, 1000, 200000}) {
    std::vector<unsigned> x(static_cast<std::size_t>(n));
    std::iota(x.begin(), x.end(), 1u);
    unsigned const sum = std::accumulate(x.begin(), x.end(), 0u);
    auto const odd = [](unsigned k) { return 2 * k + 1; };
    EXPECT_EQ(std::reduce(policy, x.begin(), x.end()), sum);
    EXPECT_EQ(std::reduce(policy, x.begin(), x.end(), 5u), sum + 5);
    EXPECT_EQ(std::reduce(policy, x.begin(), x.end(), 5u, std::plus<>()), sum + 5);
    EXPECT_EQ(std::transform_reduce(policy, x.begin(), x.end(), 5u, std::plus<>(), odd),
              2 * sum + static_cast<unsigned>(n) + 5);
    EXPECT_EQ(std::transform_reduce(policy, x.begin(), x.end(), x.begin(), 5u),
              std::inner_product(x.begin(), x.end(), x.begin(), 5u));

    std::vector<unsigned> out(x.size());
    std::vector<unsigned> expected(x.size());
    std::partial_sum(x.begin(), x.end(), expected.begin());
    EXPECT_EQ(std::inclusive_scan(policy, x.begin(), x.end(), out.begin()), out.end());
    EXPECT_EQ(out, expected);
    EXPECT_EQ(std::inclusive_scan(policy, x.begin(), x.end(), out.begin(), std::plus<>()), out.end());
    EXPECT_EQ(out, expected);
    std::inclusive_scan(policy, x.begin(), x.end(), out.begin(), std::plus<>(), 0u);
    EXPECT_EQ(out, expected);
    std::transform_inclusive_scan(policy, x.begin(), x.end(), out.begin(), std::plus<>(), std::identity());
    EXPECT_EQ(out, expected);
    std::transform_inclusive_scan(policy, x.begin(), x.end(), out.begin(), std::plus<>(), std::identity(), 0u);
    EXPECT_EQ(out, expected);
    expected.insert(expected.begin(), 0u);
    expected.pop_back();
    std::exclusive_scan(policy, x.begin(), x.end(), out.begin(), 0u);
    EXPECT_EQ(out, expected);
    std::exclusive_scan(policy, x.begin(), x.end(), out.begin(), 0u, std::plus<>());
    EXPECT_EQ(out, expected);
    std::transform_exclusive_scan(policy, x.begin(), x.end(), out.begin(), 0u, std::plus<>(), std::identity());
    EXPECT_EQ(out, expected);
  }
}

TEST(std_execution, seq)
{
  check(std::execution::seq);
}
TEST(std_execution, unseq)
{
  check(std::execution::unseq);
}
TEST(std_execution, par)
{
  check(std::execution::par);
}
TEST(std_execution, par_unseq)
{
  check(std::execution::par_unseq);
}

}  // namespace
