#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "../order/reference.hpp"
#include "../support/generator.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/operators/arithmetic.hpp"

/// Elements and results of many sequences, and sizes that select the paths of their calls.
namespace tally::test {

/// Element k of sequence s. Sums and products of floats round and stay finite; some elements are zeros.
template <class T, class Op>
T element(std::size_t s, std::size_t k)
{
  std::uint64_t const bits = random_bits(17 + s, k);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits | 1);
  } else if constexpr (std::is_same_v<Op, multiplies>) {
    return T(1) + static_cast<T>((static_cast<double>(bits >> 40) / (1 << 24) - 0.5) / 64);
  } else {
    if (bits % 61 == 3) return (bits & 64) != 0 ? T(0) : -T(0);
    return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits) >> 11) / (std::int64_t{1} << 45));
  }
}

/// The initial value of sequence s.
template <class T>
T initial_value(std::size_t s)
{
  return static_cast<T>(static_cast<int>(s % 7) + 2);
}

/// The results of sequence s without an initial value, with that of sequence `from`: of the longest sequence that was
/// asked for, whose beginnings are the results of shorter ones.
template <class T, class Op>
std::vector<T> const& expected(std::size_t s, std::optional<std::size_t> from, std::size_t n)
{
  static std::map<std::pair<std::size_t, std::optional<std::size_t>>, std::vector<T>> all;
  std::vector<T>& known = all[{s, from}];
  if (known.size() < n) {
    std::vector<T> in(std::max<std::size_t>(n, 640));
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = element<T, Op>(s, k);
    std::optional<T> init;
    if (from) init = initial_value<T>(*from);
    known = reference::scan<T>(in, Op{}, init).inclusive;
  }
  return known;
}

enum class initials { none, one, each };

/// Sizes that select paths, drawn.
inline void draw_tuning(cpu_backend::tuning& sizes, std::uint64_t seed)
{
  sizes.serial_bytes = 0;
  sizes.bytes_a_thread = 0;
  sizes.processors = 4;
  std::uint64_t const bits = random_bits(seed, 99);
  sizes.streamed_bytes = bits % 2 == 0 ? 0 : ~std::size_t{0};
  sizes.short_bytes = std::array<std::size_t, 3>{0, 512, 4096}[bits / 2 % 3];
  sizes.row_block_bytes = bits / 864 % 2 == 0 ? 0 : std::size_t{9} << 10;
  sizes.column_bytes = std::array<std::size_t, 3>{64, 256, 4096}[bits / 6 % 3];
  sizes.least_column_bytes = bits / 18 % 2 == 0 ? 0 : 512;
  sizes.columns_ahead = bits / 18 % 2 == 0 ? 0 : 8;
  sizes.apart_size = std::array<std::size_t, 3>{1, 128, ~std::size_t{0}}[bits / 5184 % 3];
  sizes.column_chunk_bytes = std::array<std::size_t, 3>{0, 7168, ~std::size_t{0}}[bits / 288 % 3];
  sizes.long_sequence = bits / 36 % 4 == 0 ? 1 : std::size_t{1} << 18;
  sizes.most_scanning_at_once = bits / 15552 % 2 == 0 ? 0 : 4;
  sizes.staged_bytes = bits / 144 % 2 == 0 ? 0 : 4096;
  sizes.totalled_bytes = std::array<std::size_t, 3>{0, 128, 4096}[bits / 1728 % 3];
  sizes.streamed_segment_bytes = bits / 288 % 2 == 0 ? 0 : 4096;
  sizes.elements_a_head = std::array<std::size_t, 3>{1, 40, std::size_t{1} << 20}[bits / 576 % 3];
}

}  // namespace tally::test
