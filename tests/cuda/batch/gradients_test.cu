// Gradients of linear recurrences on a GPU by the kernel for numbers in memory, against the slow implementation of the
// order. Every byte of what is written to is compared.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../../support/bits.hpp"
#include "../device_array.hpp"
#include "recurrence_cases.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/gradient.hpp"
#include "tally/half.hpp"

namespace tally::test {
namespace {

using detail::recurrence::role;

std::map<std::string, std::size_t> paths;

template <class T>
class gradients_test {
public:
  using W = working_type<T>;
  using given_type = detail::recurrence::gradient_arrays<T, T, T, T, T, T>;

  gradients_test()
  {
    detail::observer_of_paths = [](char const* name, char const*) { ++paths[name]; };
  }

  /// Gradients of n steps, `sequences` at most.
  void one(std::size_t n, std::size_t sequences, std::uint64_t seed)
  {
    dice of(seed);
    auto const what = static_cast<kind>(of(8) < 4 ? 0 : 1 + of(other_kinds));
    std::vector<std::size_t> extents;
    for (std::size_t d = of(4), rest = sequences; d > 0 && rest > 1; --d) {
      extents.push_back(d == 1 ? 1 + of(rest) : 1 + of(std::min<std::size_t>(rest, 6)));
      rest /= extents.back();
    }
    // Plain rows may begin and end within a word: short ones in its middle, long ones anywhere.
    std::size_t const last = extents.size(),
                      word = std::array{std::size_t{1}, 8 / sizeof(T), 16 / sizeof(T), 16 / sizeof(T)}[of(4)];
    bool const is_plain = n >= word && of(4) == 0;
    if (is_plain) n = n / word * word;
    extents.push_back(n);
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), 0);
    bool const alike = is_plain || of(2) == 0;
    placed const same_place = is_plain ? place_in_words<T>(extents, of(3), word, word == 1 ? of(16 / sizeof(T)) : 0)
                                       : place(of, extents, order, false);
    auto const placed_array = [&] { return alike ? same_place : place(of, extents, order, false); };
    bool const is_in_place = of(3) == 0;
    std::vector<std::vector<T>> values;
    std::vector<placed> at;
    for (role r : {role::a, role::y, role::above, role::to_a, role::to_b}) {
      at.push_back(r == role::to_b && is_in_place ? at[2] : placed_array());
      values.emplace_back(at.back().size, static_cast<T>(7.0f));
      auto& into = values.back();
      std::uint64_t const own = seed + 10 * values.size();
      for (std::size_t k = 0; k < into.size() && r <= role::above; ++k)
        into[k] = r == role::a ? coefficient<T>(what, random_bits(own, k)) : term<T>(what, random_bits(own, k));
      if (r == role::to_b && is_in_place) into = values[2];
    }
    std::size_t all = 1;
    for (std::size_t d = 0; d < last; ++d) all *= extents[d];
    bool const each = of(2) == 0, has_lasts = of(2) == 0;
    std::vector<T> befores(all), lasts(all, static_cast<T>(7.0f));
    for (std::size_t s = 0; s < all; ++s) befores[s] = term<T>(kind::ordinary, random_bits(seed + 3, s));

    device_array<T> const a(values[0]), y(values[1]), above(values[2]), to_a(values[3]), separate(values[4]);
    device_array<T> const device_befores(befores), device_lasts(lasts);
    device_array<T> const& to_b = is_in_place ? above : separate;
    given_type given{};
    given.a = a.begin() + at[0].first;
    given.y = y.begin() + at[1].first;
    given.above = above.begin() + at[2].first;
    given.to_a = to_a.begin() + at[3].first;
    given.to_b = to_b.begin() + at[4].first;
    given.befores = each ? device_befores.begin() : nullptr;
    given.before = befores[0];
    given.to_befores = has_lasts ? device_lasts.begin() : nullptr;
    given.size = n;
    given.dimensions = static_cast<int>(last);
    std::ptrdiff_t distance = static_cast<std::ptrdiff_t>(all);
    for (std::size_t r = 0; r < 5; ++r) given.along[r] = at[r].strides[last];
    for (std::size_t d = 0; d < last; ++d) {
      distance /= static_cast<std::ptrdiff_t>(extents[d]);
      given.extents[d] = extents[d];
      for (std::size_t r = 0; r < 5; ++r) given.across[d][r] = at[r].strides[d];
      given.across[d][5] = given.across[d][6] = distance;
    }
    auto& by = cuda_backend::tuning_in_use();
    by = {};
    by.recurrences_by_warps = 0;
    if (of(3) == 0) by.processors = static_cast<int>(1 + of(5));
    {
      cuda_backend::prepared_call call(cuda{stream_, space_}, "tally::test");
      if (!cuda_backend::run_gradients(call, detail::recurrence::in_memory(given))) return;
    }
    ++taken_;
    stream_.wait();
    std::vector<T> const got_a = to_a.values(), got_b = to_b.values(), got_lasts = device_lasts.values();

