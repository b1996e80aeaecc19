#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tally::ranks_backend {

/// Rounds in which every rank hears from all others. Every rank constructs one; the functions are called by all ranks
/// in the same order, and end when this rank has all bytes.
///
///     rank(), size()
///     allgather(mine, all, bytes)    `bytes` from each rank, in the order of ranks
///     broadcast(data, bytes, from)   from one rank to all
///
/// Throws    what the library below reports, as a tally::error. The ranks are then no longer in step.
template <class T>
concept rounds = requires(T& by, T const& constant, std::byte const* from, std::byte* to, std::size_t bytes, int rank) {
  { constant.rank() } -> std::same_as<int>;
  { constant.size() } -> std::same_as<int>;
  by.allgather(from, to, bytes);
  by.broadcast(to, bytes, rank);
};

/// Carries bytes between ranks. It knows nothing of calls, elements or tiles.
///
///     allgather(mine, all, counts, size)     counts[r] values of `size` bytes from rank r, in the order of ranks
///     send(to, data, count, size)            begins to send `count` values of `size` bytes, perhaps none
///     receive(from, data, count, size)       begins to receive as many, or none
///     wait()                                 ends all sends and receives; false if a receive got none
///
/// Between two calls of `wait` a rank sends at most one message to each other one, and receives at most one from each.
template <class T>
concept transport = rounds<T> && requires(T& by, std::byte const* from, std::byte* to, std::size_t bytes,
                                          std::span<std::size_t const> counts, int rank) {
  by.allgather(from, to, counts, bytes);
  by.send(rank, from, bytes, bytes);
  by.receive(rank, to, bytes, bytes);
  { by.wait() } -> std::same_as<bool>;
};

/// A transport that adds up numbers too.
///
///     add_up(numbers, count)    replaces each of `count` numbers by its sum over all ranks
template <class T>
concept adding_transport =
    transport<T> && requires(T& by, std::uint64_t* numbers, std::size_t count) { by.add_up(numbers, count); };

}  // namespace tally::ranks_backend
