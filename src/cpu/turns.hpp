#pragma once

#include <atomic>
#include <cstddef>

#include "tally/detail/cpu/handover.hpp"
#include "tally/detail/cpu/tuning.hpp"

namespace tally::cpu_backend {

/// Tiles that members share, each of several sequences side by side. Members draw tiles, which have their turns in
/// order. In its turn a tile takes the carries and adds its totals to them; they belong to the tile whose turn it is.
///
/// A tile whose turn has come when it is drawn is scanned at once, which gives its totals too. Others are totalled,
/// wait for their turn, and are scanned from the cache behind it: with two members some one in three.
///
/// A tile waits for those before it alone, whose members run, so every wait ends. Nothing throws between draw() and
/// end(): the others would wait for ever.
class turns {
public:
  turns(std::size_t tiles, int members) : tiles_(tiles), at_once_(members <= tuning_in_use().most_scanning_at_once) {}

  /// Draws the next tile. False if there is none.
  bool draw(std::size_t& tile)
  {
    tile = drawn_.fetch_add(1, std::memory_order_relaxed);
    return tile < tiles_;
  }
  /// Whether a tile that was drawn is to be scanned at once.
  bool has_come(std::size_t tile) const { return at_once_ && turn_.load(std::memory_order_acquire) == tile; }
  void wait_for(std::size_t tile) const
  {
    for (backoff waiting; turn_.load(std::memory_order_acquire) != tile;) waiting.wait();
  }
  void end(std::size_t tile) { turn_.store(tile + 1, std::memory_order_release); }

private:
  std::size_t const tiles_;
  bool const at_once_;
  alignas(64) std::atomic<std::size_t> drawn_{0};
  alignas(64) std::atomic<std::size_t> turn_{0};
};

}  // namespace tally::cpu_backend
