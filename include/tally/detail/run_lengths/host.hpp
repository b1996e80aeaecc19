#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/run_lengths/runs.hpp"
#include "tally/detail/selection/criteria.hpp"
#include "tally/detail/selection/host_blocks.hpp"
#include "tally/for_each.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Run lengths on a CPU, by blocks of elements.
namespace tally::detail::run_lengths {

/// Writes the runs of the block [begin, end), in which `count` runs begin. The value of a run is written by the block
/// in which the run begins, its length by the block in which it ends.
template <class Criterion, class Output>
void write_runs(Criterion const& criterion, Output const& output, std::size_t n, std::size_t begin, std::size_t end,
                runs_so_far<std::size_t> before, std::size_t count)
{
  selection::loop_copy<Criterion> begins_run = criterion;
  Output const out = output;
  bool const ends_here = end == n || begins_run(end);
  std::size_t run = before.count;
  std::size_t head = before.head;
  took(count == 0 ? "run lengths: a block in which none begins" : "run lengths: a block in which some begin");
  took(ends_here ? "run lengths: the last one ends with the block" : "run lengths: the last one goes on");
  if (count != 0) {
    std::size_t last = end - 1;
    while (!selection::is_selected(begins_run, last)) --last;
    std::size_t k = begin;
    if (k == 0 && last != 0) {
      out.begin(run++, k++);
      out.length(0, 1);
    }
    // No branch: each element writes its run so far, and the next element of the run writes over it. The loop ends
    // before the last head of the block, so it writes the block's own runs only.
    for (; k < last; ++k) {
      bool const begins = begins_run(k);
      out.begin(run, k);
      run += static_cast<std::size_t>(begins);
      head = begins ? k : head;
      out.length(run - 1, k + 1 - head);
    }
    out.begin(run++, last);
    head = last;
  }
  if (ends_here) out.length(run - 1, end - head);
}

/// Writes the runs of n elements, and returns their number. `criterion` selects heads; an element reads `bytes`.
template <host P, class Criterion, class Output>
std::size_t encode(P const& on, std::size_t n, std::size_t bytes, Criterion const& criterion, Output const& out)
{
  if (n == 0) return 0;
  using state = runs_so_far<std::size_t>;
  std::size_t const blocks = selection::block_count(n);
  temporary<std::uint32_t, P> const counts(on, blocks);
  selection::mark_uncounted(counts);
  selection::block_counts<Criterion> const count{&criterion, n, counts.data()};
  auto const runs_of_block = [count](std::size_t b) {
    std::size_t const own = count(b);
    std::size_t head = own == 0 ? 0 : count.end(b) - 1;
    if (own != 0)
      while (!selection::is_selected(*count.criterion, head)) --head;
    return state{own, head};
  };
  std::size_t total = 0;
  auto const use = [count, n, blocks, to = &out, sum = &total](std::size_t b, state before) {
    std::size_t const own = count(b);
    write_runs(*count.criterion, *to, n, count.begin(b), count.end(b), before, own);
    if (b + 1 == blocks) *sum = before.count + own;
  };
  auto const elements = elements_from(runs_of_block, selection::block_size * bytes);
  tally::exclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(blocks), results_to(use), state{0, 0},
                        join_runs{});
  return total;
}

/// Writes the `total` elements that runs decode to: blocks of them, each of which begins with a search for its run.
template <host P, class Decoding>
void decode(P const& on, std::size_t total, Decoding const& decoding)
{
  took("run lengths: decoded by blocks");
  tally::for_each_block(on, total, selection::block_size, decoding);
}

}  // namespace tally::detail::run_lengths
