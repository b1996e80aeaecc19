#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <optional>
#include <vector>

#include "tally/detail/cpu/handover.hpp"
#include "tally/detail/cpu/held.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"
#include "tally/order.hpp"

/// Scan and reduce of an array by tiles, over any engine that can total and scan a tile.
namespace tally::cpu_backend {

/// The tiles of one array, by their numbers. Its functions are called from several threads at once; one thread scans a
/// tile.
///
///     concurrent                   whether several threads may call its functions
///     total(tile)                  the tile-local value of the tile's last element
///     scan(tile, before)           writes the tile's results, and takes its total into `before`
///     scan(tile, before, next)     writes the tile's results, and returns the total of tile `next`
///     each_total(first, end, take) calls take(tile, total) for tiles [first, end) in order; an engine may leave it out
///     in_place()                   whether the results overwrite the input
///     finish()                     after the calling thread's last tile: makes its results visible to a thread that is
///                                  ordered after it
template <class Engine, class Carry>
concept engine_of_tiles =
    requires(Engine const& engine, std::size_t tile, Carry& carry, Carry const& before, std::size_t next) {
      { Engine::concurrent } -> std::convertible_to<bool>;
      { engine.total(tile) } -> std::convertible_to<typename Carry::working>;
      engine.scan(tile, carry);
      { engine.scan(tile, before, next) } -> std::convertible_to<typename Carry::working>;
      { engine.in_place() } -> std::convertible_to<bool>;
      engine.finish();
    };

/// Scans in one pass over memory. Each member scans a tile that is in its cache while it totals the next tile that it
/// drew, so that totals are there a step before they are needed. `before` becomes the carry after the last tile.
template <class Carry, engine_of_tiles<Carry> Engine, class Op>
void scan_tiles(Engine const& engine, std::size_t tiles, Carry& before, Op& op, int members)
{
  using working = typename Carry::working;
  using handover = cpu_backend::handover<typename Carry::element, Op>;
  if constexpr (Engine::concurrent) {
    if (members > 1 && tiles > 1) {
      tuning const& sizes = tuning_in_use();
      std::size_t const runs = sizes.runs_a_member * static_cast<std::size_t>(members);
      std::size_t const run = tiles >= runs * sizes.tiles_in_run ? sizes.tiles_in_run : 1;
      detail::took("cpu: scan on several threads");
      detail::took(run > 1 ? "cpu: runs of tiles" : "cpu: one tile at a draw");
      handover team(tiles, members, before, run);
      auto const compute = [&](std::size_t tile) { return engine.total(tile); };
      auto const end_of = [&](std::size_t first) { return first + run < tiles ? first + run : tiles; };
      auto body = [&](int index) {
        try {
          typename handover::member self(team, index);
          std::size_t first = self.draw(op);
          if (first == team.no_tile) return;
          std::optional<working> total[most_in_run];
          for (std::size_t tile = first; tile < end_of(first); ++tile) {
            total[tile - first] = engine.total(tile);
            self.publish(tile, *total[tile - first]);
          }
          while (first != team.no_tile) {
            Carry const* const fold = self.fold_to(first, op, compute);
            if (fold == nullptr) return;
            Carry carry = *fold;  // a copy: `draw` may go on folding
            std::size_t const end = end_of(first);
            if (engine.in_place())
              for (std::size_t tile = first; tile < end; ++tile)
                if (!self.wait_for_readers(tile)) return;
            std::size_t const next = self.draw(op);
            for (std::size_t tile = first; tile < end; ++tile) {
              std::size_t const ahead = next == team.no_tile ? tiles : next + (tile - first);
              std::optional<working>& own = total[tile - first];
              if (ahead < tiles) {
                working const next_total = engine.scan(tile, carry, ahead);
                self.publish(ahead, next_total);
                carry.push(*own, op);
                own = next_total;
              } else {
                engine.scan(tile, carry);
              }
            }
            first = next;
          }
          engine.finish();
        } catch (...) {
          team.fail();
          throw;
        }
      };
      run_team(members, body);
      typename handover::member last(team, 0);
      before = team.finish(last, op);
      return;
    }
  }
  detail::took("cpu: scan on one thread");
  for (std::size_t tile = 0; tile < tiles; ++tile) engine.scan(tile, before);
  engine.finish();
}

template <class Engine, class Take>
void each_total(Engine const& engine, std::size_t first, std::size_t end, Take&& take)
{
  if constexpr (requires { engine.each_total(first, end, take); })
    engine.each_total(first, end, take);
  else
    for (; first < end; ++first) take(first, engine.total(first));
}

/// Reduces tile by tile. The array of totals is bounded (`tuning::totals_at_once`).
template <class Carry, engine_of_tiles<Carry> Engine, class Op>
void reduce_tiles(Engine const& engine, std::size_t tiles, Carry& before, Op& op, int members)
{
  using working = typename Carry::working;
  if constexpr (Engine::concurrent) {
    if (members > 1 && tiles > 1) {
      // Of large values there are only a few at a time, some for each member.
      std::size_t const most =
          is_on_heap<working> ? 16 * static_cast<std::size_t>(members) : tuning_in_use().totals_at_once;
      // Some eight batches a member: a late member delays the others by an eighth of its share at most.
      std::size_t const share = tiles / (8 * static_cast<std::size_t>(members));
      std::size_t const batch = share < 1 ? 1 : share > order::span_tiles ? order::span_tiles : share;
      std::vector<std::optional<working>> totals(tiles < most ? tiles : most);
      detail::took("cpu: reduction on several threads");
      for (std::size_t begin = 0; begin < tiles; begin += most) {
        if (begin > 0) detail::took("cpu: totals in rounds");
        std::size_t const count = tiles - begin < most ? tiles - begin : most;
        std::atomic<std::size_t> next{0};
        auto body = [&](int) {
          for (;;) {
            std::size_t const first = next.fetch_add(batch, std::memory_order_relaxed);
            if (first >= count) return;
            std::size_t const end = count - first < batch ? count : first + batch;
            each_total(engine, begin + first, begin + end,
                       [&](std::size_t tile, working const& total) { totals[tile - begin].emplace(total); });
          }
        };
        run_team(members, body);
        for (std::size_t i = 0; i < count; ++i) before.push(*totals[i], op);
      }
      return;
    }
  }
  detail::took("cpu: reduction on one thread");
  each_total(engine, 0, tiles, [&](std::size_t, working const& total) { before.push(total, op); });
}

}  // namespace tally::cpu_backend
