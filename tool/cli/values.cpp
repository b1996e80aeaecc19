#include "values.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "io/numbers/number.hpp"

namespace tally::cli {

namespace {

template <class T>
std::string type_name()
{
  return std::string(io::name_of(io::element_type_of<T>));
}

/// Whether T holds the integer.
template <class T, class U>
bool in_range(U value)
{
  if constexpr (std::is_same_v<T, int128>) {
    return true;
  } else {
    auto const wide = static_cast<int128>(value);
    return wide >= static_cast<int128>(std::numeric_limits<T>::min()) &&
           wide <= static_cast<int128>(std::numeric_limits<T>::max());
  }
}

bool is_whole(double value)
{
  return std::isfinite(value) && std::trunc(value) == value;
}

/// Converts input to a type: text, which holds 128-bit integers and doubles, and arrays alike.
struct as_input {
  /// A float is the nearest double rounded to float, since text is read as doubles.
  template <class T, class U>
  static T convert(U value)
  {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(static_cast<double>(value));
    else
      return static_cast<T>(value);
  }

  template <class T, class U>
  static bool fits(U value)
  {
    if constexpr (std::is_floating_point_v<T>) {
      auto const nearest = static_cast<double>(value);
      return !std::isinf(static_cast<T>(nearest)) || std::isinf(nearest);
    } else if constexpr (std::is_floating_point_v<U>) {
      // The bounds are powers of two, or one less, and every type holds the powers exactly.
      constexpr bool has_sign = static_cast<T>(-1) < T(0);
      double const end = std::ldexp(1.0, 8 * static_cast<int>(sizeof(T)) - has_sign);
      return is_whole(value) && value < end && value >= (has_sign ? -end : 0.0);
    } else {
      return in_range<T>(value);
    }
  }

  template <class T, class U>
  static std::string expected(U value)
  {
    if constexpr (std::is_floating_point_v<T>)
      return "a number of magnitude below 3.5e38, to be read as " + type_name<T>();
    if constexpr (std::is_floating_point_v<U>)
      if (!is_whole(value)) return "an integer";
    return "a value that fits " + type_name<T>();
  }
};

/// Converts results to the output's type. Only doubles that become floats are rounded.
struct as_result {
  template <class T, class U>
  static T convert(U value)
  {
    return static_cast<T>(value);
  }

  template <class T, class U>
  static bool fits(U value)
  {
    if constexpr (std::is_floating_point_v<T> && std::is_floating_point_v<U>) {
      return true;
    } else if constexpr (std::is_floating_point_v<T>) {
      // A magnitude beyond 2^digits may still be exact: convert back, if that is defined, and compare.
      T const rounded = static_cast<T>(value);
      return rounded >= T(-0x1p127) && rounded < T(0x1p127) &&
             static_cast<int128>(rounded) == static_cast<int128>(value);
    } else if constexpr (std::is_floating_point_v<U>) {
      return false;
    } else {
      return in_range<T>(value);
    }
  }

  template <class T, class U>
  static std::string expected(U value)
  {
    if constexpr (std::is_floating_point_v<U>) return "an integer";
    if constexpr (!std::is_floating_point_v<T>) return "a value that fits " + type_name<T>();
    char const* const keeper = in_range<std::int64_t>(value)    ? "--type int64 keeps it"
                               : in_range<std::uint64_t>(value) ? "--type uint64 keeps it"
                                                                : "output as text keeps it";
    return "an integer that " + type_name<T>() + " holds exactly (" + keeper + ")";
  }
};

template <class How>
io::values_view converted_as(io::values_view const& values, io::element_type type, value_buffer& room)
{
  if (io::type_of(values) == type) return values;
  void* const place = room.resize(type, io::size_of(values));
  std::visit(
      [&]<class U>(std::span<U const> from) {
        std::visit(
            [&]<class T>(std::span<T const>) {
              for (std::size_t k = 0; k < from.size(); ++k) {
                if (!How::template fits<T>(from[k]))
                  throw value_problem(k, "'" + io::to_text(from[k]) + "'", How::template expected<T>(from[k]));
                static_cast<T*>(place)[k] = How::template convert<T>(from[k]);
              }
            },
            room.view());
      },
      values);
  return room.view();
}

}  // namespace

void* value_buffer::resize(io::element_type type, std::size_t n)
{
  std::size_t const bytes = n * io::byte_size(type);
  if (bytes > capacity_) {
    data_.reset();
    data_.reset(::operator new(bytes, std::align_val_t{64}));
    capacity_ = bytes;
  }
  type_ = type;
  size_ = n;
  return data_.get();
}

value_buffer& scratch()
{
  thread_local value_buffer room;
  return room;
}

std::span<double const> as_doubles(io::values_view const& values, value_buffer& room)
{
  return std::visit(
      [&]<class T>(std::span<T const> from) -> std::span<double const> {
        if constexpr (std::is_same_v<T, double>) {
          return from;
        } else {
          double* const to = room.resize<double>(from.size());
          for (std::size_t k = 0; k < from.size(); ++k) to[k] = static_cast<double>(from[k]);
          return {to, from.size()};
        }
      },
      values);
}

io::values_view read_as(io::values_view const& values, io::element_type type, value_buffer& room)
{
  return converted_as<as_input>(values, type, room);
}

io::values_view converted(io::values_view const& values, io::element_type type, value_buffer& room)
{
  return converted_as<as_result>(values, type, room);
}

io::values_view gathered(io::values_view const& values, std::span<std::uint32_t const> order, value_buffer& room)
{
  std::visit(
      [&]<class T>(std::span<T const> from) {
        T* const to = room.resize<T>(order.size());
        for (std::size_t k = 0; k < order.size(); ++k) to[k] = from[order[k]];
      },
      values);
  return room.view();
}

void scatter(io::values_view const& values, std::span<std::uint32_t const> order, value_buffer& into)
{
  std::visit(
      [&]<class T>(std::span<T const> from) {
        T* const to = const_cast<T*>(std::get<std::span<T const>>(into.view()).data());
        for (std::size_t k = 0; k < order.size(); ++k) to[order[k]] = from[k];
      },
      values);
}

std::string to_text(result const& value, io::number_style const& style)
{
  std::string text;
  append_text(text, value, style);
  return text;
}

void append_text(std::string& to, result const& value, io::number_style const& style)
{
  if (auto const* const units = std::get_if<io::quantity>(&value)) {
    io::number_style of_units = style;
    of_units.form = units->form;
    to += io::to_text(units->count, of_units);
    return;
  }
  std::visit(
      [&]<class T>(T x) {
        if constexpr (!std::is_same_v<T, io::quantity>) {
          if (style.plain()) {
            char digits[io::max_number_length];
            to.append(digits, io::format_number(digits, x));
          } else {
            to += io::to_text(x, style);
          }
        }
      },
      value);
}

bool is_finite(result const& value)
{
  return std::visit(
      []<class T>(T x) {
        if constexpr (std::is_floating_point_v<T>)
          return std::isfinite(x);
        else
          return true;
      },
      value);
}

}  // namespace tally::cli
