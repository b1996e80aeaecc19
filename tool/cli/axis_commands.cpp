#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "io/errors.hpp"
#include "io/input.hpp"
#include "io/npy_reader.hpp"
#include "io/output.hpp"
#include "io/writer.hpp"
#include "json_writer.hpp"
#include "progress.hpp"
#include "source.hpp"

namespace tally::cli {

namespace {

/// One accumulator per line in progress. Lines that arrive whole reuse a single one; interleaved lines have one each.
class line_accumulators {
public:
  line_accumulators(command_settings const& settings, io::axis_layout const& layout, io::element_type type)
      : settings_(settings),
        layout_(layout),
        type_(type)
  {
  }

  /// The accumulator of a line. It begins anew if the block holds the line's beginning.
  accumulator& at(std::uint64_t line, io::block_place const& place)
  {
    bool const whole = place.count == layout_.length;
    std::size_t const slot = whole ? 0 : static_cast<std::size_t>(line % layout_.inner);
    if (slot >= states_.size()) states_.resize(slot + 1);
    if (!states_[slot])
      states_[slot] = std::move(make_accumulators(settings_, type_)[0]);
    else if (place.first == 0)
      states_[slot]->restart();
    return *states_[slot];
  }

private:
  command_settings const& settings_;
  io::axis_layout const& layout_;
  io::element_type type_;
  std::vector<std::unique_ptr<accumulator>> states_;
};

/// Collects results of one kind and converts them in bulk.
class collected {
public:
  void add(result const& value)
  {
    std::visit([&]<class T>(T x) { std::get<std::vector<T>>(all_).push_back(x); }, value);
    ++size_;
  }
  std::size_t size() const { return size_; }

  void write_to(io::writer& writer, io::element_type type)
  {
    std::apply([&](auto&... each) { (write_one(each, writer, type), ...); }, all_);
    size_ = 0;
  }

private:
  template <class T>
  void write_one(std::vector<T>& values, io::writer& writer, io::element_type type)
  {
    if (values.empty()) return;
    writer.write(converted(io::values_view(std::span<T const>(values)), type, room_));
    values.clear();
  }

