#include <string>
#include <utility>

#include "io/arrays/binary_writer.hpp"
#include "io/arrays/npy_header.hpp"
#include "io/axis/layout.hpp"
#include "io/writer.hpp"

namespace tally::io {

struct axis_writer::state {
  state(output out, axis_layout const& its_layout, element_type its_type, bool blocks_in_order)
      : to(std::move(out)),
        layout(its_layout),
        type(its_type),
        in_order(blocks_in_order)
  {
    check_npy_type(type, to);
    std::string const header = make_npy_header(type, layout.header.shape, layout.header.fortran_order);
    data_offset = header.size();
    if (!in_order) to.allow_write_at();
    if (in_order)
      to.write(header.data(), header.size());
    else
      to.write_at(header.data(), header.size(), 0);
  }

  output to;
  axis_layout const& layout;
  element_type type;
  bool in_order;
  std::uint64_t data_offset = 0;
};

axis_writer::axis_writer(output to, axis_layout const& layout, element_type type, bool in_order)
    : state_(std::make_unique<state>(std::move(to), layout, type, in_order))
{
}
axis_writer::~axis_writer() = default;
axis_writer::axis_writer(axis_writer&&) noexcept = default;

void axis_writer::write(axis_place const& place, values_view const& values)
{
  state& s = *state_;
  auto const [data, size] = bytes_of(values, s.type);
  if (s.in_order) return s.to.write(data, size);
  std::size_t const element = byte_size(s.type);
  auto const* from = static_cast<std::byte const*>(data);
  for (element_rows const& rows : rows_of(s.layout, place)) {
    std::size_t const row_size = static_cast<std::size_t>(rows.length) * element;
    for (std::uint64_t row = 0; row < rows.rows; ++row, from += row_size)
      s.to.write_at(from, row_size, s.data_offset + (rows.first + row * rows.distance) * element);
  }
}

void axis_writer::finish()
{
  state_->to.commit();
}

}  // namespace tally::io
