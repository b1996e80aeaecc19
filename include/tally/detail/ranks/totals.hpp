#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>

#include "tally/detail/cpu/backend.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tiles.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/ranks/division.hpp"
#include "tally/detail/ranks/wire.hpp"
#include "tally/order.hpp"

/// The totals that ranks share: how a rank computes its own, and how all are folded into carries.
namespace tally::ranks_backend {

/// A shared value: the total of a tile, or a fold of totals. All have one size, so that a place is a number.
template <class Carry>
inline constexpr std::size_t slot_size = [] {
  constexpr std::size_t of_total = wire_size<typename Carry::working>, of_fold = wire_size<typename Carry::wide>;
  constexpr std::size_t alignment =
      alignof(cpu_backend::unheld_t<typename Carry::wide>) > alignof(cpu_backend::unheld_t<typename Carry::working>)
          ? alignof(cpu_backend::unheld_t<typename Carry::wide>)
          : alignof(cpu_backend::unheld_t<typename Carry::working>);
  constexpr std::size_t most = of_total > of_fold ? of_total : of_fold;
  return (most + alignment - 1) / alignment * alignment;
}();

/// Writes the shared totals of the first `tiles` tiles of a rank to `slots`. `total(tile)` is called once for each
/// tile, by `members` threads, or in the order of tiles by one.
template <class Carry, class Total, class Op>
void share_totals_of(std::uint64_t tiles, shared_totals const& shared, std::byte* slots, Total const& total, Op& op,
                     int members)
{
  using working = typename Carry::working;
  using wide = typename Carry::wide;
  auto const fold = [&](std::uint64_t begin, std::uint64_t end) {
    wide sum = static_cast<wide>(working(total(begin)));
    for (std::uint64_t tile = begin + 1; tile < end; ++tile)
      sum = static_cast<wide>(op(sum, static_cast<wide>(working(total(tile)))));
    return sum;
  };
  std::uint64_t const folds = shared.spans + (shared.part > 0);
  auto const compute = [&](std::uint64_t slot) {
    std::byte* const to = slots + slot * slot_size<Carry>;
    if (slot < shared.single) {
      store(to, working(total(slot)));
    } else if (slot < shared.single + folds) {
      std::uint64_t const begin = shared.single + (slot - shared.single) * order::span_tiles;
      store(to, fold(begin, begin + (slot < shared.single + shared.spans ? order::span_tiles : shared.part)));
    } else {
      std::uint64_t const folded = shared.spans * order::span_tiles + shared.part;
      store(to, working(total(slot - folds + folded)));
    }
  };
  std::uint64_t const missing = shared.single + shared.spans * order::span_tiles + shared.part + shared.last - tiles;
  std::uint64_t const values = shared.values() - missing;
  std::atomic<std::uint64_t> next{0};
  auto body = [&](int) {
    for (std::uint64_t slot = next.fetch_add(1, std::memory_order_relaxed); slot < values;
         slot = next.fetch_add(1, std::memory_order_relaxed))
      compute(slot);
  };
  cpu_backend::run_team(members, body);
}

/// Writes the shared totals of the tiles of [first, last), all that a rank begins but for the one that crosses its end.
/// T may be held (cpu/held.hpp).
template <class T, class I, class Transform, class Op>
void total_own_tiles(std::optional<cpu> const& on, I first, I last, std::size_t size, std::size_t tile,
                     shared_totals const& shared, std::byte* slots, Transform& transform, Op& op)
{
  using carry = order::carry<T, Op>;
  if (size == 0) return;
  std::size_t const tiles = (size - 1) / tile + 1;
  if constexpr (cpu_backend::contiguous_of<I, T> && cpu_backend::has_kernels<Op, T> &&
                std::is_same_v<Transform, std::identity>) {
    detail::took("ranks: totals by the kernels", "a built-in operator on numbers in memory");
    auto const& kernels = cpu_backend::kernels_of<Op, T>();
    T const* const in = std::to_address(first);
    int const members = cpu_backend::team_size(on ? on->threads : 0, size * sizeof(T), shared.values());
    auto const total = [&](std::uint64_t k) -> T {
      T const* const of_tile = in + k * tile;
      std::size_t const elements = k + 1 < tiles ? tile : size - k * tile;
      return kernels.total(of_tile, elements);
    };
    share_totals_of<carry>(tiles, shared, slots, total, op, members);
  } else if constexpr (cpu_backend::divisible<T, I>) {
    detail::took("ranks: totals by index");
    cpu_backend::tile_engine<T, Op, I, I, Transform> const engine(first, size, first, transform, op,
                                                                  detail::direction::inclusive);
    int const members = cpu_backend::team_size(cpu_backend::requested_threads(on), engine.bytes(), shared.values());
    share_totals_of<carry>(tiles, shared, slots, [&](std::uint64_t k) { return engine.total(k); }, op, members);
  } else {
    detail::took("ranks: totals of an iterator, tile after tile");
    cpu_backend::source<T, I, I, Transform> in{std::move(first), std::move(last), &transform};
    share_totals_of<carry>(
        tiles, shared, slots, [&](std::uint64_t) { return cpu_backend::total_tile<T>(in, op); }, op, 1);
  }
}

/// Takes `count` shared values of a rank into a carry.
template <class T, class Op>
void push_shared(order::carry<T, Op>& before, shared_totals const& shared, std::uint64_t count, std::byte const* slots,
                 Op& op)
{
  using carry = order::carry<T, Op>;
  using working = typename carry::working;
  using wide = typename carry::wide;
  for (std::uint64_t k = 0; k < count; ++k, slots += slot_size<carry>) {
    std::uint64_t const fold = k - shared.single;  // wraps below 0
    if (fold < shared.spans)
      before.push_fold(load<wide>(slots), order::span_tiles, op);
    else if (fold == shared.spans && shared.part > 0)
      before.push_fold(load<wide>(slots), shared.part, op);
    else
      before.push(load<working>(slots), op);
  }
}

}  // namespace tally::ranks_backend
