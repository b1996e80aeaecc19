#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tool/cli/bench/timing.hpp"

namespace tally::bench {

/// Ends the program unless `right`: the time of a wrong result is worth nothing.
inline void expect(bool right)
{
  if (right) return;
  std::fputs("a contender gives a wrong result\n", stderr);
  std::abort();
}

/// A table of contenders that do the same work, timed in interleaved rounds.
class rounds {
public:
  /// `title` heads the table. `elements` is how many elements each contender works on, `bytes` how many bytes it must
  /// move.
  rounds(std::string title, std::size_t elements, std::size_t bytes)
      : title_(std::move(title)),
        elements_(static_cast<double>(elements)),
        bytes_(static_cast<double>(bytes))
  {
  }

  /// The first contender added is the one that the others are compared with.
  void add(std::string name, std::function<void()> run)
  {
    contenders_.push_back({std::move(name), std::move(run), {}});
  }

  /// Runs each contender once to warm up, then `times` rounds. Prints medians, and how many times faster than the first
  /// contender each one is.
  void run(int times = 9)
  {
    for (contender const& each : contenders_) each.run();
    timing::interleaved_rounds all(contenders_.size());
    all.run_rounds(times, [&](std::size_t k) {
      std::clock_t const processors = std::clock();
      double const seconds = timing::seconds_of(contenders_[k].run);
      contenders_[k].processor_seconds.push_back(static_cast<double>(std::clock() - processors) / CLOCKS_PER_SEC);
      return seconds;
    });
    fmt::print("{}, {:.0f} elements\n", title_, elements_);
    for (std::size_t k = 0; k < contenders_.size(); ++k) {
      double const seconds = all.median(k);
      fmt::print("  {:<44}{:>10.3f} ms {:>8.3f} ns/element {:>8.2f} GB/s {:>8.2f} x {:>8.3f} ns of processors\n",
                 contenders_[k].name, seconds * 1e3, seconds * 1e9 / elements_, bytes_ / seconds * 1e-9,
                 all.ratio(k, 0), timing::median(contenders_[k].processor_seconds) * 1e9 / elements_);
    }
  }

private:
  struct contender {
    std::string name;
    std::function<void()> run;
    std::vector<double> processor_seconds;  // of all threads together: other work on the machine shows in it least
  };

  std::string title_;
  double elements_;
  double bytes_;
  std::vector<contender> contenders_;
};

}  // namespace tally::bench
