#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "tally/detail/ranks/backend.hpp"

namespace tally::test {

/// A transport of one rank, to which nothing crosses: the smallest that there is.
class lone_transport {
public:
  int rank() const { return 0; }
  int size() const { return 1; }
  void allgather(std::byte const* mine, std::byte* all, std::size_t bytes) { std::memcpy(all, mine, bytes); }
  void allgather(std::byte const* mine, std::byte* all, std::span<std::size_t const> counts, std::size_t size)
  {
    std::memcpy(all, mine, counts[0] * size);
  }
  void broadcast(std::byte*, std::size_t, int) {}
  void send(int, std::byte const*, std::size_t, std::size_t) {}
  void receive(int, std::byte*, std::size_t, std::size_t) {}
  bool wait() { return true; }
};

/// One rank alone.
class lone_rank : public ranks_backend::execution<lone_transport> {
public:
  lone_rank() : execution(lone_transport(), cpu{1}) {}
};

}  // namespace tally::test

template <>
inline constexpr bool tally::is_execution<tally::test::lone_rank> = true;
