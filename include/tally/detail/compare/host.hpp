#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>

#include "tally/detail/compare/elements.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/reduce.hpp"
#include "tally/sequences.hpp"

/// The first difference on a CPU: a reduction with the least index, whose elements are blocks of both sequences.
namespace tally::detail::compare {

/// Returns the index of the first of n bytes that differ; n if none do.
inline std::size_t first_different_byte(unsigned char const* a, unsigned char const* b, std::size_t n)
{
  std::size_t at = 0;
  // memcmp is fast but does not say where bytes differ. A piece that it finds unequal is compared again in shorter
  // ones.
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

/// The number of elements in a block. A block is at least a microsecond of work. It is also what a thread reads in vain
/// when another thread has found a difference before it.
template <class T>
inline constexpr std::size_t compared_block = sizeof(T) < 65536 ? 65536 / sizeof(T) : 1;

/// Two sequences of n elements as blocks.
template <class I1, class I2, class Same>
struct compared_blocks {
  I1 first1;
  I2 first2;
  std::size_t n;
  Same& same;
  std::atomic<std::size_t> found;  // the first difference found so far: blocks behind it are not read

  static constexpr std::size_t block = compared_block<std::iter_value_t<I1>>;

  /// The index of the first difference in block b; n if there is none, or if an earlier difference is known.
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

/// Returns the first k < n at which the sequences differ; n if they do not.
template <host P, class I1, class I2, class Same>
std::size_t first_difference(P const& on, I1 first1, I2 first2, std::size_t n, Same same)
{
  using blocks = compared_blocks<I1, I2, Same>;
  blocks all{first1, first2, n, same, n};
  // The first block is compared before any thread is woken.
  std::size_t const k = n == 0 ? n : all.in_block(0);
  took(compared_as_bytes<I1, I2, Same> ? "compare: by bytes" : "compare: by elements");
  took(k < n || n <= blocks::block ? "compare: the first block decides" : "compare: more blocks");
  if (k < n || n <= blocks::block) return k;
  auto const in = elements_from(difference_in_block<blocks>{&all}, 2 * blocks::block * sizeof(std::iter_value_t<I1>));
  auto const count = static_cast<std::ptrdiff_t>((n + blocks::block - 1) / blocks::block);
  return tally::reduce(on, in + 1, in + count, n, minimum{});
}

/// The element at `at`.
template <host P, class I>
std::iter_value_t<I> element_at(P const&, I at)
{
  return *at;
}

}  // namespace tally::detail::compare
