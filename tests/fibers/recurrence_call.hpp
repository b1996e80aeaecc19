#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../cuda/batch/recurrence_cases.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/recurrence/recurrence_problem.cuh"
#include "tally/half.hpp"

/// A call of linear recurrences for the tests on fibers: its arrays, the arguments of kernels, and the results of the
/// order, by an implementation of its own.
namespace tally::test {

/// How the arrays of a call lie: the first element behind a line of memory, forward or backward, one sequence behind
/// the other with a gap; with a larger one behind each `neighbours` sequences. Of columns these lie side by side, with
/// the gap behind each step of them. What else differs from call to call.
struct recurrence_kind {
  std::size_t a = 0, b = 0, out = 0, gap = 0;
  int a_step = 1, b_step = 1, out_step = 1;
  bool are_columns = false, is_constant = false, is_in_place = false;
  unsigned blocks = 1;
  kind what = kind::ordinary;
  std::size_t infinite = std::numeric_limits<std::size_t>::max();  ///< the step of a term that is
  std::size_t neighbours = 0;                                      ///< 0: all

  std::string text() const
  {
    return "first elements " + std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(out) + ", gap " +
           std::to_string(gap) + ", steps " + std::to_string(a_step) + ", " + std::to_string(b_step) + ", " +
           std::to_string(out_step) + (are_columns ? ", columns" : "") + (is_constant ? ", one coefficient" : "") +
           (is_in_place ? ", in place" : "") + ", blocks: " + std::to_string(blocks) +
           ", neighbours: " + std::to_string(neighbours);
  }
};

template <class T>
class recurrence_call {
public:
  recurrence_call(std::size_t sequences, std::size_t n, recurrence_kind const& how)
      : how_(how),
        sequences_(sequences),
        n_(n),
        neighbours_(how.neighbours == 0 ? sequences : how.neighbours),
        all_(sequences / neighbours_ * outer_distance()),
        a_(all_, how.a),
        b_(all_, how.b),
        apart_(all_, how.out),
        lasts_(sequences, static_cast<T>(7.0f)),
        first_bad_(sequences, ~0ull)
  {
    for (std::size_t k = 0; k < all_; ++k) {
      a_.data()[k] = coefficient<T>(how.what, random_bits(1, k));
      b_.data()[k] = term<T>(how.what, random_bits(2, k));
      apart_.data()[k] = static_cast<T>(7.0f);
    }
    if (how.infinite < n)
      b_.data()[place(sequences - 1, how.infinite, how.b_step)] = std::numeric_limits<T>::infinity();
    T const constant = static_cast<T>(0.75f);
    expected_.assign(out().begin(), out().end());
    for (std::size_t s = 0; s < sequences; ++s) {
      befores_.push_back(term<T>(kind::ordinary, random_bits(3, s)));
      std::vector<T> own_a, own_b;
      for (std::size_t k = 0; k < n; ++k) {
        own_a.push_back(how.is_constant ? constant : a_.data()[place(s, k, how.a_step)]);
        own_b.push_back(b_.data()[place(s, k, how.b_step)]);
      }
      std::vector<T> const y = states(own_a, own_b, befores_[s]);
      expected_lasts_.push_back(y.back());
      for (std::size_t k = 0; k < n; ++k) expected_[place(s, k, how.out_step)] = y[k];
    }
  }

  /// The arguments of kernels.
  cuda_backend::recurrence_problem<T> problem()
  {
    auto const across = static_cast<std::ptrdiff_t>(distance()), outer = static_cast<std::ptrdiff_t>(outer_distance()),
               near = static_cast<std::ptrdiff_t>(neighbours_), along = static_cast<std::ptrdiff_t>(distance_along());
    detail::batch::layout where;
    where.along = {n_, {how_.b_step * along, how_.out_step * along, 0, 0, how_.a_step * along}};
    if (neighbours_ < sequences_)
      where.across[where.dimensions++] = {sequences_ / neighbours_, {outer, outer, near, near, outer}};
    where.across[where.dimensions++] = {neighbours_, {across, across, 1, 1, across}};
    bool const is_dense = how_.gap == 0;
    return {.a = how_.is_constant ? nullptr : first(a_, how_.a_step),
            .constant = static_cast<T>(0.75f),
            .b = first(b_, how_.b_step),
            .out = first(out(), how_.out_step),
            .size = n_,
            .sequences = sequences_,
            .a_step = how_.is_constant ? 0 : how_.a_step * along,
            .b_step = how_.b_step * along,
            .out_step = how_.out_step * along,
            .where = cuda_backend::batch_places(where),
            .neighbours = neighbours_,
            .a_across = across,
            .b_across = across,
            .out_across = across,
            .before_across = 1,
            .a_dense = is_dense,
            .b_dense = is_dense,
            .out_dense = is_dense,
            .a_groups = are_groups(a_, how_.a_step),
            .b_groups = are_groups(b_, how_.b_step),
            .out_groups = are_groups(out(), how_.out_step),
            .a_begin = a_.begin(),
            .a_end = a_.end(),
            .b_begin = b_.begin(),
            .b_end = b_.end(),
            .before = static_cast<T>(0.0f),
            .befores = befores_.data(),
            .lasts = lasts_.data(),
            .stores = cuda_backend::results_stored::all,
            .first_bad = first_bad_.data()};
  }

