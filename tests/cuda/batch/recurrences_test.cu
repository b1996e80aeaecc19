// Linear recurrences on a GPU by the kernels for numbers in memory, against the slow implementation of the order, one
// sequence at a time. Each size takes its turn with layouts, values, ends and kernels that are drawn anew. Every byte
// of what is written to is compared.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../../support/bits.hpp"
#include "../device_array.hpp"
#include "recurrence_cases.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/cuda/recurrence/recurrences_launch.cuh"
#include "tally/half.hpp"

namespace tally::test {
namespace {

namespace batch = detail::batch;

std::map<std::string, std::size_t> paths;

template <class T>
class recurrences_test {
public:
  recurrences_test()
  {
    detail::observer_of_paths = [](char const* name, char const*) { ++paths[name]; };
  }
  ~recurrences_test() { cuda_backend::tuning_in_use() = {}; }

  /// Recurrences of n steps, `sequences` at most.
  void one(std::size_t n, std::size_t sequences, std::uint64_t seed)
  {
    dice of(seed);
    auto const what = static_cast<kind>(of(8) < 5 ? 0 : 1 + of(other_kinds));
    std::vector<std::size_t> extents;
    for (std::size_t d = of(4), rest = sequences; d > 0 && rest > 1; --d) {
      extents.push_back(d == 1 ? 1 + of(rest) : 1 + of(std::min<std::size_t>(rest, 6)));
      rest /= extents.back();
    }
    // Plain rows may begin and end within a word: short ones in its middle, long ones anywhere.
    std::size_t const word = std::array{std::size_t{1}, 8 / sizeof(T), 16 / sizeof(T), 16 / sizeof(T)}[of(4)];
    bool const is_plain = n >= word && of(4) == 0;
    if (is_plain) n = n / word * word;
    extents.push_back(n);
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), 0);
    bool const steps_are_neighbours = is_plain || of(3) != 0;
    if (!steps_are_neighbours) std::swap(order[of(order.size())], order.back());
    std::size_t const gap = of(3);
    auto const place_one = [&](bool repeats) {
      return is_plain ? place_in_words<T>(extents, gap, word, word == 1 ? of(16 / sizeof(T)) : 0)
                      : place(of, extents, order, repeats);
    };
    placed const at_out = place_one(false);
    std::size_t const in_place = of(4);  // over a, over b, or apart
    bool const is_constant = in_place != 0 && of(5) == 0;
    placed const at_a = in_place == 0 ? at_out : place_one(of(2) == 0);
    placed const at_b = in_place == 1 ? at_out : place_one(of(5) == 0);

    std::vector<T> a(at_a.size), b(at_b.size), out(at_out.size, static_cast<T>(7.0f));
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = coefficient<T>(what, random_bits(seed + 1, k));
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = term<T>(what, random_bits(seed + 2, k));
    if (in_place == 0) out = a;
    if (in_place == 1) out = b;
    T const constant = coefficient<T>(what, random_bits(seed, 99));

    batch::layout where;
    std::size_t const last = extents.size() - 1;
    std::size_t all = 1;
    for (std::size_t d = 0; d < last; ++d) all *= extents[d];
    where.along = {n, {at_b.strides[last], at_out.strides[last], 0, 0, is_constant ? 0 : at_a.strides[last]}};
    std::ptrdiff_t ends_distance = static_cast<std::ptrdiff_t>(all);
    for (std::size_t d = 0; d < last; ++d) {
      ends_distance /= static_cast<std::ptrdiff_t>(extents[d]);
      where.across[where.dimensions++] = {
          extents[d],
          {at_b.strides[d], at_out.strides[d], ends_distance, ends_distance, is_constant ? 0 : at_a.strides[d]}};
    }
    bool const each = of(2) == 0, has_lasts = of(2) == 0;
    std::vector<T> befores(all), lasts(all, static_cast<T>(7.0f)), expected_lasts = lasts;
    for (std::size_t s = 0; s < all; ++s) befores[s] = term<T>(kind::ordinary, random_bits(seed + 3, s));

