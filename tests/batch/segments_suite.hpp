#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../contract/problem.hpp"
#include "../support/bits.hpp"
#include "../support/sizes.hpp"
#include "along_suite.hpp"
#include "arrays.hpp"
#include "elements.hpp"
#include "tally/batches.hpp"

/// Tests of the calls on segments, on any backend, as those of along_suite.hpp.
namespace tally::test {

/// Segments of given lengths behind `before` values that belong to none.
template <class Backend, class T, class Offset, class Op>
class segments_case {
public:
  segments_case(std::vector<std::size_t> const& lengths, std::size_t before, Op op) : op_(op), offsets_{Offset(before)}
  {
    for (std::size_t const n : lengths)
      offsets_.push_back(static_cast<Offset>(offsets_.back() + static_cast<Offset>(n)));
    std::size_t const size = static_cast<std::size_t>(offsets_.back()) + 2;
    for (std::size_t k = 0; k < size; ++k) elements_.push_back(batch_element<T>(k, 3));
    for (std::size_t s = 0; s < most(); ++s) starts_.push_back(batch_element<T>(s, 2000));
    init_ = batch_element<T>(5, 1000);
  }

  void check(auto const& on, std::string const& way) const
  {
    constexpr bool monoid = has_identity<Op, T>;
    for (bool const from_back : {false, true}) {
      for (start const from : {start::none, start::one, start::each}) {
        std::string const where =
            way + (from_back ? ", from the back" : "") + ", initial values " + std::to_string(static_cast<int>(from));
        if (monoid || from != start::none) {
          ASSERT_TRUE(reduce(on, from, from_back)) << where;
        }
        for (bool const in_place : {false, true}) {
          for (bool const lasts : {false, true}) {
            ASSERT_TRUE(scan<true>(on, from, lasts, from_back, in_place)) << where << ", in place " << in_place;
            if (from != start::none) {
              ASSERT_TRUE(scan<false>(on, from, lasts, from_back, in_place)) << where << ", exclusive " << in_place;
            }
          }
        }
      }
    }
  }

private:
  std::size_t count() const { return offsets_.size() - 1; }

  std::optional<T> initial(std::size_t s, start from) const
  {
    return from == start::none ? std::nullopt : std::optional<T>(from == start::one ? init_ : starts_[s]);
  }
  reference::results<T> results(std::size_t s, start from, bool from_back) const
  {
    std::vector<T> x(elements_.begin() + static_cast<std::ptrdiff_t>(offsets_[s]),
                     elements_.begin() + static_cast<std::ptrdiff_t>(offsets_[s + 1]));
    if (from_back) std::reverse(x.begin(), x.end());
    return by_reference(x, op_, initial(s, from));
  }

  template <class Call>
  void with_initial(start from, Call const& call) const
  {
    typename Backend::template array<T> const memory(starts_, 1);
    if (from == start::each)
      call(each(static_cast<T const*>(memory.begin())));
    else
      call(init_);
  }

  /// The number of segments lies in memory for every other case. Then there might be more segments, with room for them:
  /// offsets, initial and last values behind those that there are.
  std::size_t most() const { return is_counted() ? count() + 3 : count(); }
  bool is_counted() const { return elements_.size() % 2 == 0; }
  template <class Call>
  void with_segments(auto const& source, auto const& offsets, bool from_back, Call const& call) const
  {
    using counted_by = std::conditional_t<sizeof(Offset) == 4, int, std::size_t>;
    typename Backend::template array<counted_by> const memory(std::vector<counted_by>{static_cast<counted_by>(count())},
                                                              1);
    auto const* const values = static_cast<T const*>(source.begin());
    auto const* const at = static_cast<Offset const*>(offsets.begin());
    auto const in = is_counted() ? segments(values, at, count_at(memory.begin(), most()))
                                 : segments(values, at, at + offsets_.size());
    if (from_back)
      call(reversed(in));
    else
      call(in);
  }
  /// Offsets behind the last one are not in order.
  std::vector<Offset> offsets_and_more() const
  {
    std::vector<Offset> all = offsets_;
    all.resize(most() + 1, static_cast<Offset>(7));
    return all;
  }

