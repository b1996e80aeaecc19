#include "io/compression/decompressor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "io/errors.hpp"

namespace tally::io {

decompressor::decompressor(packed_source from, std::unique_ptr<decoder> by, std::string kind, unpacking_sizes sizes)
    : from_(std::move(from)),
      by_(std::move(by)),
      kind_(std::move(kind)),
      sizes_(sizes),
      stop_(eventfd(0, EFD_CLOEXEC)),
      packed_(sizes.packed)
{
  if (stop_ < 0) throw_file_error(from_.name(), "cannot decompress", errno);
  for (std::size_t i = 0; i < sizes_.blocks; ++i)
    free_.push_back({std::make_unique_for_overwrite<char[]>(sizes_.block)});
  thread_ = std::thread([this] { run(); });
}

decompressor::~decompressor()
{
  {
    std::lock_guard const lock(mutex_);
    stopping_ = true;
  }
  free_changed_.notify_all();
  eventfd_write(stop_, 1);
  thread_.join();
  close(stop_);
}

std::size_t decompressor::read(void* to, std::size_t n)
{
  if (taken_ == current_.size) {
    std::unique_lock lock(mutex_);
    if (current_.bytes) {
      free_.push_back(std::move(current_));
      free_changed_.notify_one();
    }
    current_ = {};
    taken_ = 0;
    filled_changed_.wait(lock, [&] { return !filled_.empty() || finished_; });
    if (filled_.empty() && failure_) std::rethrow_exception(failure_);
    if (filled_.empty()) return 0;
    current_ = std::move(filled_.front());
    filled_.pop_front();
  }
  std::size_t const got = std::min(n, current_.size - taken_);
  std::memcpy(to, current_.bytes.get() + taken_, got);
  taken_ += got;
  return got;
}

bool decompressor::ready() const
{
  if (taken_ < current_.size) return true;
  std::lock_guard const lock(mutex_);
  return !filled_.empty() || finished_;
}

void decompressor::run()
{
  std::exception_ptr failure;
  for (bool more = true; more;) {
    block next;
    {
      std::unique_lock lock(mutex_);
      free_changed_.wait(lock, [&] { return !free_.empty() || stopping_; });
      if (stopping_) return;
      next = std::move(free_.back());
      free_.pop_back();
    }
    next.size = 0;
    try {
      more = fill(next);
    } catch (...) {
      failure = std::current_exception();
      more = false;
    }
    std::lock_guard const lock(mutex_);
    if (next.size > 0) filled_.push_back(std::move(next));
    finished_ = !more;
    failure_ = failure;
    filled_changed_.notify_all();
  }
}

/// Fills a block, or a part of it where the source ends or pauses. Whether there may be more.
bool decompressor::fill(block& into)
{
  std::span<char> room(into.bytes.get(), sizes_.block);
  while (!room.empty()) {
    if (rest_.empty() && !pending_ && !ended_) {
      if (into.size > 0 && !from_.ready()) return true;
      if (!refill()) return false;
    }
    std::size_t const before = rest_.size();
    try {
      whole_ = by_->decode(rest_, room, ended_);
    } catch (decode_problem const& problem) {
      into.size = sizes_.block - room.size();
      packed_bytes_.fetch_add(before - rest_.size(), std::memory_order_relaxed);
      refuse(problem);
    }
    member_seen_ = member_seen_ || whole_;
    bool const stalled = before > 0 && before == rest_.size() && into.size == sizes_.block - room.size();
    if (stalled) refuse({decode_problem::kind::damaged, ""});
    packed_bytes_.fetch_add(before - rest_.size(), std::memory_order_relaxed);
    into.size = sizes_.block - room.size();
    pending_ = room.empty();
    if (!ended_ || pending_ || !rest_.empty()) continue;
    if (!whole_)
      throw data_error({from_.name() + ": compressed byte " + std::to_string(packed_bytes() + 1)},
                       "the end of the data within what " + kind_ + " compressed", "the rest: it is cut short");
    return false;
  }
  return true;
}

/// Reads compressed bytes. False if the reader has gone.
bool decompressor::refill()
{
  std::size_t const got = from_.read(packed_.data(), packed_.size(), stop_);
  rest_ = {packed_.data(), got};
  if (got > 0) return true;
  ended_ = true;
  std::lock_guard const lock(mutex_);
  return !stopping_;
}

/// Names no place: where a decoder notices damage depends on the pieces in which a pipe gives the data.
void decompressor::refuse(decode_problem const& problem) const
{
  if (problem.is == decode_problem::kind::needs_memory)
    fail("data of " + kind_ + " that takes " + problem.detail + " of memory to decompress",
         "at most 128 MiB (decompress it first)");
  if (problem.is == decode_problem::kind::no_member && member_seen_)
    fail("other bytes behind the data that " + kind_ + " compressed", "the end, or more such data");
  fail("damaged data of " + kind_ + (problem.detail.empty() ? "" : " (" + problem.detail + ")"),
       "data as " + kind_ + " wrote it (--no-decompress reads the bytes as they stand)");
}

void decompressor::fail(std::string const& found, std::string const& expected) const
{
  throw data_error({from_.name()}, found, expected);
}

}  // namespace tally::io
