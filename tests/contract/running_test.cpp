#include "tally/running.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/sizes.hpp"
#include "elements.hpp"
#include "problem.hpp"

/// A sequence in pieces has the bits of the whole.
namespace tally::test {
namespace {

/// Cuts n into pieces: many of a few elements, some of a few tiles, some empty.
std::vector<std::size_t> pieces(std::size_t n, std::size_t tile, std::uint64_t seed)
{
  std::vector<std::size_t> sizes;
  for (std::uint64_t k = 0; n > 0; ++k) {
    std::uint64_t const random = random_bits(seed, k);
    std::size_t const wanted = random % 4 == 0   ? (random >> 8) % (3 * tile)
                               : random % 4 == 1 ? tile * ((random >> 8) % 3)
                                                 : (random >> 8) % 300;
    sizes.push_back(std::min(wanted, n));
    n -= sizes.back();
  }
  return sizes;
}

/// The ways to cut a sequence: as above, into whole tiles, and as one piece.
std::vector<std::vector<std::size_t>> cuts(std::size_t n, std::size_t tile)
{
  std::vector<std::vector<std::size_t>> ways{{n}, {}};
  for (std::size_t rest = n; rest > 0; rest -= ways[1].back()) ways[1].push_back(std::min(rest, tile));
  for (std::uint64_t seed = 0; seed < 3; ++seed) ways.push_back(pieces(n, tile, seed));
  return ways;
}

template <class T>
class pieces_of : public testing::Test {};
using piece_types = testing::Types<std::int8_t, std::int32_t, std::uint64_t, float, double, half>;
TYPED_TEST_SUITE(pieces_of, piece_types);

template <class T, class Op>
void check_pieces(problem<T, Op> const& p)
{
  std::size_t const n = p.x.size();
  for (auto const& cut : cuts(n, order::tile<T>)) {
    running<T, Op> inclusive(p.op);
    running<T, Op> started(p.init, p.op);
    running<T, Op> exclusive(p.init, p.op);
    running<T, Op> reduced(p.op, cpu{.threads = 2});
    running<T, Op> mixed(p.init, p.op);
    std::vector<T> inclusive_out(n), started_out(p.x), exclusive_out(n), unused(n);
    std::size_t at = 0;
    for (std::size_t const size : cut) {
      inclusive.inclusive_scan(p.x.data() + at, inclusive_out.data() + at, size);
      started.inclusive_scan(started_out.data() + at, started_out.data() + at, size);
      exclusive.exclusive_scan(p.x.data() + at, exclusive_out.data() + at, size);
      reduced.reduce(p.x.data() + at, size);
      if (at % 2 == 0)
        mixed.reduce(p.x.data() + at, size);
      else
        mixed.inclusive_scan(p.x.data() + at, unused.data() + at, size);
      at += size;
      if (at == 0) continue;
      ASSERT_TRUE(same_value(inclusive.value().value(), p.plain.inclusive[at - 1])) << at;
      ASSERT_TRUE(same_value(reduced.value().value(), p.plain.inclusive[at - 1])) << at;
      ASSERT_TRUE(same_value(mixed.value().value(), p.started.inclusive[at - 1])) << at;
    }
    ASSERT_TRUE(same_bits(inclusive_out, p.plain.inclusive));
    ASSERT_TRUE(same_bits(started_out, p.started.inclusive));
    ASSERT_TRUE(same_bits(exclusive_out, p.started.exclusive));
    ASSERT_EQ(inclusive.value().has_value(), n > 0);
    ASSERT_TRUE(same_value(exclusive.value().value(), *p.started.reduced));
  }
}

TYPED_TEST(pieces_of, any_size_give_the_bits_of_the_whole)
{
  for (std::size_t const n : tidy({0, 1, 3 * order::tile<TypeParam> - 1, 5 * order::tile<TypeParam> + 77})) {
    check_pieces(problem<TypeParam, plus>(hardest<TypeParam>, n, plus{}));
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(pieces_of, keep_their_carry_across_spans)
{
  check_pieces(problem<TypeParam, plus>(hardest<TypeParam>,
                                        tidy({order::span<TypeParam> + order::tile<TypeParam> + 5})[0], plus{}));
}

TYPED_TEST(pieces_of, go_with_an_operator_of_the_callers)
{
  check_pieces(problem<TypeParam, halve_and_add>(hardest<TypeParam>, tidy({3 * order::tile<TypeParam> + 5})[0],
                                                 halve_and_add{}));
}

TEST(running, keeps_the_order_of_operands)
{
  running<std::string, append> text;
  std::string expected;
  for (int k = 0; k < 3000; ++k) {
    std::string const piece = std::to_string(k) + ",";
    text.reduce(&piece, 1);
    expected += piece;
  }
  EXPECT_EQ(text.value(), expected);
}

TEST(running, has_no_value_before_the_first_element)
{
  EXPECT_EQ((running<float>().value()), std::nullopt);
  EXPECT_EQ((running<float>(3.0f, plus{}).value()), 3.0f);
}

TEST(running, scans_exclusively_from_the_identity_where_there_is_one)
{
  std::vector<int> const x{3, 1, 7};
  std::vector<int> out(3);
  running<int> sums;
  sums.exclusive_scan(x.data(), out.data(), 3);
  EXPECT_EQ(out, (std::vector<int>{0, 3, 4}));
  std::vector<double> const zeros{-0.0, -0.0};
  std::vector<double> before(2);
  running<double> of_zeros;
  of_zeros.exclusive_scan(zeros.data(), before.data(), 0);
  EXPECT_EQ(of_zeros.value(), std::nullopt);
  of_zeros.exclusive_scan(zeros.data(), before.data(), 2);
  EXPECT_TRUE(same_value(before[0], 0.0));
  EXPECT_TRUE(same_value(before[1], -0.0));
  running<int, last_nonzero> none;
  EXPECT_THROW(none.exclusive_scan(x.data(), out.data(), 3), usage_error);
}

}  // namespace
}  // namespace tally::test
