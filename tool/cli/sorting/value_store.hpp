#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <tally/execution.hpp>

#include "io/files/spool.hpp"
#include "values.hpp"

/// Values that are needed in order. They are held in memory up to a limit, which all sequences of a command share, and
/// beyond it in a temporary file, as sorted runs.
namespace tally::cli {

/// The memory and the temporary file that sequences share. Several threads may use sequences of one store at once.
class value_store {
public:
  /// Sequences hold about `limit` bytes together, at most half as much again. Sorting them takes the same once more.
  value_store(std::size_t limit, cpu on) : limit_(limit), on_(on) {}
  value_store(value_store const&) = delete;
  value_store& operator=(value_store const&) = delete;

private:
  friend class sorted_values;

  /// Whether a sequence that holds `bytes` should write them: the limit is passed, and it holds at least half of its
  /// share. So runs do not become tiny, and sequences that hold less do not matter.
  bool should_write(std::size_t bytes) const { return held_ > limit_ && bytes >= limit_ / sequences_ / 2; }

  /// Appends to the file and returns where the bytes begin there, at a multiple of 16.
  std::uint64_t write(void const* data, std::size_t bytes);
  /// The file with all that was written.
  int complete_file();
  void flush();
  void put(std::byte const* data, std::size_t bytes);

  std::size_t limit_;
  cpu on_;
  std::atomic<std::size_t> held_ = 0;
  std::atomic<std::size_t> sequences_ = 0;
  std::mutex file_mutex_;
  std::unique_ptr<io::spool> file_;
  std::vector<std::byte> waiting_;  // for the file
  std::uint64_t written_ = 0;       // bytes in the file
};

/// A sequence of numbers that is to be seen in ascending order: -0.0 before 0.0, and NaNs last.
///
/// Integers stay exact. From the first other number on all values are doubles, as for every operation on text.
class sorted_values {
public:
  explicit sorted_values(std::shared_ptr<value_store> store);
  ~sorted_values();
  sorted_values(sorted_values const&) = delete;
  sorted_values& operator=(sorted_values const&) = delete;

  /// Whether the caller is the first to ask. Operations on the same values share them, and the first one appends.
  bool claim() { return !std::exchange(claimed_, true); }

  void append(io::values_view const& values);
  void clear();

  std::uint64_t size() const { return size_; }
  bool holds_integers() const { return integers_; }

  /// A sorted part of the values: of int64, int128 or double. If there are doubles, integers count as the nearest one,
  /// which keeps their order.
  using run = std::variant<std::span<std::int64_t const>, std::span<int128 const>, std::span<double const>>;
  /// All values, as sorted parts; valid until the next call of `append` or `clear`.
  std::vector<run> const& runs();

private:
  template <class T>
  void hold(std::span<T const> values);
  void sort();
  void write_run();
  std::size_t held_bytes() const;

  /// A part of the file in memory.
  class mapping {
  public:
    mapping(int descriptor, std::uint64_t at, std::size_t bytes);
    mapping(mapping&& other) noexcept
        : place_(std::exchange(other.place_, nullptr)),
          size_(other.size_),
          before_(other.before_)
    {
    }
    ~mapping();
    mapping& operator=(mapping&&) = delete;

    void const* data() const { return static_cast<std::byte const*>(place_) + before_; }

  private:
    void* place_;
    std::size_t size_;
    std::size_t before_;  // bytes of the page before the part
  };

  struct written_run {
    std::uint64_t at;
    std::size_t count;
    io::element_type type;
  };

  std::shared_ptr<value_store> store_;
  std::variant<std::vector<std::int64_t>, std::vector<int128>, std::vector<double>> held_;
  std::vector<written_run> written_;
  std::vector<mapping> mapped_;  // the written runs, once they are asked for
  std::vector<run> runs_;
  std::uint64_t size_ = 0;
  bool integers_ = true;
  bool sorted_ = true;
  bool claimed_ = false;
};

}  // namespace tally::cli
