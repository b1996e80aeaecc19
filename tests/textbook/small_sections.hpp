#pragma once

#include <cstddef>
#include <vector>

#include "scan_oracle.hpp"
#include "tally/model.hpp"

namespace tally::textbook {

/// The result of an algorithm on the alphabet; `broken` for elements that it has not written.
template <class Algorithm>
std::vector<letters> run_on_letters(model::machine& on, int n)
{
  auto const in = on.input(alphabet(n), "in");
  auto const out = on.allocate<model::traced<letters>>(static_cast<std::size_t>(n), "out");
  Algorithm{}(on, in, out, n, on.watch<letters>(join{}));
  return on.values(out, {letters::broken, letters::broken});
}

template <class Algorithm>
int launches(int n)
{
  model::machine on;
  run_on_letters<Algorithm>(on, n);
  return on.counts().launches;
}

}  // namespace tally::textbook
