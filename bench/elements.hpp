#pragma once

#include <cstddef>
#include <cstdint>

#include "contender.hpp"

namespace tally::bench {

template <class T>
struct element_of;
template <>
struct element_of<float> {
  static constexpr element value = element::f32;
};
template <>
struct element_of<double> {
  static constexpr element value = element::f64;
};
template <>
struct element_of<std::int32_t> {
  static constexpr element value = element::i32;
};
template <>
struct element_of<std::int64_t> {
  static constexpr element value = element::i64;
};
template <>
struct element_of<std::int16_t> {
  static constexpr element value = element::i16;
};
template <>
struct element_of<std::int8_t> {
  static constexpr element value = element::i8;
};

/// Calls `f.template operator()<T>()` for every element type.
template <class F>
void for_each_element(F&& f)
{
  f.template operator()<float>();
  f.template operator()<double>();
  f.template operator()<std::int32_t>();
  f.template operator()<std::int64_t>();
  f.template operator()<std::int16_t>();
  f.template operator()<std::int8_t>();
}

constexpr std::size_t size_of(element type)
{
  switch (type) {
    case element::f32:
    case element::i32: return 4;
    case element::f64:
    case element::i64: return 8;
    case element::i16: return 2;
    case element::i8: return 1;
  }
  return 0;
}

}  // namespace tally::bench
