#pragma once

/// Calls X(type, type of its carries, whether the operator is exact) for every combination of the built-in operators
/// that are called by pointers.
#define TALLY_FOR_EACH_OPERATOR_BY_POINTER(X)                                                                          \
  X(std::int8_t, std::int8_t, true)                                                                                    \
  X(std::int16_t, std::int16_t, true)                                                                                  \
  X(std::int32_t, std::int32_t, true)                                                                                  \
  X(std::int64_t, std::int64_t, true)                                                                                  \
  X(std::uint8_t, std::uint8_t, true)                                                                                  \
  X(std::uint16_t, std::uint16_t, true)                                                                                \
  X(std::uint32_t, std::uint32_t, true)                                                                                \
  X(std::uint64_t, std::uint64_t, true)                                                                                \
  X(float, double, false)                                                                                              \
  X(float, float, false)                                                                                               \
  X(float, float, true)                                                                                                \
  X(double, double, false)                                                                                             \
  X(double, double, true)
