#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "../support/generator.hpp"
#include "../support/operators.hpp"
#include "gpu_ranks.hpp"
#include "tally/operators.hpp"

/// Segments that cross from GPU to GPU, against this machine's processor.
namespace tally::test {
namespace {

/// Values in segments, and the results of one machine.
template <class T, class Op>
struct segments_of_test {
  std::vector<T> x, inclusive, exclusive, sums;
  std::vector<char> flags;
  std::vector<std::int32_t> keys, runs;
  T init;
  Op op;

  /// `ends`: where segments begin.
  segments_of_test(std::size_t n, std::vector<std::size_t> const& begins, T start, Op operation)
      : x(n),
        inclusive(n),
        exclusive(n),
        sums(n),
        flags(n),
        keys(n),
        runs(n),
        init(start),
        op(operation)
  {
    for (std::size_t k = 0; k < n; ++k)
      x[k] = static_cast<T>(static_cast<std::int32_t>(random_bits(5, k))) * static_cast<T>(0.5);
    for (std::size_t const begin : begins)
      if (begin < n) flags[begin] = 1;
    for (std::size_t k = 1; k < n; ++k) keys[k] = keys[k - 1] + flags[k];
    tally::inclusive_scan_by_flag(cpu{1}, x.begin(), x.end(), flags.begin(), inclusive.begin(), op);
    tally::exclusive_scan_by_flag(cpu{1}, x.begin(), x.end(), flags.begin(), exclusive.begin(), init, op);
    std::size_t const count =
        tally::reduce_by_key(cpu{1}, keys.begin(), keys.end(), x.begin(), runs.begin(), sums.begin(), op);
    sums.resize(count);
    runs.resize(count);
  }

  /// Every call on the part between two places.
  template <class Rank>
  void check(Rank const& of, std::pair<std::size_t, std::size_t> const& part) const
  {
    device_array<T> const values(slice(x, part));
    device_array<char> const heads(slice(flags, part));
    device_array<std::int32_t> const own_keys(slice(keys, part));
    std::size_t const n = values.size();
    device_array<T> out(n), reduced(n + 1);
    device_array<std::int32_t> kept(n + 1);
    auto const now = of.calls();
    tally::inclusive_scan_by_flag(of.on, values.begin(), values.end(), heads.begin(), out.begin(), op);
    of.expect(out, inclusive, part.first, "inclusive_scan_by_flag");
    tally::exclusive_scan_by_key(of.on, own_keys.begin(), own_keys.end(), values.begin(), out.begin(), init, op);
    of.expect(out, exclusive, part.first, "exclusive_scan_by_key");
    // The segments that begin in this part.
    std::size_t first = 0, last = 0;
    for (std::size_t k = 0; k < part.second; ++k) {
      bool const begins = k == 0 || flags[k] != 0;
      if (begins && k < part.first) ++first;
      if (begins) ++last;
    }
    std::size_t const count = tally::reduce_by_key(of.on, own_keys.begin(), own_keys.end(), values.begin(),
                                                   kept.begin(), reduced.begin(), op);
    if (count != last - first) throw error("reduce_by_key: " + std::to_string(count) + " runs");
    auto const got = of.values_of(reduced);
    auto const got_keys = of.values_of(kept);
    for (std::size_t s = 0; s < count; ++s)
      if (std::memcmp(&got[s], &sums[first + s], sizeof(T)) != 0 || got_keys[s] != runs[first + s])
        throw error("reduce_by_key differs first at run " + std::to_string(s));
  }
};

template <class T, class Op>
void check_segments(T init, Op op)
{
  std::size_t const tile = order::tile<T>, n = 4 * tile + 77;
  std::vector<std::vector<std::size_t>> const all_begins{
      {}, {5, tile - 3, tile + 900, 3 * tile}, {2 * tile + 1, 2 * tile + 2}, {n - 1}};
  for (auto const& begins : all_begins) {
    segments_of_test<T, Op> const all(n, begins, init, op);
    on_gpu_ranks([&](auto const& of) {
      for (std::vector<std::size_t> const& cuts :
           {std::vector<std::size_t>{tile, tile + 3}, {3, n - 40}, {0, n}, {2 * tile + 2, 2 * tile + 2}, {n, n}})
        all.check(of, of.part(n, cuts));
    });
  }
  // Many short segments.
  std::vector<std::size_t> begins;
  for (std::size_t k = 0; k < n; k += 1 + random_bits(8, k) % 9) begins.push_back(k);
  segments_of_test<T, Op> const all(n, begins, init, op);
  on_gpu_ranks([&](auto const& of) { all.check(of, of.part(n, {n / 3, n / 2})); });
}

TEST(cuda_gpus_segments, floats_under_an_operator_of_the_callers)
{
  check_segments<float>(1.5f, halve_and_add_in_double{});
}

TEST(cuda_gpus_segments, integers)
{
  check_segments<std::int32_t>(7, plus{});
}

}  // namespace
}  // namespace tally::test
