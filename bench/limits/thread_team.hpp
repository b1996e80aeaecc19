#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace tally::bench {

/// The threads of a limit. They get their work in well under a microsecond, so that the limit is that of the memory and
/// not of a threading library. Helpers spin between `begin` and `end`; outside they sleep, so that they take no time
/// from other contenders.
class thread_team {
public:
  explicit thread_team(int threads)
  {
    for (int t = 1; t < threads; ++t) helpers_.emplace_back([this, t] { help(t); });
  }

  ~thread_team()
  {
    leaving_ = true;
    begin();
    for (std::thread& helper : helpers_) helper.join();
  }

  int size() const { return static_cast<int>(helpers_.size()) + 1; }

  void begin()
  {
    awake_.store(1, std::memory_order_release);
    awake_.notify_all();
  }
  void end() { awake_.store(0, std::memory_order_release); }

  /// Calls work(context, t) on thread t, for every t. Requires that `begin` has been called.
  void run(void (*work)(void*, int), void* context)
  {
    work_ = work;
    context_ = context;
    pending_.store(static_cast<int>(helpers_.size()), std::memory_order_relaxed);
    call_.fetch_add(1, std::memory_order_release);
    work(context, 0);
    for (int spins = 0; pending_.load(std::memory_order_acquire) != 0;) spin(spins);
  }

private:
  /// Waits a moment. Yields the processor every 20 us or so, in case a helper has none.
  static void spin(int& spins)
  {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    if (++spins % 1024 == 0) std::this_thread::yield();
  }

  void help(int t)
  {
    std::uint32_t seen = 0;
    int spins = 0;
    for (;;) {
      awake_.wait(0, std::memory_order_acquire);
      if (leaving_) return;
      while (awake_.load(std::memory_order_acquire) != 0 || call_.load(std::memory_order_acquire) != seen) {
        if (leaving_) return;  // a helper may not have noticed a short sleep
        if (call_.load(std::memory_order_acquire) == seen) {
          spin(spins);
          continue;
        }
        ++seen;
        work_(context_, t);
        pending_.fetch_sub(1, std::memory_order_release);
      }
    }
  }

  std::vector<std::thread> helpers_;
  void (*work_)(void*, int) = nullptr;
  void* context_ = nullptr;
  std::atomic<bool> leaving_ = false;
  alignas(64) std::atomic<int> awake_ = 0;
  alignas(64) std::atomic<std::uint32_t> call_ = 0;
  alignas(64) std::atomic<int> pending_ = 0;
};

/// Every processor that the process may use.
inline thread_team& whole_machine()
{
  static thread_team team(static_cast<int>(std::thread::hardware_concurrency()));
  return team;
}

inline void begin_whole_machine()
{
  whole_machine().begin();
}

inline void end_whole_machine()
{
  whole_machine().end();
}

/// Gives every thread one contiguous part of [0, n), in whole pages where there are enough of them, else in whole cache
/// lines. f(begin, end, t) is called on thread t.
template <class F>
void on_whole_machine(std::size_t n, F f)
{
  thread_team& team = whole_machine();
  std::size_t const threads = static_cast<std::size_t>(team.size());
  std::size_t const unit = n >= threads * 65536 ? 4096 : 64;
  std::size_t const part = (n / threads + unit - 1) / unit * unit;
  struct call {
    F& f;
    std::size_t n, part;
  } context{f, n, part};
  team.run(
      [](void* raw, int t) {
        call& c = *static_cast<call*>(raw);
        std::size_t const begin = std::min(c.n, c.part * static_cast<std::size_t>(t));
        std::size_t const end = std::min(c.n, begin + c.part);
        if (begin < end) c.f(begin, end, t);
      },
      &context);
}

}  // namespace tally::bench
