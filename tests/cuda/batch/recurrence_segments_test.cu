// Linear recurrences of segments on a GPU by their kernels, a row a lane and by words, against the slow implementation
// of the order. Every byte of what is written to is compared.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../../support/bits.hpp"
#include "../device_array.hpp"
#include "recurrence_cases.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/path.hpp"
#include "tally/half.hpp"

namespace tally::test {
namespace {

std::map<std::string, std::size_t> paths;

template <class T>
class segments_test {
public:
  segments_test()
  {
    detail::observer_of_paths = [](char const* name, char const*) { ++paths[name]; };
  }

  /// Segments of these lengths; the rest of the call follows from the seed.
  template <class Offset>
  void one(std::vector<std::size_t> const& lengths, std::uint64_t seed)
  {
    dice of(seed);
    auto const what = static_cast<kind>(of(8) < 4 ? 0 : 1 + of(other_kinds));
    std::size_t const segments = lengths.size(), margin = of(2) == 0 ? 0 : of(9);
    // Arrays that begin at one place in a word, or each somewhere.
    std::size_t const word = 16 / sizeof(T), alike = of(2), shift_a = alike * word * of(2) + (1 - alike) * of(4),
                      shift_out = alike * word * of(2) + (1 - alike) * of(4);
    std::vector<Offset> offsets{static_cast<Offset>(margin)};
    for (std::size_t n : lengths) offsets.push_back(static_cast<Offset>(offsets.back() + static_cast<Offset>(n)));
    auto const elements = static_cast<std::size_t>(offsets.back());
    std::size_t const in_place = of(4);  // over a, over b, or apart
    bool const is_constant = in_place != 0 && of(5) == 0, each = of(2) == 0, has_lasts = of(2) == 0;
    std::vector<T> a(elements + shift_a), b(elements), out(elements + shift_out, static_cast<T>(7.0f));
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = coefficient<T>(what, random_bits(seed + 1, k));
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = term<T>(what, random_bits(seed + 2, k));
    std::vector<T> befores(segments), lasts(segments, static_cast<T>(7.0f));
    for (std::size_t s = 0; s < segments; ++s) befores[s] = term<T>(kind::ordinary, random_bits(seed + 3, s));
    T const constant = coefficient<T>(what, random_bits(seed, 99));

    device_array<T> const device_a(a), device_b(b), device_out(out), device_befores(befores), device_lasts(lasts);
    device_array<Offset> const device_offsets(offsets);
    std::size_t const first = in_place == 0 ? shift_a : in_place == 1 ? 0 : shift_out;
    device_array<T> const& written = in_place == 0 ? device_a : in_place == 1 ? device_b : device_out;
    detail::batch::ends<T> ends;
    if (each)
      ends.initials = device_befores.begin();
    else
      ends.initial = befores[0];
    if (has_lasts) ends.lasts = device_lasts.begin();
    cuda_backend::recurrence_arrays<T> const arrays{is_constant ? nullptr : device_a.begin() + shift_a, constant,
                                                    device_b.begin(), written.begin() + first};
    auto& by = cuda_backend::tuning_in_use();
    by = {};
    if (of(3) == 0) by.processors = static_cast<int>(1 + of(5));
    if (of(2) == 0) by.long_recurrences = 1 + of(3 * order::tile<affine<T>>);
    if (of(2) == 0) by.recurrences_by_listed_chunks = of(50);
    if (of(3) != 0) {
      std::size_t const below = of(4) == 0 ? 0 : static_cast<std::size_t>(-1);
      by.recurrences_by_words_of_2 = by.recurrences_by_words_of_4 = by.recurrences_by_words_of_8 = below;
    }
    if (of(2) == 0) by.least_recurrence_chunk = of(2) == 0 ? 16384 : 10 + of(50);
    {
      cuda_backend::prepared_call call(cuda{stream_, space_}, "tally::test");
      ASSERT_TRUE(cuda_backend::run_recurrences_of_segments<T>(
          call, {device_offsets.begin(), sizeof(Offset) == 8, segments, elements}, arrays, ends));
    }
    by = {};
    stream_.wait();
    std::vector<T> const got = written.values(), got_lasts = device_lasts.values();

    std::vector<T> expected = in_place == 0 ? a : in_place == 1 ? b : out;
    for (std::size_t s = 0; s < segments; ++s) {
      std::vector<T> own_a, own_b;
      auto const begin = static_cast<std::size_t>(offsets[s]);
      for (std::size_t k = 0; k < lengths[s]; ++k) {
        own_a.push_back(is_constant ? constant : a[shift_a + begin + k]);
        own_b.push_back(b[begin + k]);
      }
      T const before = befores[each ? s : 0];
      std::vector<T> const y = states(own_a, own_b, before);
      for (std::size_t k = 0; k < y.size(); ++k) expected[first + begin + k] = y[k];
      if (has_lasts) lasts[s] = y.empty() ? before : y.back();
    }
    std::string const told = std::to_string(segments) + " segments, seed " + std::to_string(seed) + ", kind " +
                             std::to_string(static_cast<int>(what)) + ", in place " + std::to_string(in_place);
    for (std::size_t k = 0; k < got.size(); ++k)
      ASSERT_TRUE(same(got[k], expected[k]))
          << told << " at " << k << " of " << got.size() << ": " << shown(got[k]) << " for " << shown(expected[k]);
    for (std::size_t s = 0; s < segments; ++s)
      ASSERT_TRUE(same(got_lasts[s], lasts[s])) << told << ", last of " << s << " of " << lengths[s];
  }

