#include <string>
#include <utility>

#include "io/axis_plan.hpp"
#include "io/binary_reader.hpp"
#include "io/binary_writer.hpp"
#include "io/npy_header.hpp"

namespace tally::io {

struct axis_writer::state {
  state(output out, axis_layout const& layout, element_type its_type)
      : to(std::move(out)),
        plan(layout, axis_limits()),
        type(its_type),
        inner(layout.inner)
  {
    check_npy_type(type, to);
    // Blocks along the fastest axis come in the order of the file.
    if (inner > 1) to.allow_write_at();
    std::string const header = make_npy_header(type, layout.header.shape, layout.header.fortran_order);
    data_offset = header.size();
    if (inner > 1)
      to.write_at(header.data(), header.size(), 0);
    else
      to.write(header.data(), header.size());
  }

  output to;
  axis_plan plan;
  element_type type;
  std::uint64_t inner;
  std::uint64_t data_offset = 0;
  value_buffer rows;
  worker_pool workers{0};
};

axis_writer::axis_writer(output to, axis_layout const& layout, element_type type)
    : state_(std::make_unique<state>(std::move(to), layout, type))
{
}
axis_writer::~axis_writer() = default;
axis_writer::axis_writer(axis_writer&&) noexcept = default;

void axis_writer::write(block_place const& place, values_view const& values)
{
  state& s = *state_;
  auto const [data, size] = bytes_of(values, s.type);
  if (s.inner == 1) return s.to.write(data, size);
  std::size_t const element = byte_size(s.type);
  std::byte* const rows = s.rows.reserve(size);
  s.plan.rows_first(place, data, rows, element, s.workers);
  auto const memory = s.plan.memory_of(place);
  std::size_t const row_size = static_cast<std::size_t>(memory.row_length) * element;
  for (std::uint64_t row = 0; row < memory.rows; ++row) {
    std::uint64_t const first = memory.first + row * memory.row_distance;
    s.to.write_at(rows + row * row_size, row_size, s.data_offset + first * element);
  }
}

void axis_writer::finish()
{
  state_->to.commit();
}

}  // namespace tally::io
