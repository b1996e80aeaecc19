#pragma once

#include <string>
#include <vector>

#include "contender.hpp"
#include "elements.hpp"
#include "exact.hpp"
#include "tool/cli/bench/timing.hpp"

namespace tally::bench {

/// What was found out about one contender in one cell.
struct measurement {
  std::string name;
  role part = role::peer;
  int threads = 1;
  verdict check;
  std::vector<double> seconds;  ///< a call, one value a round
  bool other_process = false;   ///< not interleaved with the rest (NumPy)

  double median() const { return timing::median(seconds); }
};

/// Where the data is when a call begins.
enum class placement { cache, memory };

/// One operation on one type and size, and everyone who was timed on it side by side.
struct cell {
  operation what;
  element type;
  int power;  ///< n = 2^power
  placement data;
  std::vector<measurement> measured;

  std::size_t n() const { return std::size_t{1} << power; }
  bool is_scan() const { return what == operation::inclusive_scan || what == operation::exclusive_scan; }
  /// Memory that the operation must move: each element read once, and for a scan written once.
  std::size_t bytes() const { return n() * size_of(type) * (is_scan() ? 2 : 1); }
  double gigabytes_per_second(measurement const& m) const { return static_cast<double>(bytes()) / m.median() * 1e-9; }
};

/// Tally with `threads` (1 or all_threads) in a cell, beside the best that the machine can do and the best peer.
/// With one thread only contenders on one thread count; with all threads everyone does, since a user may choose.
/// A null pointer says that there is none. Wrong contenders do not count; stalled ones do.
struct standing {
  measurement const* tally = nullptr;
  measurement const* limit = nullptr;
  measurement const* peer = nullptr;

  double of_limit() const { return tally && limit ? limit->median() / tally->median() : 0; }
  double of_peer() const { return tally && peer ? peer->median() / tally->median() : 0; }
};
standing stand(cell const& c, int threads);

/// "scan/plus/f32/2^28"; a contender's name and its threads follow: "scan/plus/f32/2^28/cpu/all_threads".
std::string name_of(cell const& c);
std::string name_of(cell const& c, measurement const& m);

char const* name_of(element type);
char const* name_of(placement data);
char const* name_of(role part);
char const* title_of(operation what);

}  // namespace tally::bench