    device_array<T> const device_a(a), device_b(b), device_out(out), device_befores(befores), device_lasts(lasts);
    T* const results = in_place == 0 ? device_a.begin() : in_place == 1 ? device_b.begin() : device_out.begin();
    batch::ends<T> ends;
    if (each)
      ends.initials = device_befores.begin();
    else
      ends.initial = befores[0];
    if (has_lasts) ends.lasts = device_lasts.begin();
    cuda_backend::recurrence_arrays<T> const arrays{is_constant ? nullptr : device_a.begin() + at_a.first, constant,
                                                    device_b.begin() + at_b.first, results + at_out.first};
    auto& by = cuda_backend::tuning_in_use();
    by = {};
    if (of(2) == 0) by.recurrences_by_warps = of(2) == 0 ? 0 : 1'000'000;
    if (of(2) == 0) by.narrow_recurrence_columns = of(2) == 0 ? 0 : 1'000'000;
    if (of(2) == 0) by.middle_recurrence_columns_of_2 = by.middle_recurrence_columns_of_4 = of(2) == 0 ? 0 : 1'000'000;
    if (of(3) == 0) by.processors = static_cast<int>(1 + of(5));
    {
      cuda_backend::prepared_call call(cuda{stream_, space_}, "tally::test");
      ASSERT_TRUE(cuda_backend::run_recurrences(call, batch::simplified(where), arrays, ends));
    }
    stream_.wait();
    std::vector<T> const got = (in_place == 0 ? device_a : in_place == 1 ? device_b : device_out).values();
    std::vector<T> const got_lasts = device_lasts.values();

    auto const at = [](std::ptrdiff_t first, std::ptrdiff_t step, std::size_t k) {
      return static_cast<std::size_t>(first + step * static_cast<std::ptrdiff_t>(k));
    };
    for (std::size_t s = 0; s < all; ++s) {
      batch::distances const here = where.place(s);
      std::vector<T> own_a(n, constant), own_b(n);
      for (std::size_t k = 0; k < n; ++k) {
        if (!is_constant)
          own_a[k] =
              a[at(static_cast<std::ptrdiff_t>(at_a.first) + here.coefficients, where.along.step.coefficients, k)];
        own_b[k] = b[at(static_cast<std::ptrdiff_t>(at_b.first) + here.in, where.along.step.in, k)];
      }
      auto const y = states(own_a, own_b, befores[each ? s : 0]);
      for (std::size_t k = 0; k < n; ++k)
        out[at(static_cast<std::ptrdiff_t>(at_out.first) + here.out, where.along.step.out, k)] = y[k];
      if (has_lasts) expected_lasts[s] = y.back();
    }
    std::string const told = std::to_string(extents.size() - 1) + " dimensions, " + std::to_string(all) +
                             " sequences of " + std::to_string(n) + ", seed " + std::to_string(seed) + ", kind " +
                             std::to_string(static_cast<int>(what)) + ", in place " + std::to_string(in_place) +
                             ", step " + std::to_string(where.along.step.out);
    for (std::size_t k = 0; k < out.size(); ++k)
      ASSERT_TRUE(same(out[k], got[k])) << told << " at " << k << " of " << out.size() << ": " << shown(got[k])
                                        << " for " << shown(out[k]);
    for (std::size_t s = 0; s < all; ++s)
      ASSERT_TRUE(same(expected_lasts[s], got_lasts[s])) << told << ", last of " << s;
  }

  void run()
  {
    using problem = cuda_backend::recurrence_problem<T>;
    std::uint64_t seed = 1;
    auto const sizes = [&](std::size_t around, std::size_t sequences, int times) {
      for (std::size_t n = around > 2 ? around - 1 : 1; n <= around + 1; ++n)
        for (int k = 0; k < times; ++k) {
          one(n, sequences, ++seed);
          if (::testing::Test::HasFailure()) return;
        }
    };
    for (std::size_t n = 1; n <= 2 * problem::row + 1; n += 1 + n / 40)
      for (int k = 0; k < 3; ++k) {
        one(n, 400, ++seed);
        if (::testing::Test::HasFailure()) return;
      }
    for (std::size_t n : {problem::row, 2 * problem::row, 4 * problem::row}) sizes(static_cast<std::size_t>(n), 100, 8);
    for (std::size_t n : {problem::piece, problem::strip, 2 * problem::strip, problem::tile}) sizes(n, 20, 10);
    for (std::size_t n : {2 * problem::tile, 3 * problem::tile + problem::strip}) sizes(n, 6, 8);
    // Blocks take up to 64 sequences side by side.
    sizes(problem::tile, 200, 4);
    sizes(3 * problem::tile, 200, 2);
    if (sizeof(T) == 2) sizes(order::span_tiles * problem::tile, 200, 1);
    sizes(order::span_tiles * problem::tile, 3, 2);
    sizes(2 * order::span_tiles * problem::tile + 1000, 2, 1);
  }

private:
  stream stream_;
  cuda::workspace space_;
};

