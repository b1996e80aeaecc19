// Gradients of recurrences along memory, by the kernel of rows on fibers: they have the bits of the recurrence backward
// in time, by an implementation of its own.
#include "fibers.hpp"

#include <algorithm>
#include <bit>
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
#include "barriers.hpp"
#include "recurrence_call.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/recurrence/gradient_problem.cuh"
#include "tally/detail/cuda/recurrence/rows_kernel.cuh"

namespace {

using namespace tally::cuda_backend;
using tally::test::guarded;
using tally::test::kind;
using tally::test::random_bits;
using tally::test::same;

/// An array of the call: its first element behind a line of memory, and whether time goes forward in it.
struct place {
  std::size_t first = 0;
  bool is_forward = true;
};
struct call {
  place a{}, y{}, above{}, to_a{}, to_b{};
  std::size_t gap = 0;  ///< behind each sequence
  bool has_befores = true;
  unsigned blocks = 1;
  kind what = kind::ordinary;
  std::size_t infinite = std::numeric_limits<std::size_t>::max();  ///< the step from above that is
};

template <class T>
class gradient_call {
public:
  gradient_call(std::size_t sequences, std::size_t n, call const& how)
      : how_(how),
        sequences_(sequences),
        n_(n),
        all_(sequences * (n + how.gap)),
        a_(all_, how.a.first),
        y_(all_, how.y.first),
        above_(all_, how.above.first),
        to_a_(all_, how.to_a.first),
        to_b_(all_, how.to_b.first),
        lasts_(sequences, static_cast<T>(7.0f))
  {
    for (std::size_t k = 0; k < all_; ++k) {
      a_.data()[k] = tally::test::coefficient<T>(how.what, random_bits(1, k));
      y_.data()[k] = tally::test::term<T>(kind::ordinary, random_bits(2, k));
      above_.data()[k] = tally::test::term<T>(how.what, random_bits(3, k));
      to_a_.data()[k] = to_b_.data()[k] = static_cast<T>(7.0f);
    }
    // Behind a sequence lies what the kernel must not take for the coefficient of the first step backward.
    for (std::size_t s = 0; s < sequences; ++s)
      for (std::size_t k = n; k < n + how.gap; ++k)
        a_.data()[s * (n + how.gap) + k] = std::numeric_limits<T>::quiet_NaN();
    if (how.infinite < n) *at(above_, how.above, sequences - 1, how.infinite) = std::numeric_limits<T>::infinity();
    for (std::size_t s = 0; s < sequences; ++s)
      befores_.push_back(tally::test::term<T>(kind::ordinary, random_bits(4, s)));
  }

  template <int Lines, bool Plain, bool Anywhere>
  void run()
  {
    using P = recurrence_rows_problem<gradient_problem<T>, Plain, Anywhere>;
    auto const groups = static_cast<unsigned>(std::min<std::size_t>((n_ - 1) / P::group + 1, warp_lanes));
    P const given{problem(), static_cast<int>(std::bit_width(groups - 1))};
    using memory_type = recurrence_rows_memory<P>;
    tally::test::forget_barriers();
    tally::test::run_grid(how_.blocks, recurrence_warps * warp_lanes, recurrence_warps * sizeof(memory_type), [&] {
      recur_rows<P, Lines>(reinterpret_cast<memory_type*>(tally::test::grid::current()->memory()), given);
    });
  }

  void check() const
  {
    for (guarded<T> const* each : {&a_, &y_, &above_, &to_a_, &to_b_}) EXPECT_TRUE(each->guards_intact());
    using W = tally::working_type<T>;
    auto const product = [](T x, T z) { return static_cast<T>(static_cast<W>(x) * static_cast<W>(z)); };
    std::size_t wrong = 0;
    auto const expect = [&](T const& got, T const& expected, char const* what, std::size_t s, std::size_t k) {
      if (!same(got, expected) && ++wrong == 1)
        ADD_FAILURE() << what << " of step " << k << " of sequence " << s << " is " << static_cast<double>(got)
                      << " for " << static_cast<double>(expected);
    };
    for (std::size_t s = 0; s < sequences_; ++s) {
      std::vector<T> factors, terms;
      for (std::size_t k = n_; k-- > 0;) {
        factors.push_back(k + 1 == n_ ? static_cast<T>(1.0f) : *at(a_, how_.a, s, k + 1));
        terms.push_back(*at(above_, how_.above, s, k));
      }
      std::vector<T> const h = tally::test::states(factors, terms, static_cast<T>(0.0f));
      for (std::size_t k = 0; k < n_; ++k) {
        T const& own = h[n_ - 1 - k];
        T const before = k > 0 ? *at(y_, how_.y, s, k - 1) : befores_[how_.has_befores ? s : 0];
        expect(*at(to_b_, how_.to_b, s, k), own, "the gradient by the term", s, k);
        expect(*at(to_a_, how_.to_a, s, k), product(own, before), "the gradient by the coefficient", s, k);
      }
      expect(lasts_[s], product(h[n_ - 1], *at(a_, how_.a, s, 0)), "that by the state before", s, 0);
      for (std::size_t k = n_; k < n_ + how_.gap; ++k)
        for (guarded<T> const* each : {&to_a_, &to_b_})
          expect(each->data()[s * (n_ + how_.gap) + k], static_cast<T>(7.0f), "what lies behind", s, k);
    }
    EXPECT_EQ(wrong, 0u);
  }

private:
  /// Where step k of a sequence lies.
  T* at(guarded<T> const& array, place const& where, std::size_t s, std::size_t k) const
  {
    return array.data() + s * (n_ + how_.gap) + (where.is_forward ? k : n_ - 1 - k);
  }
  /// Steps go backward in time.
  std::ptrdiff_t step(place const& where) const { return n_ == 1 || !where.is_forward ? 1 : -1; }
  bool are_groups(T const* first, std::ptrdiff_t along) const
  {
    constexpr std::size_t group = tally::order::recurrence::group<T> * sizeof(T);
    return reinterpret_cast<std::uintptr_t>(first + (along > 0 ? 0 : 1)) % group == 0 &&
           (n_ + how_.gap) * sizeof(T) % group == 0;
  }

