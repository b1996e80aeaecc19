// Reductions of segments by trees and along memory, on fibers. Each segment has the result of the order, by an
// implementation of its own, wherever it lies and whatever is beside it.
#include "fibers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "barriers.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/cuda/batch/segment_problem.cuh"
#include "tally/detail/cuda/batch/tree_segments.cuh"
#include "tally/operators/arithmetic.hpp"

namespace {

using namespace tally::cuda_backend;
using tally::test::guarded;
using tally::test::random_bits;
using tally::test::same;

enum class manner {
  a_warp,   ///< a warp has all segments, 32 at a time
  tickets,  ///< warps share out segments
  along,    ///< warps share out elements
};

struct call {
  std::size_t in = 0;     ///< the first element, behind a line of memory
  bool has_init = false;  ///< one for all
  bool has_initials = false;
  unsigned blocks = 1;
  std::size_t far = 0;              ///< elements before those that are there
  bool are_long_ones_left = false;  ///< to the general kernel
};

template <class T>
T element(std::size_t k)
{
  std::uint64_t const bits = random_bits(1, k);
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(bits >> 17);
  else
    return static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-52 - 1);
}

template <class T, class Offset, class Op = tally::plus>
void check(manner by, std::vector<std::size_t> const& lengths, call const& how)
{
  // Elements before the first offset belong to no segment. The last element is the last one of a segment.
  std::vector<Offset> offsets{static_cast<Offset>(how.far + 3)};
  for (std::size_t const n : lengths) offsets.push_back(static_cast<Offset>(offsets.back() + n));
  std::string names;
  for (std::size_t s = 0; s < lengths.size() && s < 40; ++s) names += " " + std::to_string(lengths[s]);
  SCOPED_TRACE("manner " + std::to_string(static_cast<int>(by)) + ", segments of" + names + ", first element " +
               std::to_string(how.in) + (how.has_init ? ", with an initial value" : "") +
               (how.has_initials ? ", with initial values" : "") + ", blocks: " + std::to_string(how.blocks));
  auto const all = static_cast<std::size_t>(offsets.back()) - how.far;
  guarded<T> const in(all, how.in), out(lengths.size(), 1);
  for (std::size_t k = 0; k < all; ++k) in.data()[k] = element<T>(k);
  T const init = element<T>(all + 1), nothing = T(-3);
  std::vector<T> initials, expected;
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    out.data()[s] = T(7);
    initials.push_back(element<T>(all + 2 + s));
    std::optional<T> const own_init = how.has_initials ? std::optional<T>(initials[s])
                                      : how.has_init   ? std::optional<T>(init)
                                                       : std::nullopt;
    std::vector<T> const own(in.data() + (offsets[s] - how.far), in.data() + (offsets[s + 1] - how.far));
    expected.push_back(own.empty() ? own_init.value_or(nothing)
                                   : tally::test::reference::scan(own, Op{}, own_init).inclusive.back());
  }

  using P = segment_problem<segment_work::reduce, tally::detail::batch::from_front, T, Op, T const*, Offset const*, T*>;
  using shape = trees_shape<P>;
  control shared{};
  constexpr std::size_t chunks = 600;
  std::vector<std::uint64_t> words(chunks * words_of<tally::working_type<T>> + words_by_warps);
  auto const* const first = reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(in.data()) - how.far * sizeof(T));
  P problem{first,
            offsets.data(),
            lengths.size(),
            out.data(),
            {how.has_init, init, init},
            how.has_initials ? initials.data() : nullptr,
            nullptr,
            {},
            true,
            {},
            false,
            &shared,
            words.data(),
            chunks,
            words.size(),
            {}};
  *reinterpret_cast<T*>(problem.nothing.bytes) = nothing;
  problem.reduced_by_trees = 0;
  if (by == manner::along) problem.reduced_along = 0;
  tally::test::forget_barriers();
  if (by == manner::a_warp)
    tally::test::run_grid(1, warp_lanes, sizeof(typename tree_reduction<P>::memory), [&] {
      auto& own = *reinterpret_cast<typename tree_reduction<P>::memory*>(tally::test::grid::current()->memory());
      Op op;
      tree_reduction<P> work(problem, own, op);
      for (std::size_t k = 0; k < lengths.size(); k += warp_lanes)
        work.reduce(k, static_cast<int>(std::min<std::size_t>(warp_lanes, lengths.size() - k)));
    });
  else
    tally::test::run_grid(how.blocks, shape::threads, shape::bytes, [&] {
      reduce_by_trees(problem, reinterpret_cast<typename shape::memory*>(tally::test::grid::current()->memory()));
    });
  EXPECT_TRUE(in.guards_intact());
  EXPECT_TRUE(out.guards_intact());
  bool const is_left = words_of_tickets(problem)[word_of_call] != 0;
  EXPECT_EQ(is_left, how.are_long_ones_left);
  if (is_left) return;
  for (std::size_t s = 0; s < lengths.size(); ++s)
    if (!same(out.data()[s], expected[s])) {
      ADD_FAILURE() << "segment " << s << " has " << out.data()[s] << ", not " << expected[s];
      break;
    }
}

