/// Many sequences in one call: rows, columns and segments; from the end; in pieces; the sum of a box of an image.
#include <cstddef>
#include <cstdio>
#include <vector>

#include <tally/batches.hpp>
#include <tally/prefix_sums.hpp>

namespace {

void print(char const* what, std::vector<float> const& values)
{
  std::printf("%-24s", what);
  for (float const value : values) std::printf(" %g", value);
  std::printf("\n");
}

}  // namespace

int main()
{
  // Two days, three stations, rain in millimetres at four times a day.
  std::size_t const days = 2, stations = 3, times = 4;
  std::vector<float> const rain = {0, 1, 2, 0, 3, 0, 0, 1, 0, 0, 4, 4,   // the first day
                                   1, 1, 1, 1, 0, 2, 0, 2, 5, 0, 0, 0};  // the second
  std::vector<float> since_midnight(rain.size());

  tally::array_view const in(rain.data(), {days, stations, times});
  tally::array_view const out(since_midnight.data(), {days, stations, times});
  tally::inclusive_scan(tally::along(2, in), tally::along(2, out));  // along the last axis: the four times
  print("since midnight", since_midnight);

  std::vector<float> of_day(days * stations), of_station(stations), of_time(times);
  tally::reduce(tally::along(-1, in), of_day);          // days x stations
  tally::reduce(tally::along({0, 2}, in), of_station);  // over all days and times
  tally::reduce(tally::along({0, 1}, in), of_time, tally::maximum{});
  print("of each day and station", of_day);
  print("of each station", of_station);
  print("most at each time", of_time);

  // The second day goes on from the first.
  std::vector<float> total(stations, 0.0f), next(stations);
  tally::array_view const first_day(rain.data(), {stations, times});
  tally::array_view const running(since_midnight.data(), {stations, times});
  tally::inclusive_scan(tally::along(1, first_day), tally::along(1, running), tally::plus{}, tally::each(total),
                        tally::last_to(next));
  print("after the first day", next);

  // From the end: how much is still to come.
  tally::exclusive_scan(tally::reversed(tally::along(1, first_day)), tally::reversed(tally::along(1, running)), 0.0f);
  print("still to come", std::vector<float>(since_midnight.begin(), since_midnight.begin() + 12));

  // Where each time begins, and where the last one ends: n + 1 results.
  std::vector<float> bounds(stations * (times + 1));
  tally::inclusive_scan(tally::along(1, first_day),
                        tally::along(1, tally::array_view(bounds.data(), {stations, times + 1})),
                        tally::include_initial);
  print("with the initial value", bounds);

  // Segments of any lengths, such as the rows of a sparse matrix. An empty one has the reduction of nothing.
  std::vector<float> const values = {1, 2, 3, 4, 5, 6};
  std::vector<int> const offsets = {0, 2, 2, 6};
  std::vector<float> sums(3);
  tally::reduce(tally::segments(values, offsets), sums);
  print("segments", sums);

  // A summed-area table gives the sum of any box in four reads.
  std::vector<float> table(stations * times);
  tally::array_view const area(table.data(), {stations, times});
  tally::prefix_sums(first_day, area);
  std::printf("%-24s %g\n", "a box", tally::box_sum(area, {1, 1}, {3, 4}));
}
