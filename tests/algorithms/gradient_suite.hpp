#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "recurrence_suite.hpp"

/// Gradients of recurrences at random places, against the definition step by step, on any backend.
namespace tally::test::recurrences {

/// One call, every choice by chance: all arrays lie alike or each as it likes, with gaps, from their ends, repeated.
template <class Backend, class T>
class gradient_case {
public:
  gradient_case(extents others, std::size_t n, dice& of) : others_(std::move(others)), n_(n), what_(kind(of(kinds)))
  {
    bool const alike = of(2) == 0;
    std::size_t const axis = of(others_.size() + 1);
    extents const shape = with(others_, axis, n_);
    placed const same = of(2) == 0 ? row_major(shape) : anywhere(shape, of, false);
    auto const array = [&](bool is_input, std::uint64_t seed) {
      std::size_t const own_axis = alike ? axis : of(others_.size() + 1);
      placed at = alike ? same : anywhere(with(others_, own_axis, n_), of, is_input);
      std::vector<T> values;
      for (std::size_t k = 0; k < at.size; ++k) values.push_back(coefficient<T>(what_, k, seed));
      return held_at<T>{own_axis, std::move(at), std::move(values)};
    };
    std::uint64_t const seed = of(1000);
    a_ = array(true, seed + 1);
    y_ = array(true, seed + 2);
    above_ = array(true, seed + 3);
    for (std::size_t k = 0; k < above_.values.size(); ++k) above_.values[k] = term<T>(what_, k, seed + 4);
    to_a_ = array(false, seed + 5);
    to_b_ = array(false, seed + 6);
    over_above_ = of(2) == 0 && !above_.repeats();
    if (over_above_) to_b_ = above_;
    ends_ = anywhere(others_, of, false);
    each_ = of(2) == 0;
    lasts_ = of(2) == 0;
  }

  std::string shown() const
  {
    return "a" + a_.at.shown() + ", y" + y_.at.shown() + ", g" + above_.at.shown() + ", da" + to_a_.at.shown() +
           ", db" + to_b_.at.shown() + ", kind " + std::to_string(static_cast<int>(what_)) + ", " + std::to_string(n_) +
           " steps" + (over_above_ ? ", db over g" : "") + (each_ ? ", each" : "") + (lasts_ ? ", lasts" : "");
  }

  void check(auto const& on, std::string const& way) const
  {
    std::vector<T> const befores = poisoned<T>(ends_.size);
    std::vector<T> da = to_a_.values, db = to_b_.values, expected_ends = poisoned<T>(ends_.size);
    for (std::size_t s = 0; s < product(others_); ++s) {
      extents const other = position(others_, s);
      T const before = each_ ? befores[ends_.place(other)] : befores[0];
      std::vector<T> factors, terms;
      for (std::size_t k = n_; k-- > 0;) {
        factors.push_back(k + 1 == n_ ? T(1) : a_.values[a_.place(other, k + 1)]);
        terms.push_back(above_.values[above_.place(other, k)]);
      }
      std::vector<T> const h = states(factors, terms, T{});
      for (std::size_t k = 0; k < n_; ++k) {
        db[to_b_.place(other, k)] = h[n_ - 1 - k];
        da[to_a_.place(other, k)] = h[n_ - 1 - k] * (k == 0 ? before : y_.values[y_.place(other, k - 1)]);
      }
      expected_ends[ends_.place(other)] = n_ == 0 ? T{} : static_cast<T>(h[n_ - 1] * a_.values[a_.place(other, 0)]);
    }

    template_array const a(a_.values, 1), y(y_.values, 2), above(above_.values, 3), to_a(to_a_.values, 1);
    template_array const separate(over_above_ ? std::vector<T>() : to_b_.values, 2);
    template_array const starts(befores, 1), ends(poisoned<T>(ends_.size), 3);
    auto const& to_b = over_above_ ? above : separate;
    auto const in = [](held_at<T> const& of, template_array const& memory) {
      return along(static_cast<int>(of.axis), of.at.view(static_cast<T const*>(memory.begin())));
    };
    auto const out = [](held_at<T> const& of, template_array const& memory) {
      return along(static_cast<int>(of.axis), of.at.view(memory.begin()));
    };
    auto const call = [&](auto const&... rest) {
      linear_recurrence_gradient(on, in(a_, a), in(y_, y), in(above_, above), out(to_a_, to_a), out(to_b_, to_b),
                                 rest...);
    };
    auto const with_ends = [&](auto const& before) {
      if (lasts_)
        call(before, last_to(ends_.view(ends.begin())));
      else
        call(before);
    };
    if (each_)
      with_ends(tally::each(ends_.view(static_cast<T const*>(starts.begin()))));
    else
      with_ends(befores[0]);
    EXPECT_TRUE(same_bits<T>(to_a.values(), da)) << way << ", da: " << shown();
    EXPECT_TRUE(same_bits<T>(to_b.values(), db)) << way << ", db: " << shown();
    EXPECT_TRUE(to_a.guards_intact() && to_b.guards_intact() && ends.guards_intact()) << way << ": " << shown();
    if (!lasts_) return;
    EXPECT_TRUE(same_bits<T>(ends.values(), expected_ends)) << way << ", dbefore: " << shown();
  }

private:
  using template_array = typename Backend::template array<T>;

  extents others_;
  std::size_t n_;
  kind what_;
  held_at<T> a_, y_, above_, to_a_, to_b_;
  placed ends_;
  bool over_above_ = false, each_ = false, lasts_ = false;
};

/// Random shapes of up to four axes.
template <class Backend, class T, class Ways>
void gradients_anywhere(std::size_t tries, Ways const& ways)
{
  constexpr std::size_t row = order::row<affine<T>>, tile = order::tile<affine<T>>;
  for (std::size_t seed = 0; seed < some_of(tries); ++seed) {
    dice of(seed + 1);
    extents others(of(4));
    for (std::size_t& extent : others) extent = of(12) == 0 ? 0 : 1 + of(others.size() < 2 ? 200 : 5);
    std::size_t const lengths[] = {
        0, 1, 2, 3, 1 + of(20), 1 + of(row), 1 + of(5 * row), tile - of(2), tile + of(9), 3 * tile + of(100)};
    std::size_t const n = lengths[of(product(others) < 9 ? 10 : 7)];
    gradient_case<Backend, T> const batch(others, n, of);
    Backend::for_each_way(ways, [&](auto const& on, std::string const& way) {
      if (!testing::Test::HasFailure()) batch.check(on, way + ", seed " + std::to_string(seed));
    });
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace tally::test::recurrences
