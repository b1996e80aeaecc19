// The kernels of exact sums and scans of the parts that several GPUs have of sequences, on fibers: their results are
// those of an accumulator.
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
#include "tally/detail/cuda/exact/scan_kernel.cuh"
#include "tally/detail/nccl/exact_kernels.cuh"
#include "tally/exact_accumulator.hpp"
#include "tally/half.hpp"

namespace {

using namespace tally::nccl_backend;
using namespace tally::cuda_backend::exact;
using tally::detail::batch::layout;
using tally::test::guarded;
using tally::test::random_bits;
using tally::test::run_grid;
using tally::test::same;

/// Terms near each other, zeros, terms of all exponents, and some that are not finite.
enum class terms { fractions, zeros, any_exponent, with_infinities };

template <class T>
T term(terms kind, std::size_t k)
{
  std::uint64_t const random = random_bits(1, k);
  double const fraction = static_cast<double>(static_cast<std::int64_t>(random)) * 0x1p-64;
  using limits = std::numeric_limits<T>;
  switch (kind) {
    case terms::fractions: return static_cast<T>(fraction);
    case terms::zeros: return static_cast<T>(-0.0);
    case terms::with_infinities:
      if (k % 1000 == 999) return limits::infinity();
      [[fallthrough]];
    case terms::any_exponent:
      return static_cast<T>(
          std::ldexp(fraction, static_cast<int>(random % static_cast<unsigned>(limits::max_exponent -
                                                                               limits::min_exponent + limits::digits)) +
                                   limits::min_exponent - limits::digits));
  }
  return T{};
}

/// Sequences as rows, or as columns.
struct shape {
  std::size_t sequences, terms;
  bool columns;

