// The kernels of exact scans and sums by pairs, on fibers: their results are those of an accumulator.
#include "fibers.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "tally/detail/cuda/exact/pair_kernel.cuh"
#include "tally/exact_accumulator.hpp"
#include "tally/half.hpp"

// The functions that kernels have from a GPU.
namespace tally::cuda_backend {

/// The state that a block's warps share comes first in its memory, and its tiles behind.
constexpr std::size_t bytes_of_pair_block = (sizeof(exact::pair_block) + 15) / 16 * 16;

template <>
exact::pair_block& shared_by_block<exact::pair_block>()
{
  return *reinterpret_cast<exact::pair_block*>(test::grid::current()->memory());
}
unsigned char* memory_of_block()
{
  return test::grid::current()->memory() + bytes_of_pair_block;
}

}  // namespace tally::cuda_backend
void tally::cuda_backend::exact::meet_workers()
{
  test::grid::current()->meet(1, pair_threads, "meet_workers");
}
bool tally::cuda_backend::exact::has_any_worker(bool it)
{
  return test::grid::current()->meet(1, pair_threads, "has_any_worker", it);
}
void tally::cuda_backend::exact::tell(news what, int turn)
{
  test::grid::current()->arrive(static_cast<unsigned>(what) + static_cast<unsigned>(turn), pair_block_threads, "news");
}
void tally::cuda_backend::exact::hear(news what, int turn)
{
  test::grid::current()->meet(static_cast<unsigned>(what) + static_cast<unsigned>(turn), pair_block_threads, "news");
}

/// A copy arrives when it is waited for. Until then something else is there.
namespace {
struct copy_of_term {
  float *to, value;
};
/// Those that are under way, by the numbers of block and thread.
std::map<std::pair<unsigned, unsigned>, std::vector<copy_of_term>> copies;
}  // namespace
template <>
void tally::cuda_backend::exact::begin_copy(float* to, float const* from)
{
  *to = 1e30f;
  copies[{blockIdx.x, threadIdx.x}].push_back({to, *from});
}
void tally::cuda_backend::exact::await_terms()
{
  auto& own = copies[{blockIdx.x, threadIdx.x}];
  for (copy_of_term const& each : own) *each.to = each.value;
  own.clear();
}

namespace {

using namespace tally::cuda_backend::exact;
using tally::test::guarded;
using tally::test::random_bits;
using tally::test::run_grid;
using tally::test::same;

constexpr std::size_t tile = pair_tile;

enum class terms {
  fractions,
  zeros,
  whole_numbers,
  lost_ones  ///< whole numbers, and behind six tiles ones among larger terms that cancel
};

template <class T>
T term(terms kind, std::size_t k)
{
  std::uint64_t const random = random_bits(static_cast<std::uint64_t>(kind), k);
  double const fraction = static_cast<double>(random >> 11) * 0x1p-53 - 0.5;
  switch (kind) {
    case terms::fractions: return static_cast<T>(fraction);
    case terms::zeros: return static_cast<T>(random % 3 == 0 ? -0.0 : 0.0);
    case terms::whole_numbers: return static_cast<T>(static_cast<double>(random % 13) - 6);
    case terms::lost_ones: {
      constexpr double ones[] = {0x1p200, 0x1p100, 1, -0x1p200, -0x1p100};
      return k < 6 * tile ? term<T>(terms::whole_numbers, k) : static_cast<T>(ones[k % 5]);
    }
  }
  return T{};
}

/// A call: the terms, how sequences begin, the blocks.
struct call {
  terms kind = terms::fractions;
  bool is_exclusive = false, has_init = false;
  unsigned blocks = 1;

