#pragma once

#include <algorithm>
#include <chrono>

#include <cstddef>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

/// Contenders measured in turn, round by round, so that what a shared machine does to one it does to all.
namespace tally::bench {

class rounds {
public:
  /// `what` heads the table; `bytes` is what each contender must move, `elements` what it does its work on.
  rounds(std::string what, std::size_t elements, std::size_t bytes)
      : what_(std::move(what)),
        elements_(elements),
        bytes_(bytes)
  {
  }

  /// The first contender added is what the others are compared with.
  void add(std::string name, std::function<void()> run)
  {
    contenders_.push_back({std::move(name), std::move(run), {}, {}});
  }

  /// Runs each once to warm up, then `times` rounds; prints medians, and the ratio of the first one's time to each.
  void run(int times = 9)
  {
    for (contender& each : contenders_) each.run();
    for (int round = 0; round < times; ++round) {
      for (contender& each : contenders_) {
        std::clock_t const processors = std::clock();
        auto const begin = std::chrono::steady_clock::now();
        each.run();
        each.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        each.processor_seconds.push_back(static_cast<double>(std::clock() - processors) / CLOCKS_PER_SEC);
      }
    }
    fmt::print("{}, {} elements\n", what_, elements_);
    double const first = median(contenders_.front().seconds);
    for (contender const& each : contenders_) {
      double const seconds = median(each.seconds);
      fmt::print("  {:<44}{:>10.3f} ms {:>8.3f} ns/element {:>8.2f} GB/s {:>8.2f} x {:>8.3f} ns of processors\n",
                 each.name, seconds * 1e3, seconds * 1e9 / static_cast<double>(elements_),
                 static_cast<double>(bytes_) / seconds * 1e-9, first / seconds,
                 median(each.processor_seconds) * 1e9 / static_cast<double>(elements_));
    }
  }

private:
  struct contender {
    std::string name;
    std::function<void()> run;
    std::vector<double> seconds;
    std::vector<double> processor_seconds;  // of all threads together: what others do on the machine shows in it least
  };

  static double median(std::vector<double> values)
  {
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  std::string what_;
  std::size_t elements_;
  std::size_t bytes_;
  std::vector<contender> contenders_;
};

}  // namespace tally::bench
