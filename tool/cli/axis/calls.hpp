#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "accumulators/accumulator.hpp"
#include "io/element_type.hpp"
#include "io/numbers/number.hpp"
#include "operations/operation.hpp"
#include "values.hpp"

namespace tally::cli {

/// An operation on values of one type as the library's calls do it: values become operands, these are combined by an
/// operator, and its results are finished. A mean is a sum that is divided; `all` is the least of truth values.
///
/// Sums of integers are exact, in 64 bits: the caller shows that they fit (`largest_magnitude`).
class call_operation {
public:
  /// Nothing if no calls do the operation: the accumulators do all others.
  static std::optional<call_operation> find(operation op, io::element_type type, std::optional<io::number> const& init,
                                            scan_kind kind);

  operation by() const { return by_; }
  /// The type of operands, initial values and results of calls.
  io::element_type type() const { return type_; }
  /// The value before the first element: the initial value or, where that changes nothing, the identity.
  void const* start() const { return start_.data(); }
  /// The identity of the operator, as the initial value of stretches that are totalled.
  void const* neutral() const { return neutral_.data(); }
  bool sums_integers() const { return by_ == operation::sum && io::is_integer(type_); }
  bool averages() const { return kind_of(op_) == operation_kind::average; }

  /// The operands of values: the values themselves, or a copy in `room`.
  io::values_view operands(io::values_view const& values, value_buffer& room) const;

  /// Whether 64 bits hold every sum of `start` and `count` integers of that magnitude.
  bool fits(int128 start, std::size_t count, int128 magnitude) const;
  bool fits(std::size_t count, int128 magnitude) const { return fits(start_integer_, count, magnitude); }

private:
  call_operation(operation op, operation by, io::element_type type) : op_(op), by_(by), type_(type) {}

  operation op_;
  operation by_;
  io::element_type type_;
  alignas(8) std::array<std::byte, 8> start_{};
  alignas(8) std::array<std::byte, 8> neutral_{};
  int128 start_integer_ = 0;
};

/// The greatest magnitude among integers, or a greater one.
int128 largest_magnitude(io::values_view const& values);

/// The carries of lines that come in stretches, in the order of docs/order.md: the bits are those of a call on whole
/// lines. A call does a stretch, which is a tile, with the carry as its initial value. Sums of integers have 128 bits.
class line_carries {
public:
  virtual ~line_carries() = default;
  line_carries(line_carries const&) = delete;
  line_carries& operator=(line_carries const&) = delete;

  /// Begins lines.
  virtual void restart(std::size_t lines) = 0;
  /// Takes the totals of stretches, those of one stretch side by side. Writes the carry of each to `starts`, and the
  /// last result before it to `before`; both may be null.
  virtual void push(void const* totals, std::size_t stretches, void* starts, void* before) = 0;
  /// The reductions of the lines so far.
  virtual io::values_view last() const = 0;
  /// Replaces them. Requires: sums of integers.
  virtual void set_last(std::size_t line, int128 sum) = 0;

  /// Elements of a stretch.
  static std::size_t stretch(io::element_type type) { return (std::size_t{1} << 15) / io::byte_size(type); }

protected:
  line_carries() = default;
};
std::unique_ptr<line_carries> make_line_carries(call_operation const& how);

}  // namespace tally::cli
