#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "support/operators.hpp"
#include "tally/config.hpp"
#include "tally/half.hpp"

/// Inputs as functions of the index k, so that the check of a result computes the elements again.
namespace tally::soak {

/// Random bits for k, by the first half of MurmurHash3's finalizer.
TALLY_HD constexpr std::uint32_t hashed(std::uint32_t seed, std::size_t k)
{
  auto h = static_cast<std::uint32_t>(k) * 0x9E3779B9u + seed;
  h = (h ^ (h >> 15)) * 0x85EBCA6Bu;
  return h ^ (h >> 13);
}
constexpr char const* hashed_text = "auto h = [](std::size_t k) { auto h = unsigned(k) * 0x9E3779B9u + SEEDu; h = (h ^ "
                                    "(h >> 15)) * 0x85EBCA6Bu; return h ^ (h >> 13); }; ";

/// Each kind of input is a function object, with the same function as text. Each keeps results changing from element to
/// element for as long as the operator allows.
struct elements {
  std::uint32_t seed;
  std::size_t size;
  std::uint64_t part = (std::uint64_t{1} << 32) / (size + 1);  // 2^-32 of which an element is of all
};

template <class T>
inline constexpr bool is_float = std::numeric_limits<T>::is_iec559;
// A variable: device code cannot call std::numeric_limits.
template <class T>
inline constexpr T lowest = std::numeric_limits<T>::lowest();

/// All bits random.
template <class T>
struct any_bits : elements {
  TALLY_HD T operator()(std::size_t k) const { return static_cast<T>((hashed(seed, k) * 0x9E3779B97F4A7C15u) >> 24); }
  static constexpr char const* text = "T((h(k) * 0x9E3779B97F4A7C15ull) >> 24)";
};

/// Random odd numbers, whose products never become zero.
template <class T>
struct odd_numbers : elements {
  TALLY_HD T operator()(std::size_t k) const
  {
    return static_cast<T>(((hashed(seed, k) * 0x9E3779B97F4A7C15u) >> 24) | 1);
  }
  static constexpr char const* text = "T(((h(k) * 0x9E3779B97F4A7C15ull) >> 24) | 1)";
};

/// -1, 0 and 1, whose sums are exact in every floating-point type.
template <class T>
struct small_numbers : elements {
  TALLY_HD T operator()(std::size_t k) const
  {
    return static_cast<T>(static_cast<float>(static_cast<int>(hashed(seed, k) % 3) - 1));
  }
  static constexpr char const* text = "T(float(int(h(k) % 3) - 1))";
};

/// Powers of two of both signs, whose products over any stretch are within 2^-8 and 2^8.
template <class T>
struct powers_of_two : elements {
  TALLY_HD static float power(int e) { return e >= 0 ? static_cast<float>(1 << e) : 1 / static_cast<float>(1 << -e); }
  TALLY_HD T operator()(std::size_t k) const
  {
    std::uint32_t const h = hashed(seed, k);
    float const x = power(static_cast<int>(h & 7) - static_cast<int>(hashed(seed, k + 1) & 7));
    return static_cast<T>((h & 16) != 0 ? -x : x);
  }
  static constexpr char const* text = "T(std::ldexp(h(k) & 16 ? -1.f : 1.f, int(h(k) & 7) - int(h(k + 1) & 7)))";
};

/// Mostly greater than all elements before it, for maxima.
template <class T>
struct rising : elements {
  TALLY_HD T operator()(std::size_t k) const
  {
    std::uint32_t const noise = hashed(seed, k) & 7;
    std::uint64_t const reached = (k * part) >> 16;  // 16 bits
    if constexpr (is_float<T>)
      return static_cast<T>(static_cast<float>(reached >> 1) - static_cast<float>(noise));
    else if constexpr (sizeof(T) == 1)
      return static_cast<T>(lowest<T> + static_cast<int>(reached >> 8) -
                            (reached >= 2048 ? static_cast<int>(noise) : 0));
    else
      return static_cast<T>(lowest<T> + static_cast<T>(reached / 2 - (reached >= 16 ? noise : 0)));
  }
  static constexpr char const* text = nullptr;
};

/// Mostly less than all elements before it, for minima.
template <class T>
struct falling : elements {
  TALLY_HD T operator()(std::size_t k) const
  {
    T const up = rising<T>{{seed, size, part}}(k);
    if constexpr (is_float<T>)
      return static_cast<T>(-static_cast<float>(up));
    else
      return static_cast<T>(~up);
  }
  static constexpr char const* text = nullptr;
};

/// A few scattered bits, so that each bit is first set after a part of the input; for unions.
template <class T>
struct rare_bits : elements {
  TALLY_HD T operator()(std::size_t k) const
  {
    std::uint32_t const h = hashed(seed, k);
    constexpr std::uint32_t bits = 8 * sizeof(T);
    bool const set = (h >> 8) <= (bits * part) >> 8;
    return set ? static_cast<T>(T{1} << (h % bits)) : T{};
  }
  static constexpr char const* text = nullptr;
};

/// All bits but, rarely, one; for intersections.
template <class T>
struct rare_gaps : elements {
  TALLY_HD T operator()(std::size_t k) const { return static_cast<T>(~rare_bits<T>{{seed, size, part}}(k)); }
  static constexpr char const* text = nullptr;
};

/// Floating-point numbers of which every addition rounds.
template <class T>
struct fractions : elements {
  TALLY_HD T operator()(std::size_t k) const
  {
    std::uint32_t const h = hashed(seed, k);
    float const x = (static_cast<float>(h >> 8) + 1) *
                    powers_of_two<T>::power(static_cast<int>(h % (sizeof(T) == 2 ? 16 : 32)) - 24);
    return static_cast<T>((h & 32) != 0 ? -x : x);
  }
  static constexpr char const* text = nullptr;
};

/// Numbers of both signs around one in magnitude, whose products round and stay within the range of double.
template <class T>
struct near_one : elements {
  TALLY_HD T operator()(std::size_t k) const
  {
    std::uint32_t const h = hashed(seed, k);
    // The numbers come in pairs: a number, and about its inverse.
    auto const x = 1 + static_cast<double>(hashed(seed, k / 2) >> 8) / (1 << 24);
    double const y = k % 2 == 0 ? x : (1 / x) * (1 + static_cast<double>(h & 3) / (1 << 20) - 1.5 / (1 << 20));
    return static_cast<T>((h & 32) != 0 ? -y : y);
  }
  static constexpr char const* text = nullptr;
};

/// 2x2 matrices of determinant 1: no product of them is singular.
struct unimodular : elements {
  TALLY_HD test::matrix operator()(std::size_t k) const
  {
    std::uint32_t const a = hashed(seed, k), b = a * 0x2545F491u;
    return {1 + a * b, a, b, 1};
  }
};

/// Maps x -> scale x + offset modulo 2^(8 sizeof(T)), with the number of composed maps. There are values of 3 and of 24
/// bytes too.
template <class T>
struct map_of {
  T scale, offset, count;
  friend constexpr bool operator==(map_of const&, map_of const&) = default;
};
struct compose_maps {
  template <class T>
  TALLY_HD constexpr map_of<T> operator()(map_of<T> const& f, map_of<T> const& g) const
  {
    return {static_cast<T>(f.scale * g.scale), static_cast<T>(g.scale * f.offset + g.offset),
            static_cast<T>(f.count + g.count)};
  }
};
template <class T>
struct odd_maps : elements {
  TALLY_HD map_of<T> operator()(std::size_t k) const
  {
    std::uint32_t const h = hashed(seed, k);
    return {static_cast<T>(h | 1), static_cast<T>(h * 0x2545F491u), 1};
  }
};

/// Zero, or a number.
struct sparse : elements {
  TALLY_HD std::int32_t operator()(std::size_t k) const
  {
    std::uint32_t const h = hashed(seed, k);
    return h % 3 == 0 ? static_cast<std::int32_t>(h) : 0;
  }
};

/// The text of a value in a failure message.
template <class T>
std::string shown(T const& x)
{
  if constexpr (std::is_integral_v<T>)
    return std::to_string(x);
  else if constexpr (is_float<T>)
    return std::to_string(static_cast<double>(x));
  else
    return "another value";
}

}  // namespace tally::soak
