// The kernel of the exact sum of one array, on fibers: blocks add to the digits in a workspace, whose words earlier
// calls have left, and the sum is that of an accumulator.
#include "fibers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "tally/detail/cuda/exact/reduce_kernel.cuh"
#include "tally/exact_accumulator.hpp"
#include "tally/half.hpp"

// The function that kernels have from a GPU.
namespace tally::cuda_backend {

template <class T>
exact::sum_block<T>& block_on_fibers()
{
  return *reinterpret_cast<exact::sum_block<T>*>(test::grid::current()->memory());
}
template <>
exact::sum_block<float>& shared_by_block<exact::sum_block<float>>()
{
  return block_on_fibers<float>();
}
template <>
exact::sum_block<double>& shared_by_block<exact::sum_block<double>>()
{
  return block_on_fibers<double>();
}
template <>
exact::sum_block<half>& shared_by_block<exact::sum_block<half>>()
{
  return block_on_fibers<half>();
}

}  // namespace tally::cuda_backend

namespace {

using namespace tally::cuda_backend;
using namespace tally::cuda_backend::exact;
using tally::test::guarded;
using tally::test::random_bits;
using tally::test::run_grid;
using tally::test::same;

enum class terms { fractions, zeros, cancelling, any_exponent, with_infinities };
constexpr terms all_kinds[] = {terms::fractions, terms::zeros, terms::cancelling, terms::any_exponent,
                               terms::with_infinities};

template <class T>
T term(terms kind, std::size_t k, std::size_t n)
{
  std::uint64_t const random = random_bits(static_cast<std::uint64_t>(kind), k);
  double const fraction = static_cast<double>(static_cast<std::int64_t>(random)) * 0x1p-64;
  using limits = std::numeric_limits<T>;
  switch (kind) {
    case terms::fractions: return static_cast<T>(fraction);
    case terms::zeros: return static_cast<T>(-0.0);
    case terms::cancelling:  // down to the smallest number
      if (k == n / 3) return limits::denorm_min();
      if (k == n - 1 - k) return static_cast<T>(-0.0);
      return k < n - 1 - k ? term<T>(terms::any_exponent, k, n) : -term<T>(terms::any_exponent, n - 1 - k, n);
    case terms::with_infinities:
      if (k % 1000 == 999) return limits::infinity();
      [[fallthrough]];
    case terms::any_exponent: {
      int const exponents = limits::max_exponent - limits::min_exponent + limits::digits;
      return static_cast<T>(std::ldexp(fraction, static_cast<int>(random % static_cast<unsigned>(exponents)) +
                                                     limits::min_exponent - limits::digits));
    }
  }
  return T{};
}

/// A workspace whose words are those of calls before `epoch`.
struct workspace {
  control shared;
  guarded<std::uint64_t> words;

  workspace(std::size_t count, std::uint32_t epoch)
      : shared{static_cast<std::uint64_t>(epoch - 1) << 32, 0, 0},
        words(count)
  {
    for (std::size_t k = 0; k < count; ++k)
      words.data()[k] = (random_bits(9, k) >> 32) % epoch << 32 | (random_bits(8, k) & 0xffffffff);
  }
};

template <class T>
class exact_sum : public testing::Test {
protected:
  using problem = sum_problem<T, T const*, T*, std::identity>;
  static constexpr std::size_t piece = elements_in_hand<T> * std::size_t{sum_threads};
  static constexpr std::size_t words = sum_of_blocks<T>::words;

