#pragma once

#include <atomic>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../support/guarded.hpp"
#include "../support/in_order.hpp"
#include "cpu_backend.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/order.hpp"

/// A backend as small as one can be: the calls of reduce.hpp and scan.hpp on std::thread, in two passes over the tiles.
/// It shows what a backend has to bring, and that nothing else of the library has to know of it.
namespace small_backend {

struct std_threads {
  int count = 1;
};

/// Calls `work(tile)` for each tile.
template <class Work>
void for_each_tile(std_threads on, std::size_t tiles, Work const& work)
{
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads;
  for (int k = 0; k < on.count; ++k)
    threads.emplace_back([&] {
      for (std::size_t tile = next++; tile < tiles; tile = next++) work(tile);
    });
}

/// Calls `use(k, tile-local value of element k)` for the elements of a tile.
template <class T, class I, class Op, class Transform, class Use>
void scan_tile(I first, std::size_t n, std::size_t tile, Op op, Transform transform, Use const& use)
{
  std::size_t const begin = tile * tally::order::tile<T>;
  std::size_t const size = n - begin < tally::order::tile<T> ? n - begin : tally::order::tile<T>;
  auto const at = [&](std::size_t k) { return transform(first[static_cast<std::iter_difference_t<I>>(begin + k)]); };
  tally::test::scan_in_order<T>(at, size, tally::detail::optional_value<T>{}, op,
                                [&](std::size_t k, auto const& value) { use(begin + k, value); });
}

/// The carry before each tile, and as last element the one after all of them.
template <class T, class I, class Op, class Transform>
std::vector<tally::order::carry<T, Op>> carries(std_threads on, I first, std::size_t n, std::optional<T> const& init,
                                                Op& op, Transform& transform)
{
  using carry = tally::order::carry<T, Op>;
  using working = typename carry::working;
  std::size_t const tiles = (n + tally::order::tile<T> - 1) / tally::order::tile<T>;
  std::vector<working> totals(tiles);
  for_each_tile(on, tiles, [&](std::size_t tile) {
    scan_tile<T>(first, n, tile, op, transform, [&](std::size_t, working const& value) { totals[tile] = value; });
  });
  std::vector<carry> all{init ? carry(static_cast<working>(*init)) : carry()};
  for (working const& total : totals) {
    carry next = all.back();
    next.push(total, op);
    all.push_back(next);
  }
  return all;
}

template <class T, class I, class S, class Op, class Transform>
std::optional<T> backend_reduce(std_threads on, I first, S last, std::optional<T> init, Op& op, Transform& transform)
{
  auto const all = carries<T>(on, first, static_cast<std::size_t>(last - first), init, op, transform).back();
  return all.last() ? std::optional<T>(static_cast<T>(*all.last())) : std::nullopt;
}

template <class T, class I, class S, class Out, class Op, class Transform>
Out backend_scan(std_threads on, I first, S last, Out out, std::optional<T> init, Op& op, Transform& transform,
                 tally::detail::direction shift)
{
  using distance = std::iter_difference_t<Out>;
  auto const n = static_cast<std::size_t>(last - first);
  auto const before = carries<T>(on, first, n, init, op, transform);
  for_each_tile(on, before.size() - 1, [&](std::size_t tile) {
    Op own = op;
    auto const carry = before[tile].next(own);
    auto previous = before[tile].last();
    scan_tile<T>(first, n, tile, op, transform, [&](std::size_t k, auto const& local) {
      auto const value = carry ? static_cast<std::remove_cvref_t<decltype(local)>>(own(*carry, local)) : local;
      out[static_cast<distance>(k)] = static_cast<T>(shift == tally::detail::direction::inclusive ? value : *previous);
      previous = value;
    });
  });
  return out + static_cast<distance>(n);
}

}  // namespace small_backend

template <>
inline constexpr bool tally::is_execution<small_backend::std_threads> = true;

namespace tally::test {

struct threads_backend {
  static constexpr char const* name = "threads";

  template <class T>
  using array = guarded<T>;

  template <class F>
  static void for_each_way(ways, F const& f)
  {
    for (int const count : {1, 3}) f(small_backend::std_threads{count}, std::to_string(count) + " threads");
  }
};

}  // namespace tally::test
