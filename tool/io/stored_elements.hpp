#pragma once

#include <bit>
#include <cstddef>

#include "io/element_type.hpp"

namespace tally::io {

/// How the values of a binary file are stored.
struct stored_elements {
  /// As what they are stored if it is not `type`: a half as float32, a truth value as uint8.
  enum class form { plain, half, boolean };

  element_type type = element_type::float64;  ///< as readers give them
  form stored_as = form::plain;
  std::endian order = std::endian::native;

  std::size_t size() const { return stored_as == form::half ? 2 : byte_size(type); }
  /// Whether the stored bytes are the values themselves.
  bool native() const { return stored_as == form::plain && (order == std::endian::native || size() == 1); }
};

/// Turns `count` stored elements at `from` into values of elements.type at `to`. Halves become floats exactly, with the
/// payload of a NaN; truth values 0 or 1. Requires: `to` is aligned for values; the two do not overlap, or they are
/// equal and elements are no halves.
void to_values(stored_elements const& elements, void const* from, void* to, std::size_t count);

}  // namespace tally::io
