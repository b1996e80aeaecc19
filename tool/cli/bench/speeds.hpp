#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tally::cli {

/// One call on one type and size, in GB/s.
struct cell {
  std::string call;
  std::string type;
  std::size_t bytes = 0;  // of the input
  std::size_t elements = 0;
  double limit = 0;  // GB/s, all of them
  double tally = 0;
  double standard = 0;  // of the CPU's only

  double share() const { return tally / limit; }
};

struct gpu_speeds {
  std::string name;
  std::vector<cell> cells;
};

/// What `tally bench` measures.
struct speeds {
  int threads = 1;     ///< of the limits, and the most for Tally
  bool plain = false;  ///< Tally's calls have no execution argument: the library chooses the threads
  std::vector<cell> cells;
  std::optional<gpu_speeds> gpu;
};

std::string table(speeds const& measured);
std::string json(speeds const& measured);

}  // namespace tally::cli