  void run()
  {
    constexpr std::size_t row = order::row<affine<T>>, tile = order::tile<affine<T>>, strip = order::strip<affine<T>>;
    std::uint64_t seed = 0;
    auto const both = [&](std::vector<std::size_t> const& lengths) {
      if (!::testing::Test::HasFailure()) one<std::int32_t>(lengths, ++seed);
      if (!::testing::Test::HasFailure()) one<std::uint64_t>(lengths, ++seed);
    };
    for (int times = 0; times < 4; ++times)
      for (std::vector<std::size_t> const& lengths : {std::vector<std::size_t>{0},
                                                      {1},
                                                      {0, 0, 5, 0},
                                                      {row, row, row},
                                                      {row + 1, 2 * row, 2 * row - 1},
                                                      {8 * row, 8 * row + 1, 4 * row - 1},
                                                      {strip, 3, strip + 1, 0, 2 * strip - 1},
                                                      {tile, tile + 1},
                                                      {33 * tile + 70, 2, 0, 40 * tile}})
        both(lengths);
#ifdef TALLY_TEST_BRIEFLY
    constexpr std::size_t tries = 1, most = 2000;
#else
    constexpr std::size_t tries = 8, most = 40000;
#endif
    for (std::size_t longest : {2ul, 7ul, 31ul, 100ul, 200ul, 2000ul, 20000ul})
      for (std::size_t k = 0; k < tries; ++k) {
        dice of(1000 * longest + k);
        std::vector<std::size_t> lengths;
        for (std::size_t all = 0; all < most; all += 1 + lengths.back())
          lengths.push_back(of(9) == 0 ? 0 : k % 2 == 0 ? of(longest) : of(1 + of(1 + of(2 * longest))));
        both(lengths);
      }
    if (!::testing::Test::HasFailure()) one<std::int32_t>(std::vector<std::size_t>(5000), ++seed);
  }

private:
  stream stream_;
  cuda::workspace space_;
};

TEST(cuda_recurrence_segments, of_f32)
{
  segments_test<float>().run();
}
TEST(cuda_recurrence_segments, of_f64)
{
  segments_test<double>().run();
}
TEST(cuda_recurrence_segments, of_f16)
{
  segments_test<half>().run();
}
TEST(cuda_recurrence_segments, of_bf16)
{
  segments_test<bfloat16>().run();
}
TEST(cuda_recurrence_segments, take_every_path)
{
  for (char const* path :
       {"cuda: recurrences of segments", "cuda: recurrences of segments by words",
        "cuda: recurrences of segments, long ones by tiles", "cuda: recurrences of segments, long ones by plain tiles"})
    EXPECT_GT(paths[path], 0u) << path;
}

}  // namespace
}  // namespace tally::test
