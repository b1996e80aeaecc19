#pragma once

#include <cstddef>

#include "tally/textbook/sequential_addressing_reduction.hpp"
#include "tally/textbook/two_launch_reduction.hpp"

namespace tally::textbook {

/// The total of each section of x[0, n) to out[block], in global memory, where x is. **It destroys x.**
///
/// Changes   shared memory: here every step reads and writes global memory. Otherwise it is `t < s`.
/// Assumes   op is associative and commutative.
/// Work      n - 1 applications of op, with 2n - 2 reads and n - 1 writes of global memory: where m elements are left,
///           m reads and m/2 writes. A kernel that reduces in shared memory reads n elements in all.
/// Steps     ceil(log2 n), with as many barriers.
/// Source    Reeves, AMS 148, chapter 5, the first way.
struct global_reduction {
  static constexpr char const* name = "global_reduction";
  static constexpr int elements_a_thread = 2;
  static constexpr bool needs_commutative = true;

  template <block Block, class Global, class Out, class Op>
  TALLY_HD void operator()(Block const& block, Global x, Out out, int n, Op const& op) const
  {
    int const section = block.size() * elements_a_thread, begin = block.index() * section;
    int const own = n - begin < section ? n - begin : section;
    auto const part = x + begin;
    sequential_addressing_reduction{}(block, part, own, op);
    block.each([&](int t) {
      if (t == 0) out[block.index()] = part[0];
    });
  }
};

/// to[k] = from[k] for k in [0, n), one element a thread.
struct copy_of_array {
  static constexpr char const* name = "copy_of_array";

  template <block Block, class From, class To>
  TALLY_HD void operator()(Block const& block, From from, To to, int n) const
  {
    block.each([&](int t) {
      int const k = block.index() * block.size() + t;
      if (k < n) to[k] = from[k];
    });
  }
};

/// An algorithm that destroys its input, on a copy: n more reads and writes of global memory, by one more launch.
template <class Algorithm>
struct on_a_copy {
  static constexpr bool needs_commutative = textbook::needs_commutative<Algorithm>;

  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    constexpr int threads = 256;
    auto const copied = device.template allocate<element_of<In>>(static_cast<std::size_t>(n), "copy");
    device.launch(divide_up(n, threads), threads, copy_of_array{}, in, copied, n);
    Algorithm{}(device, copied, out, n, op);
  }
};

}  // namespace tally::textbook
