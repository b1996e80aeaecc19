#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "../ranks/offsets.hpp"
#include "../support/generator.hpp"
#include "../support/operators.hpp"
#include "gpu_ranks.hpp"
#include "tally/operators.hpp"

/// Segments between offsets that cross from GPU to GPU, against this machine's processor.
namespace tally::test {
namespace {

/// Values in segments, with an initial value each, and the results of one machine.
template <class T, class Op, from End>
struct segments_of_test {
  std::vector<T> x, inits;
  std::vector<std::int64_t> offsets;
  Op op;
  std::vector<T> sums, inclusive, exclusive, lasts;

  segments_of_test(std::size_t n, std::vector<std::int64_t> places, Op operation)
      : x(n),
        inits(places.size()),
        offsets(std::move(places)),
        op(operation),
        sums(offsets.size() - 1),
        inclusive(n, T(77)),
        exclusive(n, T(77)),
        lasts(sums.size())
  {
    for (std::size_t k = 0; k < n; ++k)
      x[k] = static_cast<T>(static_cast<std::int32_t>(random_bits(5, k))) * static_cast<T>(0.5);
    for (std::size_t s = 0; s < inits.size(); ++s) inits[s] = static_cast<T>(3 * s + 1);
    auto const all = batch_of<End>(x, offsets);
    tally::reduce(cpu{1}, all, sums, inits[0], op);
    tally::inclusive_scan(cpu{1}, all, inclusive, op);
    tally::exclusive_scan(cpu{1}, all, exclusive, each(inits), op, last_to(lasts));
  }

  /// Every call on the part between two places.
  template <class Rank>
  void check(Rank const& of, std::vector<std::size_t> const& division) const
  {
    auto const rank = static_cast<std::size_t>(of.rank);
    std::pair<std::size_t, std::size_t> const part{division[rank], division[rank + 1]};
    given const own = given_on(offsets, division, rank, division[1] % 2 == 0);
    std::size_t const count = own.behind - own.first, n = part.second - part.first;
    device_array<T> const values(slice(x, part)), starts(piece_of(inits, own.first, own.behind));
    device_array<std::int64_t> const places(piece_of(offsets, own.first, own.behind + 1));
    device_array<T> reduced(count), last(count), out(n), excluded(n);
    out.assign(std::vector<T>(n, T(77)));
    excluded.assign(std::vector<T>(n, T(77)));
    auto const now = of.calls();
    auto const batch = batch_of<End>(std::span<T const>(values.begin(), n),
                                     std::span<std::int64_t const>(places.begin(), places.size()));
    tally::reduce(of.on, batch, std::span<T>(reduced.begin(), count), inits[0], op);
    of.expect(reduced, sums, own.first, "reduce");
    tally::inclusive_scan(of.on, batch, std::span<T>(out.begin(), n), op);
    of.expect(out, inclusive, part.first, "inclusive_scan");
    tally::exclusive_scan(of.on, batch, std::span<T>(excluded.begin(), n),
                          each(std::span<T const>(starts.begin(), count)), op,
                          last_to(std::span<T>(last.begin(), count)));
    of.expect(excluded, exclusive, part.first, "exclusive_scan");
    of.expect(last, lasts, own.first, "last values");
  }
};

template <from End, class T, class Op>
void check_segments(T, Op op)
{
  std::size_t const tile = order::tile<T>, n = 4 * tile + 77;
  auto const at = [](std::size_t k) { return static_cast<std::int64_t>(k); };
  std::vector<std::vector<std::int64_t>> all_offsets{
      {0, at(n)}, {3, 3, at(tile - 3), at(tile + 900), at(3 * tile), at(n - 5)}, random_offsets(2000, 0, n, 7)};
  for (auto const& offsets : all_offsets) {
    segments_of_test<T, Op, End> const all(n, offsets, op);
    on_gpu_ranks([&](auto const& of) {
      for (std::vector<std::size_t> cuts :
           {std::vector<std::size_t>{tile, tile + 3}, {3, n - 40}, {0, n}, {2 * tile + 2, 2 * tile + 2}}) {
        cuts.resize(static_cast<std::size_t>(of.ranks) - 1, n);
        cuts.insert(cuts.begin(), 0);
        cuts.push_back(n);
        all.check(of, cuts);
      }
    });
  }
}

TEST(cuda_gpus_segments_between, sums_of_floats_from_the_front)
{
  check_segments<from::front>(1.5f, plus{});
}

TEST(cuda_gpus_segments_between, exact_sums_of_floats)
{
  check_segments<from::front>(1.5f, exact_plus{});
  check_segments<from::back>(1.5f, exact_plus{});
}

TEST(cuda_gpus_segments_between, floats_under_an_operator_of_the_callers_from_the_back)
{
  check_segments<from::back>(1.5f, halve_and_add_in_double{});
}

}  // namespace
}  // namespace tally::test
