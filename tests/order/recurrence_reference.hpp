#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "reference.hpp"
#include "tally/half.hpp"
#include "tally/operators/traits.hpp"

/// A second implementation of docs/order.md, "Linear recurrences": slow, obvious, written from the text. It shares no
/// code with the library.
namespace tally::test::reference {

/// The map y -> scale * y + offset. Programs of tests are compiled without contraction.
template <class W>
struct step_map {
  W scale, offset;

  template <class U>
  explicit operator step_map<U>() const
  {
    return {static_cast<U>(scale), static_cast<U>(offset)};
  }
  W operator()(W y) const
  {
    W const product = scale * y;
    return product + offset;
  }
};

/// The earlier map first. Either may be absent.
template <class W>
slot<step_map<W>> composed(slot<step_map<W>> const& earlier, slot<step_map<W>> const& later)
{
  if (!earlier) return later;
  if (!later) return earlier;
  return step_map<W>{later->scale * earlier->scale, (*later)(earlier->offset)};
}

/// A recurrence whose states are stored as T.
template <class T>
class recurrence_in_order {
public:
  using W = working_type<T>;
  using C = std::conditional_t<std::is_same_v<T, float>, double, W>;
  using total_type = slot<step_map<W>>;

  /// `tile`: the steps of a tile, where it is not that of the text.
  recurrence_in_order(std::vector<T> const& a, std::vector<T> const& b, std::size_t tile) : steps_(), tile_(tile)
  {
    for (std::size_t k = 0; k < a.size(); ++k) steps_.push_back({static_cast<W>(a[k]), static_cast<W>(b[k])});
  }

  /// The states in the working type, whether they are finite or not.
  std::vector<W> states(W before)
  {
    std::size_t const n = steps_.size();
    slot<step_map<C>> tiles;
    C spans = static_cast<C>(before);
    for (std::size_t tile = 0, first = 0; first < n; ++tile, first += tile_) {
      W const carry = static_cast<W>(tiles ? (*tiles)(spans) : spans);
      std::size_t const end = first + tile_ < n ? first + tile_ : n;
      states_of_tile(first, end, carry);
      auto const total = total_of_tile(first, end);
      slot<step_map<C>> const wide = static_cast<step_map<C>>(*total);
      tiles = composed(tiles, wide);
      if (tile % span_tiles == span_tiles - 1) {
        spans = (*tiles)(spans);
        tiles.reset();
      }
    }
    return states_;
  }

private:
  static constexpr std::size_t group = 16 / sizeof(T), row = 16 * group, strip = 8 * row, span_tiles = 32;

  total_type total_of_group(std::size_t first, std::size_t end) const
  {
    total_type all;
    for (std::size_t k = first; k < first + group && k < end; ++k) all = composed(all, total_type(steps_[k]));
    return all;
  }
  /// `size` steps, of which those from `end` on are absent: a group, or two halves.
  total_type total_of_tree(std::size_t first, std::size_t size, std::size_t end) const
  {
    if (size == group) return total_of_group(first, end);
    return composed(total_of_tree(first, size / 2, end), total_of_tree(first + size / 2, size / 2, end));
  }
  total_type total_of_strip(std::size_t first, std::size_t end) const
  {
    total_type all;
    for (std::size_t r = first; r < first + strip && r < end; r += row) all = composed(all, total_of_tree(r, row, end));
    return all;
  }
  total_type total_of_tile(std::size_t first, std::size_t end) const
  {
    total_type all;
    for (std::size_t s = first; s < end; s += strip) all = composed(all, total_of_strip(s, end));
    return all;
  }

  void states_of_tree(std::size_t first, std::size_t size, std::size_t end, W y)
  {
    if (first >= end) return;
    if (size == group) {
      for (std::size_t k = first; k < first + group && k < end; ++k) {
        y = steps_[k](y);
        states_.push_back(y);
      }
      return;
    }
    std::size_t const middle = first + size / 2;
    states_of_tree(first, size / 2, end, y);
    if (middle < end) states_of_tree(middle, size / 2, end, (*total_of_tree(first, size / 2, end))(y));
  }
  void states_of_tile(std::size_t first, std::size_t end, W carry)
  {
    total_type strips;
    for (std::size_t s = first; s < end; s += strip) {
      W y = strips ? (*strips)(carry) : carry;
      for (std::size_t r = s; r < s + strip && r < end; r += row) {
        states_of_tree(r, row, end, y);
        y = (*total_of_tree(r, row, end))(y);
      }
      strips = composed(strips, total_of_strip(s, end));
    }
  }

  std::vector<step_map<W>> steps_;
  std::size_t tile_;
  std::vector<W> states_;
};

/// The states of y[k] = a[k] * y[k-1] + b[k] as a call stores them, as S: by the order, and from the first state that
/// is not finite on by the plain loop.
template <class T, class S = T>
std::vector<S> recurrence(std::vector<T> const& a, std::vector<T> const& b, T before,
                          std::size_t tile = 8 * 8 * 16 * (16 / sizeof(T)))
{
  using W = working_type<T>;
  std::vector<W> const all = recurrence_in_order<T>(a, b, tile).states(static_cast<W>(before));
  std::vector<S> y;
  std::size_t k = 0;
  for (; k < all.size(); ++k) {
    T const result = static_cast<T>(all[k]);
    if (!std::isfinite(static_cast<double>(result))) break;
    y.push_back(static_cast<S>(result));
  }
  for (T state = k == 0 ? before : static_cast<T>(y.back()); k < a.size(); ++k) {
    W const product = static_cast<W>(a[k]) * static_cast<W>(state);
    state = static_cast<T>(product + static_cast<W>(b[k]));
    y.push_back(static_cast<S>(state));
  }
  return y;
}

}  // namespace tally::test::reference
