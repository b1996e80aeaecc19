// Linear recurrences on a GPU by the kernels for numbers in memory, against the slow implementation of the order, one
// sequence at a time. Each size takes its turn with layouts, values, ends and kernels that are drawn anew. Every byte
// of what is written to is compared.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../../order/reference.hpp"
#include "../../support/bits.hpp"
#include "../../support/generator.hpp"
#include "../device_array.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/cuda/recurrence/recurrences_launch.cuh"
#include "tally/half.hpp"

namespace tally::test {
namespace {

namespace batch = detail::batch;

std::map<std::string, std::size_t> paths;

/// Numbers that follow from a seed.
class dice {
public:
  explicit dice(std::uint64_t seed) : seed_(seed) {}
  std::size_t operator()(std::size_t n) { return static_cast<std::size_t>(random_bits(seed_, ++at_) >> 11) % n; }

private:
  std::uint64_t seed_, at_ = 0;
};

/// The reference's own maps and their composition. The program is compiled without contraction.
template <class T>
struct map_of_step {
  T scale, offset;
  template <class U>
  explicit operator map_of_step<U>() const
  {
    return {static_cast<U>(scale), static_cast<U>(offset)};
  }
};
struct in_turn {
  template <class T>
  map_of_step<T> operator()(map_of_step<T> const& earlier, map_of_step<T> const& later) const
  {
    T const scale = later.scale * earlier.scale, product = later.scale * earlier.offset;
    return {scale, product + later.offset};
  }
};

/// The states by docs/order.md.
template <class T>
std::vector<T> states(std::vector<T> const& a, std::vector<T> const& b, T before)
{
  using W = working_type<T>;
  using C = std::conditional_t<std::is_same_v<T, float>, double, W>;
  std::vector<map_of_step<W>> maps;
  for (std::size_t k = 0; k < a.size(); ++k) maps.push_back({static_cast<W>(a[k]), static_cast<W>(b[k])});
  reference::shape const by{.group = 16 / (2 * sizeof(T))};
  in_turn op;
  reference::slot<map_of_step<W>> const init = map_of_step<W>{W{}, static_cast<W>(before)};
  auto const scanned = reference::inclusive<map_of_step<C>, map_of_step<W>>(maps, init, op, by);
  std::vector<T> y;
  std::size_t k = 0;
  for (; k < scanned.size(); ++k) {
    T const result = static_cast<T>(scanned[k].offset);
    if (!std::isfinite(static_cast<double>(result))) break;
    y.push_back(result);
  }
  for (T state = k == 0 ? before : y.back(); k < a.size(); ++k) {
    W const product = static_cast<W>(a[k]) * static_cast<W>(state);
    state = static_cast<T>(product + static_cast<W>(b[k]));
    y.push_back(state);
  }
  return y;
}

/// The values: ordinary ones; products that overflow while states stay finite; growth to infinity; NaNs and infinities.
enum class kind { ordinary, pulled_back, growth, odd };

float signed_unit(std::uint64_t random)
{
  return static_cast<float>(static_cast<double>(random >> 11) * 0x1p-52 - 1);
}
template <class T>
T coefficient(kind what, std::uint64_t random)
{
  float const x = signed_unit(random);
  switch (what) {
    case kind::pulled_back: return static_cast<T>(random % 97 == 0 ? 0.0f : 8 * x);
    case kind::growth: return static_cast<T>(1.2f + 0.9f * x);
    default: return static_cast<T>(0.9f + 0.2f * x);
  }
}
template <class T>
T term(kind what, std::uint64_t random)
{
  float const x = signed_unit(random);
  if (what == kind::odd && random % 701 == 0) return static_cast<T>(std::numeric_limits<float>::infinity());
  if (what == kind::odd && random % 701 == 1) return static_cast<T>(std::numeric_limits<float>::quiet_NaN());
  if (what == kind::pulled_back && random % 5 != 0) return static_cast<T>(-0.0f);
  return static_cast<T>(x);
}

/// An array in memory: the distances of its axes, the sequence's own one last.
struct placed {
  std::vector<std::ptrdiff_t> strides;
  std::size_t first = 0, size = 0;
};

/// Places an array of these extents, with gaps and backwards axes by chance. The axis at `order.back()` has neighbours
/// in memory. Axes may be repeated if `repeats`.
placed place(dice& of, std::vector<std::size_t> const& extents, std::vector<std::size_t> const& order, bool repeats)
{
  placed result{std::vector<std::ptrdiff_t>(extents.size()), 0, 1};
  std::ptrdiff_t distance = 1, lowest = 0, highest = 0;
  bool const has_gaps = of(3) == 0, turns = of(3) == 0;
  for (std::size_t d = order.size(); d-- > 0;) {
    std::size_t const axis = order[d];
    if (repeats && of(4) == 0) continue;
    auto const n = static_cast<std::ptrdiff_t>(extents[axis]);
    bool const backwards = turns && of(2) == 0;
    result.strides[axis] = backwards ? -distance : distance;
    (backwards ? lowest : highest) += (n - 1) * result.strides[axis];
    distance = distance * n + (has_gaps ? static_cast<std::ptrdiff_t>(of(9)) : 0);
  }
  std::size_t const margin = of(2) == 0 ? 16 : 16 + of(8);
  result.first = margin + static_cast<std::size_t>(-lowest);
  result.size = result.first + static_cast<std::size_t>(highest) + 1 + 16;
  return result;
}

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
    auto const what = static_cast<kind>(of(8) < 5 ? 0 : 1 + of(3));
    std::vector<std::size_t> extents;
    for (std::size_t d = of(4), rest = sequences; d > 0 && rest > 1; --d) {
      extents.push_back(d == 1 ? 1 + of(rest) : 1 + of(std::min<std::size_t>(rest, 6)));
      rest /= extents.back();
    }
    extents.push_back(n);
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), 0);
    bool const steps_are_neighbours = of(3) != 0;
    if (!steps_are_neighbours) std::swap(order[of(order.size())], order.back());
    placed const at_out = place(of, extents, order, false);
    std::size_t const in_place = of(4);  // over a, over b, or apart
    bool const is_constant = in_place != 0 && of(5) == 0;
    placed const at_a = in_place == 0 ? at_out : place(of, extents, order, of(2) == 0);
    placed const at_b = in_place == 1 ? at_out : place(of, extents, order, of(5) == 0);

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
    sizes(order::span_tiles * problem::tile, 3, 2);
    sizes(2 * order::span_tiles * problem::tile + 1000, 2, 1);
  }

private:
  stream stream_;
  cuda::workspace space_;
};

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
  for (char const* path : {"cuda: recurrences in rows", "cuda: recurrences by tiles", "cuda: recurrences in columns",
                           "cuda: recurrences in narrow columns", "cuda: recurrences are looked through first"})
    EXPECT_GT(paths[path], 0u) << path;
}

}  // namespace
}  // namespace tally::test
