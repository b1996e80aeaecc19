#include "io/chunk.hpp"

#include <utility>

namespace tally::io {

chunk_source::chunk_source(input source, cut_function cut, chunk_sizes sizes)
    : source_(std::move(source)),
      cut_(std::move(cut)),
      sizes_(sizes)
{
}

bool chunk_source::next(chunk& into)
{
  std::size_t size = rest_.size();
  into.reserve(std::max(sizes_.usual, 2 * size), 0);
  std::memcpy(into.data(), rest_.data(), size);
  rest_.clear();
  std::size_t seen = 0;
  for (;;) {
    while (!ended_ && size < into.capacity()) {
      std::size_t const got = source_.read(into.data() + size, into.capacity() - size);
      size += got;
      ended_ = got == 0;
      if (size > 0 && !ended_ && !source_.ready()) break;
    }
    std::size_t const end = ended_ ? size : cut_(into.data(), size, seen);
    if (end > 0 || size > sizes_.uncut) {
      std::size_t const given = end > 0 ? end : size;
      rest_.assign(into.data() + given, size - given);
      into.resize(given);
      into.last = ended_;
      into.overlong = end == 0;
      return given > 0;
    }
    if (ended_) return false;
    seen = size;
    if (size == into.capacity()) into.reserve(2 * size, size);
  }
}

}  // namespace tally::io
