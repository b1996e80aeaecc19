#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/error.hpp"

/// Arrays of several dimensions, as places in memory at regular distances.
namespace tally {

/// The most axes that an array may have.
inline constexpr std::size_t most_axes = 16;

/// A number for each axis: a shape, strides, a position. It is made from integers in braces, `{rows, columns}`, or from
/// a range of integers.
///
/// Throws    usage_error if there are more than `most_axes`.
class per_axis {
public:
  constexpr per_axis() = default;
  template <std::integral... N>
    requires(sizeof...(N) > 0 && sizeof...(N) <= most_axes)
  TALLY_HD constexpr per_axis(N... numbers) : values_{static_cast<std::ptrdiff_t>(numbers)...},
                                              size_(sizeof...(N))
  {
  }
  template <std::ranges::input_range R>
    requires(std::integral<std::ranges::range_value_t<R>> && !std::same_as<std::remove_cvref_t<R>, per_axis>)
  constexpr per_axis(R const& numbers)
  {
    for (auto const number : numbers) append(static_cast<std::ptrdiff_t>(number));
  }

  constexpr void append(std::ptrdiff_t number)
  {
    if (size_ == most_axes) throw usage_error("tally: an array has at most " + std::to_string(most_axes) + " axes");
    values_[size_++] = number;
  }
  TALLY_HD constexpr std::size_t size() const { return size_; }
  TALLY_HD constexpr std::ptrdiff_t operator[](std::size_t axis) const { return values_[axis]; }
  constexpr std::ptrdiff_t const* begin() const { return values_; }
  constexpr std::ptrdiff_t const* end() const { return values_ + size_; }

private:
  std::ptrdiff_t values_[most_axes]{};
  std::size_t size_ = 0;
};

/// An array in memory that somebody else owns: element (i, j, ...) lies `i * stride(0) + j * stride(1) + ...` elements
/// after element (0, 0, ...).
///
///     array_view(pointer, shape)             row-major: the last axis is contiguous
///     array_view(pointer, shape, strides)    in elements; they may be negative, and 0 repeats an axis
///
/// `pointer` is the place of element (0, 0, ...), also where strides are negative. There may be 0 to 16 axes; extents
/// may be 0 and 1.
///
/// Throws    usage_error: a negative extent; strides that are not one an axis; more than 16 axes.
template <class T>
class array_view {
public:
  using element_type = T;

  array_view() = default;
  constexpr array_view(T* data, per_axis const& shape) : data_(data), shape_(shape)
  {
    check_shape();
    std::ptrdiff_t strides[most_axes];
    std::ptrdiff_t step = 1;
    for (std::size_t d = shape.size(); d-- > 0; step *= shape[d]) strides[d] = step;
    for (std::size_t d = 0; d < shape.size(); ++d) strides_.append(strides[d]);
  }
  constexpr array_view(T* data, per_axis const& shape, per_axis const& strides)
      : data_(data),
        shape_(shape),
        strides_(strides)
  {
    check_shape();
    if (strides.size() != shape.size())
      throw usage_error("tally::array_view: a shape of " + std::to_string(shape.size()) + " axes with " +
                        std::to_string(strides.size()) + " strides");
  }
  /// The same elements, constant.
  template <class Mutable>
    requires(std::is_same_v<Mutable const, T>)
  constexpr array_view(array_view<Mutable> const& other)
      : array_view(other.data_handle(), other.shape(), other.strides())
  {
  }

  TALLY_HD constexpr std::size_t rank() const { return shape_.size(); }
  TALLY_HD constexpr std::size_t extent(std::size_t axis) const { return static_cast<std::size_t>(shape_[axis]); }
  TALLY_HD constexpr std::ptrdiff_t stride(std::size_t axis) const { return strides_[axis]; }
  /// The place of element (0, 0, ...).
  TALLY_HD constexpr T* data_handle() const { return data_; }
  TALLY_HD constexpr per_axis const& shape() const { return shape_; }
  TALLY_HD constexpr per_axis const& strides() const { return strides_; }

  /// The number of elements.
  TALLY_HD constexpr std::size_t size() const
  {
    std::size_t product = 1;
    for (std::size_t d = 0; d < rank(); ++d) product *= extent(d);
    return product;
  }

