#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "groups/states/word_blocks.hpp"
#include "values.hpp"

namespace tally::cli {

/// The sum of a sequence in 16 bytes, and 4 bytes more for each value of the present row of docs/order.md. The results
/// are those of `tally reduce` on the sequence: exact as long as all values are integers, else a double with the bits
/// of the order.
///
/// A row is 32 groups of two doubles. Its brackets depend on where the sequence ends, so the totals of its groups are
/// kept until the row is complete; of the rows before it, a few numbers are.
///
/// Invariant: a sum of fewer than 64 values, integers below 2^46 or doubles, has no more than this. A longer one, or
/// one with a larger integer, has a `large_sum` besides.
class small_sum {
public:
  /// Adds integers or doubles in the order of the sequence. Throws `value_problem` if the exact sum needs more than 128
  /// bits.
  template <class T>
  void add(std::span<T const> values, word_blocks& memory);

  std::uint64_t count(word_blocks const& memory) const;
  /// The sum of the values. Requires: there is one.
  result value(word_blocks const& memory) const;

private:
  struct large_sum;
  static constexpr std::uint8_t is_large = 255;

  static large_sum& large_at(word_blocks& memory, std::uint32_t block);
  static large_sum const& large_at(word_blocks const& memory, std::uint32_t block);
  template <class T>
  void add_exactly(std::span<T const> values, word_blocks& memory);
  template <class T>
  void append_row(T const* values, word_blocks& memory);
  void append(double value, word_blocks& memory);
  void complete_row(word_blocks& memory);
  void enlarge(word_blocks& memory);
  int128 exact_sum(word_blocks const& memory) const;
  double local(large_sum const& large, word_blocks const& memory) const;
  std::uint32_t& pairs_of(word_blocks& memory);

  double last_ = 0;             // the sum of the last group up to the last value
  std::uint32_t block_ = 0;     // the totals of the row's complete groups, or the large_sum
  std::uint8_t count_ = 0;      // of values, or is_large
  std::uint8_t has_reals_ = 0;  // a value is no integer: the exact sum does not count
};

}  // namespace tally::cli
