#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tally/algorithms/bins.hpp"
#include "tally/config.hpp"

namespace tally::detail::histogram {

/// Whether a float holds every number of a type.
template <class T>
inline constexpr bool is_exact_in_float =
    std::is_same_v<T, float> || (std::integral<T> && std::numeric_limits<T>::digits <= 24) ||
    (!std::is_arithmetic_v<T> && sizeof(T) == 2 && std::is_constructible_v<float, T>);

/// even_bins on a GPU, for numbers that a float holds. A multiprocessor of an H200 converts between floats and doubles,
/// and doubles and integers, a quarter as fast as it counts: 2^28 floats took 361 us, of which the memory needs 236.
/// So the place of a value among the bins is computed by floats first. It differs from the one that even_bins computes
/// by less than a margin, so only values that near an edge, and those outside of all bins, need even_bins.
///
/// With scale s = count / (upper - lower) and o = -lower s, the place is x s + o, a fused product and sum. Roundings
/// of s, of o and of the result add up to at most 2^-24 (|x| s + |o| + place), and |x| s is at most place + |o|.
class float_bins {
public:
  explicit float_bins(even_bins const& bins) : bins_(bins), count_(static_cast<std::uint32_t>(bins.count()))
  {
    double const count = static_cast<double>(bins.count()), scale = count / (bins.upper() - bins.lower());
    double const offset = -bins.lower() * scale, margin = 0x1.1p-23 * (count + std::abs(offset) + 1);
    // Beyond these limits no value is sure; a scale that is not a normal float has a larger error.
    bool const are_sure = margin < 0x1p-3 && count < 0x1p20 && scale >= std::numeric_limits<float>::min() &&
                          scale <= std::numeric_limits<float>::max();
    scale_ = are_sure ? static_cast<float>(scale) : 0;
    offset_ = are_sure ? static_cast<float>(offset) : 0;
    margin_ = are_sure ? static_cast<float>(margin) : 1;
  }

  TALLY_HD std::size_t slots() const { return bins_.slots(); }
  /// Whether floats say of any value which bin it is in.
  bool are_sure() const { return margin_ < 1; }

  template <class T>
  TALLY_HD std::int32_t operator()(T const& value) const
  {
    constexpr float one_by_one = 0x1p23f;  // from here on floats are whole numbers
    float const place = std::fma(static_cast<float>(value), scale_, offset_);
    float const shifted = place + one_by_one, beyond = place - (shifted - one_by_one);
    // Negative numbers, great ones, infinities and NaNs become numbers of bins that there are not.
    std::uint32_t const bin = bits_of(shifted) - bits_of(one_by_one) - (beyond < 0 ? 1u : 0u);
    if (bin < count_ && std::fabs(beyond) >= margin_) return static_cast<std::int32_t>(bin);
    return bins_(value);
  }

private:
  TALLY_HD static std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }

  even_bins bins_;
  std::uint32_t count_;
  float scale_, offset_, margin_;
};

}  // namespace tally::detail::histogram
