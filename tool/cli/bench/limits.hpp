#pragma once

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

/// Copying and reading as fast as this machine can: beyond the caches no scan is faster than a copy, no reduction
/// faster than a read.
namespace tally::cli {

/// The calling thread and helpers that wait for work.
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
  std::function<void(int)> const* work_ = nullptr;  // null: the helpers leave
  std::vector<std::thread> helpers_;
};

/// Copies n bytes with ordinary stores (memcpy) or with streaming stores; each thread copies a part.
void copy_ordinary(crew& threads, void const* in, void* out, std::size_t n);
void copy_streaming(crew& threads, void const* in, void* out, std::size_t n);

/// Returns the exclusive-or of the words of n bytes; each thread reads a part, in several streams.
std::uint64_t read_all(crew& threads, void const* in, std::size_t n);

}  // namespace tally::cli
