#pragma once

#include "tally/model/thread_program.hpp"
#include "tally/textbook/block.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. `ex2in` for several blocks: the first thread of a block writes the last element of the block
/// before, which may not have read it yet. A barrier orders the threads of one block; nothing orders blocks.
///
/// Source    Reeves, AMS 148, chapter 5.
/// Right     own_input_added, below.
struct shift_across_blocks {
  static constexpr char const* name = "shift_across_blocks";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array scan, Array idata, int n, Op op) const
  {
    int const thid = thread.index(), i = thread.block_index() * thread.block_size() + thid;
    auto temp = thread.shared<element_of<Array>>(thread.block_size(), "temp");
    if (i < n) temp[thid] = scan[i];
    co_await thread.barrier();
    if (0 < i && i < n) scan[i - 1] = temp[thid];
    if (i == n - 1) scan[i] = op(temp[thid], idata[i]);
  }
};

/// Nothing moves: each element takes in its own input, which is what an exclusive scan lacks. No barrier, no other
/// thread's element, any number of blocks.
struct own_input_added {
  static constexpr char const* name = "own_input_added";

  template <block Block, class Array, class Op>
  void operator()(Block const& block, Array scan, Array idata, int n, Op op) const
  {
    block.each([&](int t) {
      int const k = block.index() * block.size() + t;
      if (k < n) scan[k] = op(scan[k], idata[k]);
    });
  }
};

}  // namespace tally::textbook::exhibits