class drawn {
public:
  explicit drawn(std::uint64_t stream) : stream_(stream) {}
  std::size_t operator()(std::size_t below)
  {
    return static_cast<std::size_t>(random_bits(stream_, ++draws_) >> 11) % below;
  }
  template <class T>
  call how()
  {
    call result;
    result.in = (*this)(16 / sizeof(T));
    result.has_initials = (*this)(3) == 0;
    result.has_init = (*this)(3) == 0;
    result.blocks = 1 + static_cast<unsigned>((*this)(2));
    return result;
  }
  std::vector<std::size_t> lengths(std::size_t count, std::size_t most)
  {
    std::vector<std::size_t> result;
    while (result.size() < count) result.push_back((*this)(5) == 0 ? (*this)(5) : (*this)(most + 1));
    return result;
  }

private:
  std::uint64_t stream_, draws_ = 0;
};

template <class T>
void check_a_warp(std::uint64_t stream)
{
  constexpr std::size_t group = tally::order::group<T>, row = tally::order::row<T>, strip = tally::order::strip<T>,
                        tile = tally::order::tile<T>;
  drawn draw(stream);
  // Each length up to three rows, and around those of the order, at each place of a word.
  std::vector<std::size_t> lengths;
  for (std::size_t n = 0; n <= 3 * row; ++n) lengths.push_back(n);
  for (std::size_t place = 0; place < group; ++place) {
    call how;
    how.in = place;
    check<T, std::uint32_t>(manner::a_warp, lengths, how);
  }
  for (std::size_t const n : {8 * group, row, strip, 2 * strip, tile, tile + strip, 2 * tile})
    for (std::size_t place = 0; place < group; ++place) {
      call how = draw.template how<T>();
      how.in = place;
      check<T, std::uint32_t>(manner::a_warp, {n - group - 1, n - group, n - 1, n, n + 1, 3, n + group, n + group + 1},
                              how);
    }
  // Trees: as many as there can be, and one less or more than a warp makes at a time.
  check<T, std::uint32_t>(manner::a_warp, std::vector<std::size_t>(32, strip), draw.template how<T>());
  for (std::size_t const trees : {30, 31, 32, 33, 63, 64, 65})
    check<T, std::uint32_t>(manner::a_warp, std::vector<std::size_t>(trees, 5 * group), draw.template how<T>());
  for (std::size_t const most : {group, 9 * group, 2 * row, strip, 2 * strip, 3 * tile})
    for (int k = 0; k < 12; ++k)
      check<T, std::uint32_t>(manner::a_warp, draw.lengths(1 + draw(most > strip ? 20 : 70), most),
                              draw.template how<T>());
  check<T, std::uint32_t>(manner::a_warp, {5, 34 * tile + 3, 8}, draw.template how<T>());
  check<T, std::uint32_t>(manner::a_warp, std::vector<std::size_t>(40, 0), draw.template how<T>());
  for (std::size_t const before : {700, 3, 2, 1, 0, -5}) {
    call how = draw.template how<T>();
    how.far = (std::size_t(1) << 32) - before;
    check<T, std::uint64_t>(manner::a_warp, {1, 400, 7, 0, 2 * strip + 5, 90, 3}, how);
  }
}

template <class T>
void check_blocks(std::uint64_t stream)
{
  constexpr std::size_t strip = tally::order::strip<T>, tile = tally::order::tile<T>;
  drawn draw(stream);
  for (manner const by : {manner::tickets, manner::along}) {
    for (std::size_t const most : {std::size_t{60}, strip, tile, 16 * strip - 5})
      for (int k = 0; k < 4; ++k)
        check<T, std::uint32_t>(by, draw.lengths(1 + draw(most > strip ? 12 : 200), most), draw.template how<T>());
    check<T, std::uint32_t>(by, std::vector<std::size_t>(3000, 1), draw.template how<T>());
    check<T, std::uint64_t>(by, std::vector<std::size_t>(1000, 0), draw.template how<T>());
  }
  // A ticket that is too large, and the same elements along memory: segments of several shares.
  call how = draw.template how<T>();
  how.are_long_ones_left = true;
  check<T, std::uint32_t>(manner::tickets, {3, 16 * strip - 4, 9 * tile, 1, 7}, how);
  for (int k = 0; k < 3; ++k) {
    how = draw.template how<T>();
    check<T, std::uint32_t>(manner::along, {3, 16 * strip - 4, 9 * tile + draw(tile), 1, 7, 5 * tile, 2}, how);
    check<T, std::uint64_t>(manner::along, draw.lengths(9, 6 * tile), how);
  }
  check<T, std::uint32_t>(manner::along, {37 * tile + 5}, draw.template how<T>());
}

/// Groups that are not there are the identity of each operator.
template <class T, class Op>
void check_operator(std::uint64_t stream)
{
  constexpr std::size_t strip = tally::order::strip<T>, tile = tally::order::tile<T>;
  drawn draw(stream);
  for (manner const by : {manner::a_warp, manner::tickets, manner::along})
    for (std::size_t const most : {std::size_t{40}, strip, tile + strip})
      check<T, std::uint32_t, Op>(by, draw.lengths(1 + draw(most > strip ? 9 : 70), most), draw.template how<T>());
}

TEST(tree_segments_on_fibers, a_warp_of_floats)
{
  check_a_warp<float>(2);
}
TEST(tree_segments_on_fibers, a_warp_of_doubles)
{
  check_a_warp<double>(3);
}
TEST(tree_segments_on_fibers, blocks_of_floats)
{
  check_blocks<float>(4);
}
TEST(tree_segments_on_fibers, blocks_of_doubles)
{
  check_blocks<double>(5);
}

TEST(tree_segments_on_fibers, other_operators)
{
  check_operator<float, tally::maximum>(6);
  check_operator<double, tally::minimum>(7);
  check_operator<std::int32_t, tally::multiplies>(8);
  check_operator<std::uint64_t, tally::bit_and>(9);
}

}  // namespace
