// Segments on a GPU have the bits of the CPU, whose own tests compare them with calls on each segment.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "../device_array.hpp"
#include "tally/algorithms/by_flag.hpp"
#include "tally/algorithms/by_key.hpp"
#include "tally/algorithms/by_offset.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/cuda/tuning.hpp"
#include "tally/detail/path.hpp"
#include "tally/operators.hpp"

namespace tally::test {
namespace {

/// A run's length: 1, short, around groups and rows, long; around rows, strips and parts of 1024.
std::size_t length_of(int kind, std::size_t run)
{
  switch (kind) {
    case 0: return 1;
    case 1: return mixed(run) % 20 + 1;
    case 2: return mixed(run) % (mixed(run + 7) % 5000 + 1) + 1;
    case 3: return 300'001;
    default: return mixed(run) % 4 == 0 ? 1022 + mixed(run) / 4 % 4 : mixed(run) / 4 % 140 + 1;
  }
}

/// Calls that went by the bits of heads.
std::atomic<int> by_heads;

/// Runs of these kinds, where those of `short_runs` elements on average at most go by their heads.
template <class T, class Op>
void expect_bits(Op op, T init, std::vector<std::size_t> const& sizes = {1, 2, 31, 8192, 8193, 1'000'003},
                 std::vector<int> const& kinds = {0, 1, 2, 3},
                 std::size_t short_runs = cuda_backend::tuning().short_runs)
{
  cuda_backend::tuning_in_use().short_runs = cuda_backend::tuning_in_use().short_runs_reduced = short_runs;
  by_heads = 0;
  detail::observer_of_paths = [](char const* name, char const*) {
    by_heads += std::string_view(name) == "cuda: short segments by their heads";
  };
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  for (std::size_t const n : sizes) {
    for (int const kind : kinds) {
      std::vector<T> const values = values_to<T>(n);
      std::vector<std::uint64_t> offsets;
      std::vector<std::int32_t> keys(n);
      std::vector<std::uint8_t> flags(n);
      for (std::size_t k = 0, run = 0; k < n; ++run) {
        offsets.push_back(k);
        flags[k] = k != 0;
        std::size_t const end = std::min(n, k + length_of(kind, run));
        for (; k < end; ++k) keys[k] = static_cast<std::int32_t>(run);
      }
      offsets.push_back(n);
      std::size_t const runs = offsets.size() - 1;
      std::vector<T> sums(runs), from(runs), inclusive(n), exclusive(n);
      std::vector<std::int32_t> keys_of(runs);
      // Calls on one thread are calls on each segment.
      reduce_by_key(cpu{1}, keys.begin(), keys.end(), values.begin(), keys_of.begin(), sums.begin(), op);
      reduce_by_offset(cpu{1}, values.begin(), offsets.begin(), offsets.end(), from.begin(), init, op);
      inclusive_scan_by_key(cpu{1}, keys.begin(), keys.end(), values.begin(), inclusive.begin(), op);
      exclusive_scan_by_key(cpu{1}, keys.begin(), keys.end(), values.begin(), exclusive.begin(), init, op);

      device_array<T> const v(values), s(runs), f(runs), o(runs), a(n), b(n), c(n), d(n), e(n), g(n);
      device_array<std::int32_t> const k(keys), k_out(runs);
      device_array<std::uint8_t> const h(flags);
      device_array<std::uint64_t> const at(offsets);
      EXPECT_EQ(reduce_by_key(on, k.begin(), k.end(), v.begin(), k_out.begin(), s.begin(), op), runs)
          << n << ' ' << kind;
      EXPECT_EQ(k_out.values(), keys_of) << n << ' ' << kind;
      EXPECT_TRUE(same_bytes(s.values(), sums)) << n << ' ' << kind;
      EXPECT_EQ(reduce_by_flag(on, v.begin(), v.end(), h.begin(), f.begin(), op), runs) << n << ' ' << kind;
      EXPECT_TRUE(same_bytes(f.values(), sums)) << n << ' ' << kind;
      reduce_by_offset(on, v.begin(), at.begin(), at.end(), o.begin(), init, op);
      EXPECT_TRUE(same_bytes(o.values(), from)) << n << ' ' << kind;
      inclusive_scan_by_key(on, k.begin(), k.end(), v.begin(), a.begin(), op);
      EXPECT_TRUE(same_bytes(a.values(), inclusive)) << n << ' ' << kind;
      inclusive_scan_by_flag(on, v.begin(), v.end(), h.begin(), b.begin(), op);
      EXPECT_TRUE(same_bytes(b.values(), inclusive)) << n << ' ' << kind;
      inclusive_scan_by_offset(on, v.begin(), at.begin(), at.end(), c.begin(), op);
      EXPECT_TRUE(same_bytes(c.values(), inclusive)) << n << ' ' << kind;
      exclusive_scan_by_key(on, k.begin(), k.end(), v.begin(), d.begin(), init, op);
      EXPECT_TRUE(same_bytes(d.values(), exclusive)) << n << ' ' << kind;
      exclusive_scan_by_flag(on, v.begin(), v.end(), h.begin(), e.begin(), init, op);
      EXPECT_TRUE(same_bytes(e.values(), exclusive)) << n << ' ' << kind;
      exclusive_scan_by_offset(on, v.begin(), at.begin(), at.end(), g.begin(), init, op);
      EXPECT_TRUE(same_bytes(g.values(), exclusive)) << n << ' ' << kind;
    }
  }
  detail::observer_of_paths = nullptr;
  cuda_backend::tuning_in_use() = {};
  bool const goes_by_heads = short_runs > 0 && !exactly_associative<Op, T>;
  EXPECT_EQ(by_heads > 0, goes_by_heads) << by_heads;
}

/// Stretches of short_runs.cuh end at 3072 elements and their multiples, of doubles at 2048.
std::vector<std::size_t> const around_stretches = {33, 1025, 2047, 2049, 3071, 3073, 4097, 6143, 6145, 30'719, 100'003};

TEST(cuda_by_key, sums_of_floats)
{
  expect_bits<float>(plus{}, 0.1F);
  expect_bits<float>(plus{}, 0.1F, around_stretches, {0, 1, 2, 4}, 2048);
  expect_bits<float>(plus{}, 0.1F, around_stretches, {0, 1}, 0);
}
TEST(cuda_by_key, sums_of_doubles)
{
  expect_bits<double>(plus{}, 0.1);
  expect_bits<double>(plus{}, 0.1, around_stretches, {0, 1, 4}, 2048);
}
TEST(cuda_by_key, sums_of_integers)
{
  expect_bits<std::int32_t>(plus{}, 5);
}
TEST(cuda_by_key, greatest_of_wide_integers)
{
  expect_bits<std::int64_t>(maximum{}, std::int64_t{-7});
}

}  // namespace
}  // namespace tally::test
