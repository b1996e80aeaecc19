#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tally/algorithms/recurrence.hpp>

#include "app/recurrence/filter.hpp"
#include "app/recurrence/settings.hpp"
#include "axis/array_output.hpp"
#include "io/arrays/npy_header.hpp"
#include "io/axis/reader.hpp"
#include "io/errors.hpp"
#include "io/files/input.hpp"
#include "values.hpp"

namespace tally::cli {

namespace {

/// An array in memory, as it is stored in its file.
struct stored_array {
  std::string file;
  io::npy_header header;
  std::vector<double> values;

  std::vector<std::uint64_t> const& shape() const { return header.shape; }
  std::string shape_text() const
  {
    std::string text = "an array of shape (";
    for (std::uint64_t const extent : shape()) text += std::to_string(extent) + ",";
    return text + ")";
  }
  std::vector<std::ptrdiff_t> strides() const
  {
    std::size_t const rank = shape().size();
    std::vector<std::ptrdiff_t> all(rank);
    std::ptrdiff_t step = 1;
    for (std::size_t k = 0; k < rank; ++k) {
      std::size_t const axis = header.fortran_order ? k : rank - 1 - k;
      all[axis] = step;
      step *= static_cast<std::ptrdiff_t>(shape()[axis]);
    }
    return all;
  }
  array_view<double> view() { return {values.data(), per_axis(shape()), per_axis(strides())}; }
  /// As an array of `other`, which has as many axes or more: missing axes and those of one element are repeated, as
  /// NumPy does.
  array_view<double const> repeated(std::vector<std::uint64_t> const& other) const
  {
    std::vector<std::ptrdiff_t> const own = strides();
    std::size_t const missing = other.size() - std::min(other.size(), own.size());
    std::vector<std::ptrdiff_t> all(other.size(), 0);
    for (std::size_t axis = missing; axis < other.size(); ++axis)
      if (shape()[axis - missing] != 1) all[axis] = own[axis - missing];
    return {values.data(), per_axis(other), per_axis(all)};
  }
  bool repeats_to(std::vector<std::uint64_t> const& other) const
  {
    if (shape().size() > other.size()) return false;
    std::size_t const missing = other.size() - shape().size();
    for (std::size_t axis = missing; axis < other.size(); ++axis)
      if (shape()[axis - missing] != 1 && shape()[axis - missing] != other[axis]) return false;
    return true;
  }
};

stored_array read_array(recurrence_settings const& settings, std::string const& file)
{
  io::input beginning = settings.input.opening.open(file);
  if (!beginning.repeatable())
    throw io::data_error({beginning.name()}, beginning.not_seekable(), "a file, which can be read again");
  stored_array to{name_of(file), io::read_npy_header(beginning), {}};
  io::axis_reader from(settings.input.opening.open(file), {});  // its values as one sequence, in the order of the file
  from.plan({.element = sizeof(double)});
  to.values.reserve(to.header.count());
  value_buffer room;
  for (io::axis_block block; from.next(block);) {
    from.load(block);
    std::span<double const> const values = as_doubles(block.values, room);
    to.values.insert(to.values.end(), values.begin(), values.end());
  }
  return to;
}

/// The arrays of a call, with one state for each of the sequences.
struct arrays {
  stored_array a, b;  ///< a is empty for a filter
  io::axis_layout along;
  std::vector<std::uint64_t> shape_of_states;
  std::vector<double> states;  ///< those before, then the last ones; in C order
};

arrays read_arrays(recurrence_settings const& settings)
{
  std::vector<std::string> const& files = settings.input.files;
  arrays all;
  bool const is_filter = !settings.coefficients.empty();
  if (!is_filter) all.a = read_array(settings, files[0]);
  all.b = read_array(settings, files.back());
  all.along = io::lay_out(all.b.header, settings.axes, all.b.file);
  if (!is_filter && !all.a.repeats_to(all.b.shape()))
    throw io::data_error({all.a.file}, all.a.shape_text(),
                         "the shape of b, or one that repeats to " + all.b.shape_text() + " as in NumPy");
  all.shape_of_states = all.along.reduced_shape();
  std::size_t sequences = 1;
  for (std::uint64_t const extent : all.shape_of_states) sequences *= extent;
  if (settings.order() > 1) all.shape_of_states.push_back(settings.order());
  if (settings.initial_from.empty()) {
    std::vector<double> const before = settings.state_before();
    for (std::size_t s = 0; s < sequences; ++s) all.states.insert(all.states.end(), before.begin(), before.end());
    return all;
  }
  stored_array states = read_array(settings, settings.initial_from);
  if (states.shape() != all.shape_of_states) {
    stored_array const expected{"", {{}, false, all.shape_of_states, 0}, {}};
    throw io::data_error({states.file}, states.shape_text(), "the states before: " + expected.shape_text());
  }
  if (states.header.fortran_order) {  // in C order
    std::vector<double> in_order;
    std::vector<std::ptrdiff_t> const strides = states.strides();
    for (std::size_t k = 0; k < states.values.size(); ++k) {
      std::size_t rest = k;
      std::ptrdiff_t place = 0;
      for (std::size_t axis = strides.size(); axis-- > 0; rest /= states.shape()[axis])
        place += static_cast<std::ptrdiff_t>(rest % states.shape()[axis]) * strides[axis];
      in_order.push_back(states.values[static_cast<std::size_t>(place)]);
    }
    states.values = std::move(in_order);
  }
  all.states = std::move(states.values);
  return all;
}

void recur(recurrence_settings const& settings, arrays& all)
{
  auto const axis = static_cast<int>(all.along.axes[0]);
  auto const a = along(axis, all.a.repeated(all.b.shape()));
  auto const b = along(axis, all.b.view());
  std::vector<double> const before = all.states;
  array_view const first(before.data(), per_axis(all.shape_of_states));
  array_view const last(all.states.data(), per_axis(all.shape_of_states));
  if (settings.reversed)
    linear_recurrence(cpu{}, reversed(a), reversed(b), reversed(b), each(first), last_to(last));
  else
    linear_recurrence(cpu{}, a, b, b, each(first), last_to(last));
}

void filter(recurrence_settings const& settings, arrays& all)
{
  std::vector<std::uint64_t> const& shape = all.b.shape();
  std::vector<std::ptrdiff_t> const strides = all.b.strides();
  std::size_t const axis = all.along.axes[0], length = shape[axis];
  with_order(settings.order(), [&](auto order) {
    auto const feedback = array_of<order.value, double>(settings.coefficients);
    std::vector<double> line(length);
    for (std::size_t s = 0; s < all.states.size() / order.value; ++s) {
      std::size_t rest = s;
      std::ptrdiff_t first = 0;
      for (std::size_t other = shape.size(); other-- > 0;) {
        if (other == axis) continue;
        first += static_cast<std::ptrdiff_t>(rest % shape[other]) * strides[other];
        rest /= shape[other];
      }
      double* const at = all.b.values.data() + first;
      auto const place = [&](std::size_t k) { return static_cast<std::ptrdiff_t>(k) * strides[axis]; };
      for (std::size_t k = 0; k < length; ++k) line[k] = at[place(k)];
      filter_line<order.value>(feedback, line, settings.reversed,
                               std::span(all.states).subspan(s * order.value, order.value));
      for (std::size_t k = 0; k < length; ++k) at[place(k)] = line[k];
    }
  });
}

}  // namespace

void recur_along_axis(recurrence_settings const& settings)
{
  keep_standard_input(settings.input);
  arrays all = read_arrays(settings);
  if (settings.coefficients.empty())
    recur(settings, all);
  else
    filter(settings, all);
  command_settings output;  // of results that are an array
  output.output.file = settings.output;
  complete_output(output.output, {});
  array_output to = settings.last
                        ? array_output(output, all.shape_of_states, false, io::element_type::float64)
                        : array_output(output, all.b.shape(), all.b.header.fortran_order, io::element_type::float64);
  to.write(io::values_view(std::span<double const>(settings.last ? all.states : all.b.values)));
  to.finish();
}

}  // namespace tally::cli