  std::ptrdiff_t along() const { return static_cast<std::ptrdiff_t>(columns ? sequences : 1); }
  std::ptrdiff_t across() const { return static_cast<std::ptrdiff_t>(columns ? 1 : terms); }
  std::size_t place(std::size_t s, std::size_t k) const { return columns ? k * sequences + s : s * terms + k; }
  layout where() const
  {
    layout all{{terms, {along(), along()}}, 1, {}};
    all.across[0] = {sequences, {across(), across()}};
    return all;
  }
  std::string text() const
  {
    return std::to_string(sequences) + " sequences of " + std::to_string(terms) + (columns ? ", columns" : ", rows");
  }
};

template <class T>
std::vector<T> all_terms(shape const& of, terms kind)
{
  std::vector<T> x(of.sequences * of.terms);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = term<T>(kind, k);
  return x;
}

constexpr terms all_kinds[] = {terms::fractions, terms::zeros, terms::any_exponent, terms::with_infinities};

template <class T, lanes Way>
void check_totals(shape const& of, std::size_t pieces, unsigned blocks)
{
  for (terms const kind : all_kinds) {
    SCOPED_TRACE(of.text() + " in " + std::to_string(pieces) + " pieces, terms " +
                 std::to_string(static_cast<int>(kind)));
    std::vector<T> const x = all_terms<T>(of, kind);
    std::vector<accumulator<T>> sums(of.sequences);  // zeros
    using problem = exact_totals_problem<T, T>;
    problem const given{{of.where(), x.data()}, pieces, sums.data()};
    run_grid(blocks, sequence_threads, 0, [&] { exact_totals_kernel<problem, Way>(given); });
    std::vector<exact_sum<T>> converted(of.sequences);
    for (std::size_t s = 0; s < of.sequences; ++s) convert_sums<T>{sums.data(), converted.data()}(s);
    for (std::size_t s = 0; s < of.sequences; ++s) {
      tally::exact_accumulator<T> expected;
      for (std::size_t k = 0; k < of.terms; ++k) expected.add(x[of.place(s, k)]);
      EXPECT_TRUE(same(converted[s].template nearest<T>(), expected.round())) << "sequence " << s;
    }
  }
}

/// Sequences of up to `alone` terms are scanned by a lane each, those of more than `piece` in pieces.
template <class T>
void check_scans(shape const& of, std::size_t alone, std::size_t piece, terms kind)
{
  for (bool const is_exclusive : {false, true}) {
    SCOPED_TRACE(of.text() + ", alone up to " + std::to_string(alone) + ", in pieces of " + std::to_string(piece) +
                 ", terms " + std::to_string(static_cast<int>(kind)) + (is_exclusive ? ", exclusive" : ""));
    std::vector<T> const x = all_terms<T>(of, kind);
    guarded<T> const out(x.size());
    std::vector<exact_sum<T>> before(of.sequences);
    std::vector<tally::exact_accumulator<T>> expected(of.sequences);
    for (std::size_t s = 1; s < of.sequences; ++s)  // nothing comes before the first sequence
      for (T const start : {term<T>(kind, s + 7), term<T>(terms::fractions, s)}) {
        before[s].add(as_term(start));
        expected[s].add(start);
      }
    std::size_t const pieces = of.terms > piece ? of.sequences * ((of.terms - 1) / piece + 1) : 0;
    constexpr std::size_t words = piece_sums<T>::words;
    unsigned long long counters[2] = {};
    std::vector<typename long_list<T>::entry> entries(of.sequences);
    std::vector<long long> of_pieces(pieces * words, -1), of_blocks((pieces / piece_sums<T>::block + 1) * words, -1);
    using problem = continued_exact_scan<scan_problem<T, numbered_places<T>, T*>>;
    problem const given{{{{of.where(), x.data()}},
                         out.data(),
                         {},
                         false,
                         nullptr,
                         nullptr,
                         T{},
                         is_exclusive,
                         alone,
                         piece,
                         3,
                         {counters, counters + 1, entries.data(), nullptr, nullptr},
                         {of_pieces.data(), of_blocks.data()},
                         nullptr},
                        before.data()};
    constexpr unsigned word_threads = (words + 31) / 32 * 32;
    run_grid(1, sequence_threads, 0, [&] { scans_kernel<problem>(given); });
    if (pieces > 0) {
      run_grid(1, sequence_threads, 0, [&] { piece_sums_kernel<problem>(given); });
      run_grid(2, word_threads, 0, [&] { sums_in_blocks_kernel<problem>(given); });
      run_grid(1, word_threads, 0, [&] { sums_of_blocks_kernel<problem>(given); });
      run_grid(1, sequence_threads, 0, [&] { long_scans_kernel<problem>(given); });
    }
    EXPECT_TRUE(out.guards_intact());
    std::size_t wrong = 0;
    for (std::size_t s = 0; s < of.sequences; ++s)
      for (std::size_t k = 0; k < of.terms; ++k) {
        T const exclusive = expected[s].round();
        expected[s].add(x[of.place(s, k)]);
        T const right = is_exclusive ? exclusive : expected[s].round();
        wrong += same(out.data()[of.place(s, k)], right) ? 0 : 1;
      }
    EXPECT_EQ(wrong, 0u);
  }
}

template <class T>
class exact_sequences : public testing::Test {};
using all_types = testing::Types<float, double, tally::half>;
TYPED_TEST_SUITE(exact_sequences, all_types);

TYPED_TEST(exact_sequences, totals_by_warps)
{
  check_totals<TypeParam, lanes::together>({1, 1, false}, 1, 1);
  check_totals<TypeParam, lanes::together>({3, 700, false}, 1, 1);
  check_totals<TypeParam, lanes::together>({5, 3001, false}, 4, 2);
  check_totals<TypeParam, lanes::together>({19, 97, false}, 3, 3);
  check_totals<TypeParam, lanes::together>({2, 5, false}, 7, 1);
}

TYPED_TEST(exact_sequences, totals_by_lanes)
{
  check_totals<TypeParam, lanes::alone>({1, 1, true}, 1, 1);
  check_totals<TypeParam, lanes::alone>({33, 70, true}, 1, 1);
  check_totals<TypeParam, lanes::alone>({64, 101, true}, 5, 3);
  check_totals<TypeParam, lanes::alone>({31, 40, false}, 3, 2);
  check_totals<TypeParam, lanes::alone>({40, 2, true}, 5, 1);
}

TYPED_TEST(exact_sequences, scans_on_top_of_sums)
{
  for (terms const kind : all_kinds) {
    check_scans<TypeParam>({40, 9, true}, 10, 100, kind);
    check_scans<TypeParam>({7, 301, false}, 10, 1000, kind);
    check_scans<TypeParam>({3, 1000, true}, 10, 300, kind);
  }
  check_scans<TypeParam>({2, 260, false}, 1, 2, terms::any_exponent);  // more pieces than a block adds up
}

}  // namespace
