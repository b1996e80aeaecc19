/// Allocation three times: a sausage for ten, buffers for threads, and the members of a structure.
#include <cstddef>
#include <cstdio>
#include <vector>

#include <tally/algorithms/allocate.hpp>

int main()
{
  std::vector<int> const portions = {3, 5, 2, 7, 28, 4, 3, 0, 8, 1};
  std::vector<int> begins(portions.size());
  auto const end = tally::allocate(portions.begin(), portions.end(), begins.begin(), {.capacity = 100});
  for (std::size_t k = 0; k < portions.size(); ++k) std::printf("%d ", begins[k] + portions[k]);
  std::printf("and %d of 100 inches left\n", 100 - static_cast<int>(end));

  // Messages of four threads. Each buffer begins on a cache line of its own.
  std::vector<std::size_t> const bytes = {100, 0, 64, 65};
  std::vector<std::size_t> offsets(bytes.size());
  auto const all = tally::allocate(bytes.begin(), bytes.end(), offsets.begin(), {.alignment = 64});
  for (std::size_t const offset : offsets) std::printf("%zu ", offset);
  std::printf("of %zu bytes\n", static_cast<std::size_t>(all));

  // char, double, short, int: each at a multiple of its own alignment.
  std::vector<int> const size = {1, 8, 2, 4};
  std::vector<int> member(size.size());
  tally::allocate_aligned(size.begin(), size.end(), size.begin(), member.begin());
  for (int const offset : member) std::printf("%d ", offset);
  std::printf("\n");

  try {
    tally::allocate(portions.begin(), portions.end(), begins.begin(), {.capacity = 40});
  } catch (tally::allocation_error const& error) {
    std::printf("%s\n", error.what());
  }
}
