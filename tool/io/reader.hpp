#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "io/element_type.hpp"
#include "io/errors.hpp"

namespace tally::io {

/// The next values of a column, in the order of the source. All views are valid until the next call of reader::next and
/// until the reader is destroyed. A batch that `next` gives is never empty.
struct batch {
  values_view values;

  /// With a key column: value i belongs to the group called group_names[groups[i]]. group_names are distinct; they may
  /// name groups that have no value in this batch, and the same key may have another number in the next batch. Empty
  /// without a key column.
  std::span<std::uint32_t const> groups;
  std::span<std::string_view const> group_names;
};

/// The progress of a reader.
struct progress {
  std::uint64_t bytes = 0;             ///< of the source behind the batches given so far
  std::optional<std::uint64_t> total;  ///< of the whole source, where that is known
};

/// A column of numbers that arrives in batches. The sizes of the batches may depend on timing; the values and their
/// types never do.
///
/// Binary sources give one element type throughout. Their batches are whole mebibytes, which are whole tiles of
/// tally::order, except for the last batch and for arrays that are not stored in the order of reading.
///
/// Text sources, with number_rule::automatic, give integers (int64, or int128 where a value needs it; both may take
/// turns) up to exactly the first token that is not an integer, and float64 from that token on to the end. A caller
/// that wants exact integers keeps an integer and a double accumulator until the first float64 batch, and then only the
/// double one.
class reader {
public:
  virtual ~reader() = default;
  reader(reader const&) = delete;
  reader& operator=(reader const&) = delete;

  /// Fills `into` with the next batch; false at the end. Throws file_error, and data_error for the first offence in the
  /// order of the source after all values before it have been given. After an exception the reader may only be
  /// destroyed.
  virtual bool next(batch& into) = 0;

  /// Whether `next` would have to wait for input (a pipe that is slow): the time to flush output.
  virtual bool waiting() const = 0;

  virtual progress so_far() const = 0;

  /// The place of value `index` of the last batch in the source. Slow: for messages.
  virtual location locate(std::size_t index) const = 0;

protected:
  reader() = default;
};

/// The kind of number that a token of text may be. An integer is an optional sign and digits. Anything else is read as
/// the nearest double: decimals, exponents, inf, infinity and nan in any case and with any sign. `-0` is 0 as an
/// integer and negative zero as a double; `-0.0` is negative zero.
enum class number_rule {
  automatic,  ///< integers (of up to 128 bits) up to the first other token, doubles from there on
  floating,   ///< doubles only: for a column known to be floating, perhaps from an earlier file
  integers,   ///< a token that is not an integer is an error; whole decimals such as 12.0 are integers here
};

}  // namespace tally::io
