#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/divisions.hpp"
#include "../support/generator.hpp"
#include "parts.hpp"
#include "tally/error.hpp"
#include "tally/ranks.hpp"

/// Segments that cross from rank to rank: each has the bits of one machine with that segment alone.
namespace tally::test {

/// Values, the flags of their segments, keys with the same runs, and the results by the order.
template <class T, class Op>
struct segmented {
  std::vector<T> x;
  std::vector<char> flags;
  std::vector<std::int16_t> keys;
  Op op;
  T init;
  std::size_t tile;
  std::vector<T> inclusive, exclusive, sums;
  std::vector<std::size_t> begins;

  segmented(std::size_t n, std::vector<char> heads, std::size_t tile_elements, Op operation)
      : x(make_data<T>(hardest<T>, n)),
        flags(std::move(heads)),
        op(operation),
        init(make_data<T>(data::distinct, 1, 99)[0]),
        tile(tile_elements)
  {
    auto const shape = shape_of<T>(tile);
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
      for (end = begin + 1; end < n && flags[end] == 0;) ++end;
      std::vector<T> const own(x.begin() + static_cast<std::ptrdiff_t>(begin),
                               x.begin() + static_cast<std::ptrdiff_t>(end));
      auto const plain = reference::scan(own, op, std::optional<T>(), shape);
      auto const started = reference::scan(own, op, std::optional<T>(init), shape);
      inclusive.insert(inclusive.end(), plain.inclusive.begin(), plain.inclusive.end());
      exclusive.insert(exclusive.end(), started.exclusive.begin(), started.exclusive.end());
      sums.push_back(*plain.reduced);
      begins.push_back(begin);
      keys.insert(keys.end(), end - begin, static_cast<std::int16_t>(begins.size() % 3));
    }
  }
};

/// Every call by flag and by key on one rank's part.
template <class On, class T, class Op>
void check_segments(On const& on, segmented<T, Op> const& all, std::size_t begin, std::size_t end)
{
  auto const at = [&](auto const& values) { return values.begin() + static_cast<std::ptrdiff_t>(begin); };
  std::size_t const n = end - begin;
  auto const values = in_tiles_of(all.tile, all.x) + static_cast<std::ptrdiff_t>(begin);
  auto const values_end = values + static_cast<std::ptrdiff_t>(n);
  auto const keys_end = at(all.keys) + static_cast<std::ptrdiff_t>(n);
  std::vector<T> out(n, T{});
  tally::inclusive_scan_by_flag(on, values, values_end, at(all.flags), out.begin(), all.op);
  expect_part(out, all.inclusive, begin, "inclusive_scan_by_flag");
  tally::exclusive_scan_by_flag(on, values, values_end, at(all.flags), out.begin(), all.init, all.op);
  expect_part(out, all.exclusive, begin, "exclusive_scan_by_flag");
  tally::inclusive_scan_by_key(on, at(all.keys), keys_end, values, out.begin(), all.op);
  expect_part(out, all.inclusive, begin, "inclusive_scan_by_key");
  tally::exclusive_scan_by_key(on, at(all.keys), keys_end, values, out.begin(), all.init, all.op);
  expect_part(out, all.exclusive, begin, "exclusive_scan_by_key");

  auto const first =
      static_cast<std::size_t>(std::lower_bound(all.begins.begin(), all.begins.end(), begin) - all.begins.begin());
  auto const behind =
      static_cast<std::size_t>(std::lower_bound(all.begins.begin(), all.begins.end(), end) - all.begins.begin());
  std::vector<T> sums(n + 1, T{});
  std::vector<std::int16_t> keys(n + 1, -1);
  std::size_t count = tally::reduce_by_flag(on, values, values_end, at(all.flags), sums.begin(), all.op);
  if (count != behind - first) throw error("reduce_by_flag: " + std::to_string(count) + " segments");
  sums.resize(count);
  expect_part(sums, all.sums, first, "reduce_by_flag");
  sums.assign(n + 1, T{});
  count = tally::reduce_by_key(on, at(all.keys), keys_end, values, keys.begin(), sums.begin(), all.op);
  if (count != behind - first) throw error("reduce_by_key: " + std::to_string(count) + " runs");
  sums.resize(count);
  expect_part(sums, all.sums, first, "reduce_by_key");
  for (std::size_t s = 0; s < count; ++s)
    if (keys[s] != all.keys[all.begins[first + s]]) throw error("a key");
}

/// Flags of which one in `one_in` is set.
inline std::vector<char> random_flags(std::size_t n, std::size_t one_in, std::uint64_t seed)
{
  std::vector<char> flags(n);
  for (std::size_t k = 0; k < n; ++k) flags[k] = random_bits(seed, k) % one_in == 0;
  return flags;
}

/// Calls check(flags, divisions) for every pattern of flags on four elements, in every division among five ranks, of
/// which some have nothing.
template <class Check>
void for_each_pattern_of_flags(Check const& check)
{
  std::size_t const n = 4;
  auto const divisions = every_division_with_idle_ranks(n);
  for (unsigned pattern = 0; pattern < 16; ++pattern) {
    std::vector<char> flags(n);
    for (std::size_t k = 0; k < n; ++k) flags[k] = static_cast<char>(pattern >> k & 1);
    check(flags, divisions);
  }
}
/// Calls check(flags, divisions) for few flags among n elements, in random divisions among six ranks.
template <class Check>
void for_each_few_flags(std::size_t n, Check const& check)
{
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<char> flags(n);
    for (std::size_t s = 0; s < seed; ++s) flags[random_bits(seed, s) % n] = 1;
    check(flags, random_divisions(n, 6, 3, 10 * seed));
  }
}

}  // namespace tally::test
