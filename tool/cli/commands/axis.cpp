#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "axis/along_axes.hpp"
#include "axis/array_output.hpp"
#include "commands/commands.hpp"
#include "gpu/on_gpu.hpp"
#include "io/files/input.hpp"

namespace tally::cli {

namespace {

/// Results in the type of the output, if that has one.
io::values_view written(array_output const& to, io::values_view const& results, io::element_type type,
                        value_buffer& room)
{
  return to.binary() ? converted(results, type, room) : results;
}

/// Whether the input can be read from its end: a single .npy file whose order is that of the sequence.
bool is_one_array(command_settings const& settings)
{
  std::string const& file = settings.input.files[0];
  if (settings.input.files.size() > 1 || settings.input.format_of(file) != io::file_format::npy) return false;
  io::input array = settings.input.opening.open(file);
  if (!array.seekable()) return false;
  io::npy_header const header = io::read_npy_header(array);
  return !header.fortran_order || std::ranges::count_if(header.shape, [](auto n) { return n > 1; }) <= 1;
}

}  // namespace

bool goes_along_axis(command_settings const& settings)
{
  bool const one_result = settings.operations.size() == 1;
  return !settings.input.axes.empty() ||
         (settings.reversed && one_result && !needs_all(settings.operations[0]) && is_one_array(settings));
}

void reduce_along_axis(command_settings const& settings)
{
  along_axes lines(settings, false);
  std::unique_ptr<gpu> const device = gpu_for(settings, lines.type());
  if (device) lines.use(*device);
  reduce_lines(settings, lines);
}

void reduce_lines(command_settings const& settings, along_axes& lines)
{
  io::axis_layout const& layout = lines.layout();
  array_output to(settings, layout.reduced_shape(), layout.header.fortran_order, lines.results_type());
  value_buffer room;
  lines.run([&](along_axes::task const& one) { to.write(written(to, one.results, lines.results_type(), room)); });
  if (layout.header.count() == 0 && layout.lines() > 0) {
    // Lines without values have the result of an empty sequence.
    result const nothing = lines.of_nothing();
    auto const view = []<class T>(T const& x) -> io::values_view {
      if constexpr (std::is_same_v<T, io::quantity>)
        return std::span<int128 const>(&x.count, 1);  // not of arrays
      else
        return std::span<T const>(&x, 1);
    };
    for (std::uint64_t line = 0; line < layout.lines(); ++line)
      to.write(written(to, std::visit(view, nothing), lines.results_type(), room));
  }
  to.finish();
}

void scan_along_axis(command_settings const& settings)
{
  along_axes lines(settings, true);
  std::unique_ptr<gpu> const device = gpu_for(settings, lines.type());
  if (device) lines.use(*device);
  scan_lines(settings, lines);
}

void scan_lines(command_settings const& settings, along_axes& lines)
{
  array_output to(settings, lines.layout(), lines.results_type(), lines.in_order());
  value_buffer room;
  lines.run([&](along_axes::task const& one) {
    to.write(one.block.place, written(to, one.results, lines.results_type(), room));
  });
  to.finish();
}

}  // namespace tally::cli
