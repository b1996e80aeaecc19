#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "../order/reference.hpp"
#include "../support/data.hpp"
#include "../support/divisions.hpp"
#include "tally/array_view.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/ranks.hpp"

/// Sequences along an axis that is divided among ranks: processors or GPUs.
namespace tally::test {

/// An array of (2, n, 3), whose parts along axis 1 lie in several layouts.
template <class T, class Op>
class array_of_parts {
public:
  static constexpr std::size_t a = 2, c = 3, count = a * c;

  array_of_parts(std::size_t n, std::size_t tile, Op op)
      : n_(n),
        op_(op),
        x_(make_data<T>(hardest<T>, count * n)),
        starts_(make_data<T>(data::distinct, count, 7))
  {
    for (std::size_t s = 0; s < count; ++s) {
      std::vector<T> own;
      for (std::size_t k = 0; k < n; ++k) own.push_back(element(s / c, k, s % c));
      expected_.push_back(reference::scan(own, op, std::optional<T>(starts_[s]), shape_of<T>(tile)));
      plain_.push_back(reference::scan(own, op, std::optional<T>(), shape_of<T>(tile)));
    }
  }

  /// Every call on the part [begin, end) of each sequence.
  template <class On>
  void check(On const& on, std::size_t begin, std::size_t end, std::uint64_t layout) const
  {
    std::size_t const size = end - begin;
    auto const place = [&](std::size_t i, std::size_t k, std::size_t j) {
      return layout == 0 ? (i * c + j) * size + k : layout == 1 ? (i * size + k) * c + j : (j * size + k) * a + i;
    };
    std::vector<T> part(count * size), out(part.size()), lasts(count), sums(count);
    for (std::size_t s = 0; s < count; ++s)
      for (std::size_t k = 0; k < size; ++k) part[place(s / c, k, s % c)] = element(s / c, begin + k, s % c);
    auto const view = [&](std::vector<T>& values) {
      if (layout == 0) return array_view<T>(values.data(), {a, c, size});
      if (layout == 1) return array_view<T>(values.data(), {a, size, c});
      return array_view<T>(values.data(), {a, size, c}, {1, a, size * a});
    };
    std::ptrdiff_t const axis = layout == 0 ? 2 : 1;
    auto const expect = [&](std::vector<T> const& got, std::vector<reference::results<T>> const& all, bool inclusive,
                            char const* what) {
      for (std::size_t s = 0; s < count; ++s)
        for (std::size_t k = 0; k < size; ++k) {
          T const right = inclusive ? all[s].inclusive[begin + k] : all[s].exclusive[begin + k];
          expect_value(got[place(s / c, k, s % c)], right, what);
        }
    };
    auto const expect_values = [&](std::vector<T> const& got, std::vector<reference::results<T>> const& all,
                                   char const* what) {
      for (std::size_t s = 0; s < count; ++s) expect_value(got[s], *all[s].reduced, what);
    };
    tally::exclusive_scan(on, along(axis, view(part)), along(axis, view(out)), each(starts_), op_, last_to(lasts));
    expect(out, expected_, false, "exclusive_scan");
    expect_values(lasts, expected_, "last_to");
    tally::reduce(on, along(axis, view(part)), sums, each(starts_), op_);
    expect_values(sums, expected_, "reduce");
    if (n_ > 0) {
      tally::inclusive_scan(on, along(axis, view(part)), along(axis, view(out)), op_);
      expect(out, plain_, true, "inclusive_scan");
    }
    tally::inclusive_scan(on, along(axis, view(part)), along(axis, view(part)), op_, each(starts_));
    expect(part, expected_, true, "inclusive_scan in place");
  }

  /// The same in each division. Ranks have layouts of their own.
  template <class On>
  void check_divisions(On const& on, int rank, std::vector<std::vector<std::size_t>> const& divisions) const
  {
    std::uint64_t calls = 0;
    in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) {
      check(on, begin, end, (static_cast<std::uint64_t>(rank) + calls++) % 3);
    });
  }

private:
  T element(std::size_t i, std::size_t k, std::size_t j) const { return x_[(i * n_ + k) * c + j]; }

  std::size_t n_;
  Op op_;
  std::vector<T> x_, starts_;
  std::vector<reference::results<T>> expected_, plain_;
};

/// Sequences of no elements, and no sequences.
template <class On>
void check_nothing(On const& on, int rank)
{
  in_each_division(rank, std::vector<std::vector<std::size_t>>{std::vector<std::size_t>(9)},
                   [&](std::size_t, std::size_t) {
                     std::vector<float> none, sums(4, 9.0f);
                     array_view<float> const rows(none.data(), {4, 0});
                     tally::reduce(on, along(1, rows), sums);
                     for (float const sum : sums)
                       if (sum != 0.0f) throw error("sums of nothing");
                     tally::inclusive_scan(on, along(1, rows), along(1, rows), maximum{}, 3.0f, last_to(sums));
                     if (sums[3] != 3.0f) throw error("the initial value is the last one");
                     array_view<float> const no_rows(none.data(), {5, 0});  // no sequences
                     tally::reduce(on, along(0, no_rows), sums);
                     tally::reduce(on, along(0, no_rows), sums, exact_plus{});
                     tally::inclusive_scan(on, along(0, no_rows), along(0, no_rows), exact_plus{});
                     tally::reduce(on, along(1, rows), sums, exact_plus{});
                     for (float const sum : sums)
                       if (sum != 0.0f) throw error("exact sums of nothing");
                   });
}

}  // namespace tally::test
