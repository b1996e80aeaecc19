#include "input/pairs.hpp"

#include <algorithm>
#include <span>
#include <variant>

namespace tally::cli {

namespace {

/// The type that holds the values of both.
io::element_type common_type(io::element_type a, io::element_type b)
{
  if (a == b) return a;
  return io::is_integer(a) && io::is_integer(b) ? io::element_type::int128 : io::element_type::float64;
}

io::values_view in_type(io::values_view const& values, io::element_type type, value_buffer& room)
{
  if (type == io::element_type::float64) return as_doubles(values, room);
  return converted(values, type, room);
}

void interleave(io::values_view const& a, io::values_view const& b, value_buffer& into)
{
  std::visit(
      [&]<class T>(std::span<T const> first) {
        auto const second = std::get<std::span<T const>>(b);
        T* to = into.resize<T>(2 * first.size());
        for (std::size_t k = 0; k < first.size(); ++k) {
          *to++ = first[k];
          *to++ = second[k];
        }
      },
      a);
}

}  // namespace

bool takes_pairs(command_settings const& settings)
{
  return !settings.input.weights.empty() || is_of_pairs(settings.operations[0]);
}

void check_pairs(command_settings const& settings)
{
  auto const of_two = std::ranges::find_if(settings.operations, is_of_pairs);
  bool const weighted = !settings.input.weights.empty();
  if (weighted) {
    for (operation const op : settings.operations)
      if (op != operation::sum && op != operation::mean)
        throw command_line_error("--weights is for the operations sum and mean, not for " + name_of(op));
    if (unit_of(settings.input.numbers.rule) != io::number_unit::one)
      throw command_line_error(
          "--weights is for numbers, not for --type decimal, time or duration, whose products have other units");
    return;
  }
  if (of_two == settings.operations.end()) return;
  std::string const name = "--op " + name_of(*of_two);
  auto const of_one = std::ranges::find_if_not(settings.operations, is_of_pairs);
  if (of_one != settings.operations.end())
    throw command_line_error(name + " is of two columns, and " + name_of(*of_one) + " of one: a call for each of them");
  if (settings.input.columns.empty() && !settings.input.all_columns)
    throw command_line_error(name + " is of two columns of a table: --column X,Y");
  if (!settings.input.axes.empty()) throw command_line_error(name + " is of two columns of a table, without --axis");
}

io::table_head head_of_pairs(command_settings const& settings, io::table_head const* of)
{
  bool const weighted = !settings.input.weights.empty();
  std::string const name = weighted ? "--weights" : "--op " + name_of(settings.operations[0]);
  if (of == nullptr) throw command_line_error(name + " is for tables");
  std::size_t const count = of->columns.size();
  if (!weighted && count != 2)
    throw command_line_error(name + " is of two columns (--column X,Y), and " + std::to_string(count) +
                             (count == 1 ? " is" : " are") + " chosen");
  io::table_head head = *of;
  head.columns.pop_back();
  if (!weighted) head.columns[0] += '_' + of->columns[1];
  return head;
}

/// 0, 0, 1, 1, ... for so many rows.
std::span<std::uint32_t const> pairs::every_row(std::size_t rows)
{
  while (every_row_.size() < 2 * rows)
    every_row_.insert(every_row_.end(), 2, static_cast<std::uint32_t>(every_row_.size() / 2));
  return std::span(every_row_).first(2 * rows);
}

bool pairs::next(io::batch& into)
{
  if (!from_.next(into)) return false;
  std::size_t const count = into.columns.size() - 1;
  io::column const& last = into.columns[count];
  made_.resize(count);
  columns_.resize(count);
  value_buffer first_values, second_values, converted_values;
  std::vector<std::uint32_t> first_places, second_places;
  for (std::size_t c = 0; c < count; ++c) {
    io::column const& column = into.columns[c];
    pair_column& made = made_[c];
    std::size_t const n = io::size_of(column.values), m = io::size_of(last.values);
    made.rows.clear();
    first_places.clear();
    second_places.clear();
    bool const whole = n == into.rows && m == into.rows;
    for (std::size_t j = 0, k = 0; !whole && j < n && k < m;) {
      std::size_t const row = column.row_of(j), other = last.row_of(k);
      if (row == other) {
        made.rows.insert(made.rows.end(), 2, static_cast<std::uint32_t>(row));
        first_places.push_back(static_cast<std::uint32_t>(j));
        second_places.push_back(static_cast<std::uint32_t>(k));
      }
      j += row <= other;
      k += other <= row;
    }
    io::element_type const type = common_type(io::type_of(column.values), io::type_of(last.values));
    io::values_view first = whole ? column.values : gathered(column.values, first_places, first_values);
    io::values_view second = whole ? last.values : gathered(last.values, second_places, second_values);
    // At most one of the two has another type than both together.
    if (io::type_of(first) != type) first = in_type(first, type, converted_values);
    if (io::type_of(second) != type) second = in_type(second, type, converted_values);
    interleave(first, second, made.values);
    columns_[c] = {made.values.view(), whole ? every_row(into.rows) : made.rows, column.form};
  }
  into.columns = columns_;
  return true;
}

io::values_view one_of_each(io::values_view const& results, value_buffer& room)
{
  std::visit(
      [&]<class T>(std::span<T const> both) {
        T* const to = room.resize<T>(both.size() / 2);
        for (std::size_t k = 0; k < both.size() / 2; ++k) to[k] = both[2 * k];
      },
      results);
  return room.view();
}

}  // namespace tally::cli
