#pragma once

#include "tally/operators/traits.hpp"
#include "tally/textbook/block.hpp"

namespace tally::textbook {

/// One thread takes in the elements of in[0, n) from left to right, n >= 1: out[0] = in[0] + in[1] + ... + in[n-1].
///
/// Changes   nothing yet: what every other reduction is measured against.
/// Assumes   nothing: the operator need not even be associative.
/// Work      n - 1 applications of op: it begins with the first element. From the identity it would be n.
/// Steps     n - 1, without a barrier.
/// Source    Kirk & Hwu, Programming Massively Parallel Processors (2010).
struct sequential_reduction {
  static constexpr char const* name = "sequential_reduction";
  static constexpr int elements_a_thread = 1 << 30;  // one thread for all of them

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, int n, Op const& op) const
  {
    block.each([&](int t) {
      if (t > 0) return;
      element_of<In> sum = in[0];
      for (int k = 1; k < n; ++k) sum = op(sum, in[k]);
      out[0] = sum;
    });
  }
};

/// The same from the identity: n >= 0, n applications of op in n steps. An empty input has the identity as its result.
struct sequential_reduction_from_identity {
  static constexpr char const* name = "sequential_reduction_from_identity";
  static constexpr int elements_a_thread = 1 << 30;

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, int n, Op const& op) const
  {
    using E = element_of<In>;
    block.each([&](int t) {
      if (t > 0) return;
      E sum = identity_of<E>(op);
      for (int k = 0; k < n; ++k) sum = op(sum, in[k]);
      out[0] = sum;
    });
  }
};

}  // namespace tally::textbook
