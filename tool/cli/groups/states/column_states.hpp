#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "commands/commands.hpp"
#include "groups/states/small_sum.hpp"
#include "groups/states/word_blocks.hpp"
#include "io/element_type.hpp"
#include "io/numbers/form.hpp"
#include "settings/settings.hpp"
#include "values.hpp"

namespace tally::cli {

/// The memory of the states of some groups besides their records.
struct state_memory {
  word_blocks words;
  std::deque<accumulators> all;  // of groups whose values are too many to be held
  std::size_t accumulator_bytes = 0;

  std::size_t bytes() const { return words.bytes() + accumulator_bytes; }
};

/// Whether a sum of products of some of these values may need more than 128 bits; that of 2^47 integers up to 2^40 does
/// not.
bool has_long_integers(io::values_view const& values);

/// The states of the operations on one column, one state for each group.
///
/// Sums, means, counts and extremes have states of 8 to 40 bytes. An accumulator of another operation takes 1 to 2 KiB
/// and some microseconds to be made; so the first 64 values of a group are held, and the groups that have no more are
/// reduced at the end, one after the other by the same accumulators. In a scan these take the values that are held
/// again before the next ones.
class column_states {
public:
  /// Of values of `type`, or of text if there is none. `settings` must outlive it.
  column_states(command_settings const& settings, std::optional<io::element_type> type);

  /// The bytes of a state, a multiple of 8. A state begins as zeros.
  std::size_t bytes() const { return bytes_; }
  /// Whether `add` may throw for integers of up to 64 bits (without weights; with weights, of up to 2^40) and doubles.
  bool may_fail() const { return may_fail_; }

  /// Combines the next values of a group. Throws `value_problem`.
  template <class T>
  void add(std::byte* state, std::span<T const> values, state_memory& memory) const;

  /// Appends the results, one for each operation.
  void results(std::byte* state, state_memory& memory, std::vector<result>& to);

  /// Whether a scan by the settings' only operation is done by `next`; else it is by `scan`.
  bool scans_one_by_one() const { return small_; }
  /// Takes the next value of a group and returns the result of its values so far. Throws `value_problem`.
  template <class T>
  result next(std::byte* state, T value, state_memory& memory)
  {
    add(state, std::span<T const>(&value, 1), memory);
    next_.clear();
    results(state, memory, next_);
    return next_[0];
  }
  /// Takes the next values of a group and writes the result at each of them. Throws `value_problem`.
  void scan(std::byte* state, io::values_view const& values, state_memory& memory, value_buffer& out);

private:
  /// The least or the greatest value so far.
  struct extreme {
    std::uint64_t word;  // the value, or the block of an integer of 128 bits
    enum : std::uint64_t { nothing, integer, wide, real } kind;
  };
  /// The exact sum of values with a unit.
  struct unit_sum {
    std::uint64_t low;
    std::uint64_t high;
    std::uint64_t count;

    int128 value() const { return static_cast<int128>(io::uint128{high} << 64 | low); }
    /// Throws `value_problem` if the sum needs more than 128 bits.
    void add(std::span<int128 const> values, io::number_unit unit);
  };
  struct summed {
    std::uint64_t count = 0;
    result total = {};
    result mean = {};
  };
  /// The values of a group that are held, a word each: of `type`, or of text its integers, and then doubles.
  struct held {
    std::uint32_t block;
    std::uint32_t all;  // the accumulators' number from 1 on; 0 while the values are held
    std::uint32_t count;
    std::uint32_t integers;
  };
  static constexpr std::uint32_t most_held = 64;
  static constexpr std::size_t absent = ~std::size_t{0};

  bool have_small_states() const;
  bool has_unit() const { return unit_ != io::number_unit::one; }
  std::optional<summed> sum_of_group(std::byte const* state, word_blocks const& memory) const;
  template <class Op, class T>
  static void extend(extreme& here, std::span<T const> values, word_blocks& memory);
  template <class Op>
  static result result_of(extreme const& here, word_blocks const& memory);
  template <class T>
  bool can_hold(held const& here, std::span<T const> more) const;
  template <class T>
  void hold(held& here, std::span<T const> values, word_blocks& memory) const;
  template <class Use>
  void for_held(held const& from, word_blocks const& memory, Use use) const;
  void hand_over(held const& from, word_blocks const& memory, accumulators const& to) const;
  void forget(held& here, state_memory& memory) const;

  command_settings const& settings_;
  std::optional<io::element_type> type_;
  io::number_unit unit_;
  bool small_ = false;
  bool may_fail_ = false;
  bool holds_integers_ = true;  // no operation on few of them fails
  bool holds_reals_ = true;
  std::size_t bytes_ = 0;
  std::size_t sum_at_ = absent;  // offsets in a state
  std::size_t count_at_ = absent;
  std::size_t least_at_ = absent;
  std::size_t greatest_at_ = absent;
  accumulators again_;  // for the groups whose values are held, one after the other
  std::vector<result> next_;
  value_buffer before_;
};

}  // namespace tally::cli
