#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "io/text/byte_mask.hpp"
#include "io/text/column_sink.hpp"

/// The grammar of RFC 4180: the ends of fields, and their content.
namespace tally::io {

/// A field without the quotes around it.
struct csv_field {
  char const* begin = nullptr;
  char const* end = nullptr;
  bool doubled = false;  ///< holds doubled quotes

  std::string_view view() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  /// The text of the field, with single quotes for doubled ones.
  std::string text() const;
};

/// The field of the bytes [begin, end), quotes included, or the offence in it; offsets count from `origin`.
std::optional<offence> unquote(char const* begin, char const* end, char const* origin, char delimiter,
                               csv_field& field);

/// The offence of a row that is too long by one byte at `end`; its last field begins at `field`.
offence overlong_row(char const* row, char const* field, char const* end, char const* origin, char delimiter);

/// Finds the ends of the fields of a text. Delimiters and line ends within quotes do not count.
class field_ends {
public:
  field_ends(char const* begin, char const* end, char delimiter, bool quotes)
      : begin_(begin),
        size_(static_cast<std::size_t>(end - begin)),
        delimiter_(delimiter),
        quotes_(quotes)
  {
  }

  /// The next delimiter or line feed that ends a field; null if there is none.
  char const* next()
  {
    if (index_ == count_ && !find_more()) return nullptr;
    return begin_ + ends_[index_++];
  }

private:
  /// Searches the next 4 KiB, far enough ahead that finding and reading fields do not wait for each other.
  bool find_more()
  {
    index_ = count_ = 0;
    while (count_ == 0 && at_ < size_) {
      std::size_t const stop = size_ - at_ < ahead ? size_ : at_ + ahead;
      for (; at_ < stop; at_ += 64) {
        std::uint64_t found = mask_equal(begin_ + at_, delimiter_) | mask_equal(begin_ + at_, '\n');
        if (quotes_) {
          std::uint64_t const inside = running_parity(mask_equal(begin_ + at_, '"')) ^ inside_before_;
          inside_before_ = std::uint64_t(0) - (inside >> 63);
          found &= ~inside;
        }
        if (stop - at_ < 64) found &= ~(~std::uint64_t(0) << (stop - at_));
        for (; found != 0; found &= found - 1)
          ends_[count_++] = static_cast<std::uint32_t>(at_ + static_cast<std::size_t>(std::countr_zero(found)));
      }
    }
    return count_ > 0;
  }

  static constexpr std::size_t ahead = 4096;

  char const* begin_;
  std::size_t size_;
  char delimiter_;
  bool quotes_;
  std::uint64_t inside_before_ = 0;  // all ones if the byte before at_ is within quotes
  std::size_t at_ = 0;
  std::size_t index_ = 0;
  std::size_t count_ = 0;
  std::uint32_t ends_[ahead];
};

}  // namespace tally::io
