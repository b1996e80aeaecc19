#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "../support/float_format.hpp"
#include "../support/generator.hpp"
#include "../support/operators.hpp"
#include "recurrence_reference.hpp"
#include "reference.hpp"
#include "tally/operators/arithmetic.hpp"

/// The text of a golden file: the results of the order for one operator and one type, at the sizes where a unit of the
/// order begins or ends. The file states the rule of its inputs, so that a program in any language can check itself
/// against it.
namespace tally::test::golden {

inline constexpr std::uint64_t seed = 20260101;
/// The initial value is the element with this index, which no input reaches.
inline constexpr std::uint64_t init_index = std::uint64_t{1} << 32;

/// Magnitudes from 2^-range to 2^(range + 1), of both signs. Most additions round, and many lose a whole operand. A
/// narrow type has a narrow range, so that nothing overflows.
template <binary_float T>
inline constexpr std::uint64_t exponent_range = float_format<T>::exponent_bits < 8 ? 4 : 20;

template <binary_float T>
T mixed(std::uint64_t k)
{
  using format = float_format<T>;
  std::uint64_t const r = random_bits(seed, k);
  return assemble<T>(r & 1, format::bias - exponent_range<T> + (r >> 8) % (2 * exponent_range<T> + 1),
                     r >> (64 - format::fraction_bits));
}

/// Values near 1, above and below in balance, so that products of all elements of a file stay normal. Above 1 a bit is
/// worth twice as much as below; a type with a short fraction has only 1 and its nearest neighbours there.
template <binary_float T>
inline constexpr int near_one_bits = float_format<T>::fraction_bits > 11 ? float_format<T>::fraction_bits - 10 : 0;

template <binary_float T>
T close_to_one(std::uint64_t k)
{
  using format = float_format<T>;
  using bits = typename format::bits;
  std::uint64_t const r = random_bits(seed, k);
  std::uint64_t const one = format::bias << format::fraction_bits;
  constexpr int width = near_one_bits<T>;
  if constexpr (width > 0)
    return std::bit_cast<T>(static_cast<bits>(r & 1 ? one + (r >> (64 - width)) : one - (r >> (63 - width))));
  else
    return std::bit_cast<T>(static_cast<bits>(r & 1 ? one + (r >> 63) : one - 2 * (r >> 63)));
}

/// An operator with the inputs that suit it.
struct sums {
  using operation = plus;
  static constexpr char const* name = "plus";
  template <class T>
  static T element(std::uint64_t k)
  {
    return mixed<T>(k);
  }
};
struct products {
  using operation = multiplies;
  static constexpr char const* name = "multiplies";
  template <class T>
  static T element(std::uint64_t k)
  {
    return close_to_one<T>(k);
  }
};
struct halvings {
  using operation = halve_and_add;
  static constexpr char const* name = "halve_and_add";
  template <class T>
  static T element(std::uint64_t k)
  {
    return mixed<T>(k);
  }
};

template <class T>
std::vector<std::size_t> sizes()
{
  std::size_t const row = 32 * (16 / sizeof(T));
  std::size_t const strip = 8 * row;
  std::size_t const tile = 8 * strip;
  return {0,         1,        3,    4,        5,        row - 1,       row,       row + 1,       strip - 1,     strip,
          strip + 1, tile - 1, tile, tile + 1, 2 * tile, 32 * tile - 1, 32 * tile, 32 * tile + 1, 33 * tile + 77};
}

/// FNV-1a, 64 bits, over the bytes of the elements in index order, the lowest byte of each first.
template <class T>
std::uint64_t hash(std::vector<T> const& values)
{
  std::uint64_t h = 0xCBF29CE484222325u;
  for (T const& value : values) {
    std::uint64_t const bits = bits_of(value);
    for (std::size_t byte = 0; byte < sizeof(T); ++byte) h = (h ^ (bits >> (8 * byte) & 0xFF)) * 0x100000001B3u;
  }
  return h;
}

template <class T>
std::string hex(T const& value)
{
  std::ostringstream out;
  out << std::hex << std::setfill('0') << std::setw(2 * sizeof(T)) << std::uint64_t{bits_of(value)};
  return out.str();
}

template <class T>
std::string hex(std::optional<T> const& value)
{
  return value ? hex(*value) : "-";
}

template <class Case, class T>
std::vector<T> input(std::size_t n)
{
  std::vector<T> x;
  for (std::size_t k = 0; k < n; ++k) x.push_back(Case::template element<T>(k));
  return x;
}

/// The computed answers for one size. The last two include the initial value.
template <class T>
struct answers {
  std::vector<T> inclusive;
  std::optional<T> reduced;
  std::vector<T> exclusive;
  std::optional<T> reduced_from_init;
};

/// The rows of a golden file for sizes up to `largest`. `compute(x, op, init)` gives the answers for one input.
template <class Case, class T, class Compute>
std::string rows(Compute const& compute, std::size_t largest = std::size_t(-1))
{
  std::ostringstream out;
  for (std::size_t const n : sizes<T>()) {
    if (n > largest) continue;
    answers<T> const a = compute(input<Case, T>(n), typename Case::operation{}, Case::template element<T>(init_index));
    out << n << std::hex << std::setfill('0') << ' ' << std::setw(16) << hash(a.inclusive) << ' ' << hex(a.reduced)
        << ' ' << std::setw(16) << hash(a.exclusive) << ' ' << hex(a.reduced_from_init) << std::dec << '\n';
    if (n != 5 && n != 32 * (16 / sizeof(T)) + 1) continue;
    out << "inclusive";
    for (T const& value : a.inclusive) out << ' ' << hex(value);
    out << "\nexclusive";
    for (T const& value : a.exclusive) out << ' ' << hex(value);
    out << '\n';
  }
  return out.str();
}

/// The reference implementation's answers.
struct by_reference {
  template <class T, class Op>
  answers<T> operator()(std::vector<T> const& x, Op op, T const& init) const
  {
    auto const plain = reference::scan(x, op);
    auto const started = reference::scan(x, op, std::optional<T>(init));
    return {plain.inclusive, plain.reduced, started.exclusive, started.reduced};
  }
};

/// The sizes at which a unit of recurrences begins or ends.
template <class T>
std::vector<std::size_t> recurrence_sizes()
{
  std::size_t const group = 16 / sizeof(T), row = 16 * group, strip = 8 * row, tile = 8 * strip;
  return {0,        1,           group,     group + 1,     5 * group,     row - 1,  row,
          row + 1,  2 * row + 1, strip - 1, strip,         strip + 1,     tile - 1, tile,
          tile + 1, 2 * tile,    32 * tile, 32 * tile + 1, 33 * tile + 77};
}

/// The rows of the golden file of recurrences for sizes up to `largest`. Coefficients are close to 1, terms mixed.
/// `compute(a, b, before)` gives the states.
template <class T, class Compute>
std::string recurrence_rows(Compute const& compute, std::size_t largest = std::size_t(-1))
{
  std::ostringstream out;
  for (std::size_t const n : recurrence_sizes<T>()) {
    if (n > largest) continue;
    std::vector<T> const a = input<products, T>(n), b = input<sums, T>(n);
    std::vector<T> const y = compute(a, b, sums::element<T>(init_index));
    out << n << std::hex << std::setfill('0') << ' ' << std::setw(16) << hash(y) << ' '
        << hex(y.empty() ? std::optional<T>() : std::optional<T>(y.back())) << std::dec << '\n';
    if (n != 2 * (16 * (16 / sizeof(T))) + 1) continue;
    out << "states";
    for (T const& value : y) out << ' ' << hex(value);
    out << '\n';
  }
  return out.str();
}

}  // namespace tally::test::golden
