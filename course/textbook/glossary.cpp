#include "textbook/glossary.hpp"

namespace tally::textbook {

std::vector<glossary_part> const& glossary()
{
  static std::vector<glossary_part> const all = {
      {"Reduce and scan",
       {
           {"operator", "Combines two elements into one: a sum, a product, a maximum, one of your own. The pages write "
                        "it as op or +."},
           {"associative", "(a op b) op c is a op (b op c): brackets may move. Every parallel reduction and scan needs "
                           "it. Sums of floats only nearly have it."},
           {"commutative", "a op b is b op a: operands may change places. A scan never needs it; a reduction does if "
                           "it takes operands out of order."},
           {"identity", "The element that changes none: 0 of sums, 1 of products. Minimum and maximum have the "
                        "largest and the smallest value of their type."},
           {"reduction", "All elements combined into one: the sum of an array."},
           {"inclusive scan", "All prefixes combined: result k is elements 0 to k. Also called prefix sums."},
           {"exclusive scan", "The same without the element itself: result k is elements 0 to k - 1, and result 0 the "
                              "identity."},
           {"section", "The elements that one block scans or reduces."},
           {"carry", "The total of all elements before a section. It is added to each result of the section."},
           {"up-sweep", "The first half of a tree scan: pairs, then pairs of pairs are combined, up to the total."},
           {"down-sweep", "Its second half: the sums of the up-sweep are handed down, until each element has all "
                          "before it."},
           {"look-back", "A block that needs the carry looks at what the blocks before it have published, instead of "
                         "waiting for another launch."},
           {"privatization", "Each thread or block has a copy of the result to itself; the copies are combined at the "
                             "end. No two write to one place."},
       }},
      {"Work and time",
       {
           {"operation", "One application of the operator. Everything else (loads, stores, indices) is counted apart, "
                         "or not at all."},
           {"work, T_1", "The number of operations: the time of one processor, each operation taking 1."},
           {"depth, T_inf", "The operations on the longest chain in which each needs the one before: the time of "
                            "processors without number."},
           {"T_p", "The time of p processors by a greedy schedule."},
           {"greedy schedule", "In each step every processor takes an operation whose operands are ready, as long as "
                               "there is one. Brent's theorem: T_1/p <= T_p <= T_1/p + T_inf."},
           {"work-efficient", "As much work as one processor has, up to a constant factor: O(n) for reduce and scan."},
           {"step",
            "One operation of every thread that has one at that time. The steps of a run are those of the thread "
            "with the most, launch by launch. A drawing numbers its rows."},
       }},
      {"A GPU",
       {
           {"thread", "Runs the kernel's text once, with an index of its own."},
           {"block", "Threads that share memory and can wait for each other: up to 1024."},
           {"grid", "All blocks of a launch. They run in any order, side by side or one after the other."},
           {"launch", "The start of a kernel. What a launch has written, the next one sees: a barrier for the whole "
                      "grid."},
           {"kernel", "A program that every thread of a grid runs."},
           {"barrier", "No thread of the block goes on before all have come. What was written before it can be read "
                       "after it. In CUDA: __syncthreads()."},
           {"race", "Two threads use one place, at least one of them writes, and no barrier lies between: either may "
                    "come first."},
           {"stride", "The distance between the elements that are combined, or between those of neighbouring threads."},
           {"atomic", "An operation on a place in memory that no other thread can come between. Lanes of a warp that "
                      "change one place take turns, one lane a turn."},
       }},
      {"Warps",
       {
           {"warp", "32 threads of a block with consecutive indices, which take each instruction together."},
           {"lane", "A thread's place in its warp, 0 to 31."},
           {"warp-step", "One warp in one step. A warp none of whose lanes has work is not counted."},
           {"divergent", "A warp-step in which some lanes work and others do not: it takes as long as if all did."},
           {"shuffle", "Lanes of a warp read each other's registers, without memory and without a barrier."},
       }},
      {"Memory",
       {
           {"register", "Memory of one thread."},
           {"shared memory", "Memory of one block, near and small: 48 KiB and more."},
           {"global memory", "Memory of the whole GPU, large and far."},
           {"bank", "Shared memory has 32 banks: the word (4 bytes) at index k is in bank k mod 32. A bank gives one "
                    "word at a time."},
           {"bank conflict", "Lanes of a warp that ask one bank for different words at once: they are served one after "
                             "the other."},
           {"wavefront",
            "One turn in which shared memory serves a warp's access. Without conflicts an access takes one; "
            "with d different words in one bank it takes d."},
           {"padding", "Unused words in an array (one after every 32), so that elements a power of two apart lie in "
                       "different banks."},
           {"sector", "32 neighbouring bytes of global memory, the least that is read or written at once."},
           {"coalesced",
            "Neighbouring lanes use neighbouring elements, so that a warp touches as few sectors as it has "
            "bytes for."},
       }},
  };
  return all;
}

}  // namespace tally::textbook
