#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../contract/problem.hpp"
#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/sizes.hpp"
#include "arrays.hpp"
#include "elements.hpp"
#include "tally/batches.hpp"

/// Tests of the calls on sequences along an axis, on any backend: each sequence has the bits of the order's reference,
/// which shares no code with the library; nothing else is written. With a backend for CUDA, nvcc compiles the same.
namespace tally::test {

/// The options of a call besides its verb.
enum class start { none, one, each };
enum class more { nothing, lasts, included };

template <class T>
std::vector<T> poisoned_values(std::size_t n)
{
  std::vector<T> values;
  for (std::size_t k = 0; k < n; ++k) values.push_back(batch_element<T>(k, 77));
  return values;
}

/// One batch, and its expected results.
template <class Backend, class T, class Op>
class along_case {
public:
  along_case(extents of_others, std::size_t axis, std::size_t n, Op op, dice& of)
      : others_(std::move(of_others)),
        axis_(axis),
        out_axis_(of(4) == 0 ? of(others_.size() + 1) : axis),
        n_(n),
        op_(op),
        in_(anywhere(with(others_, axis, n), of, true)),
        elements_(poisoned_values<T>(in_.size)),
        sequences_(product(others_))
  {
    for (std::size_t k = 0; k < elements_.size(); ++k) elements_[k] = batch_element<T>(k, n);
    init_ = batch_element<T>(5, 1000);
    for (std::size_t s = 0; s < sequences_; ++s) starts_.push_back(batch_element<T>(s, 2000));
    out_ = anywhere(with(others_, out_axis_, n), of, false);
    wide_ = anywhere(with(others_, out_axis_, n + 1), of, false);
    per_sequence_ = anywhere(others_, of, false);
    shaped_ = of(2) == 0;
    if (!shaped_) per_sequence_ = row_major(others_);
    initials_ = anywhere(others_, of, true);
    if (!shaped_) initials_ = row_major(others_);
  }

  std::string shown() const
  {
    return "in" + in_.shown() + " along " + std::to_string(axis_) + ", out" + out_.shown() + " along " +
           std::to_string(out_axis_) + ", results" + per_sequence_.shown();
  }

  /// Element k of sequence s, from the front or the back.
  std::vector<T> sequence(std::size_t s, bool from_back) const
  {
    std::vector<T> x;
    extents const other = position(others_, s);
    for (std::size_t k = 0; k < n_; ++k)
      x.push_back(elements_[in_.place(with(other, axis_, from_back ? n_ - 1 - k : k))]);
    return x;
  }
  std::optional<T> initial(std::size_t s, start from) const
  {
    if (from == start::none) return std::nullopt;
    if (from == start::one) return init_;
    // Repeated places have the value that was written last.
    std::optional<T> value;
    for (std::size_t other = 0; other < sequences_; ++other)
      if (initials_.place(position(others_, other)) == initials_.place(position(others_, s))) value = starts_[other];
    return value;
  }
  reference::results<T> results(std::size_t s, start from, bool from_back) const
  {
    return by_reference(sequence(s, from_back), op_, initial(s, from));
  }

  template <class Call>
  void with_initial(start from, Call const& call) const
  {
    std::vector<T> values = poisoned_values<T>(initials_.size);
    for (std::size_t s = 0; s < sequences_; ++s) values[initials_.place(position(others_, s))] = starts_[s];
    typename Backend::template array<T> const memory(values, 1);
    if (from == start::each && shaped_)
      call(each(initials_.view(static_cast<T const*>(memory.begin()))));
    else if (from == start::each)
      call(each(static_cast<T const*>(memory.begin())));
    else
      call(init_);
  }

