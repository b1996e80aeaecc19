/// The sales of each month, and their running total within the month: a reduction and a scan by key.
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <tally/algorithms/by_key.hpp>
#include <tally/algorithms/by_offset.hpp>

int main()
{
  std::vector<std::string> const month = {"Jan", "Jan", "Feb", "Mar", "Mar", "Mar"};
  std::vector<double> const sold = {31.5, 28.0, 30.25, 27.5, 33.0, 29.5};

  std::vector<std::string> months(month.size());
  std::vector<double> totals(month.size());
  std::size_t const count =
      tally::reduce_by_key(month.begin(), month.end(), sold.begin(), months.begin(), totals.begin());
  for (std::size_t m = 0; m < count; ++m) std::printf("%s %.2f\n", months[m].c_str(), totals[m]);

  std::vector<double> so_far(month.size());
  tally::inclusive_scan_by_key(month.begin(), month.end(), sold.begin(), so_far.begin());
  for (std::size_t k = 0; k < month.size(); ++k) std::printf("%s %.2f\n", month[k].c_str(), so_far[k]);

  // The rows of a sparse matrix are segments by offsets; an empty row has the initial value.
  std::vector<std::size_t> const rows = {0, 2, 2, 6};
  std::vector<double> sums(rows.size() - 1);
  tally::reduce_by_offset(sold.begin(), rows.begin(), rows.end(), sums.begin(), 0.0);
  for (double const sum : sums) std::printf("%.2f ", sum);
  std::printf("\n");
}
