#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "tally/contract.hpp"
#include "tally/cpu/team.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/detail/path.hpp"

/// Maps: what reductions and scans are preceded and followed by.
namespace tally {

namespace detail {

/// Work that a thread draws at a time: some microseconds of it.
inline constexpr std::size_t indices_a_draw = 4096;
/// What an index is taken to be worth, when it is decided whether to wake other threads.
inline constexpr std::size_t bytes_an_index = 16;

/// Found by argument-dependent lookup on the execution argument; a backend overloads it for its own.
template <class P, class F>
  requires requires(P on) { threads_wish(on); }
void backend_for_each_block(P on, std::size_t n, std::size_t block, F& f)
{
  std::size_t const blocks = n / block + (n % block != 0);
  int const members = cpu_backend::team_size(cpu_backend::threads_of(threads_wish(on)), n * bytes_an_index, blocks);
  took(members > 1 ? "for_each: several threads" : "for_each: one thread");
  std::atomic<std::size_t> next{0};
  auto body = [&](int) {
    for (;;) {
      // Relaxed: a ticket and nothing more.
      std::size_t const begin = next.fetch_add(1, std::memory_order_relaxed);
      if (begin >= blocks) return;
      f(begin * block, n - begin * block < block ? n : (begin + 1) * block);
    }
  };
  cpu_backend::run_team(members, body);
}
template <class P, class F>
  requires requires(P on) { threads_wish(on); }
void backend_for_each_index(P on, std::size_t n, F& f)
{
  auto all_of = [&f](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) f(k);
  };
  backend_for_each_block(on, n, indices_a_draw, all_of);
}

}  // namespace detail

/// Calls `f(k)` for each k in [0, n), in any order: a map, whose depth is 1.
///
///     for_each_index([on,] n, f)
///
/// Requires  no call depends on another. Where `on` is named, f may be called from several threads at once; on a GPU it
///           is copied as bytes.
/// Cost      n calls, O(n/p) on p threads.
/// Blocks    until all calls are done; on a GPU returns at once.
/// Throws    what `f` throws (the first), and then not all calls may have been made; usage_error; cuda_error.
template <execution P, class F>
void for_each_index(P const& on, std::size_t n, F f)
{
  static_assert(std::is_invocable_v<F&, std::size_t>, "tally: for_each_index calls f(k) with an index");
  using detail::backend_for_each_index;
  backend_for_each_index(on, n, f);
}
template <class F>
void for_each_index(std::size_t n, F f)
{
  tally::for_each_index(detail::automatic{}, n, std::move(f));
}

/// Calls `f(begin, end)` for [0, block), [block, 2 * block), ... up to n, in any order: for work that is done a block
/// at a time. On a GPU a block is one thread's.
///
///     for_each_block([on,] n, block, f)
///
/// Requires  block > 0. As `for_each_index` otherwise.
template <execution P, class F>
void for_each_block(P const& on, std::size_t n, std::size_t block, F f)
{
  static_assert(std::is_invocable_v<F&, std::size_t, std::size_t>,
                "tally: for_each_block calls f(begin, end) with two indices");
  using detail::backend_for_each_block;
  backend_for_each_block(on, n, block, f);
}
template <class F>
void for_each_block(std::size_t n, std::size_t block, F f)
{
  tally::for_each_block(detail::automatic{}, n, block, std::move(f));
}

}  // namespace tally