  /// An inclusive or exclusive scan.
  template <bool Inclusive>
  testing::AssertionResult scan(auto const& on, start from, more option, bool from_back, bool in_place) const
  {
    placed const& to = in_place ? in_ : option == more::included ? wide_ : out_;
    std::size_t const out_axis = in_place ? axis_ : out_axis_;
    std::vector<T> expected = in_place ? elements_ : poisoned_values<T>(to.size);
    std::vector<T> expected_lasts = poisoned_values<T>(per_sequence_.size);
    typename Backend::template array<T> const source(elements_, 3);
    typename Backend::template array<T> const separate(in_place ? std::vector<T>() : expected, 2);
    auto const& target = in_place ? source : separate;
    typename Backend::template array<T> const lasts(expected_lasts, 1);

    for (std::size_t s = 0; s < sequences_; ++s) {
      auto const right = results(s, from, from_back);
      extents const other = position(others_, s);
      std::vector<T> row = Inclusive ? right.inclusive : right.exclusive;
      std::optional<T> const init = initial(s, from);
      if constexpr (has_identity<Op, T>) {
        if (option == more::included) row.insert(row.begin(), init ? *init : reduction_of_nothing<T>(op_));
        if (option == more::lasts)
          expected_lasts[per_sequence_.place(other)] = n_ != 0 ? right.inclusive.back()
                                                       : init  ? *init
                                                               : reduction_of_nothing<T>(op_);
      } else {
        if (option == more::included) row.insert(row.begin(), *init);
        if (option == more::lasts && (n_ != 0 || init))
          expected_lasts[per_sequence_.place(other)] = n_ != 0 ? right.inclusive.back() : *init;
      }
      for (std::size_t k = 0; k < row.size(); ++k)
        expected[to.place(with(other, out_axis, from_back ? row.size() - 1 - k : k))] = row[k];
    }

    auto const call = [&](auto const& in, auto const& out) {
      auto const finish = [&](auto const&... arguments) {
        if constexpr (Inclusive)
          tally::inclusive_scan(on, in, out, arguments...);
        else
          tally::exclusive_scan(on, in, out, arguments...);
      };
      auto const option_too = [&](auto const&... arguments) {
        if (option == more::lasts && shaped_) {
          finish(arguments..., last_to(per_sequence_.view(lasts.begin())));
        } else if (option == more::lasts) {
          finish(arguments..., last_to(lasts.begin()));
        } else if (option == more::included) {
          if constexpr (Inclusive && (sizeof...(arguments) > 1 || has_identity<Op, T>))
            finish(arguments..., include_initial);
        } else {
          finish(arguments...);
        }
      };
      if (from == start::none) {
        if constexpr (Inclusive) option_too(op_);
      } else {
        with_initial(from, [&](auto const& init) {
          if constexpr (Inclusive)
            option_too(op_, init);
          else
            option_too(init, op_);
        });
      }
    };
    auto const in = along(static_cast<int>(axis_), in_.view(static_cast<T const*>(source.begin())));
    auto const out = along(-static_cast<int>(others_.size() + 1) + static_cast<int>(out_axis), to.view(target.begin()));
    if (from_back)
      call(reversed(in), reversed(out));
    else
      call(in, out);

    if (auto right = same_bits<T>(target.values(), expected); !right) return right << " of the output";
    if (auto right = same_bits<T>(lasts.values(), expected_lasts); !right) return right << " of the last values";
    if (auto kept = same_bits<T>(source.values(), in_place ? expected : elements_); !kept)
      return kept << " of the input";
    if (auto intact = target.guards_intact(); !intact) return intact << " of the output";
    return lasts.guards_intact();
  }

  testing::AssertionResult reduce(auto const& on, start from, bool from_back) const
  {
    std::vector<T> expected = poisoned_values<T>(per_sequence_.size);
    typename Backend::template array<T> const source(elements_, 1);
    typename Backend::template array<T> const target(expected, 3);
    for (std::size_t s = 0; s < sequences_; ++s) {
      auto const right = results(s, from, from_back).reduced;
      T& place = expected[per_sequence_.place(position(others_, s))];
      if (right) {
        place = *right;
      } else {
        if constexpr (has_identity<Op, T>) place = reduction_of_nothing<T>(op_);
      }
    }
    auto const call = [&](auto const& in, auto const&... arguments) {
      if (shaped_)
        tally::reduce(on, in, per_sequence_.view(target.begin()), arguments...);
      else
        tally::reduce(on, in, target.begin(), arguments...);
    };
    auto const plain = along(static_cast<int>(axis_), in_.view(static_cast<T const*>(source.begin())));
    auto const in = from_back ? reversed(plain) : plain;
    if (from == start::none) {
      if constexpr (has_identity<Op, T>) call(in, op_);
    } else {
      with_initial(from, [&](auto const& init) { call(in, init, op_); });
    }
    if (auto right = same_bits<T>(target.values(), expected); !right) return right << " of the reductions";
    return target.guards_intact();
  }

