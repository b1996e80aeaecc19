#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "../support/virtual_ranks.hpp"
#include "../support/watchdog.hpp"
#include "tally/ranks.hpp"

namespace tally::test {

/// The texts of the exceptions of three ranks that make a call. The ranks are in step after it.
template <class Call>
std::vector<std::string> texts_of(Call const& call)
{
  watchdog const waits(std::chrono::seconds(60));
  std::vector<std::string> texts(3);
  on_virtual_ranks(3, [&](virtual_rank const& on, int rank) {
    try {
      call(on, rank);
    } catch (rank_error const& e) {
      texts[static_cast<std::size_t>(rank)] = e.what();
    }
    std::vector<int> const part(2, 1);
    if (tally::reduce(on, part) != 6) throw error("the call after it");
  });
  return texts;
}

}  // namespace tally::test
