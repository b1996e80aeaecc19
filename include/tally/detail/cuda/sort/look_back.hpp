#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/config.hpp"
#include "tally/detail/cuda/handover.hpp"

/// The hand-over of counts from tile to tile in a pass of a radix sort. For each digit the block of a tile needs the
/// number of keys with it in all tiles before. It publishes the count of its own tile, adds up the counts of the tiles
/// before it, from the nearest on, and stops at the first that has published its sum already. Merrill & Garland,
/// Single-pass parallel prefix scan with decoupled look-back (2016).
///
/// Tiles are drawn in order, and a count waits for nothing. So every wait ends, whichever blocks run.
namespace tally::cuda_backend::sorting {

/// The values of a word, in the order in which it takes them.
enum class published : unsigned {
  nothing,
  count,  ///< the keys of the tile
  sum,    ///< the keys of the tile and of all before it, and the place in the output of the digit's first key
};

/// A word that is published: the kind of its value in the two highest bits, and the value. It is read and written
/// whole, so neither side needs a fence (relaxed): nothing but the word is handed over.
///
/// Words are cleared before the first round only. A round leaves the sum in each word; the next one takes the bits of
/// that for `nothing`, and counts on from there.
template <class Word>
struct handed_over {
  static constexpr int value_bits = 8 * static_cast<int>(sizeof(Word)) - 2;
  static constexpr Word most = (Word{1} << value_bits) - 1;

  TALLY_HD static Word word(published what, Word value, unsigned round)
  {
    return static_cast<Word>((static_cast<unsigned>(what) + 2 * round) & 3) << value_bits | value;
  }
  TALLY_HD static published kind(Word word, unsigned round)
  {
    return static_cast<published>((static_cast<unsigned>(word >> value_bits) - 2 * round) & 3);
  }
  TALLY_HD static Word value(Word word) { return word & most; }
};

/// Returns the number of keys with a digit in the tiles before `tile`, which is not the first, and the place of the
/// digit's first key. `of_digit` is the digit's word of tile 0, those of other tiles lie `stride` words apart.
/// `all(done)` tells whether all threads that look back together are done; those that are wait for the others, so that
/// they read neighbouring words at a time. `AtOnce` words are read before the first of them is waited for.
template <int AtOnce, class Word, class All>
TALLY_HD Word look_back(Word const* of_digit, std::size_t stride, std::uint32_t tile, unsigned round, All all)
{
  using handed = handed_over<Word>;
  Word sum = 0;
  std::uint32_t next = tile;  // the counts of [next, tile) are in the sum
  bool done = false;
  do {
    if (done) continue;
    Word words[AtOnce];
    for (std::uint32_t j = 0; j < AtOnce; ++j)
      words[j] = load_relaxed(of_digit + stride * (next > j ? next - 1 - j : 0));
    bool there = true;
    for (std::uint32_t j = 0; j < AtOnce; ++j) {
      published const kind = handed::kind(words[j], round);
      there = there && !done && kind != published::nothing;
      if (!there) continue;
      sum += handed::value(words[j]);
      --next;
      done = kind == published::sum;
    }
  } while (!all(done));
  return sum;
}

}  // namespace tally::cuda_backend::sorting
