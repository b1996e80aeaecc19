#pragma once

#include "textbook/catalogue.hpp"

namespace tally::textbook {

/// Runs `Algorithm{}(device, in, out, n, op)` on the machine, where `out` has `results(n)` elements, and takes what it leaves.
template <class Algorithm, class T, class Op>
void run_algorithm(model::machine& on, std::vector<T> const& in, Op const& op, outcome& result, bool reduces)
{
  auto const n = static_cast<int>(in.size());
  auto const from = on.input(in, "in");
  auto const to = on.allocate<model::traced<T>>(reduces ? 1 : in.size(), "out");
  Algorithm{}(on, from, to, n, on.watch<T>(op));
  result.result = on.values(to);
}

template <class Algorithm, bool Reduces>
void fill_runs(kernel_entry& entry)
{
  entry.run_int = [](model::machine& on, std::vector<int> const& in, operation op, outcome& result) {
    run_algorithm<Algorithm>(on, in, chosen<int>{op}, result, Reduces);
  };
  entry.run_float = [](model::machine& on, std::vector<float> const& in, operation op, outcome& result) {
    run_algorithm<Algorithm>(on, in, chosen<float>{op}, result, Reduces);
  };
  if constexpr (!requires { requires Algorithm::needs_commutative; })
    entry.run_letters = [](model::machine& on, std::vector<letters> const& in, outcome& result) {
      run_algorithm<Algorithm>(on, in, join{}, result, Reduces);
    };
}

/// An entry of the catalogue, with its runs: `Algorithm{}(device, in, out, n, op)` launches what it needs on a device (machine, or a GPU).
template <class Algorithm>
kernel_entry entry(kernel_entry described)
{
  if (described.result == result_kind::reduction)
    fill_runs<Algorithm, true>(described);
  else
    fill_runs<Algorithm, false>(described);
  described.needs_commutative = described.run_letters == nullptr;
  return described;
}

}  // namespace tally::textbook
