#pragma once

#include "tally/model/thread_program.hpp"
#include "tally/textbook/hillis_steele.hpp"
#include "tally/textbook/transfer.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. Threads beyond the input load nothing, and scan what shared memory happens to hold: the section's
/// sum, which its last thread has, is made of it. (The barriers are put right here; barrier_in_loop.hpp has them as
/// they are printed.)
///
/// Source    lecture notes, 4.5 and 4.7; the page on the work-inefficient kernel.
/// Right     filled_tail, below.
struct unset_tail {
  static constexpr char const* name = "unset_tail";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array X, Array Sum, int n, Op op) const
  {
    using E = element_of<Array>;
    int const t = thread.index(), i = thread.block_index() * thread.block_size() + t;
    auto XY = thread.shared<E>(thread.block_size(), "XY");
    if (i < n) XY[t] = X[i];
    for (int stride = 1; stride < thread.block_size(); stride *= 2) {
      co_await thread.barrier();
      E in1;
      if (stride <= t) in1 = XY[t - stride];
      co_await thread.barrier();
      if (stride <= t) XY[t] = op(in1, XY[t]);
    }
    if (t == thread.block_size() - 1) Sum[thread.block_index()] = XY[t];
  }
};

/// Elements beyond the input are filled with the identity of the operator.
struct filled_tail {
  static constexpr char const* name = "filled_tail";

  template <block Block, class Array, class Op>
  void operator()(Block const& block, Array X, Array Sum, int n, Op op) const
  {
    using E = element_of<Array>;
    int const begin = block.index() * block.size();
    auto XY = block.template shared<E>(block.size(), "XY");
    copy_and_fill(block, X + begin, XY, n - begin, block.size(), identity_of<E>(op));
    hillis_steele{}(block, XY, block.size(), op);
    block.step([&](int t) {
      if (t == block.size() - 1) Sum[block.index()] = XY[t];
    });
  }
};

}  // namespace tally::textbook::exhibits
