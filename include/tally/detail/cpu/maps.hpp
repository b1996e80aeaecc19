#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tally/detail/cpu/execution.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/path.hpp"

namespace tally::cpu_backend {

/// Indices that a thread draws at a time: some microseconds of work.
inline constexpr std::size_t indices_a_draw = 4096;
/// The bytes that an index counts for in the decision whether to wake other threads.
inline constexpr std::size_t bytes_an_index = 16;

/// The team of a CPU: one thread, in one row with one lane. `for_each_block_by_team` documents each member function.
class lone_team {
public:
  static constexpr int size() { return 1; }
  static constexpr int rank() { return 0; }
  static constexpr int rows() { return 1; }
  static constexpr int row() { return 0; }
  static constexpr int lanes() { return 1; }
  static constexpr int lane() { return 0; }
  void wait() const {}
  void wait_for_row() const {}
  template <class T>
  T from_lane(T const& x, int) const
  {
    return x;
  }
  std::uint32_t vote(bool x) const { return x ? 1 : 0; }
  template <class T>
  void add(T& to, T x) const
  {
    to = static_cast<T>(to + x);
  }
  void join(std::uint32_t& to, std::uint32_t bits) const { to |= bits; }
};

}  // namespace tally::cpu_backend

namespace tally::detail {

template <cpu_backend::cpu_execution P, class F>
void backend_for_each_block(P on, std::size_t n, std::size_t block, F& f)
{
  std::size_t const blocks = n / block + (n % block != 0);
  int const threads = cpu_backend::requested_threads(cpu_backend::requested(on));
  int const members = cpu_backend::team_size(threads, n * cpu_backend::bytes_an_index, blocks);
  took(members > 1 ? "for_each: several threads" : "for_each: one thread");
  std::atomic<std::size_t> next{0};
  auto body = [&](int) {
    for (;;) {
      // Relaxed: the ticket orders nothing else.
      std::size_t const begin = next.fetch_add(1, std::memory_order_relaxed);
      if (begin >= blocks) return;
      f(begin * block, n - begin * block < block ? n : (begin + 1) * block);
    }
  };
  cpu_backend::run_team(members, body);
}

template <cpu_backend::cpu_execution P, class F>
void backend_for_each_index(P on, std::size_t n, F& f)
{
  auto all_of = [&f](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) f(k);
  };
  backend_for_each_block(on, n, cpu_backend::indices_a_draw, all_of);
}

template <cpu_backend::cpu_execution P, class Work>
void backend_for_each_block_by_team(P on, std::size_t n, std::size_t block, Work const& work)
{
  auto by_one_thread = [&work](std::size_t begin, std::size_t end) {
    typename Work::memory own;
    work(cpu_backend::lone_team{}, own, begin, end);
  };
  backend_for_each_block(on, n, block, by_one_thread);
}

}  // namespace tally::detail
