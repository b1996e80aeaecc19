#include "io/files/temporary_files.hpp"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>
#include <unistd.h>

namespace tally::io {

namespace {

/// An entry, written under a lock and read by a signal handler: `used` is set last and cleared first.
struct registered_file {
  std::atomic<bool> used = false;
  char path[PATH_MAX];
};

registered_file files[16];
std::mutex files_mutex;
constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only use lock-free atomics");

extern "C" void remove_files_and_end(int signal_number)
{
  for (registered_file const& file : files)
    if (file.used.load(std::memory_order_acquire)) unlink(file.path);
  // The handler was reset when it was called, so this ends the process as the signal does.
  raise(signal_number);
}

void install_handlers()
{
  for (int const signal_number : ending_signals) {
    struct sigaction present;
    if (sigaction(signal_number, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    struct sigaction handler = {};
    handler.sa_handler = remove_files_and_end;
    handler.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&handler.sa_mask);
    sigaction(signal_number, &handler, nullptr);
  }
}

}  // namespace

void remove_on_signal(std::string const& path)
{
  std::lock_guard const lock(files_mutex);
  install_handlers();
  if (path.size() >= PATH_MAX) return;
  for (registered_file& file : files) {
    if (file.used.load(std::memory_order_relaxed)) continue;
    std::memcpy(file.path, path.c_str(), path.size() + 1);
    file.used.store(true, std::memory_order_release);
    return;
  }
}

void keep_on_signal(std::string const& path)
{
  std::lock_guard const lock(files_mutex);
  for (registered_file& file : files)
    if (file.used.load(std::memory_order_relaxed) && path == file.path)
      file.used.store(false, std::memory_order_release);
}

}  // namespace tally::io
