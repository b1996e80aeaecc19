#include "tally/textbook/hillis_steele.hpp"
#include "scan_runs.hpp"
#include "tally/textbook/exhibits/barrier_in_loop.hpp"
#include "tally/textbook/exhibits/in_place_sum.hpp"
#include "tally/textbook/exhibits/no_barrier_before_read.hpp"
#include "tally/textbook/exhibits/no_barrier_before_write.hpp"
#include "tally/textbook/exhibits/unset_tail.hpp"
#include "tally/textbook/exhibits/zero_for_identity.hpp"
#include "tally/textbook/hillis_steele_exclusive.hpp"

namespace tally::textbook {

namespace {

using namespace exhibits;
using model::machine;
using model::traced;

exhibit_run in_place()
{
  return {by_threads<in_place_sum>(scan_kind::inclusive, 8, sample, plus{}, 8), scan<hillis_steele>(sample),
          text(scanned(sample, plus{}))};
}

exhibit_run before_write()
{
  return {by_threads<no_barrier_before_write>(scan_kind::inclusive, 8, sample, plus{}, 8), scan<hillis_steele>(sample),
          text(scanned(sample, plus{}))};
}

exhibit_run before_read()
{
  return {by_threads<no_barrier_before_read>(scan_kind::inclusive, 8, sample, plus{}, 8), scan<hillis_steele>(sample),
          text(scanned(sample, plus{}))};
}

exhibit_run in_loop()
{
  return {by_threads<barrier_in_loop>(scan_kind::inclusive, 8, sample, plus{}, 8), scan<hillis_steele>(sample),
          text(scanned(sample, plus{}))};
}

/// The maximum of six numbers below 0, by a block of eight threads.
exhibit_run six_of_eight()
{
  std::vector<int> const values(negatives.begin(), negatives.begin() + 6);
  return {tried([&](machine& on) {
            auto const in = on.input(values, "X"), sums = on.allocate<traced<int>>(1, "Sum");
            on.launch_threads(1, 8, unset_tail{}, in, sums, 6, on.watch<int>(maximum{}));
            return text(sums);
          }),
          tried([&](machine& on) {
            auto const in = on.input(values, "X"), sums = on.allocate<traced<int>>(1, "Sum");
            on.launch(1, 8, filled_tail{}, in, sums, 6, on.watch<int>(maximum{}));
            return text(sums);
          }),
          "-1"};
}

exhibit_run maxima_before()
{
  return {by_threads<zero_for_identity>(scan_kind::exclusive, 8, negatives, maximum{}, 8),
          by_block<hillis_steele_exclusive>(negatives, maximum{}), text(scanned_before(negatives, maximum{}))};
}

constexpr excerpt two_barriers{"hillis_steele.hpp", "struct hillis_steele"};
constexpr std::string_view notes = "Lecture notes, 4.5";

}  // namespace

std::vector<exhibit> hillis_steele_exhibits()
{
  return {
      {.name = "in-place-sum",
       .title = "Hillis-Steele with += in place",
       .from = "CUDA scan exercise, solution 01",
       .says = "Every thread adds the element s before it to its own; the sheet itself says that this is a race, and "
               "puts it right in the "
               "next solution.",
       .why = "x[1] is read by one thread and written by another between the same two barriers: the sum has the old "
              "value, or the new "
              "one, as it happens. The machine runs threads one after the other, so each finds what the one before has "
              "made; warps on a GPU would "
              "give something else. First all must read, then, behind a barrier, all may write.",
       .wrong = {"exhibits/in_place_sum.hpp", "struct in_place_sum"},
       .line = "if (s <= t && t < n) x[t] = op(x[t - s], x[t]);",
       .fix = two_barriers,
       .shows = inclusive_sums,
       .run = in_place},
      {.name = "no-barrier-before-write",
       .title = "The scan less its second barrier",
       .from = notes,
       .says =
           "All threads secure their operands, a barrier, all threads add. This is what happens without that barrier.",
       .why = "A copy in a register helps only if it is made in time: a thread may write its sum while another has not "
              "yet read the "
              "element. It is the same race as with += in place, and gives the same wrong sums here.",
       .wrong = {"exhibits/no_barrier_before_write.hpp", "struct no_barrier_before_write"},
       .line = "// Here a barrier is missing.",
       .fix = two_barriers,
       .shows = inclusive_sums,
       .run = before_write},
      {.name = "no-barrier-before-read",
       .title = "The scan less its first barrier",
       .from = notes,
       .says =
           "Before each step a barrier, so that all inputs have been made. This is what happens without that barrier.",
       .why = "From the second stride on, a thread reads an element that another writes in the stride before, and "
              "nothing says that it "
              "has. The sums come out right on the machine, whose threads run in order, and now and then on a GPU: a "
              "race is not found by "
              "looking at results.",
       .wrong = {"exhibits/no_barrier_before_read.hpp", "struct no_barrier_before_read"},
       .line = "// Here a barrier is missing, from the second stride on.",
       .fix = two_barriers,
       .shows = inclusive_sums,
       .run = before_read},
      {.name = "barrier-in-loop",
       .title = "A barrier inside a loop that only some threads run",
       .from = "Lecture notes, 4.5; page on the work-inefficient kernel",
       .says = "The loop of the kernel runs while the stride is not more than the thread's own index.",
       .why = "Thread 0 never enters the loop, thread 1 leaves it after one stride: they wait at another barrier than "
              "the others, or have "
              "ended. The programming guide says that this is likely to hang or to have unintended effects. GPUs from "
              "Volta on count who waits, "
              "wherever that is, and there the sums come out right, as they do here; that is luck. The loop must be "
              "alike for all threads, with the "
              "condition inside.",
       .wrong = {"exhibits/barrier_in_loop.hpp", "struct barrier_in_loop"},
       .line = "for (int stride = 1; stride <= t; stride *= 2) {",
       .fix = two_barriers,
       .shows = inclusive_sums,
       .run = in_loop},
      {.name = "unset-tail",
       .title = "Threads beyond the input leave shared memory unset",
       .from = "Lecture notes, 4.5 and 4.7; page on the work-inefficient kernel",
       .says = "Only threads with an input load one; all scan; the sum of the section is what the last thread ends up "
               "with.",
       .why = "The last threads have no input, and scan what the block before has left in shared memory. The outputs "
              "that are stored do "
              "not depend on it, so it goes unnoticed until the section's sum is used. (The machine hands out zeros: "
              "greater than every input here.) "
              "What is missing must be filled with the operator's identity.",
       .wrong = {"exhibits/unset_tail.hpp", "struct unset_tail"},
       .line = "if (i < n) XY[t] = X[i];",
       .fix = {"exhibits/unset_tail.hpp", "struct filled_tail"},
       .shows = "The section's maximum",
       .run = six_of_eight},
      {.name = "zero-for-identity",
       .title = "An exclusive scan that begins with 0, whatever the operator",
       .from = "Lecture notes, 4.7; slides on scan",
       .says = "The exclusive scan is defined with a 0 in front, and thread 0 loads 0.",
       .why = "0 changes no sum. It is greater than every negative number, and no maximum ever gets below it; a "
              "product with it is 0. The "
              "first element of an exclusive scan is the identity of its operator: for the maximum of integers, the "
              "least of them.",
       .wrong = {"exhibits/zero_for_identity.hpp", "struct zero_for_identity"},
       .line = "if (t < n) XY[t] = t == 0 ? E(0) : E(X[t - 1]);",
       .fix = {"hillis_steele_exclusive.hpp", "struct hillis_steele_exclusive"},
       .shows = "The greatest so far",
       .run = maxima_before},
  };
}

}  // namespace tally::textbook
