// Segments on a GPU have the bits of the CPU, whose own tests compare them with calls on each segment.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "../device_array.hpp"
#include "tally/algorithms/by_flag.hpp"
#include "tally/algorithms/by_key.hpp"
#include "tally/algorithms/by_offset.hpp"
#include "tally/cuda.hpp"
#include "tally/operators.hpp"

namespace tally::test {
namespace {

/// A run's length: 1, short, around groups and rows, long.
std::size_t length_of(int kind, std::size_t run)
{
  switch (kind) {
    case 0: return 1;
    case 1: return mixed(run) % 20 + 1;
    case 2: return mixed(run) % (mixed(run + 7) % 5000 + 1) + 1;
    default: return 300'001;
  }
}

template <class T, class Op>
void expect_bits(Op op, T init)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  for (std::size_t const n : {1, 2, 31, 8192, 8193, 1'000'003}) {
    for (int kind = 0; kind < 4; ++kind) {
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
}

TEST(cuda_by_key, sums_of_floats)
{
  expect_bits<float>(plus{}, 0.1F);
}
TEST(cuda_by_key, sums_of_doubles)
{
  expect_bits<double>(plus{}, 0.1);
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
