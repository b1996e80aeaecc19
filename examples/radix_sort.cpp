/// Sorting by digits: numbers, pairs of key and value, and numbers by some of their bits.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <tally/algorithms/radix_sort.hpp>

int main()
{
  std::vector<double> numbers = {2.5, std::nan(""), -1, 0.0, -0.0, 1e300, -1e-300};
  tally::radix_sort(numbers);
  for (double const x : numbers) std::printf("%g ", x);
  std::printf("\n");

  // The sort is stable: names of one decade keep their order.
  std::vector<char const*> names = {"Ada", "Alan", "Barbara", "Edsger", "Grace", "Guy"};
  std::vector<int> const years = {1815, 1912, 1939, 1930, 1906, 1954};
  std::vector<int> decades;
  for (int const year : years) decades.push_back(year / 10);
  tally::radix_sort_by_key(decades, names, std::greater<>{});
  for (std::size_t k = 0; k < names.size(); ++k) std::printf("%d0s %s\n", decades[k], names[k]);

  // Sorting ten million keys by bits 20 to 31 alone takes two passes instead of four.
  std::vector<std::uint32_t> keys(10'000'000);
  for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = static_cast<std::uint32_t>(k * 2'654'435'761u);
  tally::radix_sort(tally::cpu{}, keys.begin(), keys.end(), std::less<>{}, tally::bit_range{20, 32});
  bool sorted = true;
  for (std::size_t k = 1; k < keys.size(); ++k) sorted = sorted && keys[k - 1] >> 20 <= keys[k] >> 20;
  std::printf("sorted by their upper twelve bits: %s\n", sorted ? "yes" : "no");
}