using narrow_fold = cuda_backend::state_fold<float, double, 2, 1>;

/// Publishes the totals, and finds the states before some of the tiles.
__global__ void find_states(affine<float> const* totals, std::uint32_t tiles, std::uint64_t* words, double before,
                            std::uint32_t const* wanted, int count, float* found)
{
  __shared__ cuda_backend::uninitialized<narrow_fold::shared> memory;
  constexpr std::uint32_t epoch = 3;
  for (std::uint32_t t = threadIdx.x; t < tiles; t += cuda_backend::warp_lanes)
    cuda_backend::publish(words + t * cuda_backend::words_of<affine<float>>, totals[t], epoch);
  double state = before;
  std::uint32_t first = 0;
  for (int k = 0; k < count; ++k) {
    narrow_fold const states(wanted[k], first, words, epoch, *memory, [&] { return state; });
    state = states.before_span;
    first = wanted[k] / order::span_tiles;
    if (threadIdx.x == 0) found[k] = states.before_tile;
  }
}

TEST(cuda_recurrences, fold_states_far_apart)
{
  std::uint32_t const tiles = 700;
  std::vector<affine<float>> totals;
  for (std::uint32_t t = 0; t < tiles; ++t)
    totals.push_back(
        {coefficient<float>(kind::ordinary, random_bits(1, t)), term<float>(kind::ordinary, random_bits(2, t))});
  std::vector<float> expected;
  double spans = -0.5, span_scale = 1, span_offset = 0;
  for (std::uint32_t t = 0; t <= tiles; ++t) {
    if (t % 32 == 0 && t > 0) spans = span_scale * spans + span_offset;
    expected.push_back(static_cast<float>(t % 32 == 0 ? spans : span_scale * spans + span_offset));
    if (t == tiles) break;
    double const scale = totals[t].scale, offset = totals[t].offset, product = scale * span_offset;
    span_offset = t % 32 == 0 ? offset : product + offset;
    span_scale = t % 32 == 0 ? scale : scale * span_scale;
  }
  for (std::vector<std::uint32_t> const& wanted :
       {std::vector<std::uint32_t>{0, 1, 31, 32, 33, 63, 64, 65, 700}, {5, 70, 128, 129, 330, 331, 480, 639}, {640}}) {
    device_array<affine<float>> const device_totals(totals);
    device_array<std::uint64_t> const words(std::vector<std::uint64_t>(2 * tiles));
    device_array<std::uint32_t> const device_wanted(wanted);
    device_array<float> const found(wanted.size());
    find_states<<<1, cuda_backend::warp_lanes>>>(device_totals.begin(), tiles, words.begin(), -0.5,
                                                 device_wanted.begin(), static_cast<int>(wanted.size()), found.begin());
    check_cuda(cudaDeviceSynchronize());
    std::vector<float> const got = found.values();
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_TRUE(same(expected[wanted[k]], got[k])) << "before tile " << wanted[k];
  }
}

TEST(cuda_recurrences, of_f32)
{
  recurrences_test<float>().run();
}
TEST(cuda_recurrences, of_f64)
{
  recurrences_test<double>().run();
}
TEST(cuda_recurrences, of_f16)
{
  recurrences_test<half>().run();
}
TEST(cuda_recurrences, of_bf16)
{
  recurrences_test<bfloat16>().run();
}
TEST(cuda_recurrences, take_every_path)
{
  for (char const* path : {"cuda: recurrences in rows", "cuda: recurrences in plain rows",
                           "cuda: recurrences in plain rows from anywhere on", "cuda: recurrences in plain short rows",
                           "cuda: recurrences in plain short rows of half words", "cuda: recurrences by tiles",
                           "cuda: recurrences by plain tiles", "cuda: recurrences by plain tiles from anywhere on",
                           "cuda: recurrences in columns", "cuda: recurrences in narrow columns",
                           "cuda: recurrences in wide columns", "cuda: recurrences are looked through first"})
    EXPECT_GT(paths[path], 0u) << path;
}

}  // namespace
}  // namespace tally::test