  std::string text() const
  {
    return "terms " + std::to_string(static_cast<int>(kind)) + (is_exclusive ? ", exclusive" : "") +
           (has_init ? ", with an initial value" : "") + ", blocks: " + std::to_string(blocks);
  }
};

std::vector<call> all_calls()
{
  std::vector<call> all;
  for (unsigned blocks : {1u, 3u})
    for (bool is_exclusive : {false, true}) all.push_back({terms::fractions, is_exclusive, true, blocks});
  all.push_back({terms::zeros, false, false, 2});
  all.push_back({terms::whole_numbers, false, true, 3});
  all.push_back({terms::whole_numbers, true, true, 2});
  return all;
}

/// The results of a call, one sequence after the other. Sequence s is [offsets[s], offsets[s + 1]).
template <class T, bool Reduces>
std::vector<T> expected_results(T const* x, std::vector<std::uint32_t> const& offsets, call const& how, double init)
{
  std::vector<T> all;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    tally::exact_accumulator<T> sum;
    if (how.has_init) sum.add(static_cast<T>(init));
    for (std::size_t k = offsets[s]; k < offsets[s + 1]; ++k) {
      if (!Reduces && how.is_exclusive) all.push_back(sum.round());
      sum.add(x[k]);
      if (!Reduces && !how.is_exclusive) all.push_back(sum.round());
    }
    if (Reduces) all.push_back(offsets[s] == offsets[s + 1] ? static_cast<T>(how.has_init ? init : 0.0) : sum.round());
  }
  return all;
}

/// Runs the kernels of a call, apart or in place. Returns whether pairs told all results; they must be right then.
template <class T, class Ends, bool Reduces>
bool run_call(std::vector<std::uint32_t> const& offsets, Ends ends, call const& how, bool in_place)
{
  using problem = pairs_problem<T, T const*, T*, std::identity, Ends, Reduces>;
  std::size_t const first = offsets.front(), n = offsets.back() - first;
  std::size_t const tiles = std::max<std::size_t>((n + tile - 1) / tile, 1);
  double const init = how.has_init ? -0.75 : -0.0;

  guarded<T> const in(offsets.back()), apart(Reduces ? offsets.size() - 1 : offsets.back());
  for (std::size_t k = 0; k < offsets.back(); ++k) in.data()[k] = term<T>(how.kind, k);
  std::vector<T> const expected = expected_results<T, Reduces>(in.data(), offsets, how, init);
  guarded<T> const& out = in_place ? in : apart;

  struct {
    unsigned long long ticket = 0;
    unsigned failed = 0;
  } counters;
  std::vector<std::uint64_t> states(tiles * pair_states::words);
  std::vector<pair_sum> before(tiles);
  std::vector<std::size_t> first_of_tile(tiles + 1);
  std::vector<std::uint16_t> bits(tiles * pair_threads, 0xaaaa);
  problem given{in.data(),
                out.data(),
                {},
                ends,
                init,
                static_cast<T>(how.has_init ? init : 0.0),
                how.is_exclusive,
                !in_place,
                false,
                {&counters.ticket, &counters.failed, states.data(), in_place ? before.data() : nullptr}};
  if constexpr (Ends::has_bits) {
    given.ends.first_of_tile = first_of_tile.data();
    given.ends.bits = bits.data();
    run_grid(1, 32, 0, [&] { ends_of_tiles_kernel<Ends>(given.ends); });
    unsigned const warps = marking_threads / 32;
    run_grid(static_cast<unsigned>(tiles + warps - 1) / warps, marking_threads,
             tally::cuda_backend::bytes_of_pair_block + warps * tile, [&] { mark_ends_kernel<Ends>(given.ends); });
  }
  constexpr std::size_t shared_bytes = tally::cuda_backend::bytes_of_pair_block + pair_bytes<problem>;
  copies.clear();
  run_grid(how.blocks, pair_block_threads, shared_bytes, [&] { pairs_kernel<problem>(given); });
  copies.clear();
  if (in_place) {
    given.writes = given.is_checked = true;
    run_grid(how.blocks, pair_block_threads, shared_bytes, [&] { pairs_kernel<problem>(given); });
  }
  EXPECT_TRUE(in.guards_intact());
  EXPECT_TRUE(apart.guards_intact());
  if (counters.failed != 0) return false;
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    T const result = out.data()[k + (Reduces ? 0 : first)];
    if (!same(result, expected[k]) && ++wrong == 1)
      ADD_FAILURE() << "result " << k << " is " << static_cast<double>(result) << " for "
                    << static_cast<double>(expected[k]);
  }
  EXPECT_EQ(wrong, 0u) << "results of " << expected.size();
  return true;
}

