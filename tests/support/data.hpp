#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "float_format.hpp"
#include "generator.hpp"

namespace tally::test {

/// The kinds of hard sequences. Integers have only `distinct`: all their bits are random, so every sum wraps.
enum class data {
  distinct,          ///< random fractions, magnitudes within a factor of 16, both signs
  mixed_magnitudes,  ///< exponents over half of the type's range: most additions round, many lose an operand whole
  cancelling,        ///< large values each followed at once or later by its negative, small ones between
  denormals,         ///< zeros and denormals of both signs and the smallest normal values
  negative_zeros,    ///< mostly -0.0, now and then +0.0
  infinities,        ///< mixed magnitudes, +infinity in the last quarter: everything after it is infinite
  not_a_number,      ///< mixed magnitudes, one NaN in the middle: everything after it is NaN, nothing before
};

inline constexpr data all_data[] = {data::distinct,       data::mixed_magnitudes, data::cancelling,  data::denormals,
                                    data::negative_zeros, data::infinities,       data::not_a_number};

constexpr char const* name(data kind)
{
  constexpr char const* names[] = {"distinct",       "mixed magnitudes", "cancelling",  "denormals",
                                   "negative zeros", "infinities",       "not a number"};
  return names[static_cast<int>(kind)];
}

/// The kinds that make sense for T.
template <class T>
std::vector<data> kinds_of_data()
{
  if constexpr (binary_float<T>)
    return {std::begin(all_data), std::end(all_data)};
  else
    return {data::distinct};
}

/// The kind that shows a wrong bracket most reliably.
template <class T>
inline constexpr data hardest = binary_float<T> ? data::mixed_magnitudes : data::distinct;

namespace detail {

/// A value whose exponent is within `spread` of that of 1.
template <binary_float T>
T near_one(std::uint64_t random, std::uint64_t spread)
{
  using format = float_format<T>;
  std::uint64_t const exponent = format::bias - spread + (random >> 8) % (2 * spread + 1);
  return assemble<T>(random & 1, exponent, random >> (64 - format::fraction_bits));
}

template <binary_float T>
T element(data kind, std::size_t k, std::size_t n, std::uint64_t seed)
{
  using format = float_format<T>;
  std::uint64_t const random = random_bits(seed, k);
  std::uint64_t const fraction = random >> (64 - format::fraction_bits);
  switch (kind) {
    case data::distinct: return near_one<T>(random, 2);
    case data::infinities:
      if (k == n - n / 4 - 1 && n > 1) return assemble<T>(false, format::all_ones_exponent, 0);
      break;
    case data::not_a_number:
      if (k == n / 2)
        return assemble<T>(false, format::all_ones_exponent, std::uint64_t{1} << (format::fraction_bits - 1));
      break;
    case data::cancelling: {
      // Elements 2j and 2j + 1 cancel if j is odd; if j is even, a small value replaces the second.
      std::uint64_t const pair = random_bits(seed, k / 2);
      if (k / 2 % 2 == 0 && k % 2 == 1) return near_one<T>(random, 3);
      return assemble<T>((pair & 1) ^ (k % 2), format::bias + format::bias / 4, pair >> (64 - format::fraction_bits));
    }
    case data::denormals: return assemble<T>(random & 1, (random >> 1) % 8 == 0, (random >> 4) % 4 == 0 ? 0 : fraction);
    case data::negative_zeros: return assemble<T>(random % 5 != 0, 0, 0);
    case data::mixed_magnitudes: break;
  }
  return near_one<T>(random, format::bias / 4);
}

}  // namespace detail

/// n elements of a kind. Different seeds give different sequences; the same arguments give the same bits on every
/// machine.
template <class T>
std::vector<T> make_data(data kind, std::size_t n, std::uint64_t seed = 1)
{
  std::vector<T> x(n);
  for (std::size_t k = 0; k < n; ++k) {
    if constexpr (binary_float<T>)
      x[k] = detail::element<T>(kind, k, n, seed);
    else
      x[k] = static_cast<T>(random_bits(seed, k) >> 7);
  }
  return x;
}

}  // namespace tally::test
