#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "io/arrays/stored_elements.hpp"
#include "io/files/input.hpp"
#include "io/reader.hpp"
#include "io/threads/ordered_tasks.hpp"

namespace tally::io {

/// Memory aligned for any element and for vectors of elements.
class value_buffer {
public:
  std::byte* reserve(std::size_t bytes);
  std::byte* data() const { return storage_.get(); }

private:
  struct release {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t(64)); }
  };
  std::unique_ptr<std::byte[], release> storage_;
  std::size_t capacity_ = 0;
};

/// A part of the values of a binary file.
struct binary_part {
  std::uint64_t first = 0;  ///< the values before it
  std::size_t count = 0;
  value_buffer stored;  ///< for values that are not stored as they are
  value_buffer values;
};

/// Reads values stored one after the other: several threads read a regular file ahead of the caller; other input is
/// read as it comes.
class binary_reader final : public reader {
public:
  /// Reads from the present position of `source`, which is `offset` bytes behind the one when it was opened: `count`
  /// values that the end must follow, or all that there are.
  binary_reader(input source, stored_elements const& elements, std::uint64_t offset,
                std::optional<std::uint64_t> count);

  bool next(batch& into) override;
  bool waiting() const override { return tasks_.waiting(); }
  progress so_far() const override;
  location locate(std::size_t row, std::size_t column) const override;

private:
  bool prepare(binary_part& into);
  void work(binary_part& into) const;
  std::byte* room_for_stored(binary_part& into) const;
  [[noreturn]] void refuse_size(std::uint64_t bytes) const;
  void expect_end();

  input source_;
  stored_elements elements_;
  std::uint64_t offset_;
  std::optional<std::uint64_t> count_;
  std::size_t at_once_;         // values in a batch
  std::uint64_t prepared_ = 0;  // values
  bool ended_ = false;
  binary_part const* current_ = nullptr;
  column column_;                     // of the last batch
  ordered_tasks<binary_part> tasks_;  // last: its threads use what is above
};

}  // namespace tally::io
