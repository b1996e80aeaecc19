#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tally/operators/affine.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/operators/segmented.hpp"

namespace tally {
namespace {

/// The scan of every segment by itself.
template <class Op, class T>
std::vector<T> one_by_one(Op op, std::vector<flagged<T>> const& x)
{
  std::vector<T> result;
  for (flagged<T> const& element : x)
    result.push_back(result.empty() || element.head ? element.value : static_cast<T>(op(result.back(), element.value)));
  return result;
}

/// The values of [first, last) combined in a random bracketing.
template <class Op, class T>
flagged<T> bracketed(Op op, std::vector<flagged<T>> const& x, std::size_t first, std::size_t last, std::mt19937& random)
{
  if (last - first == 1) return x[first];
  std::size_t const middle = first + 1 + random() % (last - first - 1);
  return op(bracketed(op, x, first, middle, random), bracketed(op, x, middle, last, random));
}

template <class Op, class T>
void expect_segments(Op op, std::vector<flagged<T>> const& x)
{
  std::mt19937 random(9);
  std::vector<T> const expected = one_by_one(op, x);
  bool any_head = false;
  for (std::size_t k = 0; k < x.size(); ++k) {
    any_head = any_head || x[k].head;
    flagged<T> const got = bracketed(segmented{op}, x, 0, k + 1, random);
    EXPECT_EQ(got.value, expected[k]) << "at " << k;
    EXPECT_EQ(got.head, any_head);
  }
}

TEST(segments, nothing_crosses_a_head)
{
  using elements = std::vector<flagged<int>>;
  expect_segments(plus{}, elements{{1, true}, {2, false}, {4, false}, {8, true}, {16, true}, {32, false}});
  expect_segments(plus{}, elements{{1, false}, {2, false}, {4, true}, {8, false}});
}

TEST(segments, any_operator_in_any_bracketing)
{
  std::mt19937 random(2);
  std::vector<flagged<affine<int>>> maps;
  std::vector<flagged<std::string>> words;
  std::vector<flagged<unsigned>> numbers;
  for (int k = 0; k < 60; ++k) {
    bool const head = random() % 7 == 0;
    maps.push_back({{static_cast<int>(random() % 5), static_cast<int>(random() % 100)}, head});
    words.push_back({std::string(1, static_cast<char>('a' + random() % 26)), head});
    numbers.push_back({static_cast<unsigned>(random()), head});
  }
  expect_segments(compose{}, maps);
  expect_segments(plus{}, words);
  expect_segments(minimum{}, numbers);
  expect_segments([](unsigned a, unsigned b) { return b == 0 ? a : b; }, numbers);
}

TEST(segments, an_operator_may_have_state)
{
  struct plus_modulo {
    int modulus;
    int operator()(int a, int b) const { return (a + b) % modulus; }
    int identity() const { return 0; }
  };
  segmented const op{plus_modulo{7}};
  EXPECT_EQ(op(flagged{5, true}, flagged{4, false}), (flagged{2, true}));
  EXPECT_EQ(identity_of<flagged<int>>(op), (flagged{0, false}));
}

TEST(segments, the_identity_is_no_head)
{
  constexpr flagged<float> e = identity_of<flagged<float>>(segmented<plus>{});
  static_assert(!e.head && detail::sign_bit(e.value));
  constexpr flagged x{3.0f, true};
  static_assert(segmented<plus>{}(e, x) == x && segmented<plus>{}(x, e) == x);
}

TEST(segments, convert_to_the_carry_type_and_back)
{
  flagged const x{0.1f, true};
  auto const wide = static_cast<flagged<double>>(x);
  EXPECT_EQ(wide, (flagged{static_cast<double>(0.1f), true}));
  EXPECT_EQ(static_cast<flagged<float>>(wide), x);
  auto const nested = static_cast<flagged<affine<double>>>(flagged{affine{1.0f, 2.0f}, false});
  EXPECT_EQ(nested, (flagged{affine{1.0, 2.0}, false}));
}

}  // namespace
}  // namespace tally
