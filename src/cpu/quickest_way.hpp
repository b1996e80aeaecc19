#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>

namespace tally::cpu_backend {

/// Of several ways to do a call's work, with the same results, finds the quickest one on this machine: the first
/// stretches of the work go by each way in turn, and are timed; all others go by the way that took the least time. The
/// threads of a call share it.
///
/// A stretch is some parts of one size. Only the second half of it is timed: the first finds memory and the processor
/// as another way left them. In stretches of 128 KiB the wrong way to read was the quickest one on Zen 4, in those of
/// 512 KiB the right one.
template <std::size_t Ways, class Clock = std::chrono::steady_clock>
class quickest_way {
public:
  /// Stretches have `parts` parts.
  explicit quickest_way(std::size_t parts) : parts_(std::max<std::size_t>(parts, 1)) {}

  /// Calls work(way) to do the next part, 0 <= way < Ways.
  template <class Work>
  void operator()(Work const& work)
  {
    std::size_t const trials = rounds * Ways * parts_;
    if (begun_.load(std::memory_order_relaxed) < trials) {
      std::size_t const part = begun_.fetch_add(1, std::memory_order_relaxed);
      if (part < trials) {
        std::size_t const way = part / parts_ % Ways;
        auto const begin = Clock::now();
        work(way);
        count(way, (Clock::now() - begin).count(), part % parts_ >= parts_ / 2);
        return;
      }
    }
    work(quickest());
  }

private:
  using ticks = typename Clock::rep;
  static constexpr std::size_t rounds = 4;

  void count(std::size_t way, ticks time, bool counts)
  {
    ticks least = least_.load(std::memory_order_relaxed);
    while (time < least && !least_.compare_exchange_weak(least, time, std::memory_order_relaxed)) {}
    // A part that was interrupted counts no more than three.
    if (counts) time_[way].fetch_add(std::min(time, 3 * least), std::memory_order_relaxed);
  }

  std::size_t quickest() const
  {
    std::size_t way = 0;
    for (std::size_t other = 1; other < Ways; ++other)
      if (time_[other].load(std::memory_order_relaxed) < time_[way].load(std::memory_order_relaxed)) way = other;
    return way;
  }

  std::size_t const parts_;
  std::atomic<std::size_t> begun_{0};
  std::atomic<ticks> least_{std::numeric_limits<ticks>::max() / 3};
  std::array<std::atomic<ticks>, Ways> time_{};
};

}  // namespace tally::cpu_backend
