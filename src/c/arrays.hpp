#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "tally.h"
#include "tally/array_view.hpp"

/// Arrays of any type, as the C interface takes them.
namespace tally::c {

/// Whether two types are the same.
inline bool same(tally_type a, tally_type b)
{
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
/// A type as one would say it: float32, uint8, float32 x 2.
std::string shown(tally_type type);
/// The bytes of an element.
inline std::size_t bytes_of(tally_type type)
{
  return (std::size_t{type.bits} * type.lanes + 7) / 8;
}

/// A checked array: as tally_array, with strides. Sizes of elements are looked up by `bytes`.
struct array {
  std::byte* data = nullptr;
  tally_device device{TALLY_CPU, 0};
  tally_type type{};
  std::size_t bytes = 0;  ///< of an element
  per_axis shape, strides;
  std::shared_ptr<std::byte[]> owned;  ///< the memory, if this is a copy

  /// The array without an axis.
  array without(std::size_t axis) const;
  /// The same elements, an axis of them from its end.
  array flipped(std::size_t axis) const;
};

/// Whether an array has no elements. Then its strides may be any.
inline bool is_empty(array const& given)
{
  return std::find(given.shape.begin(), given.shape.end(), 0) != given.shape.end();
}

/// Where the arrays of a call may lie.
enum class devices { cpu, cpu_or_gpu };

/// The argument `name` of a call.
/// Throws    usage_error: null, a negative extent, too many axes, a pointer that is not aligned to its elements;
///           not_supported: another device.
array checked(tally_array const* given, char const* name, devices allowed = devices::cpu);

/// An array of new memory, row-major, of this shape.
array uninitialized(per_axis const& shape, tally_type type, std::size_t bytes);

/// Copies each element of `from` to its place in `to`, an array of the same shape, as bytes: as many as the smaller
/// element has. Bytes of `to` beyond are not written.
void copy_bytes(array const& from, array const& to);

/// Copies and converts.
/// Requires  converts(from.type, to.type).
void convert(array const& from, array const& to);

/// Whether values of a type convert to another one: integers to integers and floats, floats to floats, bools to all;
/// all to complex numbers.
bool converts(tally_type from, tally_type to);

}  // namespace tally::c
