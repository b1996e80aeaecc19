#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "../ranks/offsets.hpp"
#include "../ranks/parts.hpp"
#include "../ranks/segmented.hpp"
#include "../support/data.hpp"
#include "../support/divisions.hpp"
#include "../support/watchdog.hpp"
#include "host_machine.hpp"
#include "tally/detail/nccl/segments.hpp"
#include "tally/detail/nccl/segments_between.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/ranks.hpp"

/// Exact sums of segments that cross from GPU to GPU, in this machine's memory: those of one machine.
namespace tally::test {
namespace {

template <class T, from End>
void check_between(std::size_t n, std::vector<std::int64_t> const& offsets,
                   std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  segments_of_one_machine<T, exact_plus, End> const all(n, offsets, {});
  on_host_ranks(static_cast<int>(divisions[0].size()) - 1, {}, {},
                [&](host_ranks const& on, int rank) { check_parts(on, rank, all, divisions); });
}

TEST(exact_segments_on_gpus, between_offsets)
{
  std::size_t const n = 9, many = 600;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    auto const offsets = random_offsets(seed == 0 ? 2 : 5, seed, n - seed % 2, seed);
    check_between<double, from::front>(n, offsets, every_division(n));
    check_between<float, from::back>(n, offsets, every_division(n));
  }
  for (std::size_t const count : {1, 5, 300}) {
    auto const offsets = random_offsets(count, 0, many, 1);
    auto const divisions = random_divisions(many, 7, 2, 3);
    check_between<float, from::front>(many, offsets, divisions);
    check_between<double, from::back>(many, offsets, divisions);
  }
}

TEST(exact_segments_on_gpus, by_flag_and_by_key)
{
  watchdog const waits(std::chrono::seconds(300));
  std::size_t const n = 9;
  exact_plus const op;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    auto const x = make_data<double>(hardest<double>, n);
    auto const flags = random_flags(n, 2 + 2 * seed, seed);
    std::vector<int> keys(n);
    for (std::size_t k = 0; k < n; ++k) keys[k] = (k > 0 ? keys[k - 1] : 0) + flags[k];
    std::vector<double> sums(n), inclusive(n), exclusive(n);
    sums.resize(tally::reduce_by_flag(cpu{1}, x.begin(), x.end(), flags.begin(), sums.begin(), op));
    tally::inclusive_scan_by_flag(cpu{1}, x.begin(), x.end(), flags.begin(), inclusive.begin(), op);
    tally::exclusive_scan_by_flag(cpu{1}, x.begin(), x.end(), flags.begin(), exclusive.begin(), x[0], op);
    on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) {
      in_each_division(rank, every_division(n), [&](std::size_t begin, std::size_t end) {
        auto const at = [](auto const& all, std::size_t k) { return all.begin() + static_cast<std::ptrdiff_t>(k); };
        std::vector<double> out(end - begin, 77.0), own(n, 77.0);
        std::vector<int> runs(n);
        tally::inclusive_scan_by_flag(on, at(x, begin), at(x, end), at(flags, begin), out.begin(), op);
        expect_part(out, inclusive, begin, "inclusive_scan_by_flag");
        tally::exclusive_scan_by_key(on, at(keys, begin), at(keys, end), at(x, begin), out.begin(), x[0], op);
        expect_part(out, exclusive, begin, "exclusive_scan_by_key");
        own.resize(
            tally::reduce_by_key(on, at(keys, begin), at(keys, end), at(x, begin), runs.begin(), own.begin(), op));
        std::size_t first = 0;
        for (std::size_t k = 0; k < begin; ++k) first += k == 0 || flags[k] != 0;
        expect_part(own, sums, first, "reduce_by_key");
      });
    });
  }
}

}  // namespace
}  // namespace tally::test
