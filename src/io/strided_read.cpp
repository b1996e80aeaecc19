#include "io/strided_read.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "io/errors.hpp"

namespace tally::io {

namespace {

/// Below this distance it is faster to read what lies between the pieces too: a read(2) costs as much as copying a few
/// KiB.
constexpr std::uint64_t worth_a_call = 4096;

/// Bytes that one thread reads at a time.
constexpr std::size_t portion = std::size_t(1) << 20;

void read_exactly(input const& source, void* to, std::size_t n, std::uint64_t offset)
{
  if (source.read_at(to, n, offset) != n) throw_truncated(source, offset + n);
}

using range = oneapi::tbb::blocked_range<std::size_t>;

template <class Word>
void transpose_words(Word const* from, Word* to, std::size_t rows, std::size_t columns)
{
  constexpr std::size_t side = 32;   // of a square that fits the first-level cache, both ways
  oneapi::tbb::parallel_for(range(0, (columns + side - 1) / side), [=](range const& part) {
    for (std::size_t square = part.begin(); square != part.end(); ++square) {
      std::size_t const last = std::min(columns, (square + 1) * side);
      for (std::size_t row = 0; row < rows; row += side) {
        std::size_t const end = std::min(rows, row + side);
        for (std::size_t c = square * side; c < last; ++c)
          for (std::size_t r = row; r < end; ++r) to[c * rows + r] = from[r * columns + c];
      }
    }
  });
}

}  // namespace

void throw_truncated(input const& source, std::uint64_t needed)
{
  throw data_error({source.name()}, "the end of the file", "at least " + std::to_string(needed) + " bytes");
}

void read_strided(input const& source, strided_pieces const& pieces, void* to)
{
  auto* const out = static_cast<char*>(to);
  if (pieces.size == pieces.stride) {
    std::size_t const total = pieces.size * pieces.count;
    oneapi::tbb::parallel_for(range(0, (total + portion - 1) / portion), [&](range const& part) {
      std::size_t const begin = part.begin() * portion;
      read_exactly(source, out + begin, std::min(total, part.end() * portion) - begin, pieces.offset + begin);
    });
    return;
  }
  bool const together = pieces.stride <= worth_a_call;
  auto const at_once = static_cast<std::size_t>(std::max<std::uint64_t>(1, portion / pieces.stride));
  oneapi::tbb::parallel_for(range(0, pieces.count, at_once), [&](range const& part) {
    std::unique_ptr<char[]> buffer;
    if (together) buffer = std::make_unique_for_overwrite<char[]>(at_once * pieces.stride);
    for (std::size_t first = part.begin(); first < part.end(); first += at_once) {
      std::size_t const last = std::min(first + at_once, part.end());
      std::uint64_t const offset = pieces.offset + first * pieces.stride;
      if (together)
        read_exactly(source, buffer.get(), (last - first - 1) * pieces.stride + pieces.size, offset);
      for (std::size_t i = first; i < last; ++i) {
        std::uint64_t const distance = (i - first) * pieces.stride;
        if (together)
          std::memcpy(out + i * pieces.size, buffer.get() + distance, pieces.size);
        else
          read_exactly(source, out + i * pieces.size, pieces.size, offset + distance);
      }
    }
  });
}

void transpose(void const* from, void* to, std::size_t rows, std::size_t columns, std::size_t element_size)
{
  auto const words = [&]<class Word>(Word) {
    transpose_words(static_cast<Word const*>(from), static_cast<Word*>(to), rows, columns);
  };
  switch (element_size) {
    case 1: return words(std::uint8_t());
    case 2: return words(std::uint16_t());
    case 4: return words(std::uint32_t());
    default: return words(std::uint64_t());
  }
}

}  // namespace tally::io
