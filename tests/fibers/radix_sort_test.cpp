// The kernels of a GPU's radix sort, on fibers: their results are those of std::stable_sort.
#include "fibers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "tally/detail/cuda/sort/digit_counts.cuh"
#include "tally/detail/cuda/sort/tile_pass.cuh"
#include "tally/half.hpp"

// The functions that kernels have from a GPU.
unsigned char* tally::cuda_backend::memory_of_block()
{
  return test::grid::current()->memory();
}

namespace {

using namespace tally::cuda_backend::sorting;
using tally::test::guarded;
using tally::test::random_bits;
using tally::test::run_grid;

enum class keys { random, few, ascending, descending, nearly_equal, runs };

std::uint64_t bits_of_key(keys kind, std::size_t k, std::size_t n)
{
  std::uint64_t const random = random_bits(n, k);
  switch (kind) {
    case keys::random: return random;
    case keys::few: return random & 0x0300000000030003u;
    case keys::ascending: return k;
    case keys::descending: return n - k;
    case keys::nearly_equal: return ~(random & 0x100);
    // Longer than a warp's part of a tile, so that some warps have one key, others several from their second row on.
    case keys::runs: return random_bits(n, k / 997);
  }
  return 0;
}

/// A call: the bits by which it sorts, and the number of keys behind an aligned address at which the first lies.
struct call {
  std::size_t n;
  keys kind = keys::random;
  int first_bit = 0, end_bit = 64;
  std::size_t offset = 1;
};

/// Sorts by the kernels, with `Copies` of each counter, and by std::stable_sort.
template <class Key, class Value, class Order, class Word, int Copies>
void check(call const& how)
{
  using problem = sort_problem<Key, Value, Order, Word>;
  using pass = tile_pass<problem>;
  using counting = digit_counting<problem, Copies>;
  std::size_t const n = how.n;
  int const end_bit = std::min(how.end_bit, 8 * static_cast<int>(sizeof(Key)));
  SCOPED_TRACE(std::to_string(n) + " keys " + std::to_string(static_cast<int>(how.kind)) + ", bits " +
               std::to_string(how.first_bit) + " to " + std::to_string(end_bit));

  std::vector<Key> in(n);
  std::vector<Value> values(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t const bits = bits_of_key(how.kind, k, n), number = random_bits(1, k);
    std::memcpy(static_cast<void*>(&in[k]), &bits, sizeof(Key));
    if constexpr (pass::with_values) std::memcpy(&values[k], &number, std::min(sizeof(Value), sizeof number));
  }
  guarded<Key> const own_keys(in, how.offset), other_keys(n, how.offset);
  guarded<Value> const own_values(values, how.offset), other_values(n, how.offset);

  // Cleared memory, of which a state is the first part.
  std::size_t const words = pass::tiles(n) * digits;
  std::vector<sort_state<Word>> memory(1 +
                                       (words * sizeof(Word) + sizeof(sort_state<Word>)) / sizeof(sort_state<Word>));
  problem given{{own_keys.data(), other_keys.data()},
                {own_values.data(), other_values.data()},
                memory.data(),
                reinterpret_cast<Word*>(memory.data() + 1),
                n,
                how.first_bit,
                end_bit,
                0};
  auto const blocks_that_count = static_cast<unsigned>(std::min<std::size_t>(n / counting::tile + 1, 3));
  run_grid(blocks_that_count, counting::threads, counting::shared_bytes,
           [&] { count_digits_kernel<problem, Copies>(given); });
  for (; given.this_pass < given.passes(); ++given.this_pass)
    run_grid(static_cast<unsigned>(pass::tiles(n)), pass::threads, sizeof(typename pass::memory),
             [&] { move_by_digit_kernel<problem>(given); });
  run_grid(3, copy_back_threads, 0, [&] { copy_back_kernel<problem>(given); });

  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t const mask = ~std::uint64_t{0} >> (64 - (end_bit - how.first_bit));
  auto const sorted_by = [&](std::size_t k) {
    return std::uint64_t{ordered_bits<Key, Order>{}(in[k])} >> how.first_bit & mask;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sorted_by(a) < sorted_by(b); });
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < n; ++k) {
    bool is_right = std::memcmp(own_keys.data() + k, &in[order[k]], sizeof(Key)) == 0;
    if constexpr (pass::with_values)
      is_right = is_right && std::memcmp(own_values.data() + k, &values[order[k]], sizeof(Value)) == 0;
    if (!is_right && ++wrong == 1) ADD_FAILURE() << "place " << k << " is wrong";
  }
  EXPECT_EQ(wrong, 0u) << "places of " << n;
  EXPECT_TRUE(own_keys.guards_intact());
  EXPECT_TRUE(other_keys.guards_intact());
  EXPECT_TRUE(own_values.guards_intact());
  EXPECT_TRUE(other_values.guards_intact());
}

/// Sizes around a tile: few keys of all kinds, and each kind at some size.
template <class Key, class Value, class Order, class Word, int Copies>
void check_sizes()
{
  std::size_t const tile = tile_pass<sort_problem<Key, Value, Order, Word>>::tile;
  for (std::size_t n : {std::size_t{2}, std::size_t{33}, tile - 1, tile, tile + 1, 2 * tile + 777}) {
    std::vector<keys> kinds = {keys::random, keys::few, keys::ascending, keys::descending, keys::nearly_equal};
    if (n == tile - 1) kinds = {keys::few, keys::runs};
    if (n == tile) kinds = {keys::nearly_equal, keys::ascending};
    if (n > tile) kinds = {keys::random};
    if (n > 2 * tile) kinds = {keys::random, keys::descending, keys::runs};
    for (keys kind : kinds) check<Key, Value, Order, Word, Copies>({n, kind, 0, 64, n % 5});
  }
}

using up = std::less<>;
using down = std::greater<>;
using w32 = std::uint32_t;
using w64 = std::uint64_t;
struct nine_bytes {
  unsigned char bytes[9];
};
struct six_words {
  std::uint32_t words[6];
};

TEST(radix_sort_on_fibers, of_keys_of_four_bytes)
{
  check_sizes<w32, no_value, up, w32, 32>();
}
TEST(radix_sort_on_fibers, with_values_in_shared_memory)
{
  check_sizes<w32, w32, up, w32, 8>();
  check_sizes<std::int64_t, double, down, w32, 16>();
}
TEST(radix_sort_on_fibers, with_values_that_are_wider_than_keys)
{
  check_sizes<float, double, down, w32, 32>();
  check_sizes<std::uint8_t, nine_bytes, down, w64, 32>();
}
TEST(radix_sort_on_fibers, of_keys_of_eight_bytes)
{
  check_sizes<w64, w32, up, w64, 16>();
  check_sizes<double, six_words, down, w32, 16>();
}
TEST(radix_sort_on_fibers, of_keys_of_two_bytes)
{
  check_sizes<std::int16_t, std::uint8_t, up, w32, 32>();
  check_sizes<tally::half, w32, up, w32, 32>();
}
TEST(radix_sort_on_fibers, by_some_bits)
{
  check<w32, no_value, up, w32, 32>({9000, keys::random, 3, 12});
  check<w32, no_value, down, w32, 32>({9000, keys::random, 31, 32});
  check<w32, w32, down, w32, 32>({9000, keys::random, 4, 27});
  check<w32, nine_bytes, up, w64, 32>({9000, keys::random, 4, 27});
}
/// More tiles than are looked back on at a time.
TEST(radix_sort_on_fibers, of_many_tiles)
{
  check<w64, no_value, up, w32, 16>({11 * 4224 + 5, keys::random, 0, 8, 3});
}

}  // namespace
