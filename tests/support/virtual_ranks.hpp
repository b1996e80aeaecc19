#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tally/detail/ranks/backend.hpp"

namespace tally::test {

/// The messages and bytes between ranks: all of them, or one rank's share.
struct traffic {
  std::size_t messages = 0;       ///< from one rank to one other
  std::size_t message_bytes = 0;  ///< of these
  std::size_t rounds = 0;         ///< collective operations, as one rank sees them
  std::size_t round_bytes = 0;    ///< that ranks give in these, all together
  friend bool operator==(traffic const&, traffic const&) = default;
};

/// Whether this thread is inside of a transport, whose memory is none of the library's.
inline thread_local bool in_transport = false;
struct inside_transport {
  inside_transport() { in_transport = true; }
  ~inside_transport() { in_transport = false; }
};

/// A barrier whose threads sleep: those of std::barrier spin, and there are more ranks than processors.
class sleeping_barrier {
public:
  explicit sleeping_barrier(int threads) : threads_(threads) {}

  void arrive_and_wait()
  {
    std::unique_lock lock(mutex_);
    std::size_t const round = round_;
    if (++arrived_ == threads_) {
      arrived_ = 0;
      ++round_;
      all_came_.notify_all();
    } else {
      all_came_.wait(lock, [&] { return round_ != round; });
    }
  }

private:
  int threads_, arrived_ = 0;
  std::size_t round_ = 0;
  std::mutex mutex_;
  std::condition_variable all_came_;
};

/// Ranks that are threads of one process. It stands for the network.
class world {
public:
  explicit world(int size) : size_(size), barrier_(size), given_(static_cast<std::size_t>(size)), boxes_(given_.size())
  {
  }

  int size() const { return size_; }
  traffic const& counted() const { return counted_; }

  /// Every rank gives bytes and looks at those of all ranks.
  template <class Look>
  void meet(int rank, std::span<std::byte const> mine, Look const& look)
  {
    given_[static_cast<std::size_t>(rank)] = mine;
    {
      std::scoped_lock const lock(mutex_);
      counted_.round_bytes += mine.size();
      counted_.rounds += rank == 0;
    }
    barrier_.arrive_and_wait();
    look(given_);
    barrier_.arrive_and_wait();
  }

  void put(int from, int to, std::span<std::byte const> bytes)
  {
    {
      std::scoped_lock const lock(mutex_);
      ++counted_.messages;
      counted_.message_bytes += bytes.size();
    }
    box& at = boxes_[static_cast<std::size_t>(to)];
    {
      std::scoped_lock const lock(at.mutex);
      at.messages[from].emplace_back(bytes.begin(), bytes.end());
    }
    at.came.notify_one();
  }
  std::vector<std::byte> take(int from, int to)
  {
    box& at = boxes_[static_cast<std::size_t>(to)];
    std::unique_lock lock(at.mutex);
    auto& queue = at.messages[from];
    at.came.wait(lock, [&] { return !queue.empty(); });
    std::vector<std::byte> message = std::move(queue.front());
    queue.pop_front();
    return message;
  }
  /// Whether every message was received.
  bool is_empty()
  {
    for (box& each : boxes_)
      for (auto const& [from, queue] : each.messages)
        if (!queue.empty()) return false;
    return true;
  }

private:
  struct box {
    std::mutex mutex;
    std::condition_variable came;
    std::map<int, std::deque<std::vector<std::byte>>> messages;
  };

  int size_;
  sleeping_barrier barrier_;
  std::vector<std::span<std::byte const>> given_;
  std::deque<box> boxes_;
  std::mutex mutex_;
  traffic counted_;
};

/// A transport between the threads of a world.
class virtual_transport {
public:
  virtual_transport(world& all, int rank) : world_(&all), rank_(rank) {}

  int rank() const { return rank_; }
  int size() const { return world_->size(); }

