#include "axis/array_output.hpp"

#include <string>
#include <utility>

#include "commands/commands.hpp"
#include "io/arrays/npy_reader.hpp"
#include "io/files/output.hpp"
#include "io/numbers/number.hpp"
#include "settings/numbers.hpp"

namespace tally::cli {

array_output::array_output(command_settings const& settings, io::axis_layout const& layout, io::element_type type,
                           bool in_order)
    : settings_(settings),
      shape_(layout.header.shape),
      type_(type)
{
  check_format();
  bool const array = settings.output.format == output_format::npy;
  if (!array && !is_rows() && in_order) {
    writer_ = make_scan_writer(settings, io::output::named(settings.output.file), type);
    return;
  }
  if (!array) spool_ = std::make_unique<io::spool>();
  in_place_ = std::make_unique<io::axis_writer>(array ? io::output::named(settings.output.file) : spool_->out(), layout,
                                                type, in_order);
}

array_output::array_output(command_settings const& settings, std::vector<std::uint64_t> shape, bool fortran_order,
                           io::element_type type)
    : settings_(settings),
      shape_(std::move(shape)),
      type_(type)
{
  check_format();
  bool const array = settings.output.format == output_format::npy;
  if (!array && !is_rows()) {
    writer_ = make_scan_writer(settings, io::output::named(settings.output.file), type);
    return;
  }
  if (!array) spool_ = std::make_unique<io::spool>();
  writer_ = io::write_npy(array ? io::output::named(settings.output.file) : spool_->out(), type, shape_, fortran_order);
}

void array_output::check_format() const
{
  output_format const format = settings_.output.format;
  bool const fits = format == output_format::npy || format == output_format::text || format == output_format::csv ||
                    format == output_format::tsv;
  if (is_rows() && settings_.output.plot)
    throw command_line_error("--plot draws one curve: the result is an array with " + std::to_string(shape_.size()) +
                             " axes");
  if (is_rows() && !fits)
    throw command_line_error("the result is an array with " + std::to_string(shape_.size()) +
                             " axes: write it with -o FILE.npy or --format npy, or as text, csv or tsv");
}

void array_output::write(io::axis_place const& place, io::values_view const& values)
{
  if (in_place_)
    in_place_->write(place, values);
  else
    writer_->write(values);
}

void array_output::finish()
{
  if (in_place_) in_place_->finish();
  if (writer_) writer_->finish();
  if (!spool_) return;
  std::unique_ptr<io::reader> const values = io::read_npy(spool_->in());
  if (is_rows()) return print(*values);
  auto const writer = make_scan_writer(settings_, io::output::named(settings_.output.file), type_);
  for (io::batch batch; values->next(batch);) writer->write(batch.values());
  writer->finish();
}

void array_output::print(io::reader& values)
{
  constexpr std::size_t flush_at = std::size_t{1} << 16;
  io::output to = io::output::named(settings_.output.file);
  char const between = delimiter_of(settings_.output);
  io::number_style const style = style_for(settings_.operations[0], settings_.output.style);
  std::string text;
  std::uint64_t const row = shape_.back(), matrix = shape_[shape_.size() - 2] * row;
  std::uint64_t position = 0;
  for (io::batch batch; values.next(batch);) {
    std::visit(
        [&](auto in) {
          for (auto const value : in) {
            if (position % row != 0)
              text += between;
            else if (position > 0)
              text += position % matrix != 0 ? "\n" : "\n\n";
            ++position;
            append_text(text, result_of(value), style);
            if (text.size() < flush_at) continue;
            to.write(text.data(), text.size());
            text.clear();
          }
        },
        batch.values());
  }
  if (position > 0) text += '\n';
  to.write(text.data(), text.size());
  to.commit();
}

}  // namespace tally::cli
