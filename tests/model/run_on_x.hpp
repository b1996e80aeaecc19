#pragma once

#include <vector>

#include "kernel_of.hpp"

/// What the tests of faults run.
namespace tally::model {

using words = view<traced<int>>;

/// A block of `threads` on `x`, which has 8 elements, of which all are set. What it does follows a first step.
template <class Body>
void run_on_x(machine& on, int threads, Body const& body, int blocks = 1)
{
  words const x = on.input(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}, "x");
  auto const kernel = [&](block const& b, words const& array) {
    b.step([](int) {});
    body(b, array);
  };
  on.launch(blocks, threads, kernel_of{kernel}, x);
}

}  // namespace tally::model
