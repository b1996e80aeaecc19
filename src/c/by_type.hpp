#pragma once

#include <cstdint>
#include <string>

#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"
#include "tally.h"
#include "tally/half.hpp"

namespace tally::c {

/// The relation by which elements are compared.
enum class compared_by { order, equality };

/// Calls `use(T())` for the type of elements that are compared: integers, floats, and bools as bytes. By equality alone
/// an integer is taken for the unsigned one of its size.
/// Throws    not_supported for other types.
template <compared_by By, class Use>
void with_compared_type(tally_type type, char const* name, Use const& use)
{
  int const kind = type.lanes == 1 ? type.code * 1000 + type.bits : -1;
  auto const as = [&](auto as_signed, auto as_unsigned) {
    if constexpr (By == compared_by::order)
      use(as_signed);
    else
      use(as_unsigned);
  };
  switch (kind) {
    case TALLY_INT * 1000 + 8: return as(std::int8_t(), std::uint8_t());
    case TALLY_INT * 1000 + 16: return as(std::int16_t(), std::uint16_t());
    case TALLY_INT * 1000 + 32: return as(std::int32_t(), std::uint32_t());
    case TALLY_INT * 1000 + 64: return as(std::int64_t(), std::uint64_t());
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
