#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

#include "tally/config.hpp"
#include "tally/detail/path.hpp"

namespace tally::detail {

/// The iterator over f(0), f(1), ... It holds the function by value, as bytes, so that it can be assigned and sent to a
/// GPU.
template <class F>
class function_iterator {
  static_assert(std::is_trivially_copyable_v<F>,
                "tally: the function of a sequence is copied as bytes: let it hold pointers, not containers");

public:
  using reference = std::invoke_result_t<F const&, std::size_t>;
  using value_type = std::remove_cvref_t<reference>;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::input_iterator_tag;  // its reference is not one into memory

  function_iterator() = default;
  TALLY_HD function_iterator(F const& f, std::size_t at, std::size_t bytes_behind = 1) : at_(at), bytes_(bytes_behind)
  {
    ::new (static_cast<void*>(function_)) F(f);
  }

  std::size_t bytes_behind() const { return bytes_; }

  TALLY_HD_AS_GIVEN
  TALLY_HD reference operator*() const { return function()(at_); }
  TALLY_HD_AS_GIVEN
  TALLY_HD reference operator[](difference_type k) const { return function()(at_ + static_cast<std::size_t>(k)); }

  TALLY_HD function_iterator& operator+=(difference_type k)
  {
    at_ += static_cast<std::size_t>(k);
    return *this;
  }
  TALLY_HD function_iterator& operator-=(difference_type k) { return *this += -k; }
  TALLY_HD function_iterator& operator++() { return *this += 1; }
  TALLY_HD function_iterator& operator--() { return *this += -1; }
  TALLY_HD function_iterator operator++(int)
  {
    function_iterator const before = *this;
    *this += 1;
    return before;
  }
  TALLY_HD function_iterator operator--(int)
  {
    function_iterator const before = *this;
    *this += -1;
    return before;
  }
  TALLY_HD friend function_iterator operator+(function_iterator a, difference_type k) { return a += k; }
  TALLY_HD friend function_iterator operator+(difference_type k, function_iterator a) { return a += k; }
  TALLY_HD friend function_iterator operator-(function_iterator a, difference_type k) { return a += -k; }
  TALLY_HD friend difference_type operator-(function_iterator const& a, function_iterator const& b)
  {
    return static_cast<difference_type>(a.at_ - b.at_);
  }
  TALLY_HD friend bool operator==(function_iterator const& a, function_iterator const& b) { return a.at_ == b.at_; }
  TALLY_HD friend std::strong_ordering operator<=>(function_iterator const& a, function_iterator const& b)
  {
    return a.at_ <=> b.at_;
  }

private:
  // The built-in, since nvcc warns about the constexpr std::launder.
  TALLY_HD F const& function() const { return *__builtin_launder(reinterpret_cast<F const*>(function_)); }

  alignas(F) unsigned char function_[sizeof(F)];
  std::size_t at_ = 0;
  std::size_t bytes_ = 1;
};

/// The bytes that are read for an element, as far as they are known. The number of threads depends on them.
template <class T, class I>
std::size_t bytes_behind(I const&)
{
  return sizeof(T);
}
template <class T, class F>
std::size_t bytes_behind(function_iterator<F> const& i)
{
  return i.bytes_behind() < sizeof(T) ? sizeof(T) : i.bytes_behind();
}

/// Elements in a tile on a CPU: `most`, or fewer where elements stand for blocks of others. At most 128 KiB are then
/// behind a tile: a core's cache holds that much until the tile's second turn, and it is enough work to pay for the
/// hand-over between threads.
template <class T, class I>
std::size_t tile_by_bytes(I const&, std::size_t most)
{
  return most;
}
template <class T, class F>
std::size_t tile_by_bytes(function_iterator<F> const& i, std::size_t most)
{
  constexpr std::size_t tile_bytes = std::size_t{1} << 17;
  if (i.bytes_behind() <= sizeof(T)) {
    took("sequences: tiles of elements that stand for themselves");
    return most;
  }
  std::size_t const count = tile_bytes / i.bytes_behind();
  took(count < 1      ? "sequences: tiles of one element"
       : count < most ? "sequences: tiles by bytes"
                      : "sequences: tiles of few bytes");
  return count < 1 ? 1 : count < most ? count : most;
}

}  // namespace tally::detail
