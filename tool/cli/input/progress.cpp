#include "input/progress.hpp"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace tally::cli {

namespace {

std::string bytes_text(double bytes)
{
  constexpr char const* units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  int const decimals = bytes < 9.95 && unit > 0 ? 1 : 0;
  return fmt::format("{:.{}f} {}", bytes, decimals, units[unit]);
}

std::string time_text(double seconds)
{
  auto const whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

constexpr char clear_line[] = "\r\033[K";

}  // namespace

std::string progress_line(io::progress const& so_far, double seconds)
{
  auto const done = static_cast<double>(so_far.bytes);
  double const rate = done / seconds;
  if (!so_far.total || *so_far.total == 0) return fmt::format("{}  {}/s", bytes_text(done), bytes_text(rate));
  auto const total = static_cast<double>(*so_far.total);
  constexpr int width = 20;
  auto const filled = static_cast<int>(width * (done < total ? done / total : 1.0));
  std::string bar(static_cast<std::size_t>(filled), '#');
  bar.resize(width, '.');
  std::string line = fmt::format("[{}] {:3.0f}%  {} of {}  {}/s", bar, 100 * done / total, bytes_text(done),
                                 bytes_text(total), bytes_text(rate));
  if (rate > 0) line += fmt::format("  {} left", time_text((total - done) / rate));
  return line;
}

progress_meter::progress_meter(bool wanted, bool results_on_standard_output)
    : enabled_(wanted && isatty(STDERR_FILENO) == 1 && !(results_on_standard_output && isatty(STDOUT_FILENO) == 1))
{
}

progress_meter::~progress_meter()
{
  if (shown_) std::fputs(clear_line, stderr);
}

void progress_meter::update(io::progress const& so_far)
{
  if (!enabled_) return;
  clock::time_point const now = clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  double const seconds = std::chrono::duration<double>(now - begin_).count();
  std::fprintf(stderr, "%s%s", clear_line, progress_line(so_far, seconds).c_str());
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace tally::cli