  /// Compares every element with what is expected. `repairs`: the kernel itself goes on behind a state that is not
  /// finite; else it leaves the steps from there on, and tells which is the first.
  void check(bool repairs) const
  {
    EXPECT_TRUE(a_.guards_intact());
    EXPECT_TRUE(b_.guards_intact());
    EXPECT_TRUE(apart_.guards_intact());
    std::vector<bool> is_compared(all_, true);
    for (std::size_t s = 0; s < sequences_ && !repairs; ++s) {
      bool const is_bad = s + 1 == sequences_ && how_.infinite < n_;
      EXPECT_EQ(first_bad_[s], is_bad ? how_.infinite : ~0ull);
      for (std::size_t k = how_.infinite; is_bad && k < n_; ++k) is_compared[place(s, k, how_.out_step)] = false;
    }
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < all_; ++k)
      if (is_compared[k] && !same(out().data()[k], expected_[k]) && ++wrong == 1)
        ADD_FAILURE() << "element " << k << " is " << static_cast<double>(out().data()[k]) << " for "
                      << static_cast<double>(expected_[k]);
    EXPECT_EQ(wrong, 0u);
    for (std::size_t s = 0; s < sequences_; ++s)
      if (repairs || first_bad_[s] >= n_) {
        EXPECT_TRUE(same(lasts_[s], expected_lasts_[s])) << "the last state of sequence " << s;
      }
  }

private:
  guarded<T> const& out() const { return how_.is_in_place ? b_ : apart_; }
  /// The distances between neighbours, and between steps.
  std::size_t distance() const { return how_.are_columns ? 1 : n_ + how_.gap; }
  std::size_t distance_along() const { return how_.are_columns ? neighbours_ + how_.gap : 1; }
  std::size_t outer_distance() const
  {
    return (how_.are_columns ? n_ * distance_along() : neighbours_ * distance()) + (neighbours_ < sequences_ ? 3 : 0);
  }
  std::size_t place(std::size_t s, std::size_t k, int step) const
  {
    return s / neighbours_ * outer_distance() + s % neighbours_ * distance() +
           (step > 0 ? k : n_ - 1 - k) * distance_along();
  }
  T* first(guarded<T> const& array, int step) const { return array.data() + place(0, 0, step); }
  bool are_groups(guarded<T> const& array, int step) const
  {
    constexpr std::size_t group = order::recurrence::group<T> * sizeof(T);
    return reinterpret_cast<std::uintptr_t>(first(array, step) + (step > 0 ? 0 : 1)) % group == 0 &&
           (n_ + how_.gap) * sizeof(T) % group == 0 && outer_distance() * sizeof(T) % group == 0;
  }

  recurrence_kind how_;
  std::size_t sequences_, n_, neighbours_, all_;
  guarded<T> a_, b_, apart_;
  std::vector<T> befores_, lasts_, expected_, expected_lasts_;
  std::vector<unsigned long long> first_bad_;
};

/// The fixture of tests of recurrences: the sizes around which they look, and draws.
template <class T>
class recurrence_sizes : public testing::Test {
protected:
  using problem = cuda_backend::recurrence_problem<T>;
  static constexpr std::size_t row = problem::row, line = problem::line, piece = problem::piece, tile = problem::tile,
                               word = 16 / sizeof(T);
  static constexpr int slots = problem::slots;

  std::size_t draw(std::size_t below) { return static_cast<std::size_t>(random_bits(5, ++draws_) >> 11) % below; }
  kind draw_kind() { return draw(2) == 0 ? kind::ordinary : static_cast<kind>(1 + draw(other_kinds)); }
  /// Behind each sequence. Those of at most half a row have none: the shared memory of the kernel of rows has no room
  /// for it, and other kernels take them.
  std::size_t draw_gap(std::size_t n) { return n * 2 > row ? draw(3) : 0; }
  /// A call whose arrays begin anywhere and go either way.
  recurrence_kind anyhow(std::size_t gap)
  {
    auto const somewhere = [&] { return draw(word + 1); };
    auto const step = [&] { return draw(3) == 0 ? -1 : 1; };
    return {.a = somewhere(),
            .b = somewhere(),
            .out = somewhere(),
            .gap = gap,
            .a_step = step(),
            .b_step = step(),
            .out_step = step(),
            .is_constant = draw(4) == 0,
            .is_in_place = false,
            .blocks = static_cast<unsigned>(1 + draw(3)),
            .what = draw_kind()};
  }

private:
  std::uint64_t draws_ = 0;
};
using recurrence_types = testing::Types<float, double, half>;

}  // namespace tally::test
