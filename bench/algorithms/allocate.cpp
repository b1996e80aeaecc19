// Allocation against a plain loop:
//   build/bench/algorithms/tally_bench_allocate [log2 of the size ...]
#include <cstdint>
#include <cstdlib>
#include <execution>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/algorithms/allocate.hpp"
#include "tally/scan.hpp"

namespace {

void measure(std::size_t n)
{
  std::vector<std::uint64_t> sizes(n), offsets(n), alignments(n);
  std::mt19937_64 random(1);
  for (std::size_t k = 0; k < n; ++k) {
    sizes[k] = random() % 1000;
    alignments[k] = std::uint64_t{1} << random() % 7;
  }
  std::uint64_t const capacity = n * 2000;
  for (std::uint64_t const alignment : {1, 64}) {
    tally::bench::rounds all("allocation of u64 at " + std::to_string(alignment), n, n * 16);
    all.add("loop that checks", [&] {
      std::uint64_t place = 0;
      for (std::size_t k = 0; k < n; ++k) {
        offsets[k] = place;
        if (sizes[k] > capacity - place) std::abort();
        place += (sizes[k] + alignment - 1) & ~(alignment - 1);
      }
    });
    all.add("std::exclusive_scan, checks nothing",
            [&] { std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), std::uint64_t{0}); });
    all.add("std::exclusive_scan, par_unseq, checks nothing", [&] {
      std::exclusive_scan(std::execution::par_unseq, sizes.begin(), sizes.end(), offsets.begin(), std::uint64_t{0});
    });
    all.add("tally::exclusive_scan, checks nothing",
            [&] { tally::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), std::uint64_t{0}); });
    all.add("tally::allocate, one thread", [&] {
      tally::allocate(tally::cpu{1}, sizes.begin(), sizes.end(), offsets.begin(), {alignment, capacity});
    });
    all.add("tally::allocate",
            [&] { tally::allocate(sizes.begin(), sizes.end(), offsets.begin(), {alignment, capacity}); });
    all.run();
  }
  tally::bench::rounds all("allocation of u64, each at its own power of two", n, n * 24);
  all.add("loop that checks", [&] {
    std::uint64_t place = 0;
    for (std::size_t k = 0; k < n; ++k) {
      place = (place + alignments[k] - 1) & ~(alignments[k] - 1);
      offsets[k] = place;
      place += sizes[k];
      if (place > capacity) std::abort();
    }
  });
  all.add("tally::allocate_aligned, one thread", [&] {
    tally::allocate_aligned(tally::cpu{1}, sizes.begin(), sizes.end(), alignments.begin(), offsets.begin(),
                            {.capacity = capacity});
  });
  all.add("tally::allocate_aligned", [&] {
    tally::allocate_aligned(sizes.begin(), sizes.end(), alignments.begin(), offsets.begin(), {.capacity = capacity});
  });
  all.run();
}

}  // namespace

int main(int count, char** arguments)
{
  for (int k = 1; k < count; ++k) measure(std::size_t{1} << std::atoi(arguments[k]));
  if (count == 1)
    for (int const size : {20, 24, 26}) measure(std::size_t{1} << size);
}