  template <bool Inclusive>
  testing::AssertionResult scan(auto const& on, start from, bool with_lasts, bool from_back, bool in_place) const
  {
    std::vector<T> expected = in_place ? elements_ : poisoned_values<T>(elements_.size());
    std::vector<T> expected_lasts = poisoned_values<T>(most());
    typename Backend::template array<T> const source(elements_, 1);
    typename Backend::template array<Offset> const offsets(offsets_and_more(), 1);
    typename Backend::template array<T> const separate(in_place ? std::vector<T>() : expected, 2);
    typename Backend::template array<T> const lasts(expected_lasts, 1);
    auto const& target = in_place ? source : separate;
    for (std::size_t s = 0; s < count(); ++s) {
      auto const right = results(s, from, from_back);
      std::vector<T> const& row = Inclusive ? right.inclusive : right.exclusive;
      auto const begin = static_cast<std::size_t>(offsets_[s]);
      for (std::size_t k = 0; k < row.size(); ++k) expected[begin + (from_back ? row.size() - 1 - k : k)] = row[k];
      if (!with_lasts) continue;
      if (!row.empty()) {
        expected_lasts[s] = right.inclusive.back();
      } else if (auto const init = initial(s, from)) {
        expected_lasts[s] = *init;
      } else {
        if constexpr (has_identity<Op, T>) expected_lasts[s] = reduction_of_nothing<T>(op_);
      }
    }
    auto const call = [&](auto const& in) {
      auto const finish = [&](auto const&... arguments) {
        if constexpr (Inclusive)
          tally::inclusive_scan(on, in, target.begin(), arguments...);
        else
          tally::exclusive_scan(on, in, target.begin(), arguments...);
      };
      auto const lasts_too = [&](auto const&... arguments) {
        if (with_lasts)
          finish(arguments..., last_to(lasts.begin()));
        else
          finish(arguments...);
      };
      if (from == start::none) {
        if constexpr (Inclusive) lasts_too(op_);
      } else {
        with_initial(from, [&](auto const& init) {
          if constexpr (Inclusive)
            lasts_too(op_, init);
          else
            lasts_too(init, op_);
        });
      }
    };
    with_segments(source, offsets, from_back, call);
    if (auto right = same_bits<T>(target.values(), expected); !right) return right << " of the output";
    if (auto right = same_bits<T>(lasts.values(), expected_lasts); !right) return right << " of the last values";
    if (auto intact = target.guards_intact(); !intact) return intact << " of the output";
    return lasts.guards_intact();
  }

  testing::AssertionResult reduce(auto const& on, start from, bool from_back) const
  {
    std::vector<T> expected = poisoned_values<T>(most());
    typename Backend::template array<T> const source(elements_, 1);
    typename Backend::template array<Offset> const offsets(offsets_and_more(), 1);
    typename Backend::template array<T> const target(expected, 3);
    for (std::size_t s = 0; s < count(); ++s) {
      auto const right = results(s, from, from_back).reduced;
      if (right) {
        expected[s] = *right;
      } else {
        if constexpr (has_identity<Op, T>) expected[s] = reduction_of_nothing<T>(op_);
      }
    }
    auto const call = [&](auto const&... arguments) {
      with_segments(source, offsets, from_back,
                    [&](auto const& in) { tally::reduce(on, in, target.begin(), arguments...); });
    };
    if (from == start::none) {
      if constexpr (has_identity<Op, T>) call(op_);
    } else {
      with_initial(from, [&](auto const& init) { call(init, op_); });
    }
    if (auto right = same_bits<T>(target.values(), expected); !right) return right << " of the reductions";
    return target.guards_intact();
  }

  Op op_;
  std::vector<Offset> offsets_;
  std::vector<T> elements_, starts_;
  T init_;
};

template <class Backend, class T, class Offset, class Op>
void check_segments(std::vector<std::size_t> const& lengths, std::size_t before, Op op, std::string const& what)
{
  segments_case<Backend, T, Offset, Op> const batch(lengths, before, op);
  Backend::for_each_way(ways::few_threads, [&](auto const& on, std::string const& way) {
    if (!testing::Test::HasFatalFailure()) batch.check(on, way + ", " + what);
  });
}

/// Many segments of random lengths: short ones, empty ones, now and then a long one.
template <class Backend, class T, class Offset, class Op>
void random_segments(Op op, std::size_t tries)
{
  for (std::size_t seed = 0; seed < some_of(tries) && !testing::Test::HasFatalFailure(); ++seed) {
    dice of(seed + 500);
    std::vector<std::size_t> lengths(of(3) == 0 ? of(4) : of(60));
    std::size_t const usual = 1 + of(30), seldom = 1 + of(3 * order::row<T>);
    for (std::size_t& n : lengths) n = of(8) == 0 ? of(seldom) : of(usual);
    check_segments<Backend, T, Offset>(lengths, of(5), op, "seed " + std::to_string(seed));
  }
}

/// A segment of every length around the units of the order, between short ones.
template <class Backend, class T, class Offset, class Op>
void segments_around_units(Op op)
{
  for (std::size_t const n : lengths_of_units<T>()) {
    if (testing::Test::HasFatalFailure()) return;
    check_segments<Backend, T, Offset>({3, n, 0, n % 7, 1}, n % 5, op, "n = " + std::to_string(n));
  }
}

}  // namespace tally::test
