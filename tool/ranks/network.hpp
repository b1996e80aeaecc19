#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "tally/detail/ranks/backend.hpp"

namespace tally::cli {

/// The ranks of a program, and the files that they share. The functions of the transport are those of
/// ranks_backend::transport. Functions of files throw `tally::error` on the ranks on which they fail.
class network {
public:
  virtual ~network() = default;
  network(network const&) = delete;
  network& operator=(network const&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void allgather(std::byte const* mine, std::byte* all, std::size_t bytes) = 0;
  virtual void allgather(std::byte const* mine, std::byte* all, std::span<std::size_t const> counts,
                         std::size_t size) = 0;
  virtual void broadcast(std::byte* data, std::size_t bytes, int from) = 0;
  virtual void send(int to, std::byte const* data, std::size_t count, std::size_t size) = 0;
  virtual void receive(int from, std::byte* data, std::size_t count, std::size_t size) = 0;
  virtual bool wait() = 0;

  /// Opens a file on all ranks, to be read or, if it exists, to be written.
  virtual void open_to_read(std::string const& path) = 0;
  virtual void open_to_write(std::string const& path) = 0;
  /// Reads exactly n bytes at an offset; each rank by itself.
  virtual void read_at(void* to, std::size_t n, std::uint64_t offset) = 0;
  virtual void write_at(void const* from, std::size_t n, std::uint64_t offset) = 0;
  /// Closes the file on all ranks. What all have written is in the file then.
  virtual void close() = 0;

protected:
  network() = default;
};

/// A network over a transport. A derived class has the files.
template <ranks_backend::transport Transport>
class network_over : public network {
public:
  explicit network_over(Transport by) : by_(std::move(by)) {}

  int rank() const final { return by_.rank(); }
  int size() const final { return by_.size(); }
  void allgather(std::byte const* mine, std::byte* all, std::size_t bytes) final { by_.allgather(mine, all, bytes); }
  void allgather(std::byte const* mine, std::byte* all, std::span<std::size_t const> counts, std::size_t size) final
  {
    by_.allgather(mine, all, counts, size);
  }
  void broadcast(std::byte* data, std::size_t bytes, int from) final { by_.broadcast(data, bytes, from); }
  void send(int to, std::byte const* data, std::size_t count, std::size_t size) final
  {
    by_.send(to, data, count, size);
  }
  void receive(int from, std::byte* data, std::size_t count, std::size_t size) final
  {
    by_.receive(from, data, count, size);
  }
  bool wait() final { return by_.wait(); }

private:
  Transport by_;
};

/// The transport of a network.
class network_transport {
public:
  explicit network_transport(network& by) : by_(&by) {}

  int rank() const { return by_->rank(); }
  int size() const { return by_->size(); }
  void allgather(std::byte const* mine, std::byte* all, std::size_t bytes) { by_->allgather(mine, all, bytes); }
  void allgather(std::byte const* mine, std::byte* all, std::span<std::size_t const> counts, std::size_t size)
  {
    by_->allgather(mine, all, counts, size);
  }
  void broadcast(std::byte* data, std::size_t bytes, int from) { by_->broadcast(data, bytes, from); }
  void send(int to, std::byte const* data, std::size_t count, std::size_t size) { by_->send(to, data, count, size); }
  void receive(int from, std::byte* data, std::size_t count, std::size_t size)
  {
    by_->receive(from, data, count, size);
  }
  bool wait() { return by_->wait(); }

private:
  network* by_;
};

using ranks = ranks_backend::execution<network_transport>;

}  // namespace tally::cli

template <>
inline constexpr bool tally::is_execution<tally::cli::ranks> = true;
