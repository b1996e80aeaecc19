#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <tally/error.hpp>

#include "io/element_type.hpp"
#include "io/numbers/form.hpp"
#include "io/numbers/style.hpp"

namespace tally::cli {

using io::int128;

/// A result: an exact integer, a floating-point value in the type in which it was computed, or integers of a unit.
using result = std::variant<int128, double, float, io::quantity>;

/// The value as a result; integers are of `form`.
template <class T>
result result_of(T value, io::number_form form = {})
{
  if constexpr (std::is_floating_point_v<T>)
    return value;
  else if (form.unit != io::number_unit::one)
    return io::quantity{int128{value}, form};
  else
    return int128{value};
}

/// A value of a batch that cannot be used. `located` adds its place in the input and makes the message.
class value_problem : public error {
public:
  value_problem(std::size_t index, std::string found, std::string expected)
      : error(found),
        index_(index),
        found_(std::move(found)),
        expected_(std::move(expected))
  {
  }

  std::size_t index() const { return index_; }
  std::string const& found() const { return found_; }
  std::string const& expected() const { return expected_; }

private:
  std::size_t index_;
  std::string found_;
  std::string expected_;
};

/// A reusable buffer of values of one type at a time. Resizing it loses its content.
class value_buffer {
public:
  template <class T>
  T* resize(std::size_t n)
  {
    return static_cast<T*>(resize(io::element_type_of<T>, n));
  }
  void* resize(io::element_type type, std::size_t n);

  io::values_view view() const { return io::view_as(type_, data_.get(), size_); }

private:
  struct aligned_delete {
    void operator()(void* p) const { ::operator delete(p, std::align_val_t{64}); }
  };

  std::unique_ptr<void, aligned_delete> data_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  io::element_type type_ = io::element_type::float64;
};

/// A buffer for the length of one call: each thread has one, which all accumulators share.
value_buffer& scratch();

/// The values as doubles, each rounded once: the view itself if they are doubles, else a copy in `room`.
std::span<double const> as_doubles(io::values_view const& values, value_buffer& room);

/// Input in `type`: the view itself if it has that type, else a copy in `room`. Text and arrays have one rule. An
/// integer type takes whole numbers in its range, 1.0 too. A floating-point type takes every number, rounded to the
/// nearest double and that to the nearest float; a finite number must stay finite. Throws `value_problem` for the first
/// value that the type does not take.
io::values_view read_as(io::values_view const& values, io::element_type type, value_buffer& room);

/// Results in `type`, the view itself or a copy in `room`. Only doubles that become floats are rounded. Throws
/// `value_problem` for the first integer that is out of range or that a double would round, and for the first double if
/// the type is an integer type.
io::values_view converted(io::values_view const& values, io::element_type type, value_buffer& room);

/// values[order[0]], values[order[1]], ..., in `room`.
io::values_view gathered(io::values_view const& values, std::span<std::uint32_t const> order, value_buffer& room);

/// Writes value k of `values` to place order[k] of `into`. Requires: `into` has the type of `values`.
void scatter(io::values_view const& values, std::span<std::uint32_t const> order, value_buffer& into);

/// The text that text_writer writes.
std::string to_text(result const& value, io::number_style const& style = {});
void append_text(std::string& to, result const& value, io::number_style const& style = {});

/// Whether the value is neither NaN nor an infinity, for which JSON has no numbers.
bool is_finite(result const& value);

}  // namespace tally::cli
