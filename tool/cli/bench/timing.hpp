#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

/// How every benchmark takes its times: contenders in interleaved rounds, of which the median counts. `tally bench` and
/// the programs of bench/ share it.
namespace tally::timing {

using clock = std::chrono::steady_clock;

inline double seconds_since(clock::time_point begin)
{
  return std::chrono::duration<double>(clock::now() - begin).count();
}

/// Keeps the compiler from removing the computation of `value`, and from keeping memory in registers across the call.
template <class T>
void keep(T const& value)
{
  asm volatile("" : : "g"(&value) : "memory");
}

/// Seconds that one call of `run` takes, measured over `calls` calls in a row.
template <class Run>
double seconds_of(Run const& run, std::size_t calls = 1)
{
  auto const begin = clock::now();
  for (std::size_t k = 0; k < calls; ++k) run();
  return seconds_since(begin) / static_cast<double>(calls);
}

/// How many calls of `once` seconds fill `batch` seconds: from 1 to `most`.
inline std::size_t calls_in(double batch, double once, double most = 1e9)
{
  return static_cast<std::size_t>(std::clamp(std::ceil(batch / once), 1.0, most));
}

/// The middle value; the upper of the two middle ones if their number is even. Requires at least one value.
inline double median(std::vector<double> values)
{
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The median distance of the values from their median, as a share of it.
inline double noise(std::vector<double> values)
{
  double const middle = median(values);
  for (double& value : values) value = std::abs(value - middle);
  return median(std::move(values)) / middle;
}

/// Contenders, numbered from 0, that are timed in turn. A round times each contender once, in an order shuffled anew
/// for every round: whatever disturbs the machine disturbs all of them.
class interleaved_rounds {
public:
  explicit interleaved_rounds(std::size_t contenders) : order_(contenders), times_(contenders)
  {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  /// Adds `time(k)` to the times of every contender k that has not been left out.
  template <class Time>
  void run_round(Time const& time)
  {
    std::shuffle(order_.begin(), order_.end(), shuffler_);
    for (std::size_t const k : order_) times_[k].push_back(time(k));
  }
  template <class Time>
  void run_rounds(int rounds, Time const& time)
  {
    for (int round = 0; round < rounds; ++round) run_round(time);
  }

  /// The next rounds are without contender k.
  void leave_out(std::size_t k) { std::erase(order_, k); }

  /// One time for each round that contender k was in.
  std::vector<double> const& times(std::size_t k) const { return times_[k]; }
  double median(std::size_t k) const { return timing::median(times_[k]); }
  double noise(std::size_t k) const { return timing::noise(times_[k]); }
  /// How many times faster contender k is than contender `other`.
  double ratio(std::size_t k, std::size_t other) const { return median(other) / median(k); }

private:
  std::vector<std::size_t> order_;  // those that have not been left out
  std::vector<std::vector<double>> times_;
  std::mt19937 shuffler_{1};
};

/// The median seconds of one call of each contender. `seconds(k, calls)` makes `calls` calls of contender k in a row
/// and returns the seconds of one. A round makes as many as fill `batch` seconds, `most` at most.
template <class Seconds>
std::vector<double> median_seconds(std::size_t contenders, int rounds, double batch, double most,
                                   Seconds const& seconds)
{
  std::vector<std::size_t> calls;
  for (std::size_t k = 0; k < contenders; ++k) {
    seconds(k, 1);  // brings memory and code in
    calls.push_back(calls_in(batch, seconds(k, 1), most));
  }
  interleaved_rounds all(contenders);
  all.run_rounds(rounds, [&](std::size_t k) { return seconds(k, calls[k]); });
  std::vector<double> medians;
  for (std::size_t k = 0; k < contenders; ++k) medians.push_back(all.median(k));
  return medians;
}

}  // namespace tally::timing