  void allgather(std::byte const* mine, std::byte* all, std::size_t bytes)
  {
    inside_transport const now;
    world_->meet(rank_, {mine, bytes}, [&](auto const& given) {
      for (std::size_t r = 0; r < given.size(); ++r) std::memcpy(all + r * bytes, given[r].data(), bytes);
    });
  }
  void allgather(std::byte const* mine, std::byte* all, std::span<std::size_t const> counts, std::size_t size)
  {
    inside_transport const now;
    world_->meet(rank_, {mine, counts[static_cast<std::size_t>(rank_)] * size}, [&](auto const& given) {
      for (std::size_t r = 0; r < given.size(); all += given[r++].size()) {
        if (given[r].size() != counts[r] * size) throw error("virtual ranks: another size than a rank gives");
        if (!given[r].empty()) std::memcpy(all, given[r].data(), given[r].size());
      }
    });
  }
  void broadcast(std::byte* data, std::size_t bytes, int from)
  {
    inside_transport const now;
    std::vector<std::byte> const mine(data, data + bytes);
    world_->meet(rank_, from == rank_ ? std::span<std::byte const>(mine) : std::span<std::byte const>(),
                 [&](auto const& given) { std::memcpy(data, given[static_cast<std::size_t>(from)].data(), bytes); });
  }
  void add_up(std::uint64_t* numbers, std::size_t count)
  {
    inside_transport const now;
    auto const* const bytes = reinterpret_cast<std::byte const*>(numbers);
    std::vector<std::byte> const mine(bytes, bytes + count * sizeof(std::uint64_t));
    world_->meet(rank_, mine, [&](auto const& given) {
      std::fill(numbers, numbers + count, 0);
      for (auto const& each : given) {
        if (each.size() != mine.size()) throw error("virtual ranks: another count than a rank gives");
        for (std::size_t k = 0; k < count; ++k) {
          std::uint64_t number = 0;
          std::memcpy(&number, each.data() + k * sizeof(number), sizeof(number));
          numbers[k] += number;
        }
      }
    });
  }
  void send(int to, std::byte const* data, std::size_t count, std::size_t size)
  {
    inside_transport const now;
    world_->put(rank_, to, {data, count * size});
  }
  void receive(int from, std::byte* data, std::size_t count, std::size_t size)
  {
    inside_transport const now;
    pending_.push_back({from, data, count * size});
  }
  bool wait()
  {
    inside_transport const now;
    bool all = true;
    for (auto const& [from, data, bytes] : pending_) {
      std::vector<std::byte> const message = world_->take(from, rank_);
      if (message.size() != bytes && !message.empty()) throw error("virtual ranks: a message of another size");
      if (!message.empty()) std::memcpy(data, message.data(), bytes);
      all = all && message.size() == bytes;
    }
    pending_.clear();
    return all;
  }

private:
  struct receive_of {
    int from;
    std::byte* data;
    std::size_t bytes;
  };

  world* world_;
  int rank_;
  std::vector<receive_of> pending_;
};

using virtual_rank = ranks_backend::execution<virtual_transport>;

/// Runs body(rank) on a thread for each rank of a world.
/// Throws    the exception of the first rank that had one, else an error if a message was not received.
template <class Body>
void on_threads(world& all, Body const& body)
{
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(all.size()));
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < all.size(); ++rank)
      threads.emplace_back([&, rank] {
        try {
          body(rank);
        } catch (...) {
          failures[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
  }
  for (auto const& failure : failures)
    if (failure) std::rethrow_exception(failure);
  if (!all.is_empty()) throw error("virtual ranks: a message was not received");
}

/// Runs body(on, rank) on `size` ranks, and returns what crossed between them.
template <class Body>
traffic on_virtual_ranks(int size, Body const& body, std::optional<cpu> local = cpu{1})
{
  world all(size);
  on_threads(all, [&](int rank) { body(virtual_rank(virtual_transport(all, rank), local), rank); });
  return all.counted();
}

}  // namespace tally::test

template <>
inline constexpr bool tally::is_execution<tally::test::virtual_rank> = true;
