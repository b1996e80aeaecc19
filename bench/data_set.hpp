#pragma once

#include <cstddef>

#include "contender.hpp"

namespace tally::bench {

/// Zero-initialised memory, on huge pages where the system grants them: times on small pages depend on where the system
/// happens to put these.
class pages {
public:
  explicit pages(std::size_t bytes);
  ~pages();
  pages(pages const&) = delete;
  pages& operator=(pages const&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

private:
  std::byte* data_;
  std::size_t bytes_;
};

/// Whole numbers that stand for the values of float and double inputs: an input is a multiple of 1 / units_in_one<T>
/// in (0, 1], so exact sums are 64-bit integers. Every sum of such values that is rounded to T is a multiple of it too.
template <class T>
inline constexpr double units_in_one = 1;
template <>
inline constexpr double units_in_one<float> = 16777216.0;  // 2^24
template <>
inline constexpr double units_in_one<double> = 34359738368.0;  // 2^35: 2^28 ones are below 2^63

/// Random inputs of one element type and room for outputs.
///
/// Floats: uniform in (0, 1]. 32- and 64-bit integers: both signs, sums that do not overflow (peers may not wrap).
/// 8- and 16-bit integers: the whole range; their sums wrap.
class data_set {
public:
  data_set(element type, std::size_t elements);

  element type() const { return type_; }
  std::size_t size() const { return elements_; }
  std::byte const* in(std::size_t first = 0) const;
  std::byte* out(std::size_t first = 0) const;

private:
  element type_;
  std::size_t elements_;
  pages in_;
  pages out_;
};

}  // namespace tally::bench
