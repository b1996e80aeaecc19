// The kernels of histograms for every instruction set of this machine, compared with even_bins for one value.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/generator.hpp"
#include "../support/instruction_sets.hpp"
#include "hwy/targets.h"
#include "tally/algorithms/bins.hpp"
#include "tally/detail/cpu/even_bins.hpp"
#include "tally/detail/histogram/host.hpp"

namespace {

using tally::even_bins;
using tally::cpu_backend::bin_chunk;
using tally::cpu_backend::bin_turns;

/// Ranges that end beyond a type's, between its values, at its ends, at values that are no float, and nowhere near.
std::vector<std::pair<double, double>> const ranges = {
    {-1e9, 1e9},          {-10.5, 20.25},      {-128.0, 127.0},   {-0.5, 255.0},    {300.0, 1e6},
    {-1e6, -400.0},       {0.1, 0.7},          {126.5, 127.25},   {0.0, 1e-300},    {-1e300, 1e300},
    {4e9, 4.294967296e9}, {-32768.0, 32766.5}, {-0x1p63, 0x1p63}, {0x1p62, 0x1p64}, {0x1p53, 0x1p53 + 64}};

/// Values at which a conversion, a comparison or a product is most likely to be wrong.
template <class T>
std::vector<T> hostile_values(even_bins const& bins)
{
  using limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0), T(1), limits::lowest(), limits::max(), limits::min()};
  auto const add = [&values](double x) {
    // Converting a value that a type cannot hold is undefined.
    if constexpr (std::is_integral_v<T>)
      if (!(x >= static_cast<double>(limits::lowest()) && x < static_cast<double>(limits::max()))) return;
    if (std::abs(x) > static_cast<double>(limits::max())) return;
    values.push_back(static_cast<T>(x));
  };
  for (std::size_t k = 0; k <= bins.count(); ++k)
    for (double const x : {bins.edge(k), std::nextafter(bins.edge(k), -1e308), std::nextafter(bins.edge(k), 1e308),
                           bins.edge(k) - 1, bins.edge(k) + 1})
      add(x);
  if constexpr (std::is_floating_point_v<T>) {
    for (T const edge : {static_cast<T>(bins.lower()), static_cast<T>(bins.upper())})
      for (T const direction : {limits::lowest(), limits::max()}) values.push_back(std::nextafter(edge, direction));
    for (T const x : {limits::infinity(), limits::quiet_NaN(), limits::denorm_min()}) {
      values.push_back(x);
      values.push_back(-x);
    }
    values.push_back(T(-0.0));
  } else {
    for (int bit = 0; bit < limits::digits; ++bit)
      for (int const difference : {-1, 0, 1})
        values.push_back(static_cast<T>((std::uint64_t{1} << bit) + static_cast<std::uint64_t>(difference)));
    for (std::uint64_t k = 0; k < 64; ++k) values.push_back(static_cast<T>(tally::test::random_bits(5, k)));
  }
  return values;
}

/// The counts that the kernel adds, in the counters of each turn.
template <class T>
std::vector<std::uint64_t> counts_of(std::vector<T> const& values, even_bins const& bins)
{
  std::vector<std::uint64_t> counts(bin_turns * bins.slots());
  tally::cpu_backend::even_bins_job<T> job{
      values.data(), values.size(), tally::detail::histogram::even_bins_access::numbers(bins), {}};
  for (std::size_t t = 0; t < bin_turns; ++t) job.counters[t] = counts.data() + t * bins.slots();
  tally::cpu_backend::count_even_bins(job);
  return counts;
}

template <class T>
class even_bins_kernel : public testing::Test {};
using types = testing::Types<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                             std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(even_bins_kernel, types);

TYPED_TEST(even_bins_kernel, gives_each_value_the_slot_that_it_has_alone)
{
  for (std::int64_t const target : tally::test::instruction_sets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    tally::test::only_instruction_set const only(target);
    for (auto const& [lower, upper] : ranges) {
      even_bins const bins(lower, upper, 19);
      for (TypeParam const x : hostile_values<TypeParam>(bins)) {
        auto const slot = static_cast<std::size_t>(bins(x));
        std::vector<std::uint64_t> const counts = counts_of(std::vector<TypeParam>(bin_chunk, x), bins);
        for (std::size_t k = 0; k < counts.size(); ++k)
          ASSERT_EQ(counts[k], k % bins.slots() == slot ? bin_chunk / bin_turns : 0)
              << +x << " from " << lower << " to " << upper << ", slot " << k % bins.slots();
      }
    }
  }
}

TYPED_TEST(even_bins_kernel, counts_values_that_lie_inside_and_outside_in_turn)
{
  for (std::int64_t const target : tally::test::instruction_sets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    tally::test::only_instruction_set const only(target);
    for (auto const& [lower, upper] : ranges)
      for (std::size_t const chunks : {0, 1, 2, 3, 17}) {
        even_bins const bins(lower, upper, 19);
        std::vector<TypeParam> const pool = hostile_values<TypeParam>(bins);
        std::vector<TypeParam> values(chunks * bin_chunk);
        std::vector<std::uint64_t> expected(bin_turns * bins.slots());
        for (std::size_t k = 0; k < values.size(); ++k) {
          values[k] = pool[tally::test::random_bits(chunks, k) % pool.size()];
          ++expected[k % bin_turns * bins.slots() + static_cast<std::size_t>(bins(values[k]))];
        }
        ASSERT_EQ(counts_of(values, bins), expected) << chunks << " chunks from " << lower << " to " << upper;
      }
  }
}

/// The counters of all turns may be the same array: each turn sees the additions of the one before.
TEST(even_bins_kernel, adds_to_what_counters_have)
{
  std::vector<int> const values(3 * bin_chunk, 5);
  even_bins const bins(0, 10, 2);
  std::vector<std::uint64_t> own(bins.slots(), 7);
  tally::cpu_backend::count_even_bins<int>({values.data(),
                                            values.size(),
                                            tally::detail::histogram::even_bins_access::numbers(bins),
                                            {own.data(), own.data(), own.data(), own.data()}});
  EXPECT_EQ(own, (std::vector<std::uint64_t>{7, 7 + 3 * bin_chunk, 7, 7, 7}));
}

}  // namespace
