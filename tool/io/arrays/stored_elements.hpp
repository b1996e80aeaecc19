#pragma once

#include <bit>
#include <cstddef>

#include "io/element_type.hpp"

namespace tally::io {

/// The encoding of the values in a binary file.
struct stored_elements {
  /// The stored kind if it is not `type`: a half is read as float32, a truth value as uint8.
  enum class form { plain, half, boolean };

  element_type type = element_type::float64;  ///< as readers give them
  form stored_as = form::plain;
  std::endian order = std::endian::native;

  std::size_t size() const { return stored_as == form::half ? 2 : byte_size(type); }
  /// Whether the stored bytes are the values themselves.
  bool native() const { return stored_as == form::plain && (order == std::endian::native || size() == 1); }
};

/// Converts `count` stored elements at `from` to values of elements.type at `to`. Halves become floats exactly, with
/// the payload of a NaN; truth values become 0 or 1. Requires: `to` is aligned; the two do not overlap, or they are
/// equal and the elements are not halves.
void to_values(stored_elements const& elements, void const* from, void* to, std::size_t count);

}  // namespace tally::io
