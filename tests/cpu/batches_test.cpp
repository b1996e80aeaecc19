// Many sequences by the compiled kernels: each has the bits of the order's reference on it alone, wherever it lies, on
// every path, at every length, for every instruction set.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/instruction_sets.hpp"
#include "../support/sizes.hpp"
#include "../support/tuning.hpp"
#include "../support/visits.hpp"
#include "drawn_sequences.hpp"
#include "tally/detail/cpu/sequences.hpp"

namespace tally::test {
namespace {

using cpu_backend::direction;
using detail::batch::dimension;
using detail::batch::distances;
using detail::batch::ends;
using detail::batch::layout;

[[maybe_unused]] testing::Environment* const counted =
    testing::AddGlobalTestEnvironment(new visits({"src/cpu/sequences", "src/cpu/segments.cpp"}));

/// A call, all of whose choices are numbers, so that they can be drawn.
struct call {
  std::size_t size;
  std::size_t width;   // sequences in the innermost dimension
  std::size_t height;  // and in another one
  enum class place { columns, rows, reversed_rows, reversed_columns, strided, transposed, repeated } where;
  direction shift;
  bool reduces;
  bool in_place;
  bool lasts;
  initials from;
  int threads;
  std::size_t padding;  // elements between sequences
  std::size_t offset;   // of the output in a line
};

std::string shown(call const& c)
{
  return std::to_string(c.height) + " x " + std::to_string(c.width) + " sequences of " + std::to_string(c.size) +
         ", place " + std::to_string(static_cast<int>(c.where)) + (c.reduces ? ", reduced" : "") +
         (c.shift == direction::exclusive ? ", exclusive" : "") + (c.in_place ? ", in place" : "") + ", initials " +
         std::to_string(static_cast<int>(c.from)) + ", threads " + std::to_string(c.threads) + ", padding " +
         std::to_string(c.padding) + ", offset " + std::to_string(c.offset);
}

/// The distances of an array of this shape: {along, outer, inner}, and where the first element lies.
struct array {
  std::ptrdiff_t along, outer, inner, first;
  std::size_t elements;
};
array placed(call const& c, std::size_t padding, bool input)
{
  auto const n = static_cast<std::ptrdiff_t>(c.size), w = static_cast<std::ptrdiff_t>(c.width);
  auto const h = static_cast<std::ptrdiff_t>(c.height), pad = static_cast<std::ptrdiff_t>(padding);
  using enum call::place;
  auto const of = [&](std::ptrdiff_t along, std::ptrdiff_t outer, std::ptrdiff_t inner, std::ptrdiff_t first,
                      std::ptrdiff_t elements) {
    return array{along, outer, inner, first, static_cast<std::size_t>(elements)};
  };
  switch (c.where) {
    case columns: return of(w + pad, n * (w + pad), 1, 0, h * n * (w + pad));
    case reversed_columns: return of(-(w + pad), n * (w + pad), 1, (n - 1) * (w + pad), h * n * (w + pad));
    case rows: return of(1, w * (n + pad), n + pad, 0, h * w * (n + pad));
    case reversed_rows: return of(-1, w * (n + pad), n + pad, n - 1, h * w * (n + pad));
    case strided: return of(2 * w + pad, n * (2 * w + pad), 2, 0, h * n * (2 * w + pad));
    case transposed:
      return input ? of(w + pad, n * (w + pad), 1, 0, h * n * (w + pad))
                   : of(1, w * (n + pad), n + pad, 0, h * w * (n + pad));
    case repeated: return input ? of(1, 0, n, 0, w * n) : of(1, w * (n + pad), n + pad, 0, h * w * (n + pad));
  }
  return {};
}

/// Makes the call, and checks its results and that nothing else was written.
template <class T, class Op>
void expect_right(call c)
{
  SCOPED_TRACE(shown(c));
  if (c.where == call::place::transposed || c.where == call::place::repeated) c.in_place = false;
  if (c.reduces) c.in_place = false;
  if (c.shift == direction::exclusive && c.from == initials::none) c.from = initials::one;
  array const at_in = placed(c, c.padding, true);
  array const at_out = c.in_place ? at_in : placed(c, c.padding == 0 ? 0 : c.padding + 1, false);
  std::size_t const sequences = c.width * c.height;
  auto const number = [&](std::size_t y, std::size_t x) {
    return c.where == call::place::repeated ? x : y * c.width + x;
  };

  constexpr unsigned char poison = 0xA5;
  std::vector<T> in(at_in.elements + 1);
  std::memset(in.data(), poison, in.size() * sizeof(T));
  auto const place = [](array const& a, std::size_t y, std::size_t x, std::size_t k) {
    return static_cast<std::size_t>(a.first + static_cast<std::ptrdiff_t>(y) * a.outer +
                                    static_cast<std::ptrdiff_t>(x) * a.inner +
                                    static_cast<std::ptrdiff_t>(k) * a.along);
  };
  for (std::size_t y = 0; y < c.height; ++y)
    for (std::size_t x = 0; x < c.width; ++x)
      for (std::size_t k = 0; k < c.size; ++k) in[place(at_in, y, x, k)] = element<T, Op>(number(y, x), k);

  std::vector<T> initial(2 * sequences);
  for (std::size_t s = 0; s < sequences; ++s) initial[2 * s] = initial_value<T>(s);
  std::vector<T> out(at_out.elements + 128), wanted, lasts(3 * sequences), wanted_lasts;
  std::memset(out.data(), poison, out.size() * sizeof(T));
  std::memset(lasts.data(), poison, lasts.size() * sizeof(T));
  std::size_t const line = (64 - reinterpret_cast<std::uintptr_t>(out.data()) % 64) % 64 / sizeof(T) + c.offset;
  if (c.in_place) std::copy(in.begin(), in.end() - 1, out.begin() + static_cast<std::ptrdiff_t>(line));
  wanted = out;
  wanted_lasts = lasts;
  for (std::size_t y = 0; y < c.height; ++y) {
    for (std::size_t x = 0; x < c.width; ++x) {
      std::optional<std::size_t> from;
      std::size_t const s = y * c.width + x;
      if (c.from == initials::one) from = 5;
      if (c.from == initials::each) from = s % 7;  // initial values repeat
      auto const& results = expected<T, Op>(number(y, x), from, c.size);
      if (c.lasts || c.reduces) wanted_lasts[3 * s] = results[c.size - 1];
      if (c.reduces) continue;
      for (std::size_t k = 0; k < c.size; ++k)
        wanted[line + place(at_out, y, x, k)] = c.shift == direction::inclusive ? results[k]
                                                : k == 0                        ? initial_value<T>(*from)
                                                                                : results[k - 1];
    }
  }

  layout where;
  where.along = {c.size, {at_in.along, at_out.along, 0, 0}};
  auto const w = static_cast<std::ptrdiff_t>(c.width);
  where.dimensions = 2;
  where.across[0] = {c.height, {at_in.outer, at_out.outer, 2 * w, 3 * w}};
  where.across[1] = {c.width, {at_in.inner, at_out.inner, 2, 3}};
  ends<T> given;
  if (c.from == initials::one) given.initial = initial_value<T>(5);
  if (c.from == initials::each) given.initials = initial.data();
  if (c.reduces) {
    for (dimension& axis : where.across) axis.step.out = axis.step.last;
    where = simplified(where);
    cpu_backend::reduce_sequences<Op>(where, in.data() + at_in.first, lasts.data(), given, c.threads);
  } else {
    where = simplified(where);
    if (c.lasts) given.lasts = lasts.data();
    T* const results = out.data() + line;
    cpu_backend::scan_sequences<Op>(where, (c.in_place ? results : in.data()) + at_in.first, results + at_out.first,
                                    given, c.shift, c.threads);
  }
  ASSERT_TRUE(same_bits(out, wanted));
  ASSERT_TRUE(same_bits(lasts, wanted_lasts));
}

/// A call drawn by its number.
call drawn(std::uint64_t seed, std::size_t size, std::size_t widest)
{
  std::uint64_t next = 0;
  auto const draw = [&](std::size_t count) { return static_cast<std::size_t>(random_bits(seed, next++) % count); };
  call c{};
  c.size = size;
  c.width = 1 + draw(draw(2) == 0 ? widest : 3);
  c.height = 1 + (draw(3) == 0 ? draw(3) : 0);
  c.where = static_cast<call::place>(draw(7));
  c.shift = draw(2) == 0 ? direction::inclusive : direction::exclusive;
  c.reduces = draw(3) == 0;
  c.in_place = draw(3) == 0;
  c.lasts = draw(2) == 0;
  c.from = static_cast<initials>(draw(3));
  c.threads = static_cast<int>(draw(4)) + 1;
  c.padding = draw(2) == 0 ? 0 : draw(5);
  c.offset = draw(2) == 0 ? 0 : draw(16);
  return c;
}

template <class T, class Op>
void expect_every_length()
{
  std::uint64_t seed = 1;
  for (std::int64_t const target : instruction_sets()) {
    only_instruction_set const only(target);
    for (std::size_t size = 1; size <= 300; ++size) {
      for (std::size_t k = 0; k < 4 * some_of(3); ++k, ++seed) {
        tuned const sizes([&](cpu_backend::tuning& all) { draw_tuning(all, seed); });
        expect_right<T, Op>(drawn(seed, size, 3 * 64 / sizeof(T) + 3));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

/// Columns without gaps, written around the cache: every number of rows up to four chunks and of columns up to two
/// vectors, from every place of a line on.
template <class T, class Op>
void expect_chunks()
{
  constexpr std::size_t chunk = cpu_backend::groups_at_once * order::group<T>;
  for (std::int64_t const target : instruction_sets()) {
    only_instruction_set const only(target);
    std::uint64_t seed = 3000000;
    for (std::size_t size = 1; size <= 4 * chunk + 1; ++size) {
      for (std::size_t k = 0; k < 6; ++k, ++seed) {
        tuned const sizes([&](cpu_backend::tuning& all) {
          draw_tuning(all, seed);
          all.streamed_bytes = 0;
          all.column_chunk_bytes = ~std::size_t{0};
          all.column_bytes = 4096;
        });
        call c = drawn(seed, size, 2 * 64 / sizeof(T) + 1);
        c.where = call::place::columns;
        c.in_place = false;
        c.padding = 0;
        c.offset = static_cast<std::size_t>(seed) % (64 / sizeof(T));
        expect_right<T, Op>(c);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

template <class T, class Op>
void expect_boundaries()
{
  std::uint64_t seed = 1000000;
  constexpr std::size_t row = order::row<T>, strip = order::strip<T>, tile = order::tile<T>;
  for (std::int64_t const target : instruction_sets()) {
    only_instruction_set const only(target);
    for (std::size_t const middle : {row, 2 * row, strip, strip + row, 2 * strip, tile - row, tile, tile + row,
                                     tile + strip, 2 * tile, 3 * tile, 5 * tile, 9 * tile, 33 * tile}) {
      for (std::size_t const size : {middle - 1, middle, middle + 1, middle + order::group<T> + 1}) {
        for (int k = 0; k < (middle > 9 * tile ? 2 : 6); ++k, ++seed) {
          tuned const sizes([&](cpu_backend::tuning& all) { draw_tuning(all, seed); });
          expect_right<T, Op>(drawn(seed, size, middle > 9 * tile ? 3 : middle > tile ? 9 : 20));
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Batches, EveryLengthOfSums)
{
  expect_every_length<float, plus>();
  expect_every_length<double, plus>();
}
TEST(Batches, EveryLengthOfProducts)
{
  expect_every_length<float, multiplies>();
}
TEST(Batches, EveryLengthOfExactOperators)
{
  expect_every_length<std::int8_t, minimum>();
  expect_every_length<std::uint8_t, plus>();
  expect_every_length<std::int16_t, multiplies>();
  expect_every_length<std::int32_t, plus>();
  expect_every_length<std::uint64_t, bit_xor>();
  expect_every_length<float, maximum>();
}
TEST(Batches, ColumnsInChunks)
{
  expect_chunks<float, plus>();
  expect_chunks<double, multiplies>();
  expect_chunks<std::uint8_t, plus>();
  expect_chunks<std::int32_t, plus>();
}
TEST(Batches, RowsThatOverlap)
{
  constexpr std::size_t rows = 2500;
  for (std::size_t const size : {2, 3, 40, 1000}) {
    std::vector<float> in(rows + size - 1), out(rows * size), wanted;
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = element<float, plus>(7, k);
    for (std::size_t s = 0; s < rows; ++s) {
      auto const first = in.begin() + static_cast<std::ptrdiff_t>(s);
      std::vector<float> const row(first, first + static_cast<std::ptrdiff_t>(size));
      auto const results = reference::scan<float>(row, plus{}, std::optional<float>()).inclusive;
      wanted.insert(wanted.end(), results.begin(), results.end());
    }
    layout where;
    where.along = {size, {1, 1, 0, 0}};
    where.dimensions = 1;
    where.across[0] = {rows, {1, static_cast<std::ptrdiff_t>(size), 0, 0}};
    cpu_backend::scan_sequences<plus>(where, in.data(), out.data(), ends<float>{}, direction::inclusive, 1);
    EXPECT_TRUE(same_bits(out, wanted));
  }
}

TEST(Batches, RowsStripsTilesSpans)
{
  expect_boundaries<float, plus>();
}
TEST(Batches, RowsStripsTilesSpansOfExactOperators)
{
  expect_boundaries<std::int32_t, plus>();
}

}  // namespace
}  // namespace tally::test
