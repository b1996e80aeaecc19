// Exact sums on a GPU by key and by flag. Each is that of an accumulator of its terms.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../exact/terms.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "device_array.hpp"
#include "tally/algorithms.hpp"
#include "tally/cuda.hpp"
#include "tally/exact_accumulator.hpp"
#include "tally/half.hpp"
#include "tally/operators/exact_plus.hpp"

namespace tally::test {
namespace {

/// Runs of keys, and the terms behind them.
template <class T>
struct runs_of_test {
  std::vector<int> keys, flags;
  std::vector<T> x;

  runs_of_test(std::size_t n, std::size_t most, terms_of kind) : x(terms<T>(kind, n, most))
  {
    for (std::size_t run = 0; keys.size() < n; ++run) {
      std::size_t const length = 1 + random_bits(most, run) % most;
      for (std::size_t k = 0; k < length && keys.size() < n; ++k) {
        keys.push_back(static_cast<int>(run * 7919 % 1000 * 2 + run % 2));  // neighbours differ
        flags.push_back(k == 0 ? 1 : 0);
      }
    }
  }
};

template <class T>
class cuda_exact_by_key : public testing::Test {
protected:
  template <class U>
  void expect_same(device_array<U> const& got, std::vector<U> const& expected, std::string const& what)
  {
    std::vector<U> const all = got.values();
    ASSERT_EQ(all.size(), expected.size());
    for (std::size_t k = 0; k < all.size(); ++k)
      ASSERT_TRUE(same(all[k], expected[k]))
          << what << ": " << k << " is " << shown(all[k]) << ", expected " << shown(expected[k]);
  }
  stream on_;
  cuda::workspace space_;
  cuda gpu() { return {on_, space_}; }
};
using all_types = testing::Types<float, double, half, bfloat16>;
TYPED_TEST_SUITE(cuda_exact_by_key, all_types);

TYPED_TEST(cuda_exact_by_key, sums_and_scans)
{
  using T = TypeParam;
  T const poison = static_cast<T>(77.0), init = static_cast<T>(1.5);
  for (std::size_t const most : {1u, 5u, 300u, 20'000u})
    for (std::size_t const n : {std::size_t{1}, std::size_t{4097}, std::size_t{50'000}})
      for (int kind = 0; kind < kinds_of_terms; ++kind) {
        std::string const what =
            std::to_string(n) + " terms in runs of up to " + std::to_string(most) + ", kind " + std::to_string(kind);
        runs_of_test<T> const all(n, most, terms_of(kind));
        std::vector<int> run_keys;
        std::vector<T> sums, inclusive(n), exclusive(n);
        exact_accumulator<T> sum, on_init;
        for (std::size_t k = 0; k < n; ++k) {
          if (all.flags[k] != 0) {
            if (k != 0) sums.push_back(sum.round());
            run_keys.push_back(all.keys[k]);
            sum = {};
            on_init = exact_accumulator<T>(init);
          }
          exclusive[k] = on_init.round();
          sum.add(all.x[k]);
          on_init.add(all.x[k]);
          inclusive[k] = sum.round();
        }
        sums.push_back(sum.round());

        device_array<int> const keys(all.keys), flags(all.flags), keys_out(run_keys.size());
        device_array<T> const x(all.x), sums_out(std::vector<T>(sums.size(), poison));
        device_array<T> out(std::vector<T>(n, poison));
        ASSERT_EQ(reduce_by_key(this->gpu(), keys.begin(), keys.end(), x.begin(), keys_out.begin(), sums_out.begin(),
                                exact_plus{}),
                  sums.size());
        EXPECT_EQ(keys_out.values(), run_keys) << what;
        this->expect_same(sums_out, sums, what + ", sums by key");
        inclusive_scan_by_key(this->gpu(), keys.begin(), keys.end(), x.begin(), out.begin(), exact_plus{});
        this->expect_same(out, inclusive, what + ", inclusive by key");
        exclusive_scan_by_key(this->gpu(), keys.begin(), keys.end(), x.begin(), out.begin(), init, exact_plus{});
        this->expect_same(out, exclusive, what + ", exclusive by key");
        out.assign(std::vector<T>(n, poison));
        inclusive_scan_by_flag(this->gpu(), x.begin(), x.end(), flags.begin(), out.begin(), exact_plus{});
        this->expect_same(out, inclusive, what + ", inclusive by flag");
      }
}

}  // namespace
}  // namespace tally::test
