#pragma once

#include <atomic>
#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/reduce.hpp"
#include "tally/sequences.hpp"

/// How compare.hpp finds the first place where two sequences differ: a reduction with the least index.
namespace tally::detail {

/// `a == b`, also on a GPU.
struct same_elements {
  template <class A, class B>
  TALLY_HD constexpr bool operator()(A const& a, B const& b) const
  {
    return a == b;
  }
};

/// Whether the order of two elements is that of equal ones.
template <class Compare>
struct same_in_order {
  Compare compare;

  template <class A, class B>
  TALLY_HD constexpr bool operator()(A const& a, B const& b) const
  {
    return compare(a, b) == 0;
  }
};

/// Elements are the same where their bytes are, and lie in memory: they are compared as bytes.
template <class Same>
inline constexpr bool compares_values = false;
template <>
inline constexpr bool compares_values<same_elements> = true;
template <>
inline constexpr bool compares_values<std::equal_to<>> = true;
template <>
inline constexpr bool compares_values<std::ranges::equal_to> = true;
template <>
inline constexpr bool compares_values<same_in_order<std::compare_three_way>> = true;

template <class I1, class I2, class Same>
concept compared_as_bytes =
    std::contiguous_iterator<I1> && std::contiguous_iterator<I2> && compares_values<Same> &&
    std::same_as<std::iter_value_t<I1>, std::iter_value_t<I2>> && std::is_scalar_v<std::iter_value_t<I1>> &&
    std::has_unique_object_representations_v<std::iter_value_t<I1>>;

/// The first of n bytes that differ; n if none do.
inline std::size_t first_different_byte(unsigned char const* a, unsigned char const* b, std::size_t n)
{
  std::size_t at = 0;
  // memcmp is fast and does not say where: what it finds unequal is gone through again in short pieces.
  for (std::size_t const piece : {std::size_t{65536}, std::size_t{4096}, std::size_t{256}})
    while (at < n && std::memcmp(a + at, b + at, n - at < piece ? n - at : piece) == 0)
      at += n - at < piece ? n - at : piece;
  took(at == n      ? "compare: bytes that are the same"
       : n - at < 8 ? "compare: a difference in the last seven bytes"
                    : "compare: a difference by words");
  if constexpr (std::endian::native == std::endian::little) {
    for (; n - at >= sizeof(std::uint64_t); at += sizeof(std::uint64_t)) {
      std::uint64_t x, y;
      std::memcpy(&x, a + at, sizeof x);
      std::memcpy(&y, b + at, sizeof y);
      if (x != y) return at + static_cast<std::size_t>(std::countr_zero(x ^ y)) / 8;
    }
  }
  while (at < n && a[at] == b[at]) ++at;
  return at;
}

/// Elements of one block on a CPU: a microsecond of work and more, and what a thread reads in vain when another has
/// found a difference.
template <class T>
inline constexpr std::size_t compared_block = sizeof(T) < 65536 ? 65536 / sizeof(T) : 1;

/// Two sequences on a CPU. An element of the reduction is the first difference in a block, or n.
template <class I1, class I2, class Same>
struct compared_blocks {
  I1 first1;
  I2 first2;
  std::size_t n;
  Same& same;
  std::atomic<std::size_t> found;  // the first difference so far: blocks behind it are not read

  static constexpr std::size_t block = compared_block<std::iter_value_t<I1>>;

  std::size_t in_block(std::size_t b)
  {
    std::size_t const begin = b * block;
    std::size_t known = found.load(std::memory_order_relaxed);
    if (known <= begin) {
      took("compare: a block behind a difference");
      return n;
    }
    std::size_t const count = n - begin < block ? n - begin : block;
    std::size_t const k = in_elements(begin, count);
    if (k == count) return n;
    while (begin + k < known && !found.compare_exchange_weak(known, begin + k, std::memory_order_relaxed)) {}
    return begin + k;
  }

private:
  std::size_t in_elements(std::size_t begin, std::size_t count) const
  {
    I1 const a = first1 + static_cast<std::iter_difference_t<I1>>(begin);
    I2 const b = first2 + static_cast<std::iter_difference_t<I2>>(begin);
    if constexpr (compared_as_bytes<I1, I2, Same>) {
      constexpr std::size_t width = sizeof(std::iter_value_t<I1>);
      return first_different_byte(reinterpret_cast<unsigned char const*>(std::to_address(a)),
                                  reinterpret_cast<unsigned char const*>(std::to_address(b)), count * width) /
             width;
    } else {
      std::size_t k = 0;
      while (k < count &&
             same(a[static_cast<std::iter_difference_t<I1>>(k)], b[static_cast<std::iter_difference_t<I2>>(k)]))
        ++k;
      return k;
    }
  }
};

template <class Blocks>
struct difference_in_block {
  Blocks* blocks;
  std::size_t operator()(std::size_t b) const { return blocks->in_block(b); }
};

/// An element on a GPU.
template <class I1, class I2, class Same>
struct index_if_different {
  I1 first1;
  I2 first2;
  std::size_t n;
  Same same;

  TALLY_HD std::size_t operator()(std::size_t k) const
  {
    return same(first1[static_cast<std::ptrdiff_t>(k)], first2[static_cast<std::ptrdiff_t>(k)]) ? n : k;
  }
};

/// The first k of n at which the sequences differ; n if they do not.
template <class P, class I1, class I2, class Same>
std::size_t first_difference(P const& on, I1 first1, I2 first2, std::size_t n, Same same)
{
  if constexpr (host<P>) {
    using blocks = compared_blocks<I1, I2, Same>;
    blocks all{first1, first2, n, same, n};
    // What differs at once is found before any thread is woken.
    std::size_t const k = n == 0 ? n : all.in_block(0);
    took(compared_as_bytes<I1, I2, Same> ? "compare: by bytes" : "compare: by elements");
    took(k < n || n <= blocks::block ? "compare: the first block decides" : "compare: more blocks");
    if (k < n || n <= blocks::block) return k;
    auto const in = elements_from(difference_in_block<blocks>{&all}, 2 * blocks::block * sizeof(std::iter_value_t<I1>));
    auto const count = static_cast<std::ptrdiff_t>((n + blocks::block - 1) / blocks::block);
    return tally::reduce(on, in + 1, in + count, n, minimum{});
  } else {
    // Pieces eight times as long as all before: what is read in vain is bounded by what is not.
    auto const in = elements_from(index_if_different<I1, I2, Same>{first1, first2, n, same});
    std::size_t begin = 0;
    for (std::size_t size = std::size_t{1} << 22; begin < n; size *= 8) {
      std::size_t const end = n - begin < size ? n : begin + size;
      std::size_t const k = tally::reduce(on, in + static_cast<std::ptrdiff_t>(begin),
                                          in + static_cast<std::ptrdiff_t>(end), n, minimum{});
      if (k < n) return k;
      begin = end;
    }
    return n;
  }
}

}  // namespace tally::detail
