/* The C interface from C99: the example of docs/c.md, and what a C compiler alone can find wrong with the header. */
#include <stdio.h>
#include <string.h>

#include "tally.h"

/* Composition of the affine maps x -> a * x + b: associative, and not commutative. */
struct affine {
  double a, b;
};
static void compose(void* context, const void* left, const void* right, void* result)
{
  const struct affine* first = left;
  const struct affine* second = right;
  struct affine both;
  (void)context;
  both.a = second->a * first->a;
  both.b = second->a * first->b + second->b;
  memcpy(result, &both, sizeof both);
}

static int failed(const char* what)
{
  fprintf(stderr, "%s: %s\n", what, tally_last_message());
  return 1;
}

int main(void)
{
  const tally_device cpu = {TALLY_CPU, 0};
  float rain[2][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}};
  float so_far[2][4], total[2];
  const int64_t shape[2] = {2, 4};
  const tally_array in = {rain, {TALLY_CPU, 0}, 2, TALLY_FLOAT32, shape, NULL, 0};
  tally_array scans = in, sums = in;
  scans.data = so_far;
  sums.data = total;
  sums.ndim = 1;

  if (tally_scan(&in, 1, &scans, TALLY_PLUS, NULL) != TALLY_OK) return failed("scan");
  if (so_far[0][3] != 10 || so_far[1][1] != 30) return 1;
  if (tally_reduce(&in, 1, &sums, TALLY_PLUS, NULL) != TALLY_OK) return failed("reduce");
  if (total[0] != 10 || total[1] != 100) return 1;

  {
    struct affine steps[3] = {{2, 1}, {3, 0}, {1, 5}}, all[1];
    const struct affine same = {1, 0};
    const int64_t three[1] = {3};
    tally_operation composition = {sizeof(tally_operation), compose, NULL, NULL, TALLY_ON_THREADS};
    tally_array maps = {steps, {TALLY_CPU, 0}, 1, TALLY_BYTES(sizeof(struct affine)), three, NULL, 0};
    tally_array whole = maps;
    composition.identity = &same;
    whole.data = all;
    whole.ndim = 0;
    if (tally_reduce(&maps, 0, &whole, &composition, NULL) != TALLY_OK) return failed("composition");
    if (all[0].a != 6 || all[0].b != 8) return 1; /* ((2x + 1) * 3) + 5 */
  }

  if (tally_reduce(&in, 2, &sums, TALLY_PLUS, NULL) != TALLY_WRONG_ARGUMENT) return 1;
  if (strstr(tally_last_message(), "axis 2") == NULL) return failed("the message does not name the axis");
  if (tally_version() != TALLY_VERSION || cpu.type != 1) return 1;
  return 0;
}