  std::tuple<std::vector<int128>, std::vector<double>, std::vector<float>> all_;
  std::size_t size_ = 0;
  value_buffer room_;
};

[[noreturn]] void wrong_value(command_settings const& settings, value_problem const& problem, std::string const& where)
{
  throw io::data_error({settings.input.files[0]}, problem.found() + where, problem.expected());
}

std::string in_line(std::uint64_t line)
{
  return " in line " + std::to_string(line) + " of the axis";
}

std::unique_ptr<io::writer> make_writer(command_settings const& settings, io::element_type type,
                                        std::vector<std::uint64_t> const& shape, bool fortran_order)
{
  if (settings.output.format != output_format::npy && shape.size() > 1)
    throw command_line_error("the result is an array with " + std::to_string(shape.size()) +
                             " axes: write it with -o FILE.npy or --format npy");
  io::output to = io::output::named(settings.output.file);
  switch (settings.output.format) {
    case output_format::npy: return io::write_npy(std::move(to), type, shape, fortran_order);
    case output_format::raw: return io::write_raw(std::move(to), type);
    case output_format::json: return write_json_values(std::move(to), settings.operations[0]);
    case output_format::text: break;
  }
  return std::make_unique<io::text_writer>(std::move(to));
}

/// Calls `use` with line k of a block, in pieces that stay in cache, and the position of each piece in the block. A
/// value that it cannot take becomes an error with its place.
template <class Use>
void for_pieces(command_settings const& settings, io::axis_block const& block, std::uint64_t k, Use use)
{
  auto const count = static_cast<std::size_t>(block.place.count);
  for (std::size_t first = 0; first < count; first += source::slice) {
    try {
      use(io::slice(block.values, static_cast<std::size_t>(k) * count + first, std::min(source::slice, count - first)),
          first);
    } catch (value_problem const& problem) {
      std::uint64_t const position = block.place.first + first + problem.index();
      wrong_value(settings, problem, " at position " + std::to_string(position) + in_line(block.place.line + k));
    }
  }
}

}  // namespace

bool goes_along_axis(command_settings const& settings)
{
  return settings.input.axis.has_value();
}

void reduce_along_axis(command_settings const& settings)
{
  io::axis_reader reader(io::input::named(settings.input.files[0]), *settings.input.axis);
  io::axis_layout const& layout = reader.layout();
  io::element_type const type = settings.input.type.value_or(layout.header.type);
  io::element_type const to_type = result_type(settings.operations[0], type);
  auto const writer = make_writer(settings, to_type, layout.reduced_shape(), layout.header.fortran_order);
  progress_meter meter(!settings.output.quiet, settings.output.file == "-");
  line_accumulators states(settings, layout, type);
  collected results;
  value_buffer room;
  std::uint64_t line = 0;
  auto const flush = [&] {
    try {
      results.write_to(*writer, to_type);
    } catch (value_problem const& problem) {
      wrong_value(settings, problem, in_line(line - results.size() + problem.index()));
    }
  };
  constexpr std::size_t flush_at = std::size_t{1} << 16;
  io::axis_block block;
  while (reader.next(block)) {
    for (std::uint64_t k = 0; k < block.place.lines; ++k) {
      accumulator& state = states.at(block.place.line + k, block.place);
      for_pieces(settings, block, k,
                 [&](io::values_view const& values, std::size_t) { state.reduce(read_as(values, type, room)); });
      if (block.place.first + block.place.count < layout.length) continue;
      results.add(state.value());
      ++line;
      if (results.size() == flush_at) flush();
    }
    meter.update(reader.so_far());
  }
  // Lines without values have the result of an empty sequence.
  for (; line < layout.lines(); ++line) results.add(make_accumulators(settings, type)[0]->value());
  flush();
  writer->finish();
}

void scan_along_axis(command_settings const& settings)
{
  io::axis_reader reader(io::input::named(settings.input.files[0]), *settings.input.axis);
  io::axis_layout const& layout = reader.layout();
  io::element_type const type = settings.input.type.value_or(layout.header.type);
  io::element_type const to_type = result_type(settings.operations[0], type);
  bool const array = settings.output.format == output_format::npy;
  std::unique_ptr<io::writer> line_writer;
  std::unique_ptr<io::axis_writer> array_writer;
  if (array)
    array_writer = std::make_unique<io::axis_writer>(io::output::named(settings.output.file), layout, to_type);
  else
    line_writer = make_writer(settings, to_type, layout.header.shape, layout.header.fortran_order);
  progress_meter meter(!settings.output.quiet, settings.output.file == "-");
  line_accumulators states(settings, layout, type);
  value_buffer room, out, wide, results;
  io::axis_block block;
  while (reader.next(block)) {
    auto const count = static_cast<std::size_t>(block.place.count);
    auto* const to = static_cast<std::byte*>(results.resize(to_type, io::size_of(block.values)));
    for (std::uint64_t k = 0; k < block.place.lines; ++k) {
      accumulator& state = states.at(block.place.line + k, block.place);
      for_pieces(settings, block, k, [&](io::values_view const& values, std::size_t first) {
        state.scan(read_as(values, type, room), settings.kind, out);
        io::values_view const made = converted(out.view(), to_type, wide);
        std::byte* const place = to + (static_cast<std::size_t>(k) * count + first) * io::byte_size(to_type);
        std::visit([&](auto in) { std::memcpy(place, in.data(), in.size_bytes()); }, made);
      });
    }
    if (array)
      array_writer->write(block.place, results.view());
    else
      line_writer->write(results.view());
    meter.update(reader.so_far());
  }
  if (array)
    array_writer->finish();
  else
    line_writer->finish();
}

}  // namespace tally::cli
