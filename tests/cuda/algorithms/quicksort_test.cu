// The quicksort by segmented scans on a GPU gives the keys and the levels of the CPU.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "../device_array.hpp"
#include "tally/algorithms/quicksort.hpp"
#include "tally/cuda.hpp"

namespace tally::test {
namespace {

struct labelled {
  std::int32_t key;
  std::uint32_t from;
};
struct by_key {
  TALLY_HD bool operator()(labelled const& a, labelled const& b) const { return a.key < b.key; }
};

TEST(cuda_quicksort, is_the_cpus)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  for (std::size_t const n : {0, 1, 2, 3, 31, 4096, 4097, 300'001}) {
    for (int kind = 0; kind < 5; ++kind) {
      std::vector<labelled> keys(n);
      for (std::size_t k = 0; k < n; ++k) {
        auto const at = static_cast<std::int32_t>(k), end = static_cast<std::int32_t>(n);
        std::int32_t const of_kind[] = {static_cast<std::int32_t>(mixed(k)), 7, at, end - at,
                                        static_cast<std::int32_t>(mixed(k) % 3)};
        keys[k] = {of_kind[kind], static_cast<std::uint32_t>(k)};
      }
      device_array<labelled> const own(keys);
      std::size_t const levels = quicksort(on, own.begin(), own.end(), by_key{});
      EXPECT_EQ(levels, quicksort(cpu{}, keys, by_key{})) << n << " keys, kind " << kind;
      EXPECT_TRUE(same_bytes(own.values(), keys)) << n << " keys, kind " << kind;
    }
  }
  std::vector<float> numbers = values_to<float>(1 << 20);
  device_array<float> const own(numbers);
  std::size_t const levels = quicksort(on, own.begin(), own.end(), std::greater<>{});
  quicksort(cpu{}, numbers, std::greater<>{});
  EXPECT_TRUE(same_bytes(own.values(), numbers));
  std::printf("quicksort of 2^20 floats: %zu levels\n", levels);
}

}  // namespace
}  // namespace tally::test
