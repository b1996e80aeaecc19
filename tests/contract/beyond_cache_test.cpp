#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/sizes.hpp"
#include "cpu_backend.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

/// Outputs that do not fit in the cache; the CPU writes them around it. The elements are small integers, whose sums are
/// exact in every type (modulo its range), so that a loop gives the right bits.
namespace tally::test {
namespace {

/// A size from which results are streamed: 16 MiB of input at the latest (src/cpu/contiguous.cpp), or less if
/// TALLY_TEST_MAX_SIZE is.
template <class T>
std::size_t size_beyond_cache()
{
  std::size_t const bytes = std::size_t{16} << 20;
  return tidy({bytes / sizeof(T) + 3 * order::tile<T> + 5 * order::group<T> + 3})[0];
}

/// -1, 0 or 1: so small that floats hold all sums exactly.
template <class T>
T element(std::size_t k)
{
  return static_cast<T>(static_cast<int>(random_bits(5, k) % 3) - 1);
}

template <class T>
class beyond_cache : public testing::Test {};
using streamed_types = testing::Types<std::int8_t, std::int32_t, float, double>;
TYPED_TEST_SUITE(beyond_cache, streamed_types);

TYPED_TEST(beyond_cache, scans_and_reductions_are_exact)
{
  using T = TypeParam;
  std::size_t const n = size_beyond_cache<T>();
  guarded<T> in(n, 3);
  guarded<T> out(n, 1);
  for (std::size_t k = 0; k < n; ++k) in.begin()[k] = element<T>(k);
  auto const check = [&](auto const& on, std::string const& way) {
    std::fill(out.begin(), out.end(), T(77));
    tally::inclusive_scan(on, in.begin(), in.end(), out.begin());
    T sum = T(0);
    for (std::size_t k = 0; k < n; ++k) {
      sum = static_cast<T>(sum + in.begin()[k]);
      ASSERT_EQ(out.begin()[k], sum) << way << ", inclusive, " << k;
    }
    ASSERT_EQ(tally::reduce(on, in.begin(), in.end(), T(0)), sum) << way;
    tally::exclusive_scan(on, in.begin(), in.end(), out.begin(), T(5));
    sum = T(5);
    for (std::size_t k = 0; k < n; ++k) {
      ASSERT_EQ(out.begin()[k], sum) << way << ", exclusive, " << k;
      sum = static_cast<T>(sum + in.begin()[k]);
    }
    ASSERT_TRUE(out.guards_intact()) << way;
  };
  cpu_backend::for_each_way(ways::instruction_sets, check);
  cpu_backend::for_each_way(ways::few_threads, check);
}

}  // namespace
}  // namespace tally::test
