#pragma once

#include <cstdint>
#include <string>

#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"
#include "tally.h"
#include "tally/half.hpp"

namespace tally::c {

/// Calls `use(T())` for the type of elements that are compared: integers, floats, and bools as bytes.
/// Throws    not_supported for other types.
template <class Use>
void with_ordered_type(tally_type type, char const* name, Use const& use)
{
  int const kind = type.lanes == 1 ? type.code * 1000 + type.bits : -1;
  switch (kind) {
    case TALLY_INT * 1000 + 8: return use(std::int8_t());
    case TALLY_INT * 1000 + 16: return use(std::int16_t());
    case TALLY_INT * 1000 + 32: return use(std::int32_t());
    case TALLY_INT * 1000 + 64: return use(std::int64_t());
    case TALLY_BOOL * 1000 + 8:
    case TALLY_UINT * 1000 + 8: return use(std::uint8_t());
    case TALLY_UINT * 1000 + 16: return use(std::uint16_t());
    case TALLY_UINT * 1000 + 32: return use(std::uint32_t());
    case TALLY_UINT * 1000 + 64: return use(std::uint64_t());
    case TALLY_FLOAT * 1000 + 16: return use(half());
    case TALLY_BFLOAT * 1000 + 16: return use(bfloat16());
    case TALLY_FLOAT * 1000 + 32: return use(float());
    case TALLY_FLOAT * 1000 + 64: return use(double());
    default:
      throw not_supported(std::string(name) + " has elements of type " + shown(type) +
                          "; those that are compared are integers, floats and bools");
  }
}

/// The same for types whose equality is all that matters: of integers their size.
template <class Use>
void with_equality_type(tally_type type, char const* name, Use const& use)
{
  if (type.lanes == 1 && type.code == TALLY_INT) type.code = TALLY_UINT;
  int const kind = type.lanes == 1 ? type.code * 1000 + type.bits : -1;
  switch (kind) {
    case TALLY_BOOL * 1000 + 8:
    case TALLY_UINT * 1000 + 8: return use(std::uint8_t());
    case TALLY_UINT * 1000 + 16: return use(std::uint16_t());
    case TALLY_UINT * 1000 + 32: return use(std::uint32_t());
    case TALLY_UINT * 1000 + 64: return use(std::uint64_t());
    case TALLY_FLOAT * 1000 + 16: return use(half());
    case TALLY_BFLOAT * 1000 + 16: return use(bfloat16());
    case TALLY_FLOAT * 1000 + 32: return use(float());
    case TALLY_FLOAT * 1000 + 64: return use(double());
    default:
      throw not_supported(std::string(name) + " has elements of type " + shown(type) +
                          "; those that are compared are integers, floats and bools");
  }
}

}  // namespace tally::c
