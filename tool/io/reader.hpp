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

/// How far a reader has got.
struct progress {
  std::uint64_t bytes = 0;             ///< of the source behind the batches given so far
  std::optional<std::uint64_t> total;  ///< of the whole source, where that is known
};

/// A column of numbers that arrives in batches. Which ones a source is cut into may depend on timing; the values and
/// their types never do.
///
/// Binary sources give one element type throughout, and batches of whole mebibytes, which are whole tiles of
/// tally::order (but for the last, and for arrays that are not stored in the order in which they are read).
///
/// Text sources, with number_rule::automatic, give integers (int64, or int128 where a value needs it; both may take
/// turns) up to exactly the first token that is not an integer, and float64 from that token on to the end. So a caller
/// that wants exact integers keeps an integer and a double accumulator until the first float64 batch, and from then on
/// only the double one.
class reader {
public:
  virtual ~reader() = default;
  reader(reader const&) = delete;
  reader& operator=(reader const&) = delete;

  /// Fills `into` with the next batch; false at the end. Throws data_error at the first offence in the order of the
  /// source, when all values before it have been given; file_error. After an exception the reader may only be
  /// destroyed.
  virtual bool next(batch& into) = 0;

  /// Whether `next` would have to wait for input (a pipe that is slow): the time to flush output.
  virtual bool waiting() const = 0;

  virtual progress so_far() const = 0;

  /// Where value `index` of the batch last given stands in the source. Slow: for messages.
  virtual location locate(std::size_t index) const = 0;

protected:
  reader() = default;
};

/// What a token of text may be. An integer is an optional sign and digits. Anything else is read as the nearest double:
/// decimals, exponents, inf, infinity and nan in any case and with any sign. `-0` is 0 as an integer, and negative zero
/// as a double, as -0.0 is.
enum class number_rule {
  automatic,  ///< integers up to the first token that is none, doubles from there on; an integer needs to fit 128 bits
  floating,   ///< doubles only: for a column known to hold them, or the next file of one that has turned to them
  integers,   ///< a token that is not an integer is an error; whole decimals such as 12.0 are integers here
};

}  // namespace tally::io
