#pragma once

#include <memory>
#include <optional>

#include "io/element_type.hpp"
#include "io/number.hpp"
#include "operation.hpp"
#include "values.hpp"

namespace tally::cli {

enum class scan_kind { inclusive, exclusive };

/// One sequence of numbers under one operation, as it arrives in pieces. The results never depend on where it was cut.
///
/// Throws `value_problem` for a value that cannot be taken: after it, the accumulator may only be destroyed.
class accumulator {
public:
  virtual ~accumulator() = default;
  accumulator(accumulator const&) = delete;
  accumulator& operator=(accumulator const&) = delete;

  /// Takes the next values.
  virtual void reduce(io::values_view const& values) = 0;
  /// Takes the next values and writes the result at each of them.
  virtual void scan(io::values_view const& values, scan_kind kind, value_buffer& out) = 0;
  /// Forgets all values: a new sequence begins.
  virtual void restart() = 0;
  /// The result of all values so far. Throws `error` where there are none and the operation has no result of none.
  virtual result value() const = 0;

protected:
  accumulator() = default;
};

/// What a sequence consists of, and what is to be done with it.
struct accumulation {
  operation op = operation::sum;
  /// The type of all values, which results keep; nothing for text, where integers are exact (in 128 bits) up to the
  /// first value that is none, and doubles count from there on.
  std::optional<io::element_type> type;
  std::optional<io::number> init;
  int threads = 0;
};

/// Throws `command_line_error` where the initial value does not suit the type or the operation.
std::unique_ptr<accumulator> make_accumulator(accumulation const& what);

/// The type in which a scan's or a reduction's results go into a .npy or raw file: as numpy has it, sums and products
/// of integers are 64 bits wide. Doubles for text without a type.
io::element_type result_type(operation op, std::optional<io::element_type> type);

}  // namespace tally::cli
