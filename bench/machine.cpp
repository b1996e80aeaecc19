#include "machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <oneapi/tbb/version.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <thread>

namespace tally::bench {
namespace {

/// The text after the colon of the first line of a file of `/proc` that begins with `key`.
std::string proc_value(char const* file, std::string_view key)
{
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key)) {
      std::size_t const at = line.find_first_not_of(" \t", line.find(':') + 1);
      return at == std::string::npos ? std::string() : line.substr(at);
    }
  return {};
}

std::size_t memory_value(std::string_view key)
{
  std::string const value = proc_value("/proc/meminfo", key);
  return value.empty() ? 0 : std::stoull(value) * 1024;
}

/// Bytes of the largest cache of this level that the first processor has: 0 if there is none.
std::size_t cache_bytes(int level)
{
  std::size_t most = 0;
  for (int index = 0;; ++index) {
    std::string const folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    int its_level = 0;
    std::size_t kibibytes = 0;  // the file says "1024K"
    if (!(std::ifstream(folder + "level") >> its_level)) return most;
    if (its_level == level && std::ifstream(folder + "size") >> kibibytes) most = std::max(most, kibibytes * 1024);
  }
}

}  // namespace

machine this_machine()
{
  machine m;
  m.processor = proc_value("/proc/cpuinfo", "model name");
  utsname system;
  if (uname(&system) == 0) m.architecture = fmt::format("{}, {} {}", system.machine, system.sysname, system.release);
  m.threads = static_cast<int>(std::thread::hardware_concurrency());
  m.l2_bytes = cache_bytes(2);
  m.l3_bytes = cache_bytes(3);
  m.memory_bytes = memory_value("MemTotal");
#if defined(__clang__)
  m.compiler = "Clang " __clang_version__;
#else
  m.compiler = "GCC " __VERSION__;
#endif
  m.onetbb = TBB_VERSION_STRING;
  m.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return m;
}

std::size_t available_memory()
{
  return memory_value("MemAvailable");
}

}  // namespace tally::bench
