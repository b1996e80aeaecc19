// Recursive filters on a GPU: the bits of the same call on a CPU, along axes and of segments.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../../support/generator.hpp"
#include "../device_array.hpp"
#include "tally/algorithms/recursive_filter.hpp"
#include "tally/cuda.hpp"

namespace tally::test {
namespace {

template <class T>
std::vector<T> signal(std::size_t n, std::uint64_t seed)
{
  std::vector<T> x(n);
  for (std::size_t k = 0; k < n; ++k)
    x[k] = static_cast<T>(static_cast<double>(random_bits(seed, k) >> 11) * 0x1p-52 - 1);
  return x;
}
template <class T>
void expect_same(std::vector<T> const& a, std::vector<T> const& b, char const* what, std::size_t n)
{
  for (std::size_t k = 0; k < a.size(); ++k) {
    bool const same = (a[k] != a[k] && b[k] != b[k]) || std::bit_cast<std::array<char, sizeof(T)>>(a[k]) ==
                                                            std::bit_cast<std::array<char, sizeof(T)>>(b[k]);
    ASSERT_TRUE(same) << what << ' ' << k << " of " << n << ": " << a[k] << ' ' << b[k];
  }
}
template <class T, std::size_t Order>
std::vector<T> flat(std::vector<std::array<T, Order>> const& states)
{
  std::vector<T> all;
  for (auto const& each : states) all.insert(all.end(), each.begin(), each.end());
  return all;
}

/// Rows and columns, from either end, apart and in place.
template <class T, std::size_t Order>
void signals_along(std::array<T, Order> const& feedback, std::size_t n, std::size_t way)
{
  using state = std::array<T, Order>;
  bool const columns = way % 2 == 1, in_place = way / 2 % 2 == 1, backwards = way / 4 == 1;
  std::size_t const signals = n > 100'000 ? 3 : n > 5000 ? 7 : 65;
  per_axis const shape = columns ? per_axis{n, signals} : per_axis{signals, n};
  auto const x = signal<T>(n * signals, n);
  std::vector<T> y = x;
  std::vector<state> before(signals, state{T(0.5)}), last(signals);
  device_array<T> const from(x), to(n * signals);
  device_array<state> const befores(before), lasts(signals);
  auto const filter = [&](auto const& on, T const* in, T* out, state const* b, state* l) {
    auto const a = along(columns ? 0 : 1, array_view<T const>(in, shape));
    auto const z = along(columns ? 0 : 1, array_view<T>(out, shape));
    if (backwards)
      recursive_filter(on, feedback, reversed(a), reversed(z), each(b), last_to(l));
    else
      recursive_filter(on, feedback, a, z, each(b), last_to(l));
  };
  stream const s;
  cuda::workspace space;
  filter(cpu{2}, x.data(), y.data(), before.data(), last.data());
  filter(cuda{s, space}, from.begin(), in_place ? from.begin() : to.begin(), befores.begin(), lasts.begin());
  expect_same(y, (in_place ? from : to).values(), "output", n);
  expect_same(flat(last), flat(lasts.values()), "last", n);
}

template <class T, std::size_t Order>
void signals_of_all_lengths(std::array<T, Order> const& feedback)
{
  constexpr std::size_t block = detail::recurrence::filter_block,
                        tile = block * detail::recurrence::filter_tile<T, Order>;
  for (std::size_t const n :
       {std::size_t{1}, block - 1, block, block + 1, tile, tile + 1, 32 * tile + 1, 33 * tile + 99})
    for (std::size_t way = 0; way < 8; ++way) signals_along<T, Order>(feedback, n, way);
  for (bool const backwards : {false, true}) {
    std::vector<std::size_t> offsets = {0};
    for (std::size_t s = 0; s < 60; ++s)
      offsets.push_back(offsets.back() + random_bits(3, s) % (s % 5 == 0 ? 1 : s % 3 == 0 ? 150'000 : 4000));
    auto y = signal<T>(offsets.back(), 11);
    std::vector<std::array<T, Order>> last(offsets.size() - 1);
    device_array<T> const values(y);
    device_array<std::size_t> const at(offsets);
    device_array<std::array<T, Order>> const lasts(last.size());
    auto const filter = [&](auto const& on, auto in, T* out, std::size_t const* o, std::array<T, Order>* l) {
      auto const batch = segments(in, o, o + offsets.size());
      if (backwards)
        recursive_filter(on, feedback, reversed(batch), out, std::array<T, Order>{T(3)}, last_to(l));
      else
        recursive_filter(on, feedback, batch, out, std::array<T, Order>{T(3)}, last_to(l));
    };
    stream const s;
    cuda::workspace space;
    filter(cpu{2}, y.data(), y.data(), offsets.data(), last.data());
    if (backwards)
      filter(cuda{s, space}, std::span<T const>(values.begin(), y.size()), values.begin(), at.begin(), lasts.begin());
    else
      filter(cuda{s, space}, static_cast<T const*>(values.begin()), values.begin(), at.begin(), lasts.begin());
    expect_same(y, values.values(), "segments", y.size());
    expect_same(flat(last), flat(lasts.values()), "last of segments", y.size());
  }
}

TEST(gpu_recursive_filter, has_the_bits_of_a_cpu)
{
  signals_of_all_lengths<float, 2>({1.6f, -0.8f});
  signals_of_all_lengths<double, 3>({0.5, 0.2, 0.1});
  signals_of_all_lengths<float, 2>({1.2f, 0.3f});  // overflows
}

}  // namespace
}  // namespace tally::test
