// Segments by the compiled kernels: each has the bits of the order's reference on it alone, at drawn lengths, on every
// path, for every instruction set.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/instruction_sets.hpp"
#include "../support/tuning.hpp"
#include "drawn_sequences.hpp"
#include "tally/detail/cpu/segments.hpp"
#include "tally/error.hpp"

namespace tally::test {
namespace {

using cpu_backend::direction;

enum class lengths { some_long, none_longer };

/// Segments of drawn lengths, up to `mean` times two but for some long ones, scanned or reduced, with guards before and
/// behind.
template <class T, class Op>
void expect_segments(std::uint64_t seed, std::size_t mean, lengths of = lengths::some_long)
{
  std::uint64_t next = 0;
  auto const draw = [&](std::size_t count) { return static_cast<std::size_t>(random_bits(seed, next++) % count); };
  std::size_t const guard = draw(40), segments = draw(3) == 0 ? draw(20) + 1 : draw(400) + 1;
  bool const reduces = draw(3) == 0, in_place = !reduces && draw(3) == 0, from_back = draw(2) == 0;
  bool const has_lasts = draw(2) == 0, of_one_element = draw(6) == 0;
  int const threads = static_cast<int>(draw(4)) + 1;
  auto from = static_cast<initials>(draw(3));
  direction const shift = draw(2) == 0 || reduces ? direction::inclusive : direction::exclusive;
  if (shift == direction::exclusive && from == initials::none) from = initials::one;
  SCOPED_TRACE(testing::Message() << segments << " segments of about " << mean << ", seed " << seed
                                  << (reduces ? ", reduced" : "") << (in_place ? ", in place" : "")
                                  << (from_back ? ", from the back" : "") << ", threads " << threads);

  std::vector<std::uint32_t> offsets{static_cast<std::uint32_t>(guard)};
  for (std::size_t s = 0; s < segments; ++s) {
    std::size_t const size = of_one_element                              ? 1
                             : draw(5) == 0                              ? 0
                             : of == lengths::some_long && draw(40) == 0 ? draw(60 * mean + 700)
                                                                         : draw(2 * mean + 1);
    offsets.push_back(offsets.back() + static_cast<std::uint32_t>(size));
  }
  std::size_t const elements = offsets.back() + draw(3);
  constexpr unsigned char poison = 0xA5;
  std::vector<T> in(elements), initial(segments), out(elements), lasts(segments);
  std::memset(in.data(), poison, elements * sizeof(T));
  std::memset(out.data(), poison, elements * sizeof(T));
  std::memset(lasts.data(), poison, segments * sizeof(T));
  auto const sequence_of = [](std::size_t s) { return s % 53; };
  auto const place = [&](std::size_t s, std::size_t k) { return from_back ? offsets[s + 1] - 1 - k : offsets[s] + k; };
  for (std::size_t s = 0; s < segments; ++s) {
    initial[s] = initial_value<T>(s % 7);
    for (std::size_t k = 0; k < offsets[s + 1] - offsets[s]; ++k) in[place(s, k)] = element<T, Op>(sequence_of(s), k);
  }
  if (in_place) out = in;
  std::vector<T> wanted = out, wanted_lasts = lasts;
  T const nothing = static_cast<T>(77);
  for (std::size_t s = 0; s < segments; ++s) {
    std::optional<std::size_t> init;
    if (from == initials::one) init = 5;
    if (from == initials::each) init = s % 7;
    std::size_t const size = offsets[s + 1] - offsets[s];
    if (size == 0) {
      if ((has_lasts || reduces) && init) wanted_lasts[s] = initial_value<T>(*init);
      if (reduces && !init) wanted_lasts[s] = nothing;
      continue;
    }
    auto const& results = expected<T, Op>(sequence_of(s), init, size);
    if (has_lasts || reduces) wanted_lasts[s] = results[size - 1];
    if (reduces) continue;
    for (std::size_t k = 0; k < size; ++k)
      wanted[place(s, k)] = shift == direction::inclusive ? results[k]
                            : k == 0                      ? initial_value<T>(*init)
                                                          : results[k - 1];
  }
  cpu_backend::segments_job<T> job{};
  job.values = in_place ? out.data() : in.data();
  job.out = reduces ? nullptr : out.data();
  if (from == initials::one) job.given.initial = initial_value<T>(5);
  if (from == initials::each) job.given.initials = initial.data();
  if (has_lasts || reduces) job.given.lasts = lasts.data();
  if (reduces) job.nothing = &nothing;
  job.from_back = from_back;
  job.shift = shift;
  job.threads = threads;
  if (seed % 2 == 0)
    cpu_backend::scan_segments<Op, T>(job, offsets.data(), segments);
  else  // read where they are
    cpu_backend::scan_segments<Op, T>(job, std::vector<std::size_t>(offsets.begin(), offsets.end()).data(), segments);
  ASSERT_TRUE(same_bits(out, wanted));
  ASSERT_TRUE(same_bits(lasts, wanted_lasts));
}

template <class T, class Op>
void expect_segments_of_all_lengths()
{
  std::uint64_t seed = 5000000;
  for (std::int64_t const target : instruction_sets()) {
    only_instruction_set const only(target);
    for (std::size_t const mean : {1, 2, 5, 16, 40, 100, 300}) {
      for (int k = 0; k < 40; ++k, ++seed) {
        tuned const sizes([&](cpu_backend::tuning& all) {
          draw_tuning(all, seed);
          all.long_sequence = k % 4 == 0 ? 64 : std::size_t{1} << 18;
        });
        expect_segments<T, Op>(seed, mean);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    // By their places: no segment longer than so many elements.
    for (std::size_t const mean : {1, 2, 3, 4, 5, 8}) {
      for (int k = 0; k < 24; ++k, ++seed) {
        tuned const sizes([&](cpu_backend::tuning& all) {
          draw_tuning(all, seed);
          all.short_bytes = 4096;
        });
        expect_segments<T, Op>(seed, mean, lengths::none_longer);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Batches, Segments)
{
  expect_segments_of_all_lengths<float, plus>();
  expect_segments_of_all_lengths<double, multiplies>();
  expect_segments_of_all_lengths<std::uint8_t, plus>();
  expect_segments_of_all_lengths<std::int16_t, minimum>();
  expect_segments_of_all_lengths<std::int32_t, plus>();
  expect_segments_of_all_lengths<std::uint64_t, multiplies>();
}

/// Segments that begin in a block of `size` elements, the last of which may go on behind it or be left out.
template <class T, class Op>
void expect_block(std::uint64_t seed, std::size_t size)
{
  std::uint64_t next = 0;
  auto const draw = [&](std::size_t count) { return static_cast<std::size_t>(random_bits(seed, next++) % count); };
  std::size_t const begin = draw(70), first = draw(3) == 0 ? draw(size) : 0;
  std::size_t const of_1000 = std::array<std::size_t, 5>{0, 20, 200, 500, 1000}[draw(5)];
  bool const reduces = draw(3) == 0, in_place = !reduces && draw(3) == 0, has_init = draw(2) == 0;
  bool const leaves_last = draw(3) == 0;
  direction const shift = draw(2) == 0 || reduces || !has_init ? direction::inclusive : direction::exclusive;
  std::vector<std::uint64_t> heads((size + 63) / 64);
  std::vector<std::size_t> at;
  for (std::size_t k = first; k < size; ++k)
    if (k == first || draw(1000) < of_1000) {
      heads[k / 64] |= std::uint64_t{1} << k % 64;
      at.push_back(begin + k);
    }
  std::size_t const behind = begin + size, elements = behind + draw(2) * draw(700) + 1;
  std::size_t end = leaves_last ? at.back() : draw(2) == 0 ? behind : behind + draw(elements - behind);
  std::size_t const count = leaves_last ? at.size() - 1 : at.size();
  if (count == 0) return;
  at.push_back(end);
  SCOPED_TRACE(testing::Message() << count << " segments in " << size << " elements, seed " << seed
                                  << (reduces ? ", reduced" : "") << (in_place ? ", in place" : ""));

  std::vector<T> in(elements), out(elements, T(99)), lasts(count + 1, T(99));
  auto const sequence_of = [](std::size_t s) { return s % 53; };
  for (std::size_t s = 0; s < count; ++s)
    for (std::size_t k = at[s]; k < at[s + 1]; ++k) in[k] = element<T, Op>(sequence_of(s), k - at[s]);
  if (in_place) out = in;
  std::vector<T> wanted = out, wanted_lasts = lasts;
  for (std::size_t s = 0; s < count; ++s) {
    std::size_t const own = at[s + 1] - at[s];
    auto const& results = expected<T, Op>(sequence_of(s), has_init ? std::optional<std::size_t>(5) : std::nullopt, own);
    wanted_lasts[s] = results[own - 1];
    for (std::size_t k = 0; k < own; ++k)
      wanted[at[s] + k] = shift == direction::inclusive ? results[k] : k == 0 ? initial_value<T>(5) : results[k - 1];
  }
  cpu_backend::segments_job<T> job{};
  job.values = in_place ? out.data() : in.data();
  if (has_init) job.given.initial = initial_value<T>(5);
  job.shift = shift;
  if (reduces)
    job.given.lasts = lasts.data();
  else
    job.out = out.data();
  std::size_t const writable = leaves_last ? behind : end;
  cpu_backend::scan_segments_of_block<Op, T>(job, {.begin = begin,
                                                   .size = size,
                                                   .heads = heads.data(),
                                                   .count = count,
                                                   .end = end,
                                                   .writable_end = writable,
                                                   .size_of_values = elements});
  if (reduces) {
    ASSERT_TRUE(same_bits(lasts, wanted_lasts));
  } else {
    std::copy(out.begin() + static_cast<std::ptrdiff_t>(end), out.begin() + static_cast<std::ptrdiff_t>(writable),
              wanted.begin() + static_cast<std::ptrdiff_t>(end));
    ASSERT_TRUE(same_bits(out, wanted));
  }
}

template <class T, class Op>
void expect_blocks()
{
  std::uint64_t seed = 7000000;
  for (std::int64_t const target : instruction_sets()) {
    only_instruction_set const only(target);
    auto const all_of = [&](std::size_t size) {
      for (int k = 0; k < 4; ++k, ++seed) {
        tuned const sizes([&](cpu_backend::tuning& all) { draw_tuning(all, seed); });
        expect_block<T, Op>(seed, size);
        if (testing::Test::HasFatalFailure()) return;
      }
    };
    for (std::size_t size = 1; size <= 200 && !testing::Test::HasFatalFailure(); ++size) all_of(size);
    for (std::size_t const size : {1023, 1024, 1025, 2047, 2049, 4032, 4095, 4096}) all_of(size);
  }
}

TEST(Batches, SegmentsOfABlock)
{
  expect_blocks<float, plus>();
  expect_blocks<double, maximum>();
  expect_blocks<std::uint8_t, plus>();
  expect_blocks<std::int16_t, minimum>();
  expect_blocks<std::int32_t, plus>();
  expect_blocks<std::uint64_t, multiplies>();
}

TEST(Batches, OffsetsThatDecreaseAreRefused)
{
  std::vector<float> const values(100);
  std::vector<float> out(100);
  cpu_backend::segments_job<float> job{};
  job.values = values.data();
  job.out = out.data();
  std::vector<std::size_t> const inside{0, 10, 5, 20}, at_the_end{10, 20, 5};
  EXPECT_THROW((cpu_backend::scan_segments<plus, float>(job, inside.data(), 3)), usage_error);
  EXPECT_THROW((cpu_backend::scan_segments<plus, float>(job, at_the_end.data(), 2)), usage_error);
}

}  // namespace
}  // namespace tally::test
