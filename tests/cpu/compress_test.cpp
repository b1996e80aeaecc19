// Compaction's kernels for every instruction set of this machine: they move the right elements to the right places, and
// write nothing else.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "../support/instruction_sets.hpp"
#include "hwy/targets.h"
#include "tally/detail/cpu/compress.hpp"

namespace {

using tally::cpu_backend::compress;
using tally::cpu_backend::find_changes;
using tally::cpu_backend::flags_a_word;
using tally::cpu_backend::pack_flags;
using tally::test::guarded;
using tally::test::random_bits;

template <class Call>
void for_each_instruction_set(Call call)
{
  for (std::int64_t const target : tally::test::instruction_sets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    tally::test::only_instruction_set const only(target);
    call();
  }
}

/// n bits, of which `of_1000` in 1000 are set; the bits after them are random.
std::vector<std::uint64_t> some_bits(std::size_t n, std::uint64_t of_1000)
{
  std::vector<std::uint64_t> bits(n / flags_a_word + 1);
  for (std::size_t k = 0; k < bits.size() * flags_a_word; ++k) {
    bool const wanted = k < n ? random_bits(1, k) % 1000 < of_1000 : random_bits(2, k) % 2 == 0;
    bits[k / flags_a_word] |= std::uint64_t{wanted} << k % flags_a_word;
  }
  return bits;
}

template <std::size_t Bytes>
void expect_compressed(std::size_t n, std::vector<std::uint64_t> const& bits, std::size_t from_offset,
                       std::size_t to_offset)
{
  SCOPED_TRACE(testing::Message() << n << " elements of " << Bytes << " bytes, " << from_offset << " and " << to_offset
                                  << " bytes from a line");
  guarded<std::uint8_t> const in(n * Bytes, from_offset);
  for (std::size_t k = 0; k < n * Bytes; ++k) in.data()[k] = static_cast<std::uint8_t>(random_bits(3, k));
  std::vector<std::uint8_t> expected;
  for (std::size_t k = 0; k < n; ++k)
    if ((bits[k / flags_a_word] >> k % flags_a_word & 1) != 0)
      expected.insert(expected.end(), in.begin() + k * Bytes, in.begin() + (k + 1) * Bytes);
  guarded<std::uint8_t> const out(expected.size(), to_offset);
  compress<Bytes>({reinterpret_cast<std::byte const*>(in.data()), bits.data(), n,
                   reinterpret_cast<std::byte*>(out.data()), expected.size() / Bytes});
  ASSERT_TRUE(expected.empty() || std::memcmp(out.data(), expected.data(), expected.size()) == 0);
  ASSERT_TRUE(out.guards_intact());
}

/// The same for random bits.
template <std::size_t Bytes>
void expect_compressed(std::size_t n, std::uint64_t of_1000, std::size_t from_offset, std::size_t to_offset)
{
  SCOPED_TRACE(testing::Message() << of_1000 << " of 1000");
  expect_compressed<Bytes>(n, some_bits(n, of_1000), from_offset, to_offset);
}

TEST(compress, moves_what_is_wanted_and_writes_nothing_else)
{
  for_each_instruction_set([] {
    for (std::size_t n = 0; n <= 200; ++n)
      for (std::uint64_t const of_1000 : {0, 10, 500, 990, 1000}) {
        // The offsets within a line are no multiples of the element.
        expect_compressed<4>(n, of_1000, n % 64, 7 * n % 64);
        expect_compressed<8>(n, of_1000, n % 64, 7 * n % 64);
      }
    for (std::size_t const n : {std::size_t{4095}, std::size_t{4096}})
      for (std::size_t offset = 0; offset < 64; offset += 4) {
        expect_compressed<4>(n, 500, offset, 0);
        expect_compressed<8>(n, 500, 0, offset);
      }
  });
}

TEST(compress, writes_nothing_behind_a_word_that_ends_unwanted)
{
  // Vectors are written whole, so the last vector of a word with `wanted` elements would reach beyond them.
  for_each_instruction_set([] {
    for (std::size_t wanted = 0; wanted < flags_a_word; ++wanted) {
      std::uint64_t const lowest = (std::uint64_t{1} << wanted) - 1;
      expect_compressed<4>(2 * flags_a_word, {~std::uint64_t{0}, lowest, 0}, 0, 0);
      expect_compressed<8>(2 * flags_a_word, {~std::uint64_t{0}, lowest, 0}, 0, 0);
      expect_compressed<4>(flags_a_word, {lowest, 0}, 0, 0);
      expect_compressed<8>(flags_a_word, {lowest, 0}, 0, 0);
    }
  });
}

TEST(pack_flags, sets_a_bit_for_each_flag)
{
  for_each_instruction_set([] {
    for (std::size_t words = 0; words <= 8; ++words)
      for (std::size_t offset = 0; offset < 3; ++offset)
        for (std::uint64_t const of_1000 : {0, 10, 500, 1000}) {
          std::size_t const n = words * flags_a_word;
          std::vector<std::uint64_t> const expected = some_bits(n, of_1000);
          guarded<std::uint8_t> const flags(n, offset);
          std::size_t count = 0;
          for (std::size_t k = 0; k < n; ++k) {
            bool const wanted = (expected[k / flags_a_word] >> k % flags_a_word & 1) != 0;
            // Any value but 0 counts as 1.
            flags.data()[k] = wanted ? static_cast<std::uint8_t>(1 + random_bits(4, k) % 255) : std::uint8_t{0};
            count += wanted;
          }
          guarded<std::uint64_t> const bits(words);
          ASSERT_EQ(pack_flags(flags.data(), n, bits.data()), count);
          for (std::size_t w = 0; w < words; ++w) ASSERT_EQ(bits.data()[w], expected[w]) << w;
          ASSERT_TRUE(bits.guards_intact());
        }
  });
}

template <class T>
void expect_changes(std::size_t words, std::size_t offset, std::uint64_t of_1000)
{
  std::size_t const n = words * flags_a_word;
  std::vector<std::uint64_t> const expected = some_bits(n, of_1000);
  guarded<T> const keys(n + 1, offset * sizeof(T));
  std::size_t count = 0;
  keys.data()[0] = T(5);
  for (std::size_t k = 0; k < n; ++k) {
    bool const changes = (expected[k / flags_a_word] >> k % flags_a_word & 1) != 0;
    // Of wide keys one bit changes, of any byte.
    auto const bit = static_cast<T>(T(1) << random_bits(5, k) % (8 * sizeof(T)));
    keys.data()[k + 1] = changes ? static_cast<T>(keys.data()[k] ^ bit) : keys.data()[k];
    count += changes;
  }
  guarded<std::uint64_t> const bits(words);
  ASSERT_EQ(find_changes<sizeof(T)>(reinterpret_cast<std::byte const*>(keys.data() + 1), n, bits.data()), count);
  for (std::size_t w = 0; w < words; ++w) ASSERT_EQ(bits.data()[w], expected[w]) << w;
  ASSERT_TRUE(bits.guards_intact());
}

TEST(find_changes, sets_a_bit_where_an_element_differs_from_the_one_before)
{
  for_each_instruction_set([] {
    for (std::size_t words = 0; words <= 5; ++words)
      for (std::size_t offset = 0; offset < 3; ++offset)
        for (std::uint64_t const of_1000 : {0, 10, 500, 1000}) {
          expect_changes<std::uint8_t>(words, offset, of_1000);
          expect_changes<std::uint16_t>(words, offset, of_1000);
          expect_changes<std::uint32_t>(words, offset, of_1000);
          expect_changes<std::uint64_t>(words, offset, of_1000);
        }
  });
}

}  // namespace
