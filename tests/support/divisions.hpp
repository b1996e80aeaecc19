#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../order/reference.hpp"
#include "bits.hpp"
#include "data.hpp"
#include "generator.hpp"
#include "tally/error.hpp"
#include "tally/order.hpp"

/// Sequences in parts, one a rank: divisions, and the results of the whole.
namespace tally::test {

/// The reference's units for a tile of up to a group: its elements from the left.
inline reference::shape tiles_of(std::size_t tile)
{
  return {.group = tile, .row = 1, .strip = 1, .tile = 1};
}

/// The units of the order, or those for a tile of a few elements.
template <class T>
reference::shape shape_of(std::size_t tile)
{
  return tile == order::tile<T> ? reference::shape_of<T>() : tiles_of(tile);
}

/// Calls f(offsets) for every division of n elements among three ranks, empty parts too.
template <class F>
void for_each_division(std::size_t n, F const& f)
{
  for (std::size_t a = 0; a <= n; ++a)
    for (std::size_t b = a; b <= n; ++b) f(std::vector<std::size_t>{0, a, b, n});
}
inline std::vector<std::vector<std::size_t>> every_division(std::size_t n)
{
  std::vector<std::vector<std::size_t>> divisions;
  for_each_division(n, [&](auto const& offsets) { divisions.push_back(offsets); });
  return divisions;
}
/// The same divisions among five ranks, of which the second and the last have nothing.
inline std::vector<std::vector<std::size_t>> every_division_with_idle_ranks(std::size_t n)
{
  std::vector<std::vector<std::size_t>> divisions;
  for_each_division(n,
                    [&](auto const& offsets) { divisions.push_back({0, offsets[1], offsets[1], offsets[2], n, n}); });
  return divisions;
}

/// The offsets of `ranks` random parts of n elements; some are empty.
inline std::vector<std::size_t> random_division(std::size_t n, int ranks, std::uint64_t seed)
{
  std::vector<std::size_t> offsets{0, n};
  for (int r = 1; r < ranks; ++r) {
    std::uint64_t const random = random_bits(seed, static_cast<std::uint64_t>(r));
    offsets.push_back(random % 4 == 0 ? offsets.back() : static_cast<std::size_t>(random >> 8) % (n + 1));
  }
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}
inline std::vector<std::vector<std::size_t>> random_divisions(std::size_t n, int ranks, std::uint64_t count,
                                                              std::uint64_t first_seed = 0)
{
  std::vector<std::vector<std::size_t>> divisions;
  for (std::uint64_t k = 0; k < count; ++k) divisions.push_back(random_division(n, ranks, first_seed + k));
  return divisions;
}
/// The same, and every other time the parts begin at the end of a tile, or one element behind it.
inline std::vector<std::size_t> division_near_tiles(std::size_t n, int ranks, std::size_t tile, std::uint64_t seed)
{
  auto offsets = random_division(n, ranks, seed);
  if (seed % 2 == 0) return offsets;
  for (std::size_t r = 1; r + 1 < offsets.size(); ++r)
    offsets[r] = std::min(n, offsets[r] / tile * tile + random_bits(seed, r) % 2);
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

/// Calls body(begin, end) with the part of `rank` in each division. A rank that throws ends the program, since the
/// others wait for it.
template <class Body>
void in_each_division(int rank, std::vector<std::vector<std::size_t>> const& divisions, Body const& body)
{
  auto const r = static_cast<std::size_t>(rank);
  for (auto const& offsets : divisions) {
    try {
      body(offsets[r], offsets[r + 1]);
    } catch (std::exception const& e) {
      std::string text;
      for (std::size_t const each : offsets) text += std::to_string(each) + ' ';
      std::fprintf(stderr, "rank %d of the division %s: %s\n", rank, text.c_str(), e.what());
      std::_Exit(EXIT_FAILURE);
    }
  }
}

/// A sequence and its results by the order, in tiles of a few elements, to which those of all divisions are compared.
template <class T, class Op>
struct whole {
  std::vector<T> x;
  T init;
  Op op;
  std::size_t tile;
  reference::results<T> plain, started;

  whole(std::size_t n, std::size_t tile_elements, Op operation)
      : whole(make_data<T>(hardest<T>, n), make_data<T>(data::distinct, 1, 99)[0], tile_elements, operation)
  {
  }
  whole(std::vector<T> elements, T initial, std::size_t tile_elements, Op operation)
      : x(std::move(elements)),
        init(initial),
        op(operation),
        tile(tile_elements),
        plain(reference::scan(x, op, std::optional<T>(), tiles_of(tile))),
        started(reference::scan(x, op, std::optional<T>(init), tiles_of(tile)))
  {
  }
};

/// Throws an error unless `got` has the bits of `all` from `begin` on.
template <class T>
void expect_part(std::vector<T> const& got, std::vector<T> const& all, std::size_t begin, char const* what)
{
  std::vector<T> const expected(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                all.begin() + static_cast<std::ptrdiff_t>(begin + got.size()));
  if (auto right = same_bits<T>(got, expected); !right) throw error(std::string(what) + ": " + right.message());
}
/// Throws an error unless `got` has the bits of `expected`.
template <class T>
void expect_value(T const& got, T const& expected, char const* what)
{
  if (!same(got, expected)) throw error(std::string(what) + ": " + shown(got) + ", expected " + shown(expected));
}

}  // namespace tally::test
