// Sorting beside the standard library's sorts:
//   build/bench/algorithms/tally_bench_radix_sort
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <execution>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/algorithms/quicksort.hpp"
#include "tally/algorithms/radix_sort.hpp"

namespace {

/// Times sorting a copy of the keys; the time includes making the copy.
template <class T>
void sort(std::string const& what, std::vector<T> const& keys, bool with_quicksort = false)
{
  std::vector<T> own(keys.size()), sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  tally::bench::rounds rounds(what, keys.size(), 2 * sizeof(T) * keys.size());
  auto const add = [&](std::string const& name, auto by) {
    rounds.add(name, [&, by] {
      std::copy(keys.begin(), keys.end(), own.begin());
      by(own);
      tally::bench::expect(own[keys.size() / 3] == sorted[keys.size() / 3] && own.back() == sorted.back());
    });
  };
  add("std::sort", [](auto& all) { std::sort(all.begin(), all.end()); });
  add("std::sort, par_unseq", [](auto& all) { std::sort(std::execution::par_unseq, all.begin(), all.end()); });
  add("std::stable_sort", [](auto& all) { std::stable_sort(all.begin(), all.end()); });
  add("std::stable_sort, par_unseq",
      [](auto& all) { std::stable_sort(std::execution::par_unseq, all.begin(), all.end()); });
  add("tally::radix_sort, cpu{1}", [](auto& all) { tally::radix_sort(tally::cpu{1}, all); });
  add("tally::radix_sort, cpu{}", [](auto& all) { tally::radix_sort(tally::cpu{}, all); });
  if (with_quicksort) add("tally::quicksort, cpu{}", [](auto& all) { tally::quicksort(tally::cpu{}, all); });
  rounds.run(keys.size() > (1u << 24) ? 3 : 7);
}

template <class T, class Make>
std::vector<T> keys(std::size_t n, Make make)
{
  std::vector<T> all(n);
  for (std::size_t k = 0; k < n; ++k) all[k] = static_cast<T>(make(k));
  return all;
}

}  // namespace

int main(int count, char**)
{
  std::mt19937_64 generator(7);
  auto const random = [&](std::size_t) { return generator(); };
  std::size_t const million = std::size_t{1} << 20;
  sort("32-bit keys, random", keys<std::uint32_t>(million, random), true);
  sort("32-bit keys, sorted", keys<std::uint32_t>(million, [](std::size_t k) { return k; }));
  sort("32-bit keys, reversed", keys<std::uint32_t>(million, [&](std::size_t k) { return million - k; }));
  sort("32-bit keys, all equal", keys<std::uint32_t>(million, [](std::size_t) { return 7; }));
  sort("32-bit keys below 1000", keys<std::uint32_t>(million, [&](std::size_t) { return generator() % 1000; }));
  sort("floats, random", keys<float>(million, [&](std::size_t) { return static_cast<std::int32_t>(generator()); }));
  sort("64-bit keys, random", keys<std::uint64_t>(million, random));
  sort("32-bit keys, random", keys<std::uint32_t>(16 * million, random));
  if (count > 1) return 0;  // any argument leaves out the largest
  sort("32-bit keys, random", keys<std::uint32_t>(64 * million, random));
}
