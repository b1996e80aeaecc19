#pragma once

#include <vector>

#include "kernel_of.hpp"

/// Runs for the tests of faults.
namespace tally::model {

using words = view<traced<int>>;

/// Runs a block of `threads` on `x`, all 8 elements of which are set by a first step.
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
