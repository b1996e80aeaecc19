#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "groups/kept_batch.hpp"
#include "groups/records.hpp"
#include "groups/spilled_records.hpp"
#include "groups/states/group_states.hpp"
#include "values.hpp"

namespace tally::cli {

/// The rows that a partition may still take.
enum class admission {
  all,         ///< those of every key
  known_keys,  ///< those of the keys that it has; the others wait in a file
  none         ///< all wait in a file
};

/// A value that an operation cannot take.
struct failed_value {
  std::size_t row;  // of the batch
  std::size_t column;
  value_problem problem;

  bool stands_before(failed_value const& other) const
  {
    return row != other.row ? row < other.row : column < other.column;
  }
};

/// A value of a row that waited, which an operation cannot take.
struct refused_value {
  std::string key;
  std::uint64_t first_row;  // of the rows of the key among which it is, in the input
  std::size_t column;
  value_problem problem;  // its index counts the values of the key in the column from that row on
};

/// The groups of a part of the keys, and the rows that wait for memory.
class partition {
public:
  explicit partition(group_states const& states) : records(states.bytes()) {}

  /// Takes the rows of partition `number` of a batch. Returns the first value that an operation cannot take.
  std::optional<failed_value> take(kept_batch const& batch, std::size_t number, group_states const& states,
                                   admission admitted, io::piece_file* file);

  /// Takes the rows of `from`, as long as the groups have no more than `most_bytes`. Later rows of other keys wait.
  /// Throws `refused_value`.
  void replay(spilled_records& from, group_states const& states, std::size_t most_bytes, io::piece_file& file);

  std::size_t bytes() const { return records.bytes() + memory.bytes() + waiting.bytes(); }

  group_records records;
  state_memory memory;
  spilled_records waiting;

private:
  std::vector<std::uint32_t> groups_;  // of the parts of the present batch
};

}  // namespace tally::cli