  /// Every verb.
  void check(auto const& on, std::string const& way) const
  {
    constexpr bool monoid = has_identity<Op, T>;
    bool const repeats = std::find(in_.strides.begin(), in_.strides.end(), 0) != in_.strides.end();
    for (bool const from_back : {false, true}) {
      std::string const what = way + (from_back ? ", from the back, " : ", ") + shown();
      for (start const from : {start::none, start::one, start::each}) {
        bool const has_init = from != start::none;
        std::string const where = what + ", initial values " + std::to_string(static_cast<int>(from));
        bool const has_lasts = has_init || monoid || n_ != 0;
        if (has_init || monoid) {
          ASSERT_TRUE(reduce(on, from, from_back)) << where;
          ASSERT_TRUE(scan<true>(on, from, more::included, from_back, false)) << where << ", initial included";
        }
        ASSERT_TRUE(scan<true>(on, from, more::nothing, from_back, false)) << where;
        if (has_lasts) {
          ASSERT_TRUE(scan<true>(on, from, more::lasts, from_back, false)) << where << ", lasts";
        }
        if (has_init) {
          ASSERT_TRUE(scan<false>(on, from, more::nothing, from_back, false)) << where << ", exclusive";
          ASSERT_TRUE(scan<false>(on, from, more::lasts, from_back, false)) << where << ", exclusive, lasts";
        }
        if (repeats) continue;
        if (has_lasts) {
          ASSERT_TRUE(scan<true>(on, from, more::lasts, from_back, true)) << where << ", in place";
        }
        if (has_init) {
          ASSERT_TRUE(scan<false>(on, from, more::nothing, from_back, true)) << where << ", exclusive in place";
        }
      }
    }
  }

private:
  extents others_;
  std::size_t axis_, out_axis_, n_;
  Op op_;
  placed in_;
  std::vector<T> elements_;
  std::size_t sequences_;
  T init_;
  std::vector<T> starts_;
  placed out_, wide_, per_sequence_, initials_;
  bool shaped_ = false;
};

/// Random shapes of up to five axes, short sequences.
template <class Backend, class T, class Op>
void random_batches(Op op, std::size_t tries)
{
  for (std::size_t seed = 0; seed < some_of(tries); ++seed) {
    dice of(seed + 1);
    extents others(of(5));
    for (std::size_t& extent : others) extent = of(12) == 0 ? 0 : 1 + of(others.size() < 3 ? 9 : 4);
    std::size_t const axis = of(others.size() + 1);
    std::size_t const lengths[] = {
        0, 1, 2, order::group<T>, order::group<T> + 1, 1 + of(40), 1 + of(3 * order::row<T>)};
    along_case<Backend, T, Op> const batch(others, axis, lengths[of(7)], op, of);
    Backend::for_each_way(ways::few_threads, [&](auto const& on, std::string const& way) {
      if (!testing::Test::HasFatalFailure()) batch.check(on, way + ", seed " + std::to_string(seed));
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// The calls of one range, on ranges from their ends.
template <class Backend, class T, class Op>
void reversed_ranges(Op op)
{
  for (std::size_t const n : lengths_of_units<T>()) {
    std::vector<T> x;
    for (std::size_t k = 0; k < n; ++k) x.push_back(batch_element<T>(k, n));
    T const init = batch_element<T>(5, 1000);
    auto expected = by_reference(std::vector<T>(x.rbegin(), x.rend()), op, std::optional<T>(init));
    std::reverse(expected.inclusive.begin(), expected.inclusive.end());
    std::reverse(expected.exclusive.begin(), expected.exclusive.end());
    Backend::for_each_way(ways::few_threads, [&](auto const& on, std::string const& way) {
      typename Backend::template array<T> const source(x, 1);
      typename Backend::template array<T> const target(n, 2);
      std::span<T const> const in(source.begin(), n);
      std::span<T> const out(target.begin(), n);
      EXPECT_TRUE(same_value(tally::reduce(on, reversed(in), init, op), *expected.reduced)) << way << ", n = " << n;
      tally::inclusive_scan(on, reversed(in), reversed(out), op, init);
      EXPECT_TRUE(same_bits<T>(target.values(), expected.inclusive)) << way << ", n = " << n;
      tally::exclusive_scan(on, reversed(in), reversed(out), init, op);
      EXPECT_TRUE(same_bits<T>(target.values(), expected.exclusive)) << way << ", n = " << n;
      EXPECT_TRUE(target.guards_intact()) << way << ", n = " << n;
    });
  }
}

/// A few sequences of every length around the units of the order: rows, columns, and anywhere.
template <class Backend, class T, class Op>
void lengths_around_units(Op op)
{
  for (std::size_t const n : lengths_of_units<T>()) {
    dice of(n + 100);
    along_case<Backend, T, Op> const batch({1 + of(3)}, of(2), n, op, of);
    Backend::for_each_way(ways::few_threads, [&](auto const& on, std::string const& way) {
      if (!testing::Test::HasFatalFailure()) batch.check(on, way);
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace tally::test