  gradient_problem<T> problem()
  {
    using tally::detail::batch::layout;
    auto const across = static_cast<std::ptrdiff_t>(n_ + how_.gap);
    bool const is_dense = how_.gap == 0;
    std::ptrdiff_t const one_less = n_ == 1 ? 0 : 1, shift = one_less * step(how_.a);
    auto const last = [&](guarded<T> const& array, place const& where) { return at(array, where, 0, n_ - 1); };
    layout states, products;
    states.along = {n_, {step(how_.above), step(how_.to_b), 0, 0, step(how_.a)}};
    states.across[states.dimensions++] = {sequences_, {across, across, 1, 1, across}};
    products.along = {n_, {step(how_.y), step(how_.to_a), 0, 0, 0}};
    products.across[products.dimensions++] = {sequences_, {across, across, 1, 1, 0}};
    gradient_problem<T> p{{.a = last(a_, how_.a) - shift,
                           .constant = static_cast<T>(0.0f),
                           .b = last(above_, how_.above),
                           .out = last(to_b_, how_.to_b),
                           .size = n_,
                           .sequences = sequences_,
                           .a_step = step(how_.a),
                           .b_step = step(how_.above),
                           .out_step = step(how_.to_b),
                           .where = batch_places(states),
                           .neighbours = sequences_,
                           .a_across = across,
                           .b_across = across,
                           .out_across = across,
                           .before_across = 1,
                           .a_dense = is_dense,
                           .b_dense = is_dense,
                           .out_dense = is_dense,
                           .a_groups = false,
                           .b_groups = false,
                           .out_groups = false,
                           .a_begin = a_.begin(),
                           .a_end = a_.end(),
                           .b_begin = above_.begin(),
                           .b_end = above_.end(),
                           .before = static_cast<T>(0.0f),
                           .befores = nullptr,
                           .lasts = lasts_.data(),
                           .stores = results_stored::all,
                           .first_bad = nullptr},
                          last(y_, how_.y) + one_less * step(how_.y),
                          last(to_a_, how_.to_a),
                          step(how_.y),
                          step(how_.to_a),
                          batch_places(products),
                          across,
                          across,
                          1,
                          is_dense,
                          is_dense,
                          false,
                          false,
                          y_.begin(),
                          y_.end(),
                          befores_[0],
                          how_.has_befores ? befores_.data() : nullptr,
                          0};
    p.last_a = static_cast<std::ptrdiff_t>(n_ - 1) * p.a_step + shift;
    p.a_groups = are_groups(p.a, p.a_step);
    p.b_groups = are_groups(p.b, p.b_step);
    p.out_groups = are_groups(p.out, p.out_step);
    p.states_groups = are_groups(p.states, p.states_step);
    p.products_groups = are_groups(p.products, p.products_step);
    return p;
  }

