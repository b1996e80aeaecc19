#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "io/element_type.hpp"
#include "io/numbers/form.hpp"
#include "io/numbers/number.hpp"
#include "operations/operation.hpp"
#include "values.hpp"

namespace tally::cli {

class sorted_values;

enum class scan_kind { inclusive, exclusive };

/// An operation on a sequence of numbers that arrives in pieces. The results never depend on where it is cut.
///
/// Throws `value_problem` for a value that the operation cannot take. After that the accumulator may only be destroyed.
class accumulator {
public:
  virtual ~accumulator() = default;
  accumulator(accumulator const&) = delete;
  accumulator& operator=(accumulator const&) = delete;

  /// Takes values before any is scanned, of operations whose first result needs all.
  virtual void prepare(io::values_view const&) {}
  /// Combines the next values.
  virtual void reduce(io::values_view const& values) = 0;
  /// Combines the next values and writes the result at each of them.
  virtual void scan(io::values_view const& values, scan_kind kind, value_buffer& out) = 0;
  /// Begins a new sequence.
  virtual void restart() = 0;
  /// The result of all values so far. Throws `error` if there are none and the operation has no result for an empty
  /// sequence.
  virtual result value() const = 0;

protected:
  accumulator() = default;
};

/// The kind of a sequence and the operation on it.
struct accumulation {
  operation op = operation::sum;
  /// The type of values and results. Text has none: its integers are exact (in 128 bits) up to the first value that is
  /// not an integer; from there on the results are doubles.
  std::optional<io::element_type> type;
  std::optional<io::number> init;
  int threads = 0;
  /// The number of values that a result of a scan is of, the last ones; 0 for all so far.
  std::size_t window = 0;
  /// Whether each value is followed by its weight.
  bool weighted = false;
  /// The values in order, which several operations on the same values share. Without any an operation that needs them
  /// keeps its own, in memory.
  std::shared_ptr<sorted_values> in_order = {};
  /// The unit of the values. With one, they are of type int128.
  io::number_unit unit = io::number_unit::one;
};

/// The form of the results of an operation on values of a form. A count, a place or a variance has no unit; a
/// difference of instants is a duration.
io::number_form form_of(operation op, io::number_form of_values);

/// Of an operation of two columns, and of weighted values, the accumulator takes pairs: x0, y0, x1, y1, ... Each part
/// of the sequence has whole pairs. A scan gives both places of a pair the result of the pairs up to it; a window has
/// so many pairs.
///
/// Throws `command_line_error` if the initial value does not suit the type or the operation.
std::unique_ptr<accumulator> make_accumulator(accumulation const& what);

/// The type of results in a .npy or raw file. As in NumPy, sums and products of integers have 64 bits. Text without a
/// type gives doubles.
io::element_type result_type(operation op, std::optional<io::element_type> type);

}  // namespace tally::cli
