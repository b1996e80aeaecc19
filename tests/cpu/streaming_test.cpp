// Stores around the cache give the same results as stores through it, wherever in a line the output begins, and write
// no byte beside it.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "../support/instruction_sets.hpp"
#include "tally/detail/cpu/kernels.hpp"

namespace {

using tally::cpu_backend::direction;
using tally::cpu_backend::fetching;
using tally::cpu_backend::stores;
using tally::cpu_backend::tile_job;
using tally::cpu_backend::tile_totals;

constexpr unsigned char poison = 0x7b;

template <class T, class Op>
void expect_same_as_cached(std::size_t size, std::size_t phase, direction shift, bool with_next, bool by_rows,
                           fetching ahead)
{
  SCOPED_TRACE(testing::Message() << size << " elements of " << sizeof(T) << " bytes, phase " << phase << ", by rows "
                                  << by_rows << ", fetching " << static_cast<int>(ahead));
  constexpr std::size_t line = 64;
  constexpr std::size_t tile = tally::order::tile<T>;
  std::mt19937_64 random(size * 64 + phase);
  std::vector<T> in(2 * tile);
  // Maxima are of negative values: a 0 too many would show.
  T const sign = std::is_same_v<Op, tally::maximum> ? static_cast<T>(-1) : T(1);
  for (T& value : in) value = static_cast<T>(sign * static_cast<T>(random() % 2001 + 7) / static_cast<T>(7));
  auto const guarded = [&] { return std::vector<unsigned char>((tile + 64) * sizeof(T) + 4 * line, poison); };
  std::vector<unsigned char> cached = guarded();
  std::vector<unsigned char> streamed = guarded();
  auto const place = [&](std::vector<unsigned char>& bytes) {
    auto const at = reinterpret_cast<std::uintptr_t>(bytes.data());
    return reinterpret_cast<T*>((at + line - 1) / line * line + line + phase * sizeof(T));
  };

  auto const scan = tally::cpu_backend::kernels_of<Op, T>().scan;
  tile_job<T> job{};
  job.in = in.data();
  job.size = size;
  job.carry = static_cast<T>(sign * T(3));
  job.previous = T(5);
  job.shift = shift;
  if (with_next) job.next = in.data() + tile;
  job.out = place(cached);
  tile_totals<T> const expected = scan(job);
  job.out = place(streamed);
  job.to = stores::streaming;
  job.next_by_rows = by_rows;
  job.ahead = ahead;
  tile_totals<T> const actual = scan(job);

  // The value at the last element, also where that ends a short row: a stream goes on from it.
  T const total = tally::cpu_backend::kernels_of<Op, T>().total(in.data(), size);
  EXPECT_EQ(expected.last, (tally::exactly_associative<Op, T> ? static_cast<T>(Op{}(job.carry, total)) : total));
  EXPECT_EQ(actual.last, expected.last);
  EXPECT_EQ(actual.next, expected.next);
  EXPECT_EQ(0, std::memcmp(place(streamed), place(cached), size * sizeof(T)));
  auto const begin = static_cast<std::size_t>(reinterpret_cast<unsigned char*>(place(streamed)) - streamed.data());
  for (std::size_t k = 0; k < streamed.size(); ++k) {
    if (k < begin || k >= begin + size * sizeof(T)) {
      ASSERT_EQ(streamed[k], poison) << "byte " << k - begin << " from the first result";
    }
  }
  if (with_next) {
    EXPECT_EQ(actual.next, (tally::cpu_backend::kernels_of<Op, T>().total(in.data() + tile, tile)));
  }
}

template <class T, class Op>
void expect_streaming()
{
  constexpr std::size_t row = tally::order::row<T>;
  constexpr std::size_t tile = tally::order::tile<T>;
  for (std::int64_t const target : tally::test::instruction_sets()) {
    tally::test::only_instruction_set const only(target);
    for (std::size_t phase = 0; phase < 64 / sizeof(T); ++phase) {
      for (direction const shift : {direction::inclusive, direction::exclusive}) {
        for (std::size_t const size : {std::size_t{1}, row - 1, row, row + 1, 3 * row, 3 * row + 7, tile - 1})
          for (fetching const ahead : {fetching::none, fetching::pages, fetching::lines})
            expect_same_as_cached<T, Op>(size, phase, shift, false, false, ahead);
        for (bool const by_rows : {false, true})
          expect_same_as_cached<T, Op>(tile, phase, shift, true, by_rows, fetching::lines);
      }
    }
  }
}

TEST(Streaming, OrderedSums)
{
  expect_streaming<float, tally::plus>();
  expect_streaming<double, tally::plus>();
}

TEST(Streaming, ExactOperators)
{
  expect_streaming<std::uint8_t, tally::plus>();
  expect_streaming<std::uint16_t, tally::plus>();
  expect_streaming<std::int32_t, tally::maximum>();
  expect_streaming<std::uint64_t, tally::bit_xor>();
  expect_streaming<float, tally::minimum>();
}

}  // namespace
