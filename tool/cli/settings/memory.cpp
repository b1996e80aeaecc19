#include "settings/memory.hpp"

#include <unistd.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include "settings/parser.hpp"

namespace tally::cli {

std::size_t memory_of(std::string const& text)
{
  constexpr std::string_view units = "KMGT";
  std::size_t number = 0;
  char const* const end = text.data() + text.size();
  auto const [stop, problem] = std::from_chars(text.data(), end, number);
  std::size_t const unit = stop == end ? units.npos : units.find(*stop);
  bool const whole = problem == std::errc{} && (stop == end || (stop + 1 == end && unit != units.npos));
  std::size_t const shift = stop == end ? 0 : 10 * (unit + 1);
  if (!whole || number == 0 || number > (std::size_t{1} << 60) >> shift)
    throw command_line_error("--memory: '" + text + "' is not a number of bytes such as 500M (K, M, G, T)");
  return number << shift;
}

std::size_t default_memory()
{
  long const pages = sysconf(_SC_PHYS_PAGES);
  long const size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return std::size_t{1} << 30;
  return static_cast<std::size_t>(pages) / 4 * static_cast<std::size_t>(size);
}

}  // namespace tally::cli
