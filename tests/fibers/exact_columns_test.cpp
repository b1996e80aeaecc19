// The kernels of exact sums by pairs of sequences side by side, on fibers: their results are those of an accumulator.
#include "fibers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/exact/column_pairs.cuh"
#include "tally/exact_accumulator.hpp"
#include "tally/half.hpp"

namespace {

using namespace tally::cuda_backend::exact;
using tally::detail::batch::layout;
using tally::test::guarded;
using tally::test::random_bits;
using tally::test::run_grid;
using tally::test::same;

enum class terms {
  fractions,
  zeros,
  wide,      ///< of sizes whose sums are not exact in doubles, but in pairs
  near_ties  ///< whose sums a pair does not tell, in one column of seven
};

template <class T>
T term(terms kind, std::size_t k, std::size_t column)
{
  std::uint64_t const random = random_bits(static_cast<std::uint64_t>(kind), k * 1009 + column);
  double const fraction = static_cast<double>(random >> 11) * 0x1p-53 - 0.5;
  switch (kind) {
    case terms::fractions: return static_cast<T>(fraction);
    case terms::zeros: return static_cast<T>(column % 2 == 0 || random % 3 != 0 ? -0.0 : 0.0);
    case terms::wide:
      return static_cast<T>(std::ldexp(fraction, static_cast<int>(random % (sizeof(T) == 2 ? 12 : 24))));
    case terms::near_ties: {
      constexpr double of_floats[] = {1, 0x1p-24, 0x1p-60, 0x1p-120, -0x1p-60};
      constexpr double of_doubles[] = {1, 0x1p-53, 0x1p-120, 0x1p-200, -0x1p-120};
      if (column % 7 != 5 || k >= 5) return static_cast<T>(-0.0);
      return static_cast<T>((sizeof(T) == 8 ? of_doubles : of_floats)[k]);
    }
  }
  return T{};
}

/// [matrices][terms][columns], with gaps between rows.
struct shape {
  std::size_t matrices, terms, columns, gap;
};
enum class initial { none, one, each };

/// Adds up the columns. Returns whether pairs told all sums; they must be right then.
template <class T>
bool add_up(shape const& of, terms kind, initial begin, std::size_t pieces, unsigned blocks, bool backward)
{
  SCOPED_TRACE(std::to_string(of.matrices) + " matrices of " + std::to_string(of.terms) + " x " +
               std::to_string(of.columns) + ", terms " + std::to_string(static_cast<int>(kind)) + ", pieces " +
               std::to_string(pieces) + ", initial values " + std::to_string(static_cast<int>(begin)) +
               (backward ? ", backward" : ""));
  std::size_t const row = of.columns + of.gap, matrix = of.terms * row, columns = of.matrices * of.columns;
  guarded<T> const in(of.matrices * matrix), out(columns), initials(columns);
  std::vector<tally::exact_accumulator<T>> expected(columns);
  T const init = static_cast<T>(-0.75);
  for (std::size_t c = 0; c < columns; ++c) {
    initials.data()[c] = static_cast<T>(static_cast<double>(c % 7) - 3);
    if (begin == initial::one) expected[c].add(init);
    if (begin == initial::each) expected[c].add(initials.data()[c]);
    for (std::size_t k = 0; k < of.terms; ++k) {
      T const x = term<T>(kind, k, c);
      in.data()[c / of.columns * matrix + k * row + c % of.columns] = x;
      expected[c].add(x);
    }
  }
  auto const step = static_cast<std::ptrdiff_t>(row);
  layout where{{of.terms, {backward ? -step : step, 0}}, 2, {}};
  where.across[0] = {of.matrices,
                     {static_cast<std::ptrdiff_t>(matrix), static_cast<std::ptrdiff_t>(of.columns),
                      static_cast<std::ptrdiff_t>(of.columns)}};
  where.across[1] = {of.columns, {1, 1, 1}};
  using sums = sums_problem<T, regular_places<T>, T*>;
  guarded<tally::detail::exact::pair_sum> const of_pieces(pieces > 1 ? columns * pieces : 0);
  unsigned failed = 0;
  T const* const from = in.data() + (backward && of.terms > 0 ? (of.terms - 1) * row : 0);
  column_pairs_problem<sums> given{{{where, from},
                                    out.data(),
                                    static_cast<tally::working_type<T>>(begin == initial::one ? init : T{}),
                                    begin == initial::one,
                                    begin == initial::each ? initials.data() : nullptr,
                                    T{},
                                    0,
                                    0,
                                    1,
                                    pieces,
                                    {},
                                    nullptr},
                                   of_pieces.data(),
                                   &failed};
  using problem = decltype(given);
  run_grid(blocks, sequence_threads, 0, [&] { column_pairs_kernel<problem>(given); });
  if (pieces > 1) {
    given.at_a_time = lanes_of_pieces(pieces);
    auto const threads = columns * given.at_a_time;
    run_grid(static_cast<unsigned>((threads + sequence_threads - 1) / sequence_threads), sequence_threads, 0,
             [&] { column_pieces_kernel<problem>(given); });
  }
  EXPECT_TRUE(out.guards_intact());
  EXPECT_TRUE(of_pieces.guards_intact());
  if (failed != 0) return false;
  for (std::size_t c = 0; c < columns; ++c) {
    T const sum = of.terms == 0 && begin == initial::none ? T{} : expected[c].round();
    EXPECT_TRUE(same(out.data()[c], sum))
        << "column " << c << " is " << static_cast<double>(out.data()[c]) << " for " << static_cast<double>(sum);
  }
  return true;
}

template <class T>
class exact_columns : public testing::Test {};
using all_types = testing::Types<float, double, tally::half>;
TYPED_TEST_SUITE(exact_columns, all_types);

TYPED_TEST(exact_columns, of_every_remainder)
{
  using T = TypeParam;
  constexpr std::size_t count = column_terms<T>;
  for (terms kind : {terms::fractions, terms::zeros, terms::wide})
    for (std::size_t n = 0; n <= 2 * count + 1; ++n)
      EXPECT_TRUE(add_up<T>({1, n, 33, n % 3}, kind, n % 2 == 0 ? initial::none : initial::one, 1, 1, n % 4 == 3));
}

TYPED_TEST(exact_columns, in_pieces)
{
  using T = TypeParam;
  for (terms kind : {terms::fractions, terms::zeros, terms::wide})
    for (std::size_t pieces : {2u, 3u, 7u, 32u, 45u})
      for (initial begin : {initial::none, initial::one, initial::each}) {
        EXPECT_TRUE(add_up<T>({1, 700, 40, 0}, kind, begin, pieces, 3, pieces == 3));
        EXPECT_TRUE(add_up<T>({3, 44, 9, 2}, kind, begin, pieces, 2, false));  // some pieces have no terms
      }
}

TYPED_TEST(exact_columns, of_many_columns)
{
  using T = TypeParam;
  for (initial begin : {initial::none, initial::one, initial::each})
    EXPECT_TRUE(add_up<T>({2, 19, 1000, 5}, terms::fractions, begin, 1, 3, begin == initial::one));
}

TYPED_TEST(exact_columns, that_pairs_do_not_tell)
{
  using T = TypeParam;
  if (sizeof(T) == 2) return;  // pairs hold all sums of halves
  EXPECT_FALSE(add_up<T>({1, 20, 40, 0}, terms::near_ties, initial::none, 1, 1, false));
  EXPECT_FALSE(add_up<T>({1, 20, 40, 0}, terms::near_ties, initial::none, 2, 1, false));
  EXPECT_TRUE(add_up<T>({1, 20, 5, 0}, terms::near_ties, initial::none, 1, 1, false));
}

}  // namespace