  /// Element (i, j, ...). Requires one index an axis, each within its extent.
  template <std::integral... Index>
  TALLY_HD constexpr T& operator()(Index... index) const
  {
    return (*this)[per_axis{index...}];
  }
  TALLY_HD constexpr T& operator[](per_axis const& position) const
  {
    std::ptrdiff_t at = 0;
    for (std::size_t d = 0; d < rank(); ++d) at += position[d] * strides_[d];
    return data_[at];
  }

  /// The same elements with the axes in reverse order: element (i, j) is element (j, i) here.
  constexpr array_view transposed() const
  {
    per_axis shape, strides;
    for (std::size_t d = rank(); d-- > 0;) {
      shape.append(shape_[d]);
      strides.append(strides_[d]);
    }
    return {data_, shape, strides};
  }
  /// The same elements with an axis from its end: index 0 is the last one here. A negative axis counts from the end.
  constexpr array_view flipped(int axis) const
  {
    auto const own = static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(rank()) : axis);
    if (own >= rank())
      throw usage_error("tally::array_view: no axis " + std::to_string(axis) + " in an array of " +
                        std::to_string(rank()) + " axes");
    per_axis strides;
    for (std::size_t d = 0; d < rank(); ++d) strides.append(d == own ? -strides_[d] : strides_[d]);
    std::ptrdiff_t const last = shape_[own] == 0 ? 0 : (shape_[own] - 1) * strides_[own];
    return {data_ + last, shape_, strides};
  }

private:
  constexpr void check_shape() const
  {
    for (std::size_t d = 0; d < rank(); ++d)
      if (shape_[d] < 0)
        throw usage_error("tally::array_view: extent " + std::to_string(shape_[d]) + " of axis " + std::to_string(d) +
                          " is negative");
  }

  T* data_ = nullptr;
  per_axis shape_;
  per_axis strides_;
};

/// An array at regular distances in memory: `array_view`, std::mdspan, and anything that has their functions.
template <class A>
concept strided_array = requires(A const& a, std::size_t axis) {
  { a.rank() } -> std::convertible_to<std::size_t>;
  { a.extent(axis) } -> std::convertible_to<std::size_t>;
  { a.stride(axis) } -> std::convertible_to<std::ptrdiff_t>;
  requires std::is_pointer_v<std::remove_cvref_t<decltype(a.data_handle())>>;
};

namespace detail::batch {

/// An array that is passed to a call: a strided array, or a contiguous range, which is an array of one axis.
template <class A>
concept array_argument =
    strided_array<std::remove_cvref_t<A>> || (std::ranges::contiguous_range<A> && std::ranges::sized_range<A>);

template <strided_array A>
auto view_of(A const& array)
{
  using element = std::remove_pointer_t<std::remove_cvref_t<decltype(array.data_handle())>>;
  if constexpr (requires { typename A::reference; })
    static_assert(std::is_same_v<typename A::reference, element&>,
                  "tally: the elements of an array are read in memory, and not through an accessor");
  if constexpr (requires {
                  { array.is_strided() } -> std::convertible_to<bool>;
                })
    if (!array.is_strided()) throw usage_error("tally: an array whose elements are not at regular distances");
  per_axis shape, strides;
  for (std::size_t d = 0; d < static_cast<std::size_t>(array.rank()); ++d) {
    shape.append(static_cast<std::ptrdiff_t>(array.extent(d)));
    strides.append(static_cast<std::ptrdiff_t>(array.stride(d)));
  }
  return array_view<element>(array.data_handle(), shape, strides);
}
template <class T>
array_view<T> const& view_of(array_view<T> const& array)
{
  return array;
}
template <class R>
  requires(std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && !strided_array<std::remove_cvref_t<R>>)
auto view_of(R&& range)
{
  auto* const data = std::to_address(std::ranges::begin(range));
  return array_view<std::remove_pointer_t<std::remove_const_t<decltype(data)>>>(data, {std::ranges::size(range)});
}

/// The shape of an array, for messages: "4 x 5 x 6".
inline std::string shown(per_axis const& shape)
{
  std::string text;
  for (std::ptrdiff_t const extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "a single value" : text;
}

}  // namespace detail::batch

}  // namespace tally
