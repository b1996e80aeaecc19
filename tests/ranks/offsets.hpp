#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../support/bits.hpp"
#include "../support/divisions.hpp"
#include "../support/generator.hpp"
#include "tally/ranks.hpp"

/// Segments between offsets that lie on ranks.
namespace tally::test {

/// Elements [begin, end) as a range.
template <class T>
std::span<T const> part_of(std::vector<T> const& x, std::size_t begin, std::size_t end)
{
  return std::span(x).subspan(begin, end - begin);
}

/// The end at which segments begin.
enum class from { front, back };

template <from End, class Values, class Offsets>
auto batch_of(Values const& values, Offsets const& offsets)
{
  auto const segments = tally::segments(values, offsets);
  if constexpr (End == from::back)
    return tally::reversed(segments);
  else
    return segments;
}

/// The segments that a rank gives: [first, behind) of those of the whole. Empty ones at the end of a part may be on its
/// rank or on the next.
struct given {
  std::size_t first, behind;
};
inline given given_on(std::vector<std::int64_t> const& offsets, std::vector<std::size_t> const& division,
                      std::size_t rank, bool at_ends)
{
  auto const number = [&](std::size_t r) {
    if (r == 0) return std::size_t{0};
    if (r + 1 == division.size()) return offsets.size() - 1;
    auto const place = static_cast<std::int64_t>(division[r]);
    auto const last = offsets.end() - 1;
    return static_cast<std::size_t>(
        (at_ends ? std::upper_bound(offsets.begin(), last, place) : std::lower_bound(offsets.begin(), last, place)) -
        offsets.begin());
  };
  return {number(rank), number(rank + 1)};
}

/// Calls body(segments, begin, end) with the part of `rank` in each division, and the segments that the rank gives.
/// Empty ones at the end of a part are on its rank in every other division.
template <class Body>
void in_each_division(int rank, std::vector<std::int64_t> const& offsets,
                      std::vector<std::vector<std::size_t>> const& divisions, Body const& body)
{
  std::size_t number = 0;
  in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) {
    bool const at_ends = number % 2 != 0;
    body(given_on(offsets, divisions[number++], static_cast<std::size_t>(rank), at_ends), begin, end);
  });
}

template <class T>
std::vector<T> piece_of(std::vector<T> const& all, std::size_t first, std::size_t last)
{
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(last)};
}

/// Every call on one rank's part of `all`, the values and segments of the whole and one machine's results.
template <class On, class All>
void check_part(On const& on, All const& all, given own, std::size_t begin, std::size_t end)
{
  using T = typename All::element;
  // A rank without segments gives one offset, or none.
  std::size_t const behind = own.first == own.behind && begin % 2 == 0 ? own.first : own.behind + 1;
  auto const offsets = piece_of(all.offsets, own.first, behind);
  auto const values = part_of(all.x, begin, end);
  auto const batch = batch_of<All::end>(values, offsets);
  auto const starts = piece_of(all.inits, own.first, own.behind);
  std::size_t const count = own.behind - own.first, n = end - begin;
  std::vector<T> sums(count, T(77)), lasts(count, T(77)), out(n, T(77));
  tally::reduce(on, batch, sums, all.inits[0], all.op);
  expect_part(sums, all.sums, own.first, "reduce");
  sums.assign(count, T(77));
  tally::reduce(on, batch, sums, each(starts), all.op);
  expect_part(sums, all.sums_from_each, own.first, "reduce from a value for each");
  tally::inclusive_scan(on, batch, out, all.op);
  expect_part(out, all.inclusive, begin, "inclusive_scan");
  out.assign(n, T(77));
  tally::exclusive_scan(on, batch, out, each(starts), all.op, last_to(lasts));
  expect_part(out, all.exclusive, begin, "exclusive_scan");
  expect_part(lasts, all.lasts, own.first, "last values");
}

/// Every call on the part of `rank` in each division.
template <class On, class All>
void check_parts(On const& on, int rank, All const& all, std::vector<std::vector<std::size_t>> const& divisions)
{
  in_each_division(rank, all.offsets, divisions,
                   [&](given own, std::size_t begin, std::size_t end) { check_part(on, all, own, begin, end); });
}

/// Segments of n values, with an initial value each, and one machine's results.
template <class T, class Op, from End = from::front>
struct segments_of_one_machine {
  using element = T;
  static constexpr from end = End;

  std::vector<T> x, inits;
  std::vector<std::int64_t> offsets;
  Op op;
  std::vector<T> sums, sums_from_each, inclusive, exclusive, lasts;

  segments_of_one_machine(std::size_t n, std::vector<std::int64_t> places, Op operation)
      : x(make_data<T>(hardest<T>, n)),
        inits(make_data<T>(data::distinct, places.size(), 5)),
        offsets(std::move(places)),
        op(operation),
        sums(count()),
        sums_from_each(count()),
        inclusive(n, T(77)),
        exclusive(n, T(77)),
        lasts(count())
  {
    auto const all = batch_of<End>(x, offsets);
    tally::reduce(cpu{1}, all, sums, inits[0], op);
    tally::reduce(cpu{1}, all, sums_from_each, each(inits), op);
    tally::inclusive_scan(cpu{1}, all, inclusive, op);
    tally::exclusive_scan(cpu{1}, all, exclusive, each(inits), op, last_to(lasts));
  }
  std::size_t count() const { return offsets.size() - 1; }
};

/// `count` + 1 offsets in [from, to], of which some are the same.
inline std::vector<std::int64_t> random_offsets(std::size_t count, std::size_t from, std::size_t to, std::uint64_t seed)
{
  std::vector<std::int64_t> offsets(count + 1);
  for (std::size_t s = 0; s <= count; ++s)
    offsets[s] = static_cast<std::int64_t>(from + random_bits(seed, s) % (to - from + 1));
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

/// Calls check(offsets) for offsets of segments of three elements: after each element none, one or two segments end.
template <class Check>
void for_each_set_of_offsets(Check const& check)
{
  for (unsigned set = 0; set < 27; ++set) {
    std::vector<std::int64_t> offsets{0};
    for (unsigned k = 1, rest = set; k <= 3; ++k, rest /= 3) offsets.insert(offsets.end(), rest % 3, k);
    check(offsets);
  }
}

}  // namespace tally::test
