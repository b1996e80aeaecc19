#include "tally/detail/cpu/tuning.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tally/detail/cpu/team.hpp"
#include "tally/detail/path.hpp"

namespace tally::cpu_backend {

namespace {

/// The part of the last-level cache that a call may count on. Virtual machines report the sum of all caches of their
/// host; 32 MiB is the cache that one cluster of cores shares on the processors at hand. 8 MiB if the system does not
/// say.
std::size_t cache_bytes()
{
  long const level3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (level3 <= 0) return std::size_t{8} << 20;
  return std::min(static_cast<std::size_t>(level3), std::size_t{32} << 20);
}

/// The debug aid of path.hpp, which TALLY_TRACE in the environment turns on unless it is empty or 0.
[[maybe_unused]] bool const traced = [] {
  char const* const setting = std::getenv("TALLY_TRACE");
  if (setting == nullptr || *setting == '\0' || std::strcmp(setting, "0") == 0) return false;
  detail::observer_of_paths = [](char const* name, char const* because) {
    std::fprintf(stderr, *because == '\0' ? "%s\n" : "%s (%s)\n", name, because);
  };
  return true;
}();

}  // namespace

tuning& tuning_in_use()
{
  static tuning all{.streamed_bytes = cache_bytes() / 2, .processors = available_threads()};
  return all;
}

}  // namespace tally::cpu_backend
