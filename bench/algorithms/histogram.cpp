// Histograms beside a plain loop, atomic counters on all threads, and reading alone:
//   build/bench/algorithms/tally_bench_histogram
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/algorithms/histogram.hpp"
#include "tally/reduce.hpp"

namespace {

constexpr double lower = 0, upper = 100;

/// The plain loop. It skips values outside the bins, and expects no NaN.
template <class T>
std::vector<std::uint64_t> by_loop(std::vector<T> const& values, std::size_t bins)
{
  std::vector<std::uint64_t> counts(bins);
  double const scale = static_cast<double>(bins) / (upper - lower);
  for (T const x : values) {
    auto const value = static_cast<double>(x);
    if (value < lower || value > upper) continue;
    ++counts[std::min(static_cast<std::size_t>((value - lower) * scale), bins - 1)];
  }
  return counts;
}

template <class T>
void count(std::string const& type, std::size_t n, std::size_t bins, bool equal)
{
  std::vector<T> values(n, T(42));
  std::uint64_t state = 1;
  for (std::size_t k = 0; !equal && k < n; ++k) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    values[k] = static_cast<T>(static_cast<double>(state >> 40) * 0x1p-24 * upper);
  }
  tally::even_bins const by(lower, upper, bins);
  std::vector<std::uint64_t> counts(by.slots());
  std::size_t const place = static_cast<std::size_t>(by(values.front()));
  tally::histogram(tally::cpu{1}, values, by, counts.begin());
  std::uint64_t const expected = counts[place];

  tally::bench::rounds rounds(type + (equal ? ", all equal, " : ", random, ") + std::to_string(bins) + " bins", n,
                              n * sizeof(T));
  T const* const in = values.data();
  rounds.add("a loop", [&] { tally::bench::expect(by_loop(values, bins)[place] + 8 >= expected); });
  rounds.add("atomic counters, all threads", [&] {
    std::vector<std::atomic<std::uint64_t>> shared(by.slots());
    tally::for_each_index(tally::cpu{}, n, [&](std::size_t k) {
      shared[static_cast<std::size_t>(by(in[k]))].fetch_add(1, std::memory_order_relaxed);
    });
    tally::bench::expect(shared[place] == expected);
  });
  for (int const threads : {1, 0})
    rounds.add(threads == 1 ? "tally::histogram, cpu{1}" : "tally::histogram, cpu{}", [&, threads] {
      tally::histogram(tally::cpu{threads}, values, by, counts.begin());
      tally::bench::expect(counts[place] == expected);
    });
  rounds.add("reading: tally::reduce, maximum, cpu{}",
             [&] { tally::bench::expect(tally::reduce(tally::cpu{}, values, tally::maximum{}) >= T(42)); });
  rounds.run(n > (1u << 24) ? 7 : 21);
}

/// Uneven bins, beside a search for each value.
void count_between(std::size_t n, std::size_t bins)
{
  std::vector<float> values(n), edges(bins + 1);
  std::uint64_t state = 1;
  for (float& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<float>(state >> 40) * 0x1p-24f;
  }
  for (std::size_t k = 0; k <= bins; ++k) {
    float const x = static_cast<float>(k) / static_cast<float>(bins);
    edges[k] = x * x;
  }
  std::vector<std::uint64_t> counts(bins + 3);
  tally::bench::rounds rounds("floats, random, " + std::to_string(bins) + " uneven bins", n, n * sizeof(float));
  rounds.add("a loop with std::upper_bound", [&] {
    std::vector<std::uint64_t> own(bins + 2);
    for (float const x : values)
      ++own[static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), x) - edges.begin())];
    counts[0] = own[1];
  });
  tally::edge_bins const by(edges.data(), edges.size());
  for (int const threads : {1, 0})
    rounds.add(threads == 1 ? "tally::histogram, cpu{1}" : "tally::histogram, cpu{}",
               [&, threads] { tally::histogram(tally::cpu{threads}, values, by, counts.begin()); });
  rounds.run(n > (1u << 24) ? 7 : 21);
}

}  // namespace

int main(int arguments, char**)
{
  std::size_t const million = std::size_t{1} << 20;
  for (std::size_t const n : {million, 64 * million}) {
    if (arguments > 1 && n > million) break;  // any argument leaves out the large ones
    count<float>("floats", n, 256, false);
    count<double>("doubles", n, 256, false);
    count<std::int32_t>("32-bit integers", n, 100, false);
    count<float>("floats", n, 256, true);
    count<float>("floats", n, 4096, false);
    count_between(n, 64);
  }
}
