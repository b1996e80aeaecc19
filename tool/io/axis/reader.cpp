#include "io/axis/reader.hpp"

#include <optional>
#include <string>
#include <utility>

#include "io/axis/strided_read.hpp"
#include "io/errors.hpp"

namespace tally::io {

namespace {

axis_layout layout_of(npy_header header, std::vector<int> const& axes, std::string const& source)
{
  if (!axes.empty()) return lay_out(std::move(header), axes, source);
  header.shape = {header.count()};
  return lay_out(std::move(header), {0}, source);
}

}  // namespace

struct axis_reader::state {
  state(input from, std::vector<int> const& axes)
      : source(std::move(from)),
        layout(layout_of(read_npy_header(source), axes, source.name()))
  {
    if (!source.seekable() && !layout.lines_are_whole())
      throw data_error({source.name()}, source.not_seekable(),
                       "a regular file, to read along an axis that is not the fastest one");
  }

  std::byte* room_for(axis_block& block, std::size_t count) const
  {
    return block.stored.reserve(count * layout.header.size());
  }

  input source;
  axis_layout layout;
  std::optional<axis_plan> plan;
  bool ended = false;
};

namespace {

std::size_t elements_of(axis_place const& place)
{
  std::size_t product = 1;
  for (index_range const& range : place) product *= static_cast<std::size_t>(range.count);
  return product;
}

}  // namespace

axis_reader::axis_reader(input source, std::vector<int> const& axes)
    : state_(std::make_unique<state>(std::move(source), axes))
{
}
axis_reader::~axis_reader() = default;
axis_reader::axis_reader(axis_reader&&) noexcept = default;

axis_layout const& axis_reader::layout() const
{
  return state_->layout;
}

axis_plan const& axis_reader::plan(axis_limits const& limits)
{
  state& s = *state_;
  s.plan.emplace(s.layout, limits);
  if (limits.reversed && !s.source.seekable())
    throw data_error({s.source.name()}, s.source.not_seekable(), "a regular file, to scan along an axis from its end");
  return *s.plan;
}

bool axis_reader::next(axis_block& into)
{
  state& s = *state_;
  npy_header const& header = s.layout.header;
  if (!s.plan->next(into.place)) {
    char behind;
    if (!std::exchange(s.ended, true) && !s.source.seekable() && s.source.read(&behind, 1) != 0)
      throw data_error({s.source.name()}, "more bytes behind the last value", "the end of the file");
    return false;
  }
  if (s.source.seekable()) return true;
  // A pipe has one reader at a time: it is read here and now.
  std::size_t const bytes = elements_of(into.place) * header.size();
  if (s.source.read_full(s.room_for(into, elements_of(into.place)), bytes) != bytes)
    throw_truncated(s.source, header.data_offset + header.count() * header.size());
  return true;
}

void axis_reader::load(axis_block& block) const
{
  state const& s = *state_;
  npy_header const& header = s.layout.header;
  std::size_t const count = elements_of(block.place);
  std::byte* const stored = s.room_for(block, count);
  if (s.source.seekable()) {
    worker_pool here(1);
    std::byte* to = stored;
    for (element_rows const& rows : rows_of(s.layout, block.place)) {
      std::size_t const size = static_cast<std::size_t>(rows.length) * header.size();
      auto const number = static_cast<std::size_t>(rows.rows);
      read_strided(s.source,
                   {header.data_offset + rows.first * header.size(), size,
                    number == 1 ? size : rows.distance * header.size(), number},
                   to, here);
      to += size * number;
    }
  }
  std::byte* values = stored;
  if (!header.native()) {
    values = block.converted.reserve(count * byte_size(header.type));
    to_values(header, stored, values, count);
  }
  block.values = view_as(header.type, values, count);
}

bool axis_reader::ready() const
{
  return state_->source.seekable() || state_->source.ready();
}

progress axis_reader::so_far(axis_block const& last) const
{
  npy_header const& header = state_->layout.header;
  element_rows const rows = rows_of(state_->layout, last.place).back();
  return state_->source.so_far(header.data_offset + (rows.first + rows.length) * header.size());
}

}  // namespace tally::io
