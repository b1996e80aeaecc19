#pragma once

#include <cstdint>

namespace tally::model {

/// In which order blocks begin, and who goes on where they wait for each other.
struct schedule {
  enum class order {
    ascending,
    descending,
    shuffled,    ///< by `seed`
    one_starves  ///< block 0 goes on only when no other can
  };
  order by = order::ascending;
  std::uint64_t seed = 0;
  int resident = 8;  ///< blocks that run at once, where they do; the others begin when one of these has ended
};

}  // namespace tally::model