template <class T, class Ends>
void check(std::string const& what, std::vector<std::uint32_t> const& offsets, Ends ends, call const& how)
{
  SCOPED_TRACE(what + ": " + how.text());
  EXPECT_TRUE((run_call<T, Ends, false>(offsets, ends, how, false))) << "apart: a pair does not tell a result";
  if (how.blocks > 1) {
    EXPECT_TRUE((run_call<T, Ends, false>(offsets, ends, how, true))) << "in place: a pair does not tell a result";
  }
  if constexpr (Ends::has_ends) {
    if (how.is_exclusive) return;
    EXPECT_TRUE((run_call<T, Ends, true>(offsets, ends, how, false))) << "sums: a pair does not tell a result";
  }
}

template <class T>
class exact_pairs : public testing::Test {};
using all_types = testing::Types<float, double, tally::half>;
TYPED_TEST_SUITE(exact_pairs, all_types);

TYPED_TEST(exact_pairs, of_one_sequence)
{
  for (call const& how : all_calls()) {
    std::vector<std::size_t> sizes = {1, 5 * tile + 77};
    if (how.blocks == 1) sizes.insert(sizes.end(), {15, tile - 1, tile, tile + 1});
    for (std::size_t n : sizes)
      check<TypeParam>("of " + std::to_string(n), {0, static_cast<std::uint32_t>(n)}, one_sequence{{n, {}}}, how);
  }
}

/// A warp looks back on 32 tiles at a time.
TEST(exact_pairs_of_floats, of_one_sequence_of_many_tiles)
{
  std::size_t const n = 37 * tile + 5;
  check<float>("of many tiles", {0, static_cast<std::uint32_t>(n)}, one_sequence{{n, {}}},
               {terms::whole_numbers, false, true, 4});
}

TYPED_TEST(exact_pairs, of_sequences_of_one_length)
{
  for (call const& how : all_calls())
    for (std::size_t length : {std::size_t{7}, std::size_t{100}, std::size_t{5000}}) {
      std::size_t const rows = 13000 / length;
      std::vector<std::uint32_t> offsets;
      for (std::size_t r = 0; r <= rows; ++r) offsets.push_back(static_cast<std::uint32_t>(r * length));
      check<TypeParam>("rows of " + std::to_string(length), offsets, sequences_of_one_length{length, rows, 1}, how);
    }
}

/// Segments of no, few and many terms, with empty ones among them and at the end, that do not begin at the first term.
TYPED_TEST(exact_pairs, of_segments)
{
  for (call const& how : all_calls())
    for (unsigned most : {0u, 3u, 300u, 9000u}) {
      std::vector<std::uint32_t> offsets{5};
      for (std::size_t s = 0; offsets.back() < 13000 && offsets.size() < 9000; ++s)
        offsets.push_back(offsets.back() + static_cast<std::uint32_t>(random_bits(most, s) % (most + 1)));
      for (int k = 0; k < 50; ++k) offsets.push_back(offsets.back());
      using ends = sequences_between<std::uint32_t const*>;
      check<TypeParam>("segments of up to " + std::to_string(most), offsets,
                       ends{offsets.data(), {offsets.size() - 1, {}}, nullptr, nullptr}, how);
    }
}

/// A pair that does not tell a result ends the call in every block: those that look back too, although the tiles before
/// theirs may belong to blocks that have ended.
TEST(exact_pairs_of_doubles, that_do_not_tell_a_result)
{
  std::size_t const n = 12 * tile + 1;
  std::vector<std::uint32_t> const offsets{0, static_cast<std::uint32_t>(n)};
  // Many runs: in few of them some lanes of a warp read the flag before it is set, and others behind.
  for (unsigned run = 0; run < 64; ++run)
    EXPECT_FALSE((run_call<double, one_sequence, false>(
        offsets, one_sequence{{n, {}}}, {terms::lost_ones, false, false, run == 0 ? 1u : 6u}, run % 8 == 1)));
}

}  // namespace
