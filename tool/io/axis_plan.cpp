#include "io/axis_plan.hpp"

#include <algorithm>

#include "io/strided_read.hpp"

namespace tally::io {

axis_plan::axis_plan(axis_layout const& layout, axis_limits const& limits)
    : outer_(layout.outer),
      length_(layout.length),
      inner_(layout.inner)
{
  if (layout.header.count() == 0) {
    outer_ = 0;
    return;
  }
  std::uint64_t const size = byte_size(layout.header.type);
  std::uint64_t const room = std::max<std::uint64_t>(1, limits.block / size);  // elements
  if (length_ <= room) {
    lines_at_once_ = room / length_;
    positions_at_once_ = length_;
    // A block of several outer indices holds all their lines.
    if (lines_at_once_ >= inner_)
      lines_at_once_ = std::min(lines_at_once_ / inner_, outer_) * inner_;
    else if (lines_at_once_ * size < limits.piece)
      lines_at_once_ = 0;
  } else {
    lines_at_once_ = 0;
  }
  if (lines_at_once_ == 0) {
    lines_at_once_ = std::min(inner_, room);
    positions_at_once_ = std::min(length_, std::max<std::uint64_t>(1, room / lines_at_once_));
  }
}

bool axis_plan::next(block_place& into)
{
  if (line_ >= outer_ * inner_) return false;
  into.line = line_;
  into.lines = lines_at_once_;
  into.first = position_;
  into.count = std::min(positions_at_once_, length_ - position_);
  bool const wholes = lines_at_once_ >= inner_;
  std::uint64_t const slab_end = wholes ? outer_ * inner_ : (line_ / inner_ + 1) * inner_;
  into.lines = std::min(lines_at_once_, slab_end - line_);
  line_ += into.lines;
  if (positions_at_once_ == length_) return true;
  // The lines come in pieces: all lines of the outer index advance together.
  if (line_ % inner_ != 0) return true;
  position_ += into.count;
  if (position_ < length_)
    line_ -= inner_;
  else
    position_ = 0;
  return true;
}

axis_plan::memory axis_plan::memory_of(block_place const& place) const
{
  std::uint64_t const slab = place.line / inner_, within = place.line % inner_;
  std::uint64_t const first = (slab * length_ + place.first) * inner_ + within;
  // Adjacent rows are one.
  if (place.lines % inner_ == 0 && (place.count == length_ || place.lines == inner_))
    return {first, 1, place.lines * place.count, 0};
  return {first, place.count, place.lines, inner_};
}

void axis_plan::lines_first(block_place const& place, void const* from, void* to, std::size_t element_size,
                            worker_pool& workers) const
{
  std::uint64_t const lines = std::min(place.lines, inner_);
  std::size_t const slab = static_cast<std::size_t>(lines * place.count) * element_size;
  for (std::uint64_t done = 0; done < place.lines; done += lines) {
    std::size_t const at = static_cast<std::size_t>(done / lines) * slab;
    transpose(static_cast<char const*>(from) + at, static_cast<char*>(to) + at, static_cast<std::size_t>(place.count),
              static_cast<std::size_t>(lines), element_size, workers);
  }
}

void axis_plan::rows_first(block_place const& place, void const* from, void* to, std::size_t element_size,
                           worker_pool& workers) const
{
  std::uint64_t const lines = std::min(place.lines, inner_);
  std::size_t const slab = static_cast<std::size_t>(lines * place.count) * element_size;
  for (std::uint64_t done = 0; done < place.lines; done += lines) {
    std::size_t const at = static_cast<std::size_t>(done / lines) * slab;
    transpose(static_cast<char const*>(from) + at, static_cast<char*>(to) + at, static_cast<std::size_t>(lines),
              static_cast<std::size_t>(place.count), element_size, workers);
  }
}

}  // namespace tally::io
