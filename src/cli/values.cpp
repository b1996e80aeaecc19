#include "values.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "io/number.hpp"

namespace tally::cli {

namespace {

/// Whether `value` can be said in T without loss; double to float may round.
template <class T, class U>
bool fits(U value)
{
  if constexpr (std::is_floating_point_v<T> && std::is_floating_point_v<U>) {
    return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    // A magnitude beyond 2^digits may still be exact: compare after the way back, where there is one.
    T const rounded = static_cast<T>(value);
    return rounded >= T(-0x1p127) && rounded < T(0x1p127) && static_cast<int128>(rounded) == static_cast<int128>(value);
  } else if constexpr (std::is_floating_point_v<U>) {
    return false;
  } else if constexpr (std::is_same_v<T, int128>) {
    return true;
  } else {
    auto const wide = static_cast<int128>(value);
    return wide >= static_cast<int128>(std::numeric_limits<T>::min()) &&
           wide <= static_cast<int128>(std::numeric_limits<T>::max());
  }
}

template <class T, class U>
void convert(std::span<U const> from, T* to)
{
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (!fits<T>(from[k])) {
      std::string const type(io::name_of(io::element_type_of<T>));
      std::string const hint = std::is_floating_point_v<T>
                                   ? "an integer that " + type + " holds exactly (--type int64 keeps more)"
                                   : "a value that fits " + type;
      throw value_problem(k, "'" + io::to_text(from[k]) + "'", hint);
    }
    to[k] = static_cast<T>(from[k]);
  }
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

io::values_view converted(io::values_view const& values, io::element_type type, value_buffer& room)
{
  if (io::type_of(values) == type) return values;
  void* const place = room.resize(type, io::size_of(values));
  std::visit(
      [&]<class U>(std::span<U const> from) {
        std::visit([&]<class T>(std::span<T const>) { convert<T>(from, static_cast<T*>(place)); }, room.view());
      },
      values);
  return room.view();
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

std::string to_text(result const& value)
{
  return std::visit([](auto x) { return io::to_text(x); }, value);
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
