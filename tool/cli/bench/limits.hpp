#pragma once

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

/// How fast this machine can copy and read at best: what a scan and a reduction cannot beat beyond the caches.
namespace tally::cli {

/// Threads that wait for work together with the calling one.
class crew {
public:
  explicit crew(int threads);
  ~crew();
  crew(crew const&) = delete;
  crew& operator=(crew const&) = delete;

  int size() const { return static_cast<int>(helpers_.size()) + 1; }
  /// Calls work(t) for t = 0 .. size() - 1, each on a thread of its own, and waits for all.
  void run(std::function<void(int)> const& work);

private:
  void help(int t);

  std::barrier<> begin_;
  std::barrier<> end_;
  std::function<void(int)> const* work_ = nullptr;  // nothing: the helpers leave
  std::vector<std::thread> helpers_;
};

/// Copies n bytes with ordinary stores (memcpy) or with streaming stores, each thread a part.
void copy_ordinary(crew& threads, void const* in, void* out, std::size_t n);
void copy_streaming(crew& threads, void const* in, void* out, std::size_t n);

/// Reads n bytes, each thread a part in several streams: the exclusive-or of all words.
std::uint64_t read_all(crew& threads, void const* in, std::size_t n);

}  // namespace tally::cli