  /// Adds up n terms that begin `shift` elements after aligned memory.
  static void check(workspace& space, terms kind, std::size_t n, std::size_t shift, unsigned blocks, bool has_init,
                    bool carries)
  {
    SCOPED_TRACE(std::to_string(n) + " terms " + std::to_string(static_cast<int>(kind)) + ", shift " +
                 std::to_string(shift) + ", blocks " + std::to_string(blocks) + (has_init ? ", init" : "") +
                 (carries ? ", with carries" : ""));
    std::uint64_t const before = space.shared.next;
    guarded<T> const in(n, shift), out(1);
    tally::exact_accumulator<T> expected;
    T const init = static_cast<T>(has_init ? -0.75 : 0.0);
    if (has_init) expected.add(init);
    for (std::size_t k = 0; k < n; ++k) {
      in.data()[k] = term<T>(kind, k, n);
      expected.add(in.data()[k]);
    }
    problem given{in.data(),     out.data(),         n,    {}, static_cast<tally::working_type<T>>(init), has_init,
                  &space.shared, space.words.data(), words};
    if (carries) given.most_without_carry = 0;
    run_grid(blocks, sum_threads, sizeof(sum_block<T>), [&] { sum_kernel<problem>(given); });
    T const sum = n == 0 && !has_init ? T{} : expected.round();
    EXPECT_TRUE(same(out.data()[0], sum)) << static_cast<double>(out.data()[0]) << " for " << static_cast<double>(sum);
    EXPECT_TRUE(out.guards_intact());
    EXPECT_TRUE(space.words.guards_intact());
    if (blocks == 1) {
      EXPECT_EQ(space.shared.next, before);
      return;
    }
    std::uint64_t const epoch = (before >> 32) + 1;
    EXPECT_EQ(space.shared.next, epoch == last_epoch ? 0 : epoch << 32);
    for (std::size_t k = 2; k < words; ++k) ASSERT_EQ(space.words.data()[k], 0u) << "word " << k << " is not cleared";
  }
};
using all_types = testing::Types<float, double, tally::half>;
TYPED_TEST_SUITE(exact_sum, all_types);

TYPED_TEST(exact_sum, of_one_block)
{
  workspace space(TestFixture::words, 7);
  for (std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{31}, TestFixture::piece - 1, TestFixture::piece,
                        TestFixture::piece + 1, 3 * TestFixture::piece + 5})
    for (terms kind : all_kinds) {
      TestFixture::check(space, kind, n, n % 3, 1, false, false);
      TestFixture::check(space, kind, n, 0, 1, true, false);
    }
}

/// Calls follow one another in a workspace. There are blocks without a piece, and some with several.
TYPED_TEST(exact_sum, of_several_blocks)
{
  workspace space(TestFixture::words, 1000);
  std::size_t const piece = TestFixture::piece;
  for (unsigned blocks : {2u, 5u})
    for (std::size_t n : {std::size_t{2}, piece + 1, blocks * piece - 1, blocks * piece, 2 * blocks * piece + 77})
      for (terms kind : all_kinds) {
        TestFixture::check(space, kind, n, 0, blocks, false, false);
        TestFixture::check(space, kind, n, 3, blocks, true, n % 2 == 0);
      }
}

/// Many blocks add at the same time: the last one is seldom the first one.
TYPED_TEST(exact_sum, of_many_blocks)
{
  workspace space(TestFixture::words, 2);
  for (terms kind : all_kinds) TestFixture::check(space, kind, 40 * TestFixture::piece + 3, 1, 33, true, false);
}

/// Every begin in a word of memory, and every rest of a warp behind the pieces.
TYPED_TEST(exact_sum, of_every_begin_and_end)
{
  workspace space(TestFixture::words, 3000);
  for (std::size_t shift = 0; shift < 16 / sizeof(TypeParam); ++shift)
    for (std::size_t rest = 0; rest <= 33; ++rest)
      TestFixture::check(space, terms::any_exponent, 3 * TestFixture::piece + rest, shift, 2, false, false);
}

TYPED_TEST(exact_sum, of_the_last_epoch)
{
  workspace space(TestFixture::words, last_epoch - 1);
  for (int call = 0; call < 4; ++call)
    TestFixture::check(space, terms::any_exponent, 4 * TestFixture::piece, 0, 3, false, call == 2);
  EXPECT_EQ(space.shared.next, std::uint64_t{2} << 32);
}

/// Digits that blocks have added up without carries, from a few bits to 62 of each sign.
TYPED_TEST(exact_sum, rounds_few_digits)
{
  using T = TypeParam;
  using sum_type = accumulator<T, false>;
  int told = 0;
  for (int count = 1; count <= 6; ++count)
    for (unsigned k = 0; k < 4000; ++k) {
      int const places = sum_type::digits - 4;  // the sum is finite, or overflows by little
      int const first = static_cast<int>(random_bits(3, k) % static_cast<unsigned>(places));
      sum_type sum{};
      sum.kinds = tally::detail::exact::terms::others;
      sum.depth = sum_type::digits - first;
      sum.end = std::min(first + count, sum_type::digits);
      for (int i = first; i < sum.end; ++i) {
        std::uint64_t const bits = random_bits(static_cast<std::uint64_t>(5 + i), k);
        sum.digit[i] = static_cast<long long>(bits) >> (2 + (bits >> 7) % 61);
        // Half of them are ties, or near them.
        if (k % 2 == 0 && i + 1 < sum.end) sum.digit[i] = i == first ? static_cast<int>(k / 2 % 3) - 1 : 0;
      }
      T few{};
      bool const is_told = round_few_digits(sum, few);
      told += is_told ? 1 : 0;
      sum.carry();
      T const all = sum.template nearest<T>();
      if (is_told) {
        ASSERT_TRUE(same(few, all)) << count << " digits from " << first << ", " << k << ": "
                                    << static_cast<double>(few) << " for " << static_cast<double>(all);
      }
    }
  EXPECT_GT(told, 8000);
}

}  // namespace
