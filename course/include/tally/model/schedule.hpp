#pragma once

#include <cstdint>

namespace tally::model {

/// The order in which blocks begin, and in which they continue if they wait for each other.
struct schedule {
  enum class order {
    ascending,
    descending,
    shuffled,    ///< by `seed`
    one_starves  ///< block 0 continues only when no other block can
  };
  order by = order::ascending;
  std::uint64_t seed = 0;
  int resident = 8;  ///< blocks that run together; another one begins when one of these has ended
};

}  // namespace tally::model
