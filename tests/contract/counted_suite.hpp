#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/sizes.hpp"
#include "cpu_backend.hpp"
#include "elements.hpp"
#include "problem.hpp"
#include "reduce_contracts.hpp"
#include "scan_contracts.hpp"
#include "tally/counted.hpp"

/// Tests of calls whose number of elements lies in memory, on any backend: the bits of the call with that number, and
/// elements behind it that are neither read nor written.
namespace tally::test {

/// A problem among `most` elements, of which a count in memory says how many there are: the problem's, or, if that is
/// `most`, perhaps more.
template <class Backend, class T, class Op, class Count>
class counted_case {
public:
  counted_case(problem<T, Op> const& p, std::size_t most, Count count)
      : p_(p),
        most_(most),
        count_(std::vector<Count>{count}, 1),
        elements_(p.x)
  {
    elements_.resize(most, p.init);  // one that is read shows in a result
  }

  void check(auto const& on, std::string const& way) const
  {
    std::string const what = way + ", n = " + std::to_string(p_.x.size()) + " of " + std::to_string(most_);
    if constexpr (reduce_contract::takes<problem<T, Op>>) {
      ASSERT_TRUE(reduces(reduce_contract::expected(p_), [&](auto const& range) {
        return tally::reduce(on, range, p_.op);
      })) << what;
    }
    ASSERT_TRUE(reduces(reduce_from_init_contract::expected(p_), [&](auto const& range) {
      return tally::reduce(on, range, p_.init, p_.op);
    })) << what;
    for (bool const in_place : {false, true}) {
      ASSERT_TRUE(scans<inclusive_scan_contract>(on, in_place)) << what << ", inclusive, in place " << in_place;
      ASSERT_TRUE(scans<inclusive_scan_from_init_contract>(on, in_place)) << what << ", from init " << in_place;
      ASSERT_TRUE(scans<exclusive_scan_contract>(on, in_place)) << what << ", exclusive, in place " << in_place;
    }
  }

private:
  auto counted_from(T const* first) const
  {
    return counted(first, count_at(static_cast<Count const*>(count_.begin()), most_));
  }

  template <class Call>
  testing::AssertionResult reduces(T const& expected, Call const& call) const
  {
    typename Backend::template array<T> const in(elements_, 1);
    T const result = call(counted_from(in.begin()));
    return same_bits<T>({result}, {expected});
  }
  template <class Contract>
  testing::AssertionResult scans(auto const& on, bool in_place) const
  {
    typename Backend::template array<T> const in(elements_, most_ % 3);
    typename Backend::template array<T> const separate(in_place ? 0 : most_, most_ % 2);
    auto const& out = in_place ? in : separate;
    auto const before = out.values();
    std::vector<T> expected(before.begin(), before.end());
    auto const& results = Contract::expected(p_);
    std::copy(results.begin(), results.end(), expected.begin());
    auto const range = counted_from(in.begin());
    Contract::call(on, range.begin(), range.end(), out.begin(), p_);
    if (auto right = same_bits<T>(out.values(), expected); !right) return right;
    return out.guards_intact();
  }

  problem<T, Op> const& p_;
  std::size_t most_;
  typename Backend::template array<Count> const count_;
  std::vector<T> elements_;
};

/// Counts around every boundary, up to each of some bounds.
template <class Backend, class T, class Count, class Op>
void counts_around_units(Op op, std::vector<std::size_t> const& more = {})
{
  std::size_t const tile = order::tile<T>;
  std::vector<std::size_t> sizes = tile_sizes<T>();
  sizes.insert(sizes.end(), more.begin(), more.end());
  for (std::size_t const n : tidy(sizes)) {
    problem<T, Op> const p(hardest<T>, n, op);
    std::vector<std::size_t> bounds{n, n + 1, 9 * tile + 1};
    if (n <= tile) bounds.push_back(tile);
    if (n <= 3 * tile) bounds.push_back(3 * tile);
    for (std::size_t const most : tidy(bounds)) {
      if (most < n) continue;
      // A count above the bound counts as the bound.
      auto const count = static_cast<Count>(most == n && n % 2 == 1 ? n + 1000 : n);
      counted_case<Backend, T, Op, Count> const one(p, most, count);
      Backend::for_each_way(ways::instruction_sets, [&](auto const& on, std::string const& way) {
        if (!testing::Test::HasFatalFailure()) one.check(on, way);
      });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace tally::test
