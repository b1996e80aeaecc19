#pragma once

#include <vector>

#include "kernel_of.hpp"

/// Counts of one step.
namespace tally::model {

/// The counts of one step, `body(block, x, t)` on 2048 elements of shared memory. It comes after a step that sets all
/// of x.
template <class E, class Body>
phase_counts shared_step(Body const& body, int threads = 32)
{
  machine on;
  auto const kernel = [&](block const& b, bool whole) {
    auto x = b.shared<E>(2048, "x");
    b.step([&](int t) {
      for (int k = t; k < 2048; k += b.size()) x[k] = E(plain_t<E>{});
    });
    if (!whole) return;
    b.step([&](int t) { body(b, x, t); });
  };
  on.launch(1, threads, kernel_of{kernel}, false);
  report const before = on.counts();
  on.launch(1, threads, kernel_of{kernel}, true);
  EXPECT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
  report const& after = on.counts();
  EXPECT_EQ(after.shared_in_transfers.requests, 0u);
  // Both launches have the first step in common.
  phase_counts step;
  step.shared.reads = after.shared.reads - 2 * before.shared.reads;
  step.shared.writes = after.shared.writes - 2 * before.shared.writes;
  step.shared.requests = after.shared.requests - 2 * before.shared.requests;
  step.shared.wavefronts = after.shared.wavefronts - 2 * before.shared.wavefronts;
  step.shared.ideal = after.shared.ideal - 2 * before.shared.ideal;
  step.shared.worst_degree = after.shared.worst_degree;
  step.atomics = after.atomics;
  step.warps.steps = after.warps.steps - 2 * before.warps.steps;
  step.warps.divergent = after.warps.divergent - 2 * before.warps.divergent;
  step.warps.active_lanes = after.warps.active_lanes - 2 * before.warps.active_lanes;
  return step;
}

template <class E>
void look(reference<E> const& at)
{
  static_cast<void>(static_cast<plain_t<E>>(at));
}

struct eight_bytes {
  float a = 0, b = 0;
};
struct sixteen_bytes {
  double a = 0, b = 0;
};

struct twelve_bytes {
  float a = 0, b = 0, c = 0;
};

}  // namespace tally::model
