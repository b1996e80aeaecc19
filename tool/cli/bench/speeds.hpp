#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tally::cli {

/// A function to be timed.
struct contender {
  std::function<void()> run;
  double bytes;  // that one call moves
};

/// GB/s of each contender, of which one call takes so many seconds.
std::vector<double> gigabytes_per_second(std::vector<contender> const& all, std::vector<double> const& seconds);

/// One call on one type and size, in GB/s.
struct speed {
  std::string call;
  std::string type;
  std::size_t bytes = 0;  // of the input
  std::size_t elements = 0;
  double limit = 0;  // GB/s, as the next two
  double tally = 0;
  double standard = 0;  // on the CPU only

  double share() const { return tally / limit; }
};

struct gpu_speeds {
  std::string name;
  std::vector<speed> cells;
};

/// The results of `tally bench`.
struct speeds {
  int threads = 1;     ///< of the limits, and the most for Tally
  bool plain = false;  ///< Tally's calls have no execution argument: the library chooses the threads
  std::vector<speed> cells;
  std::optional<gpu_speeds> gpu;
};

std::string table(speeds const& measured);
std::string json_text(speeds const& measured);

}  // namespace tally::cli
