// A sum that does not depend on the order: of numbers that cancel, and of a file that arrives in parts.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "tally/exact.hpp"
#include "tally/tally.hpp"

int main()
{
  std::vector<double> values;
  for (int k = 1; k <= 1000; ++k) {
    values.push_back(1e16 / k);
    values.push_back(0.1);
    values.push_back(-1e16 / k);
  }
  std::vector<double> sums(values.size());
  double const sum = tally::reduce(values, tally::exact_plus{});
  tally::inclusive_scan(values, sums, tally::exact_plus{});
  std::printf("plus %.17g, exact_plus %.17g\n", tally::reduce(values), sum);
  std::sort(values.begin(), values.end());
  std::printf("sorted: plus %.17g, exact_plus %.17g\n", tally::reduce(values),
              tally::reduce(values, tally::exact_plus{}));
  std::printf("the last of the running sums: %.17g\n", sums.back());

  std::vector<double> const matrix{1e300, 1, -1e300, 0.5, 0.25, 0.125};
  std::vector<double> sums_of_rows(2);
  tally::array_view<double const> const rows(matrix.data(), {2, 3});
  tally::reduce(tally::along(1, rows), sums_of_rows, tally::exact_plus{});
  std::printf("rows: %g %g\n", sums_of_rows[0], sums_of_rows[1]);

  // Two machines each have a part. What they send is a number of 2162 bits.
  std::vector<double> const more(10, 0.1);
  tally::exact_accumulator<double> left, right;
  left.add(0.1);
  right.add(more);
  left.add(right);
  auto const bytes = left.bytes();
  auto const again = tally::exact_accumulator<double>::from_bytes(bytes);
  double const total = again.round();
  std::printf("%zu bytes: %.17g\n", bytes.size(), total);
  std::printf("mean %.17g, dot product %.17g\n", tally::exact_mean(more), tally::exact_dot(more, more));
}
