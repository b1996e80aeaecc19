#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/config.hpp"

namespace tally::test {

/// The example of teams.hpp: the number of zeros in each 4096 values.
struct count_zeros {
  struct memory {
    std::uint32_t count;
  };
  static constexpr int team_size = 256;
  float const* values;
  std::uint32_t* counts;  // one for each block of 4096

  template <class Team>
  TALLY_HD void operator()(Team team, memory& own, std::size_t begin, std::size_t end) const
  {
    auto const rank = static_cast<std::size_t>(team.rank()), size = static_cast<std::size_t>(team.size());
    if (team.rank() == 0) own.count = 0;
    team.wait();
    for (std::size_t k = begin + rank; k < end; k += size)
      if (values[k] == 0) team.add(own.count, 1u);
    team.wait();
    if (team.rank() == 0) counts[begin / 4096] = own.count;
  }
};

}  // namespace tally::test
