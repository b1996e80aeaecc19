/// Quicksort that partitions all segments at once, and the number of levels that it takes.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <tally/algorithms/quicksort.hpp>

/// A user-defined order: by the last digit.
struct by_last_digit {
  TALLY_HD bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

int main()
{
  std::vector<int> keys = {61, 32, 83, 14, 72, 23, 51, 44};
  tally::quicksort(keys, by_last_digit{});  // stable
  for (int const key : keys) std::printf("%d ", key);
  std::printf("\n");

  for (std::size_t const n : {1'000, 10'000, 100'000}) {
    std::vector<std::uint32_t> numbers(n);
    for (std::size_t k = 0; k < n; ++k) numbers[k] = static_cast<std::uint32_t>(k * 2'654'435'761u);
    std::size_t const levels = tally::quicksort(tally::cpu{}, numbers);
    std::printf("%6zu keys: %zu levels, and then %zu\n", n, levels, tally::quicksort(tally::cpu{}, numbers));
  }
}
