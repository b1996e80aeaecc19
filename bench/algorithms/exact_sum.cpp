/// Exact sums and scans beside ordinary ones, of numbers of like sizes and of all sizes, and beside a read.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/exact.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

namespace {

/// In (-1, 1), times a power of two drawn from 2^-range to 1.
template <class T>
std::vector<T> numbers(std::size_t n, int range)
{
  std::vector<T> all(n);
  std::uint64_t state = 1;
  for (T& each : all) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double const fraction = static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63;
    each = static_cast<T>(std::ldexp(fraction, range == 0 ? 0 : -static_cast<int>(state >> 33) % range));
  }
  return all;
}

template <class T>
void races(std::string const& type, std::size_t n, int range)
{
  auto const x = numbers<T>(n, range);
  std::vector<T> out(n);
  T volatile result = 0;
  std::string const what = type + ", sizes within 2^" + std::to_string(range);
  tally::bench::rounds sums("sums of " + what, n, n * sizeof(T));
  sums.add("sum", [&] { result = tally::reduce(tally::cpu{}, x); });
  sums.add("exact sum", [&] { result = tally::reduce(tally::cpu{}, x, tally::exact_plus{}); });
  sums.add("sum, one thread", [&] { result = tally::reduce(tally::cpu{1}, x); });
  sums.add("exact sum, one thread", [&] { result = tally::reduce(tally::cpu{1}, x, tally::exact_plus{}); });
  sums.add("exact dot product", [&] { result = tally::exact_dot(tally::cpu{}, x, x); });
  sums.run();
  if (range > 0) return;
  tally::bench::rounds scans("scans of " + what, n, 2 * n * sizeof(T));
  scans.add("scan", [&] { tally::inclusive_scan(tally::cpu{}, x, out); });
  scans.add("exact scan", [&] { tally::inclusive_scan(tally::cpu{}, x, out, tally::exact_plus{}); });
  scans.add("copy", [&] { std::copy(x.begin(), x.end(), out.begin()); });
  scans.run();
}

}  // namespace

int main()
{
  for (std::size_t const n : {std::size_t{1} << 12, std::size_t{1} << 26}) {
    for (int const range : {0, 60, 120}) races<float>("floats", n, range);
    for (int const range : {0, 60, 120, 1000}) races<double>("doubles", n, range);
  }
}
