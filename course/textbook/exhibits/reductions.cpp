#include <cmath>

#include "runs.hpp"
#include "tally/textbook/exhibits/comma_dim3.hpp"
#include "tally/textbook/exhibits/input_destroyed.hpp"
#include "tally/textbook/exhibits/negative_root.hpp"
#include "tally/textbook/exhibits/never_true_guard.hpp"
#include "tally/textbook/exhibits/reduction_without_barrier.hpp"
#include "tally/textbook/exhibits/reduction_without_first_barrier.hpp"
#include "tally/textbook/exhibits/shmem_reduce.hpp"
#include "tally/textbook/exhibits/threads_for_points.hpp"
#include "tally/textbook/interleaved_reduction.hpp"
#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/sequential_addressing_reduction.hpp"
#include "tally/textbook/totals_of_sections.hpp"
#include "textbook/elements.hpp"

namespace tally::textbook {

namespace {

using namespace exhibits;
using model::machine;
using model::traced;

/// The total as a kernel of threads leaves it, one block of `threads`.
template <class Kernel, class T, class Op>
std::string total_by_threads(machine& on, int threads, std::vector<T> const& values, Op op)
{
  auto const in = on.input(values, "input"), out = on.allocate<traced<T>>(1, "sum");
  on.launch_threads(1, threads, Kernel{}, out, in, on.watch<T>(op));
  expect_reduction<T>(on, out, in, op);
  return text(out);
}

template <class Reduction, class T, class Op>
std::string total_by_block(machine& on, std::vector<T> const& values, Op op)
{
  auto const in = on.input(values, "input"), out = on.allocate<traced<T>>(1, "sum");
  on_one_block<totals_of_sections<Reduction>>{}(on, in, out, static_cast<int>(values.size()), on.watch<T>(op));
  expect_reduction<T>(on, out, in, op);
  return text(out);
}

template <class Kernel>
exhibit_run without_barrier()
{
  std::vector<int> const values = counted(8);
  return {tried([&](machine& on) {
            auto const in = on.input(values, "input"), out = on.allocate<traced<int>>(1, "sum");
            on.launch_threads(1, 4, Kernel{}, in, out, on.watch<int>(plus{}));
            return text(out);
          }),
          tried([&](machine& on) { return total_by_block<interleaved_reduction>(on, values, plus{}); }), "36"};
}

/// Six elements for a block of eight threads: a product shows what a zero from beyond the input does.
exhibit_run six_for_eight()
{
  std::vector<int> const values = counted(6);
  return {tried([&](machine& on) { return total_by_threads<shmem_reduce>(on, 8, values, multiplies{}); }),
          tried([&](machine& on) { return total_by_block<sequential_addressing_reduction>(on, values, multiplies{}); }),
          "720"};
}

exhibit_run six_threads()
{
  std::vector<int> const values = counted(6);
  return {tried([&](machine& on) { return total_by_threads<shmem_reduce>(on, 6, values, plus{}); }),
          tried([&](machine& on) { return total_by_block<sequential_addressing_reduction>(on, values, plus{}); }),
          "21"};
}

exhibit_run letters_in_order()
{
  std::vector<letters> values;
  for (short k = 0; k < 8; ++k) values.push_back({k, k});
  return {tried([&](machine& on) { return total_by_threads<shmem_reduce>(on, 8, values, join{}); }),
          tried([&](machine& on) { return total_by_block<interleaved_reduction>(on, values, join{}); }), "a..h"};
}

exhibit_run destroyed()
{
  std::vector<int> const values = counted(8);
  return {tried([&](machine& on) {
            auto const in = on.input(values, "d_in"), out = on.allocate<traced<int>>(1, "d_out");
            on.keep(in);
            on.launch_threads(1, 8, input_destroyed{}, out, in, on.watch<int>(plus{}));
            return text(out) + ", of " + text(in);
          }),
          tried([&](machine& on) {
            auto const in = on.input(values, "d_in"), out = on.allocate<traced<int>>(1, "d_out");
            on.keep(in);
            on_one_block<totals_of_sections<sequential_addressing_reduction>>{}(on, in, out, 8, on.watch<int>(plus{}));
            return text(out) + ", of " + text(in);
          }),
          "36, of 1 2 3 4 5 6 7 8"};
}

template <class Launch>
trial total_of_1024()
{
  return tried([](machine& on) {
    auto const in = on.input(counted(1024), "d_in"), out = on.allocate<traced<int>>(1, "d_out");
    Launch{}(on, out, in, 1024, on.watch<int>(plus{}));
    expect_reduction<int>(on, out, in, plus{});
    return text(out);
  });
}

exhibit_run launched_by_commas()
{
  return {total_of_1024<comma_dim3>(), total_of_1024<dim3_constructed>(), std::to_string(1024 * 1025 / 2)};
}

/// f(k) for the n points between -1 and 1 of the trapezoidal rule, by a plain loop.
template <class F>
std::string trapezoids(F f, float begin, float dx, int n)
{
  std::vector<float> all;
  for (int k = 0; k < n; ++k)
    all.push_back(f(begin + static_cast<float>(k + 1) * dx) * dx * 0.5F +
                  f(begin + static_cast<float>(k) * dx) * dx * 0.5F);
  return text(all);
}

exhibit_run map_of_half_circle()
{
  constexpr int n = 8;
  constexpr float dx = 2.0F / n;
  return {tried([&](machine& on) {
            auto const f1 = on.allocate<traced<float>>(n, "f1");
            on.launch_threads(n / 8 + 1, 8, never_true_guard{}, -1.0F, dx, n, f1);
            return text(f1);
          }),
          tried([&](machine& on) {
            auto const f = on.allocate<traced<float>>(n, "f");
            on.launch(n / 8, 8, guarded_map{}, -1.0F, dx, n, f);
            return text(f);
          }),
          trapezoids(guarded_map::height, -1.0F, dx, n)};
}

/// The areas of n intervals from -1 to 1, and of one more beside each end, added up.
template <class Launch>
trial sum_of_areas(Launch const& launch)
{
  return tried([&](machine& on) {
    auto const f = on.allocate<traced<float>>(8, "f1");
    launch(on, f);
    float sum = 0;
    for (float const area : on.values(f)) sum += area;
    return std::isnan(sum) ? "nan" : model::text_of(sum);
  });
}

exhibit_run beside_the_circle()
{
  constexpr int n = 6;
  constexpr float dx = 2.0F / n;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += clamped_root::height(-1 + static_cast<float>(k) * dx) * dx * 0.5F +
           clamped_root::height(-1 + static_cast<float>(k + 1) * dx) * dx * 0.5F;
  return {sum_of_areas([=](machine& on, auto f) { on.launch_threads(1, n + 2, negative_root{}, -1.0F, dx, f); }),
          sum_of_areas([=](machine& on, auto f) { on.launch(1, n + 2, clamped_root{}, -1.0F, dx, f); }),
          model::text_of(sum)};
}

exhibit_run two_blocks_of_513()
{
  constexpr int n = 1024;
  constexpr float dx = 10.0F / n;
  std::vector<float> expected;
  for (int k = 0; k < n; ++k)
    expected.push_back((normal(-5.0F + static_cast<float>(k + 1) * dx) + normal(-5.0F + static_cast<float>(k) * dx)) *
                       dx * 0.5F);
  return {tried([&](machine& on) {
            auto const data = on.allocate<traced<float>>(n, "data");
            on.launch_threads(2, n / 2 + 1, threads_for_points{}, data, -5.0F, dx, n);
            return text(data);
          }),
          tried([&](machine& on) {
            auto const data = on.allocate<traced<float>>(n, "data");
            on.launch(n / 256, 256, points{}, data, -5.0F, dx, n);
            return text(data);
          }),
          text(expected)};
}

}  // namespace

std::vector<exhibit> reduction_exhibits()
{
  constexpr std::string_view notes = "Lecture notes, 4.2", reeves = "Reeves, AMS 148, chapter 5";
  constexpr excerpt shared{"exhibits/shmem_reduce.hpp", "struct shmem_reduce"},
      sequential{"sequential_addressing_reduction.hpp", "struct sequential_addressing_reduction"},
      interleaved{"interleaved_reduction.hpp", "struct interleaved_reduction"};
  return {
      {.name = "reduction-without-barrier",
       .title = "A reduction whose threads do not wait for each other",
       .from = notes,
       .says = "Asks why the loop of the naive kernel needs its barrier. This is what happens without it.",
       .why = "In the second step thread 0 adds what thread 1 has made in the first. Nothing tells it that thread 1 is "
              "done: it may take "
              "the old value, and the sum lacks an element. Within one warp it often comes out right all the same, "
              "which is "
              "why a test with 32 elements proves nothing.",
       .wrong = {"exhibits/reduction_without_barrier.hpp", "struct reduction_without_barrier"},
       .line = "// Here a barrier is missing.",
       .fix = interleaved,
       .shows = "The sum of 1 .. 8",
       .run = without_barrier<reduction_without_barrier>},
      {.name = "reduction-without-first-barrier",
       .title = "A reduction whose first step does not wait for the load",
       .from = notes,
       .says = "Asks why the kernel needs a barrier before its first step. This is what happens without it.",
       .why =
           "In the first step thread t adds elements 2t and 2t + 1, which other threads have loaded: nothing tells it "
           "that they are there. The barrier at the end of the loop comes too late. (A loop that begins with the "
           "largest stride, t < stride, would not need this one: there the first step adds a thread's own two "
           "elements.)",
       .wrong = {"exhibits/reduction_without_first_barrier.hpp", "struct reduction_without_first_barrier"},
       .line = "// Here a barrier is missing.",
       .fix = interleaved,
       .shows = "The sum of 1 .. 8",
       .run = without_barrier<reduction_without_first_barrier>},
      {.name = "no-bounds-check",
       .title = "A load that does not ask how many elements there are",
       .from = reeves,
       .says = "The reduction in shared memory takes no number of elements: every thread loads one.",
       .why = "Six elements in a block of eight threads: two threads read beyond the input. What stands there belongs "
              "to somebody else, "
              "or to nobody, and goes into the result. (The machine hands out zeros, so that the product shows it.)",
       .wrong = shared,
       .line = "sdata[tid] = d_in[myId];",
       .fix = sequential,
       .shows = "The product of 1 .. 6",
       .run = six_for_eight},
      {.name = "power-of-two-block",
       .title = "Halving a number of threads that is no power of two",
       .from = reeves,
       .says = "The reduction halves the stride from blockDim.x / 2 down, and does not say which block sizes it takes.",
       .why = "Six threads: the strides are 3 and 1. After the first step there are three partial sums, and the second "
              "step adds up two "
              "of them. No access is wrong; the third is just lost.",
       .wrong = shared,
       .line = "for (int s = thread.block_size() / 2; s > 0; s >>= 1) {",
       .fix = sequential,
       .shows = "The sum of 1 .. 6",
       .run = six_threads},
      {.name = "out-of-order",
       .title = "Sequential addressing with an operator that does not commute",
       .from = reeves,
       .says = "A reduction may be rearranged if its operator is associative. (The lecture notes, 4.3, ask for "
               "commutative as well.)",
       .why = "Thread 0 first combines a with e, its neighbours b with f and so on: brackets may be moved by the "
              "associative law, but "
              "these operands have changed places. Joining letters shows it, as do products of matrices. The naive "
              "kernel, t % stride, only moves "
              "brackets.",
       .wrong = shared,
       .line = "if (tid < s) sdata[tid] = op(sdata[tid], sdata[tid + s]);",
       .fix = interleaved,
       .shows = "The letters a .. h, joined",
       .run = letters_in_order},
      {.name = "input-destroyed",
       .title = "A reduction that leaves its partial sums in its input",
       .from = reeves,
       .says = "The first way reduces in global memory, in place, and is compared with the second by its speed only.",
       .why = "The sum is right, once. Whoever needs the data again, or runs the kernel twice to measure it, finds "
              "partial sums there. A "
              "parameter that is written to is an output: const for inputs would have stopped it.",
       .wrong = {"exhibits/input_destroyed.hpp", "struct input_destroyed"},
       .line = "if (tid < s) d_in[myId] = op(d_in[myId], d_in[myId + s]);",
       .fix = sequential,
       .shows = "The sum, and the input after it",
       .run = destroyed},
      {.name = "comma-dim3",
       .title = "dim3 b = (1024, 1, 1), which is one thread",
       .from = reeves,
       .says = "The host code for pi sets the sizes of its launches from three numbers in parentheses.",
       .why = "After `=` the parentheses hold an expression, in which a comma is an operator: it throws away what is "
              "left of it. The block "
              "gets one thread, the grid one block, and the kernel is right for the one element that it sees. "
              "Compilers warn that the 1024 has no effect.",
       .wrong = {"exhibits/comma_dim3.hpp", "struct comma_dim3"},
       .line = "dim3 const block_dim = (void(1024), void(1), 1);",
       .fix = {"exhibits/comma_dim3.hpp", "struct dim3_constructed"},
       .shows = "The sum of 1 .. 1024",
       .run = launched_by_commas},
      {.name = "never-true-guard",
       .title = "A guard that is never true: tid < 1 && tid > n",
       .from = reeves,
       .says = "Threads without a point are to return: those below 1 and those above n.",
       .why = "No number is both. Thread 0 writes before the array, and thread n + 1 and all after it write behind it, "
              "where other arrays "
              "are; on a GPU nothing needs to be seen of it until much later. Of the points themselves all are right. "
              "It takes `||`, "
              "and numbers from 0 on need only one comparison.",
       .wrong = {"exhibits/never_true_guard.hpp", "struct never_true_guard"},
       .line = "if (tid < 1 && tid > n) co_return;",
       .fix = {"exhibits/never_true_guard.hpp", "struct guarded_map"},
       .shows = "The areas of 8 intervals",
       .run = map_of_half_circle},
      {.name = "negative-root",
       .title = "The square root of a negative number",
       .from = reeves,
       .says = "The area under the half circle is the sum of sqrt(1 - x * x), over points from -1 to 1.",
       .why =
           "The guard lets a thread through on each side, whose point lies beside the circle. The root of a negative "
           "number is NaN, which no comparison and no sum gets rid of: one bad interval spoils all. Clamping, with "
           "fmax(0, 1 - x * x), gives such an interval the area 0, and changes no other. It is right here because "
           "the circle has no area there; elsewhere it would hide the mistake, so that the guard must be right as "
           "well.",
       .wrong = {"exhibits/negative_root.hpp", "struct negative_root"},
       .line = "f1[tid] = myfun(right) * dx * 0.5F + myfun(left) * dx * 0.5F;",
       .fix = {"exhibits/negative_root.hpp", "struct clamped_root"},
       .shows = "The sum of the areas of 8 intervals, of which 2 lie beside the circle",
       .run = beside_the_circle},
      {.name = "threads-for-points",
       .title = "1026 threads for 1024 points",
       .from = reeves,
       .says = "The data of the normal distribution is made by two blocks of n/2 + 1 threads.",
       .why = "Points are numbered from 1, so that two threads must have nothing to do: the first and the last. The "
              "guard that should "
              "stop them never does, and one writes before the array, the other behind it. Numbered from 0, there are "
              "as many threads with a point "
              "as points, whatever the size of a block.",
       .wrong = {"exhibits/threads_for_points.hpp", "struct threads_for_points"},
       .line = "if (tid < 1 && tid > n) co_return;",
       .fix = {"exhibits/threads_for_points.hpp", "struct points"},
       .shows = "The areas of 1024 intervals",
       .run = two_blocks_of_513},
  };
}

}  // namespace tally::textbook
