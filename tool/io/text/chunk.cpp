#include "io/text/chunk.hpp"

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
  std::size_t const most = sizes_.longest + 1;
  std::size_t size = rest_.size();  // at most `longest`, since it follows a cut
  into.reserve(std::min(std::max(sizes_.usual, 2 * size), most), 0);
  std::memcpy(into.data(), rest_.data(), size);
  rest_.clear();
  std::size_t seen = 0;
  for (;;) {
    while (!ended_ && !failure_ && size < into.capacity()) {
      std::size_t got = 0;
      try {
        got = source_.read(into.data() + size, into.capacity() - size);
      } catch (...) {
        failure_ = std::current_exception();
        break;
      }
      size += got;
      ended_ = got == 0;
      if (size > 0 && !ended_ && !source_.ready()) break;
    }
    if (size == 0 && failure_) std::rethrow_exception(failure_);
    if (size == 0) return false;
    // There is room for one byte more, so that the end of the input shows; a unit then has at most `longest` bytes.
    std::size_t const end = ended_ ? size : cut_(into.data(), size, seen);
    if (end > 0 || size == most) {
      into.overlong = end == 0;
      std::size_t const given = into.overlong ? size : end;
      rest_.assign(into.data() + given, size - given);
      into.resize(given);
      return true;
    }
    if (failure_) std::rethrow_exception(failure_);
    seen = size;
    if (size == into.capacity()) into.reserve(std::min(2 * size, most), size);
  }
}

}  // namespace tally::io
