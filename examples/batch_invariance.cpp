/// One row of floats, summed alone and then among others: as a row of matrices with other rows around it, as a column,
/// as a segment, on one thread and on several. The bits of its sum never change.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <random>
#include <vector>

#include <tally/batches.hpp>
#include <tally/reduce.hpp>

namespace {

/// Prints whether a sum has the bits of the row's sum alone.
void compare(char const* where, float sum, float alone)
{
  bool const same = std::bit_cast<std::uint32_t>(sum) == std::bit_cast<std::uint32_t>(alone);
  std::printf("  %-32s %s\n", where, same ? "the same bits" : "OTHER BITS");
}

}  // namespace

int main()
{
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(0, 1);
  for (std::size_t const length : {100, 1000, 10000, 100000}) {
    std::vector<float> row(length);
    for (float& x : row) x = value(random);
    float const alone = tally::reduce(row);
    std::printf("a row of %zu values\n", length);

    for (std::size_t const rows : {1, 64, 1000}) {
      if (rows * length > 10'000'000) continue;
      std::vector<float> matrix(rows * length), transposed(rows * length);
      for (float& x : matrix) x = value(random);
      std::size_t const own = rows * 2 / 3;  // the row's place among the others
      std::vector<std::size_t> offsets(rows + 1);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t k = 0; k < length; ++k) {
          if (r == own) matrix[r * length + k] = row[k];
          transposed[k * rows + r] = matrix[r * length + k];
        }
        offsets[r + 1] = offsets[r] + length;
      }

      std::printf(" among %zu\n", rows);
      std::vector<float> sums(rows);
      for (int const threads : {1, 2, 4}) {
        tally::cpu const on{.threads = threads};
        tally::reduce(on, tally::along(1, tally::array_view(matrix.data(), {rows, length})), sums);
        compare(threads == 1   ? "a row, 1 thread"
                : threads == 2 ? "a row, 2 threads"
                               : "a row, 4 threads",
                sums[own], alone);
      }
      tally::reduce(tally::along(0, tally::array_view(transposed.data(), {length, rows})), sums);
      compare("a column", sums[own], alone);
      tally::reduce(tally::segments(matrix, offsets), sums);
      compare("a segment", sums[own], alone);
    }
  }
}
