// Comparison of two long sequences that are the same, or differ late, beside what the C and C++ libraries have:
//   build/bench/algorithms/tally_bench_compare
#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <execution>
#include <string>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/algorithms/compare.hpp"

namespace {

template <class T>
void compare(std::string const& type, std::size_t n, std::size_t at)
{
  std::vector<T> a(n), b(n);
  for (std::size_t k = 0; k < n; ++k) b[k] = a[k] = static_cast<T>(k * 7);
  std::string what = type + ", the same";
  if (at < n) {
    b[at] = static_cast<T>(b[at] + 1);
    what = type + ", different at " + std::to_string(at);
  }
  auto const place = [&](auto const& pair) { return static_cast<std::size_t>(pair.first - a.begin()); };
  tally::bench::rounds rounds(what, n, 2 * sizeof(T) * at);
  if (std::is_integral_v<T>)
    rounds.add("std::memcmp",
               [&] { tally::bench::expect((std::memcmp(a.data(), b.data(), n * sizeof(T)) == 0) == (at == n)); });
  rounds.add("std::mismatch",
             [&] { tally::bench::expect(place(std::mismatch(a.begin(), a.end(), b.begin(), b.end())) == at); });
  rounds.add("std::lexicographical_compare_three_way", [&] {
    tally::bench::expect((std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end()) == 0) ==
                         (at == n));
  });
  rounds.add("std::mismatch, par_unseq", [&] {
    tally::bench::expect(place(std::mismatch(std::execution::par_unseq, a.begin(), a.end(), b.begin(), b.end())) == at);
  });
  rounds.add("tally::mismatch, cpu{1}",
             [&] { tally::bench::expect(place(tally::mismatch(tally::cpu{1}, a, b)) == at); });
  rounds.add("tally::mismatch, cpu{}", [&] { tally::bench::expect(place(tally::mismatch(tally::cpu{}, a, b)) == at); });
  rounds.add("tally::lexicographical_compare_three_way, cpu{}", [&] {
    tally::bench::expect((tally::lexicographical_compare_three_way(tally::cpu{}, a, b) == 0) == (at == n));
  });
  rounds.run(n > (1u << 24) ? 9 : 51);
}

}  // namespace

int main()
{
  for (std::size_t const n : {std::size_t{1} << 20, std::size_t{1} << 24, std::size_t{1} << 28})
    compare<unsigned char>("bytes", n, n);
  compare<unsigned char>("bytes", std::size_t{1} << 28, std::size_t{1} << 27);
  compare<unsigned char>("bytes", std::size_t{1} << 28, 1000);
  compare<std::int32_t>("32-bit integers", std::size_t{1} << 26, std::size_t{1} << 26);
  compare<double>("doubles", std::size_t{1} << 25, std::size_t{1} << 25);
  compare<double>("doubles", std::size_t{1} << 20, std::size_t{1} << 20);
}
