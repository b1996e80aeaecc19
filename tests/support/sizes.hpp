#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "tally/order.hpp"

namespace tally::test {

/// The largest size that tests use: TALLY_TEST_MAX_SIZE in the environment; else 70000 in a build that tests briefly
/// (two tiles of bytes, more of every other type); else any size.
inline std::size_t largest_size()
{
  char const* const value = std::getenv("TALLY_TEST_MAX_SIZE");
  if (value) return std::stoull(value);
#ifdef TALLY_TEST_BRIEFLY
  return 70000;
#else
  return std::size_t(-1);
#endif
}

/// The tries of a random test: a sanitizer finds its faults in a few.
constexpr std::size_t some_of(std::size_t tries)
{
#ifdef TALLY_TEST_BRIEFLY
  return (tries + 5) / 6;
#else
  return tries;
#endif
}

/// These sizes; in a build that tests briefly, every third and the last.
inline std::vector<std::size_t> some_of(std::vector<std::size_t> sizes)
{
#ifdef TALLY_TEST_BRIEFLY
  std::size_t kept = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (k % 3 == 0 || k + 1 == sizes.size()) sizes[kept++] = sizes[k];
  sizes.resize(kept);
#endif
  return sizes;
}

/// 1, 2 ... last. In a build that tests briefly, those up to 34, around greater powers of two, and at the end.
inline std::vector<int> every_size_to(int last)
{
  std::vector<int> sizes;
  for (int n = 1; n <= last; ++n) {
#ifdef TALLY_TEST_BRIEFLY
    bool const around_a_power = std::has_single_bit(static_cast<unsigned>(n - 1)) ||
                                std::has_single_bit(static_cast<unsigned>(n)) ||
                                std::has_single_bit(static_cast<unsigned>(n + 1));
    if (n > 34 && n < last - 1 && !around_a_power) continue;
#endif
    sizes.push_back(n);
  }
  return sizes;
}

/// Sorts sizes, removes duplicates, and reduces those beyond `largest_size()` to it.
inline std::vector<std::size_t> tidy(std::vector<std::size_t> sizes)
{
  for (std::size_t& n : sizes) n = std::min(n, largest_size());
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// The sizes up to two tiles of T at which a unit of the order begins or ends, and their neighbours.
template <class T>
std::vector<std::size_t> tile_sizes()
{
  std::vector<std::size_t> sizes{0, 1, 2, 3};
  for (std::size_t const boundary :
       {order::group<T>, 2 * order::group<T>, order::row<T>, 3 * order::row<T>, order::strip<T>,
        order::strip<T> + order::row<T>, order::tile<T>, 2 * order::tile<T>})
    for (std::size_t const n : {boundary - 1, boundary, boundary + 1}) sizes.push_back(n);
  sizes.push_back(5 * order::strip<T> + 3 * order::row<T> + 2 * order::group<T> + 1);
  return tidy(sizes);
}

/// The sizes around a span, and one that ends inside a later one.
template <class T>
std::vector<std::size_t> span_sizes()
{
  std::size_t const span = order::span<T>;
  return tidy({3 * order::tile<T> + 1, span - 1, span, span + 1, span + order::tile<T> + order::row<T> + 5});
}

/// The last of these sizes, for contracts that differ little from another one.
template <class T>
std::vector<std::size_t> one_span_size()
{
  return {span_sizes<T>().back()};
}

/// A few sizes that end in the middle of every unit, for many kinds of values.
template <class T>
std::vector<std::size_t> hostile_sizes()
{
  return tidy({order::group<T> + 1, order::row<T> + 1, order::strip<T> + 3, order::tile<T> + order::row<T> + 5});
}

/// A few short sizes, for many alignments.
template <class T>
std::vector<std::size_t> alignment_sizes()
{
  return tidy({1, order::group<T> + 1, order::row<T> + 3, order::strip<T> + order::row<T> + 1});
}

template <class T>
std::vector<std::size_t> all_sizes()
{
  std::vector<std::size_t> sizes = tile_sizes<T>();
  for (std::size_t const n : span_sizes<T>()) sizes.push_back(n);
  return sizes;
}

}  // namespace tally::test
