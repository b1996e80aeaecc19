#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/chunk.hpp"
#include "io/column_sink.hpp"
#include "io/key_table.hpp"
#include "io/ordered_tasks.hpp"
#include "io/reader.hpp"

namespace tally::io {

/// A chunk of text and the column read from it.
struct parsed_chunk {
  chunk text;
  std::size_t start = 0;  ///< the beginning of the values, behind a byte-order mark and a header
  column_sink values;
  key_table keys;                 ///< one group for each value, if the source has keys
  std::optional<offence> wrong;   ///< the first offence, if any
  std::size_t newlines = 0;       ///< in the text
  std::size_t after_newline = 0;  ///< bytes behind the last of them
};

/// The rules of one text format.
class text_format {
public:
  virtual ~text_format() = default;

  /// The place where a text may be cut; see cut_function.
  virtual std::size_t cut(char const* bytes, std::size_t size, std::size_t seen) = 0;
  /// Looks at the first chunk and returns where its values begin. Throws data_error.
  virtual std::size_t begin(chunk const& first, std::string const& source) = 0;
  /// Called for a source without any bytes. May throw data_error.
  virtual void empty(std::string const& source) = 0;
  /// Fills `values`, `keys` and `wrong` from `text`. Called by several threads at once.
  virtual void parse(parsed_chunk& into, number_rule rule) const = 0;
  /// The byte at which value `index` of the chunk begins.
  virtual std::size_t locate(parsed_chunk const& in, std::size_t index) const = 0;
};

/// The reader of all text formats. It cuts the source into chunks, which several threads parse, and gives their columns
/// in order.
class column_reader final : public reader {
public:
  column_reader(input source, std::unique_ptr<text_format> format, number_rule rule, int threads,
                chunk_sizes sizes = {});

  bool next(batch& into) override;
  bool waiting() const override;
  progress so_far() const override;
  location locate(std::size_t index) const override;

private:
  bool prepare(parsed_chunk& into);
  void parse(parsed_chunk& into) const;
  bool next_chunk();
  location locate_byte(std::size_t at) const;

  std::unique_ptr<text_format> format_;
  chunk_source source_;
  number_rule rule_;
  std::atomic<bool> floating_;  // the column holds doubles from here on
  bool begun_ = false;
  parsed_chunk* current_ = nullptr;
  std::size_t run_ = 0;        // the next run of the current chunk
  std::uint64_t lines_ = 0;    // complete lines before the current chunk
  std::uint64_t columns_ = 0;  // bytes before the current chunk in the line in which it begins
  std::uint64_t bytes_ = 0;
  ordered_tasks<parsed_chunk> tasks_;  // last: its threads use what is above
};

/// Makes a reader with chunks of these sizes, which never change what is read.
std::unique_ptr<reader> read_text(input source, struct text_options const& options, chunk_sizes sizes);
std::unique_ptr<reader> read_csv(input source, struct csv_options const& options, chunk_sizes sizes);

/// The bytes of a byte-order mark at the beginning of a text: 3 or 0.
std::size_t byte_order_mark(chunk const& first);

}  // namespace tally::io
