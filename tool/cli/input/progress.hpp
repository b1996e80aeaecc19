#pragma once

#include <chrono>
#include <string>

#include "io/reader.hpp"

namespace tally::cli {

/// A line on the terminal of standard error that overwrites itself: "  42%  1.3 of 3.1 GB  812 MB/s  2 s left".
class progress_meter {
public:
  /// Shows nothing if it is not `wanted`, if standard error is not a terminal, or if results go to a terminal
  /// (`results_on_standard_output`).
  progress_meter(bool wanted, bool results_on_standard_output);
  ~progress_meter();
  progress_meter(progress_meter const&) = delete;
  progress_meter& operator=(progress_meter const&) = delete;

  /// Shows the progress of a job that has taken more than a second, at most ten times a second.
  void update(io::progress const& so_far);

private:
  using clock = std::chrono::steady_clock;

  bool enabled_;
  bool shown_ = false;
  clock::time_point begin_ = clock::now();
  clock::time_point next_ = begin_ + std::chrono::seconds(1);
};

/// The line for that progress after `seconds`.
std::string progress_line(io::progress const& so_far, double seconds);

}  // namespace tally::cli
