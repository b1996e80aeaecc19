/* Sums and running sums from C, and an operator of one's own. */
#include <stdio.h>
#include <tally.h>

/* The longest run of rain: an element is the days of a stretch, and of those at its beginning, at its end, and in the
 * longest run within it, how many in a row are wet. */
struct stretch {
  int days, first, last, longest;
};

static void join(void* context, const void* left, const void* right, void* result)
{
  const struct stretch a = *(const struct stretch*)left, b = *(const struct stretch*)right;
  struct stretch both;
  (void)context;
  both.days = a.days + b.days;
  both.first = a.first == a.days ? a.days + b.first : a.first;
  both.last = b.last == b.days ? a.last + b.days : b.last;
  both.longest = a.longest > b.longest ? a.longest : b.longest;
  if (a.last + b.first > both.longest) both.longest = a.last + b.first;
  *(struct stretch*)result = both;
}

static int failed(void)
{
  fprintf(stderr, "%s\n", tally_last_message());
  return 1;
}

int main(void)
{
  enum { weeks = 2, days = 7 };
  float rain[weeks][days] = {{0, 2, 4, 0, 1, 1, 3}, {5, 0, 0, 2, 0, 0, 0}};
  float so_far[weeks][days], of_week[weeks];
  struct stretch stretches[weeks * days], all = {0, 0, 0, 0};
  const int64_t shape[2] = {weeks, days}, week[1] = {weeks}, day[1] = {weeks * days};

  const tally_array in = {rain, {TALLY_CPU, 0}, 2, TALLY_FLOAT32, shape, NULL, 0};
  const tally_array running = {so_far, {TALLY_CPU, 0}, 2, TALLY_FLOAT32, shape, NULL, 0};
  const tally_array sums = {of_week, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, week, NULL, 0};
  if (tally_scan(&in, 1, &running, TALLY_PLUS, NULL) != TALLY_OK) return failed();
  if (tally_reduce(&in, 1, &sums, TALLY_PLUS, NULL) != TALLY_OK) return failed();
  printf("rain of the weeks: %g %g; up to Wednesday: %g %g\n", of_week[0], of_week[1], so_far[0][2], so_far[1][2]);

  for (int k = 0; k < weeks * days; ++k) {
    const int wet = rain[k / days][k % days] > 0;
    stretches[k] = (struct stretch){1, wet, wet, wet};
  }
  const tally_operation joined = {sizeof joined, join, NULL, NULL, 0};
  const tally_array each = {stretches, {TALLY_CPU, 0}, 1, TALLY_BYTES(sizeof all), day, NULL, 0};
  const tally_array whole = {&all, {TALLY_CPU, 0}, 0, TALLY_BYTES(sizeof all), NULL, NULL, 0};
  if (tally_reduce(&each, 0, &whole, &joined, NULL) != TALLY_OK) return failed();
  printf("longest run of rain: %d days\n", all.longest);
  return 0;
}