  call how_;
  std::size_t sequences_, n_, all_;
  guarded<T> a_, y_, above_, to_a_, to_b_;
  std::vector<T> befores_, lasts_;
};

/// By the kernel whose warps have `Lines` lines for each sequence.
template <class T, int Lines, bool Plain = false, bool Anywhere = false>
void check(std::size_t sequences, std::size_t n, call const& how)
{
  SCOPED_TRACE(std::to_string(sequences) + " sequences of " + std::to_string(n) + " by " + std::to_string(Lines) +
               " lines, gap " + std::to_string(how.gap) + ", blocks: " + std::to_string(how.blocks));
  gradient_call<T> own(sequences, n, how);
  own.template run<Lines, Plain, Anywhere>();
  own.check();
}

template <class T>
class recurrence_gradients_on_fibers : public tally::test::recurrence_sizes<T> {
protected:
  call anyhow(std::size_t n)
  {
    auto const somewhere = [&] { return place{this->draw(this->word + 1), this->draw(3) != 0}; };
    return {.a = somewhere(),
            .y = somewhere(),
            .above = somewhere(),
            .to_a = somewhere(),
            .to_b = somewhere(),
            .gap = this->draw_gap(n),
            .has_befores = this->draw(2) == 0,
            .blocks = static_cast<unsigned>(1 + this->draw(2)),
            .what = this->draw_kind()};
  }
};
TYPED_TEST_SUITE(recurrence_gradients_on_fibers, tally::test::recurrence_types);

TYPED_TEST(recurrence_gradients_on_fibers, that_lie_anyhow)
{
  using T = TypeParam;
  constexpr std::size_t row = this->row, line = this->line, piece = this->piece, tile = this->tile;
  for (int times = 0; times < 3; ++times) {
    for (std::size_t n : {std::size_t{1}, std::size_t{2}, row / 4 - 1, row / 2, row - 1, row, row + 1, line})
      check<T, 1>(1 + this->draw(70), n, this->anyhow(n));
    if constexpr (this->slots == 4)
      for (std::size_t n : {line + 1, 2 * line}) check<T, 2>(1 + this->draw(9), n, this->anyhow(n));
    for (std::size_t n : {row + 3, piece - 1, piece, piece + 1, 2 * piece + 5, tile + 7})
      check<T, this->slots>(1 + this->draw(3), n, this->anyhow(n));
  }
}

TYPED_TEST(recurrence_gradients_on_fibers, in_whole_words)
{
  using T = TypeParam;
  constexpr std::size_t piece = this->piece, word = this->word;
  for (std::size_t n : {word, piece - word, piece, piece + word, 3 * piece, this->tile + 5 * word})
    check<T, this->slots, true>(1 + this->draw(3), n, {.gap = word * this->draw(2), .blocks = 2, .what = kind::steady});
}

/// Short sequences that follow each other in whole groups, coefficients and states from anywhere on.
TYPED_TEST(recurrence_gradients_on_fibers, in_whole_groups)
{
  using T = TypeParam;
  constexpr std::size_t row = this->row, line = this->line, word = this->word, group = word;
  auto const anyhow = [&] {
    return call{.a = {.first = this->draw(word + 1)},
                .y = {.first = this->draw(word + 1)},
                .has_befores = this->draw(2) == 0,
                .blocks = 1 + static_cast<unsigned>(this->draw(2)),
                .what = this->draw(2) == 0 ? kind::ordinary : kind::steady};
  };
  for (int times = 0; times < 3; ++times) {
    for (std::size_t n : {group, 2 * group, 3 * group, row / 4 - group, row / 2 + group, row - group, row, row + group,
                          line - 3 * group, line})
      check<T, 1, true>(1 + this->draw(200), n, anyhow());
    if constexpr (this->slots == 4)
      for (std::size_t n : {line + group, 2 * line - 3 * group, 2 * line})
        check<T, 2, true>(1 + this->draw(40), n, anyhow());
  }
  for (std::size_t k : {std::size_t{0}, group + 1, 3 * group - 1}) {
    check<T, 1, true>(40, 3 * group, {.infinite = k});
    check<T, 1, true>(20, row + 2 * group, {.infinite = row + k - 1});
    if constexpr (this->slots == 4) check<T, 2, true>(5, line + 2 * group, {.infinite = line + k - 1});
  }
}

/// At one distance in all arrays but those of coefficients and states, from anywhere in a word on.
TYPED_TEST(recurrence_gradients_on_fibers, from_anywhere_on)
{
  using T = TypeParam;
  constexpr std::size_t piece = this->piece, word = this->word;
  for (std::size_t n : {std::size_t{1}, std::size_t{3}, piece - 1, piece, piece + 1, 3 * piece + 2, this->tile + 5})
    for (std::size_t places = 0; places < 2 * word; ++places)
      check<T, this->slots, true, true>(1 + this->draw(3), n,
                                        {.a = {this->draw(word)},
                                         .y = {this->draw(word)},
                                         .above = {places % word},
                                         .to_a = {this->draw(word)},
                                         .to_b = {this->draw(word)},
                                         .gap = this->draw(word + 1),
                                         .blocks = 2,
                                         .what = kind::steady});
  check<T, this->slots, true, true>(2, 3 * piece - 1, {.above = {1}, .gap = 1, .infinite = piece + 1});
}

TYPED_TEST(recurrence_gradients_on_fibers, behind_one_that_is_not_finite)
{
  using T = TypeParam;
  std::size_t const n = this->piece + 10;
  for (std::size_t k : {std::size_t{0}, std::size_t{3}, this->piece, n - 1})
    check<T, this->slots>(2, n, {.to_b = {.first = 1}, .gap = 1, .infinite = k});
}

}  // namespace
