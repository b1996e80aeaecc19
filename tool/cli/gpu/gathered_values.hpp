#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "accumulators/accumulator.hpp"
#include "gpu/gpu.hpp"
#include "io/element_type.hpp"
#include "io/numbers/number.hpp"
#include "values.hpp"

namespace tally::cli {

/// A whole sequence of numbers in the memory of a GPU, with its reductions and its scan. The bits are the CPU's
/// (accumulator.hpp).
///
/// Sums of integers are exact on the CPU, in 128 bits. A GPU adds in 64 bits. It finds the least and the greatest value
/// first; if a sum might not fit, there is no result, and the CPU must compute it.
///
/// Text without a type is kept twice: its integers up to the first value that is not one, and all values as doubles.
class gathered_values {
public:
  /// An empty sequence of values of `type`, or of text, for these operations. Requires: `gpu_refuses` none of them.
  gathered_values(gpu& device, std::vector<operation> const& operations, std::optional<io::element_type> type,
                  std::optional<io::number> const& init);

  /// Allocates memory for n values.
  void reserve(std::size_t n);
  /// Appends values; returns false and appends none if an integer of text has more than 64 bits. Requires: integers, if
  /// an operation needs them (the CPU's accumulator finds others and has the message).
  bool take(io::values_view const& values);
  std::size_t size() const { return size_; }

  /// The reduction of all values; nothing if it may need more than 64 bits. Requires: size() > 0.
  std::optional<result> reduce(operation op);

  /// Replaces the values by the results of a scan; returns false and changes nothing if these may need more than 64
  /// bits.
  bool scan(operation op, scan_kind kind);

  /// Some of the values, or of a scan's results, from `first` on; valid until the next call. Requires: first < size().
  io::values_view piece(std::size_t first);

private:
  bool counts_exactly() const { return exact_ && exact_->size() == size_; }
  gpu_numbers& floating_for(operation op) { return op == operation::mean && doubles_ ? *doubles_ : *floating_; }
  bool sums_fit(int128 init);

  std::optional<io::element_type> type_;
  std::optional<io::number> init_;
  std::unique_ptr<gpu_numbers> exact_;     ///< integers; of text, those before the first value that is none
  std::unique_ptr<gpu_numbers> floating_;  ///< floating-point values; of text, all of them
  std::unique_ptr<gpu_numbers> doubles_;   ///< of float32, for means
  std::size_t size_ = 0;
  bool holds_sums_for_means_ = false;
  value_buffer means_;
};

}  // namespace tally::cli
