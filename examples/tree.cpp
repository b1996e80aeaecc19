/// The size of each folder with everything below it, from the sizes of its own files; and the folder where two meet.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <tally/algorithms/tree.hpp>

int main()
{
  char const* const names[] = {"docs", "src", "/", "src/cpu", "src/io", "docs/pictures", "src/io/text"};
  std::vector<std::uint32_t> const parents = {2, 2, 2, 1, 1, 0, 4};  // the root is its own parent
  std::vector<std::uint64_t> const bytes = {4000, 300, 20, 70'000, 50'000, 9000, 1200};

  tally::tree const folders(parents);
  std::vector<std::uint64_t> sums(bytes.size());
  tally::subtree_sums(folders, bytes.begin(), sums.begin());
  for (std::uint32_t const v : folders.in_preorder())
    std::printf("%6llu %*s%s\n", static_cast<unsigned long long>(sums[v]), static_cast<int>(2 * folders.depth(v)), "",
                names[v]);

  tally::lowest_common_ancestors const meet(tally::cpu{}, folders, parents);
  std::printf("%s and %s meet in %s\n", names[3], names[6], names[meet(3, 6)]);
}
