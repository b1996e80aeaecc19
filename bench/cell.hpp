#pragma once

#include <string>
#include <vector>

#include "contender.hpp"
#include "elements.hpp"
#include "exact.hpp"
#include "tool/cli/bench/timing.hpp"

namespace tally::bench {

/// The check and the times of one contender in one cell.
struct measurement {
  std::string name;
  role part = role::peer;
  int threads = 1;
  verdict check;
  std::vector<double> seconds;  ///< of one call, a value for each round
  bool other_process = false;   ///< not interleaved with the rest (NumPy)

  double median() const { return timing::median(seconds); }
};

/// Where the data is when a call begins.
enum class placement { cache, memory };

/// One operation on one type and size, with the measurements of all its contenders.
struct cell {
  operation what;
  element type;
  int power;  ///< n = 2^power
  placement data;
  std::vector<measurement> measured;

  std::size_t n() const { return std::size_t{1} << power; }
  bool is_scan() const { return what == operation::inclusive_scan || what == operation::exclusive_scan; }
  /// Bytes that the operation must move: each element read once, and for a scan written once.
  std::size_t bytes() const { return n() * size_of(type) * (is_scan() ? 2 : 1); }
  double gigabytes_per_second(measurement const& m) const { return static_cast<double>(bytes()) / m.median() * 1e-9; }
};

/// Tally on `threads` threads (1 or all_threads) in a cell, beside the machine's limit and the best peer. One thread is
/// compared with contenders on one thread, all threads with every contender, since a user may choose. Wrong contenders
/// do not count; stalled ones do. Null where there is none.
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
