#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "io/numbers/reading.hpp"
#include "io/numbers/token.hpp"
#include "io/reader.hpp"

namespace tally::io {

/// An error in a chunk, and the byte at which it is.
struct offence {
  std::size_t at = 0;
  std::string found;
  std::string expected;
};

/// Collects the numbers of a chunk in order, in runs of one type and form each. Numbers have at most three: int64 up to
/// the first value that needs int128, int128 from there on, float64 from the first token that is not an integer.
/// Decimals and times are int128, and a run of them ends where a value is finer than those before. The runs are in one
/// allocation, and no value is ever converted.
class column_sink {
public:
  struct run {
    element_type type = element_type::int64;
    std::size_t first = 0;  ///< the number of values in the runs before
    std::size_t count = 0;
    void const* data = nullptr;
    number_form form = {};
  };

  /// Begins anew, with room for `most` values.
  void begin(std::size_t most, number_reading const& numbers)
  {
    std::size_t const needed = (most + 1) * sizeof(int128);  // one more: the first lies at a multiple of 16
    if (needed > capacity_) {
      storage_.reset();
      storage_ = std::make_unique_for_overwrite<std::byte[]>(needed);
      capacity_ = needed;
    }
    numbers_ = numbers;
    plain_ = numbers.plain();
    run_count_ = 0;
    if (unit_of(numbers.rule) != number_unit::one)
      open(element_type::int128, storage_.get(), 0, {unit_of(numbers.rule)});
    else
      open(numbers.rule == number_rule::floating ? element_type::float64 : element_type::int64, storage_.get(), 0);
  }

  /// Appends the number of the token. Returns false if it is not allowed here; `refusal` says why. Requires: begin <
  /// end, and `front_padding` bytes before begin are readable.
  bool add(char const* begin, char const* end)
  {
    if (!plain_) return add_other(begin, end);
    token_value const value = decode(begin, end);
    if (runs_[run_count_ - 1].type == element_type::float64) {
      if (value.kind == token_kind::real) {
        put(value.real);
        return true;
      }
      if (value.kind == token_kind::narrow) {
        double const magnitude = static_cast<double>(value.narrow);
        put(value.narrow == 0 && *begin == '-' ? -magnitude : magnitude);
        return true;
      }
    } else if (value.kind == token_kind::narrow && runs_[run_count_ - 1].type == element_type::int64) {
      put(value.narrow);
      return true;
    }
    return add_rest(value, begin, end);
  }

  /// Ends the collection. Then `run_of` and `size` may be called.
  void end()
  {
    run& last = runs_[run_count_ - 1];
    last.count = static_cast<std::size_t>(next_ - static_cast<std::byte const*>(last.data)) / byte_size(last.type);
  }

  std::size_t run_count() const { return run_count_; }
  run const& run_of(std::size_t index) const { return runs_[index]; }
  std::size_t size() const { return runs_[run_count_ - 1].first + runs_[run_count_ - 1].count; }

  /// Whether the first token was read as an integer, or refused. If the column proves to be floating, the chunk must
  /// then be read again.
  bool began_with_integers() const
  {
    if (runs_[0].type == element_type::float64) return false;
    if (unit_of(numbers_.rule) != number_unit::one) return false;
    return runs_[0].count > 0 || run_count_ == 1 || runs_[1].type == element_type::int128;
  }

  /// The offence of a token that `add` has refused.
  offence refusal(std::size_t at, char const* begin, char const* end) const;

private:
  bool add_rest(token_value const& value, char const* first, char const* last);
  bool add_other(char const* first, char const* last);
  void open(element_type type, std::byte* at, std::size_t first, number_form form = {});
  void turn_to(element_type type, number_form form = {});

  template <class T>
  void put(T value)
  {
    *reinterpret_cast<T*>(next_) = value;
    next_ += sizeof(T);
  }

  std::unique_ptr<std::byte[]> storage_;
  std::size_t capacity_ = 0;
  std::byte* next_ = nullptr;
  number_reading numbers_;
  bool plain_ = true;
  std::size_t run_count_ = 0;
  std::array<run, 1 + decimal_places + 1> runs_;  // decimals have the most
};

}  // namespace tally::io
