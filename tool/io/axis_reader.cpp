#include <algorithm>
#include <utility>

#include "io/axis_plan.hpp"
#include "io/binary_reader.hpp"
#include "io/errors.hpp"
#include "io/npy_reader.hpp"
#include "io/strided_read.hpp"

namespace tally::io {

namespace {

axis_layout lay_out(npy_header header, int axis, std::string const& source)
{
  auto const rank = static_cast<int>(header.shape.size());
  int const from_front = axis < 0 ? axis + rank : axis;
  if (from_front < 0 || from_front >= rank) {
    std::string const axes = rank == 1 ? "1 axis" : std::to_string(rank) + " axes";
    throw data_error({source}, "an array of " + axes, "one that has an axis " + std::to_string(axis));
  }
  axis_layout layout;
  layout.axis = static_cast<std::size_t>(from_front);
  layout.length = header.shape[layout.axis];
  for (std::size_t i = 0; i < header.shape.size(); ++i) {
    if (i == layout.axis) continue;
    bool const slower = header.fortran_order ? i > layout.axis : i < layout.axis;
    (slower ? layout.outer : layout.inner) *= header.shape[i];
  }
  layout.header = std::move(header);
  return layout;
}

}  // namespace

std::vector<std::uint64_t> axis_layout::reduced_shape() const
{
  std::vector<std::uint64_t> shape = header.shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return shape;
}

struct axis_reader::state {
  state(input from, int axis, axis_limits limits)
      : source(std::move(from)),
        layout(lay_out(read_npy_header(source), axis, source.name())),
        plan(layout, limits)
  {
    if (layout.inner > 1 && !source.seekable())
      throw data_error({source.name()}, "a pipe", "a regular file, to read along an axis that is not the fastest one");
  }

  input source;
  axis_layout layout;
  axis_plan plan;
  bool ended = false;
  std::uint64_t bytes = 0;
  value_buffer stored, values, turned;
  worker_pool workers{0};
};

axis_reader::axis_reader(input source, int axis) : axis_reader(std::move(source), axis, axis_limits()) {}
axis_reader::axis_reader(input source, int axis, axis_limits const& limits)
    : state_(std::make_unique<state>(std::move(source), axis, limits))
{
}
axis_reader::~axis_reader() = default;
axis_reader::axis_reader(axis_reader&&) noexcept = default;

axis_layout const& axis_reader::layout() const
{
  return state_->layout;
}

bool axis_reader::next(axis_block& into)
{
  state& s = *state_;
  npy_header const& header = s.layout.header;
  if (!s.plan.next(into.place)) {
    char behind;
    if (!std::exchange(s.ended, true) && !s.source.seekable() && s.source.read(&behind, 1) != 0)
      throw data_error({s.source.name()}, "more bytes behind the last value", "the end of the file");
    return false;
  }
  auto const count = static_cast<std::size_t>(into.place.lines * into.place.count);
  std::size_t const value_size = byte_size(header.type);
  std::byte* const stored = s.stored.reserve(count * header.size());
  auto const memory = s.plan.memory_of(into.place);
  if (s.source.seekable()) {
    std::uint64_t const stride = memory.rows == 1 ? memory.row_length : memory.row_distance;
    read_strided(s.source,
                 {header.data_offset + memory.first * header.size(),
                  static_cast<std::size_t>(memory.row_length) * header.size(), stride * header.size(),
                  static_cast<std::size_t>(memory.rows)},
                 stored, s.workers);
  } else if (s.source.read_full(stored, count * header.size()) != count * header.size()) {
    throw_truncated(s.source, header.data_offset + header.count() * header.size());
  }
  std::byte* values = stored;
  if (!header.native()) {
    values = s.values.reserve(count * value_size);
    to_values(header, stored, values, count);
  }
  if (s.layout.inner > 1) {
    std::byte* const turned = s.turned.reserve(count * value_size);
    s.plan.lines_first(into.place, values, turned, value_size, s.workers);
    values = turned;
  }
  s.bytes += count * header.size();
  into.values = view_as(header.type, values, count);
  return true;
}

progress axis_reader::so_far() const
{
  return {state_->layout.header.data_offset + state_->bytes, state_->source.size()};
}

}  // namespace tally::io