    for (std::size_t s = 0; s < all; ++s) {
      auto const index = [&](std::size_t array, std::size_t k) {
        return at[array].first + static_cast<std::size_t>(given.place(static_cast<role>(array), s, k));
      };
      std::vector<T> factors, terms;
      for (std::size_t k = n; k-- > 0;) {
        factors.push_back(k + 1 == n ? T(1.0f) : values[0][index(0, k + 1)]);
        terms.push_back(values[2][index(2, k)]);
      }
      auto const times = [](T x, T z) { return static_cast<T>(static_cast<W>(x) * static_cast<W>(z)); };
      std::vector<T> const h = states(factors, terms, T(0.0f));
      for (std::size_t k = 0; k < n; ++k) {
        T const state = k == 0 ? befores[each ? s : 0] : values[1][index(1, k - 1)];
        values[3][index(3, k)] = times(h[n - 1 - k], state);
        values[4][index(4, k)] = h[n - 1 - k];
      }
      if (has_lasts) lasts[s] = times(h[n - 1], values[0][index(0, 0)]);
    }
    std::string const told = std::to_string(last) + " dimensions, " + std::to_string(all) + " sequences of " +
                             std::to_string(n) + ", seed " + std::to_string(seed) + ", kind " +
                             std::to_string(static_cast<int>(what)) + (is_in_place ? ", in place" : "") +
                             (alike ? ", alike" : "") + ", step " + std::to_string(given.along[4]);
    expect_same(got_a, values[3], told + ", da");
    expect_same(got_b, values[4], told + ", db");
    expect_same(got_lasts, lasts, told + ", dbefore");
  }

  void run()
  {
    constexpr std::size_t row = order::row<affine<T>>, tile = order::tile<affine<T>>, strip = order::strip<affine<T>>;
    std::uint64_t seed = 1;
    auto const sizes = [&](std::size_t from, std::size_t to, std::size_t by, std::size_t sequences, int times) {
      for (std::size_t n = from; n <= to; n += by)
        for (int k = 0; k < times; ++k)
          if (!::testing::Test::HasFailure()) one(n, sequences, ++seed);
    };
#ifdef TALLY_TEST_BRIEFLY
    for (std::size_t n : {std::size_t{3}, row, 2 * row + 1, 8 * row + 3, strip, tile + 1}) sizes(n, n, 1, 40, 6);
    return;
#endif
    for (std::size_t n = 1; n <= 2 * row + 1; n += 1 + n / 20) sizes(n, n, 1, 400, 3);
    for (std::size_t n : {row, 2 * row, 4 * row}) sizes(n - 1, n + 1, 1, 100, 6);
    for (std::size_t n : {8 * row, strip, 2 * strip, tile}) sizes(n - 1, n + 1, 1, 20, 8);
    sizes(3 * tile + strip, 3 * tile + strip, 1, 6, 8);
    sizes(order::span_tiles * tile + 1, order::span_tiles * tile + 1, 1, 2, 2);
    EXPECT_GT(taken_, 200);
  }

private:
  static void expect_same(std::vector<T> const& got, std::vector<T> const& expected, std::string const& told)
  {
    for (std::size_t k = 0; k < got.size(); ++k)
      ASSERT_TRUE(same(got[k], expected[k]))
          << told << " at " << k << " of " << got.size() << ": " << shown(got[k]) << " for " << shown(expected[k]);
  }

  stream stream_;
  cuda::workspace space_;
  int taken_ = 0;
};

TEST(cuda_gradients, of_f32)
{
  gradients_test<float>().run();
}
TEST(cuda_gradients, of_f64)
{
  gradients_test<double>().run();
}
TEST(cuda_gradients, of_f16)
{
  gradients_test<half>().run();
}
TEST(cuda_gradients, of_bf16)
{
  gradients_test<bfloat16>().run();
}
TEST(cuda_gradients, take_every_path)
{
  for (char const* path : {"cuda: gradients in rows", "cuda: gradients in plain rows",
                           "cuda: gradients in plain rows from anywhere on", "cuda: gradients in plain short rows"})
    EXPECT_GT(paths[path], 100u) << path;
}

}  // namespace
}  // namespace tally::test
