#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

#include "src/cpu/turns.hpp"
#include "tally/detail/cpu/team.hpp"

namespace tally::cpu_backend {

// A block of recurrences side by side, at their beginning, has these functions:
//
//     take_befores()               for the only tile: the states before the recurrences
//     first_carries()              for each recurrence its state before the first tile, as the order has it
//     take_carries(carries)        for the tile that is run next
//     run_tile(k), total_tile(k)   the tile from step k on; one that is totalled is a whole one
//     add_totals(carries)          those of the tile that was run or totalled, a whole one
//     bad()                        the step of each recurrence's first result that is not finite, as far as tiles were
//                                  run; else `finite`
//     end(bad)                     goes on with the plain loop from there, and puts the last states
//     end()                        the same where the block itself has run all tiles
//     finish()                     after the thread's last tile

/// Runs a block whose recurrences have `size` steps, one tile after the other.
template <class Block>
void recur_tile_by_tile(std::size_t size, Block& block)
{
  constexpr std::size_t tile = Block::tile;
  if (size <= tile) {
    block.take_befores();
    block.run_tile(0);
  } else {
    auto carries = block.first_carries();
    for (std::size_t k = 0; k < size; k += tile) {
      block.take_carries(carries);
      block.run_tile(k);
      if (k + tile < size) block.add_totals(carries);
    }
  }
  block.end();
}

/// Runs few recurrences of many tiles, which members share in turns; `make()` makes a member's block of them. Not in
/// place: a tile is run before it is known whether the states before it are finite, and the plain loop needs its
/// elements if they are not.
template <class MakeBlock>
void recur_in_turns(std::size_t size, int members, MakeBlock const& make)
{
  auto all = make();
  constexpr std::size_t tile = decltype(all)::tile;
  std::size_t const tiles = (size + tile - 1) / tile;
  auto carries = all.first_carries();  // before the tile whose turn it is
  std::vector<std::size_t> bad = all.bad();
  std::mutex joining;  // guards `bad`
  turns shared(tiles, members);
  auto body = [&](int) {
    auto own = make();
    for (std::size_t k; shared.draw(k);) {
      bool const is_last = k + 1 == tiles, now = shared.has_come(k);
      if (!now && !is_last) own.total_tile(k * tile);
      shared.wait_for(k);
      own.take_carries(carries);
      if (now) own.run_tile(k * tile);
      if (!is_last) own.add_totals(carries);
      shared.end(k);
      if (!now) own.run_tile(k * tile);
    }
    own.finish();
    std::scoped_lock const lock(joining);
    std::vector<std::size_t> const of_own = own.bad();
    for (std::size_t c = 0; c < bad.size(); ++c) bad[c] = std::min(bad[c], of_own[c]);
  };
  run_team(members, body);
  all.end(bad);
}

}  // namespace tally::cpu_backend
