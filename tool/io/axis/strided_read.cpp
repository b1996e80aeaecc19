#include "io/axis/strided_read.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

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

}  // namespace

void throw_truncated(input const& source, std::uint64_t needed)
{
  throw data_error({source.name()}, "the end of the file", "at least " + std::to_string(needed) + " bytes");
}

void read_strided(input const& source, strided_pieces const& pieces, void* to, worker_pool& workers)
{
  auto* const out = static_cast<char*>(to);
  if (pieces.size == pieces.stride) {
    std::size_t const total = pieces.size * pieces.count;
    workers.for_each((total + portion - 1) / portion, [&](std::size_t part) {
      std::size_t const begin = part * portion;
      read_exactly(source, out + begin, std::min(total, begin + portion) - begin, pieces.offset + begin);
    });
    return;
  }
  bool const together = pieces.stride <= worth_a_call;
  auto const at_once = static_cast<std::size_t>(portion / (together ? pieces.stride : worth_a_call));
  workers.for_each((pieces.count + at_once - 1) / at_once, [&](std::size_t part) {
    std::size_t const first = part * at_once;
    std::size_t const last = std::min(first + at_once, pieces.count);
    std::uint64_t const offset = pieces.offset + first * pieces.stride;
    std::unique_ptr<char[]> buffer;
    if (together) {
      std::size_t const bytes = (last - first - 1) * static_cast<std::size_t>(pieces.stride) + pieces.size;
      buffer = std::make_unique_for_overwrite<char[]>(bytes);
      read_exactly(source, buffer.get(), bytes, offset);
    }
    for (std::size_t i = first; i < last; ++i) {
      std::uint64_t const distance = (i - first) * pieces.stride;
      if (together)
        std::memcpy(out + i * pieces.size, buffer.get() + distance, pieces.size);
      else
        read_exactly(source, out + i * pieces.size, pieces.size, offset + distance);
    }
  });
}

}  // namespace tally::io
