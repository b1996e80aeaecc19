#pragma once

#include "tally/model/thread_program.hpp"
#include "tally/textbook/block.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. `ex2in` makes an exclusive scan inclusive by moving it one place down. Threads beyond n return
/// before the barrier for which the others wait. (An undeclared name and a brace too many are put right.)
///
/// Source    Reeves, AMS 148, chapter 5.
/// Right     moved_down, below.
struct return_before_barrier {
  static constexpr char const* name = "return_before_barrier";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array scan, Array idata, int n, Op op) const
  {
    int const thid = thread.index();
    auto temp = thread.shared<element_of<Array>>(n, "temp");
    if (thid >= n) co_return;
    temp[thid] = scan[thid];
    co_await thread.barrier();
    if (thid > 0) scan[thid - 1] = temp[thid];
    if (thid == n - 1) scan[thid] = op(temp[thid], idata[thid]);
  }
};

/// The step owns the barrier: to return from it is to come to its end.
struct moved_down {
  static constexpr char const* name = "moved_down";

  template <block Block, class Array, class Op>
  void operator()(Block const& block, Array scan, Array idata, int n, Op op) const
  {
    auto own = block.template registers<element_of<Array>>();
    block.step([&](int t) {
      if (t >= n) return;
      own[t] = scan[t];
    });
    block.step([&](int t) {
      if (t >= n) return;
      if (t > 0) scan[t - 1] = own[t];
      if (t == n - 1) scan[t] = op(own[t], idata[t]);
    });
  }
};

}  // namespace tally::textbook::exhibits
