// Scans of segments by words on fibers: a warp has segments that follow each other. Each has the results of the order,
// by an implementation of its own, wherever it lies and whatever is beside it.
#include "fibers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "barriers.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/cuda/batch/segment_problem.cuh"
#include "tally/detail/cuda/batch/segment_words.cuh"
#include "tally/operators/arithmetic.hpp"

namespace {

using namespace tally::cuda_backend;
using tally::test::guarded;
using tally::test::random_bits;
using tally::test::same;

struct call {
  std::size_t in = 0, out = 0;  ///< the first elements, behind a line of memory
  bool is_exclusive = false, has_init = false, is_in_place = false;
  std::size_t longest = ~std::size_t{};      ///< of the segments that are not left out
  std::size_t skipped = 0;                   ///< segments before those of the warp
  std::size_t at_once = ~std::size_t{} / 2;  ///< segments that the warp takes
  std::size_t far = 0;                       ///< elements before those that are there
};

template <class T>
T element(std::size_t k)
{
  return static_cast<T>(static_cast<double>(random_bits(1, k) >> 11) * 0x1p-52 - 1);
}

template <class T, class Offset>
void check(std::vector<std::size_t> const& lengths, call const& how)
{
  // Elements before the first offset belong to no segment.
  std::vector<Offset> offsets{static_cast<Offset>(how.far + 3)};
  for (std::size_t const n : lengths) offsets.push_back(static_cast<Offset>(offsets.back() + n));
  std::string names;
  for (std::size_t s = 0; s < lengths.size() && s < 40; ++s) names += " " + std::to_string(lengths[s]);
  SCOPED_TRACE((how.is_exclusive ? "exclusive scan of" : "scan of") + names + ", first elements " +
               std::to_string(how.in) + ", " + std::to_string(how.out) +
               (how.has_init ? ", with an initial value" : "") + (how.is_in_place ? ", in place" : "") + ", longest " +
               std::to_string(how.longest) + ", " + std::to_string(how.skipped) + " left to others, " +
               std::to_string(how.at_once) + " at once");
  auto const all = static_cast<std::size_t>(offsets.back()) - how.far + 2;
  std::size_t const first = how.skipped;
  guarded<T> const in(all, how.in), out(all, how.out);
  T const init = T(0.375);
  for (std::size_t k = 0; k < all; ++k) {
    in.data()[k] = element<T>(k);
    out.data()[k] = T(7);
  }
  std::vector<T> expected(how.is_in_place ? in.begin() : out.begin(), how.is_in_place ? in.end() : out.end());
  for (std::size_t s = first; s < lengths.size(); ++s) {
    if (lengths[s] > how.longest) continue;
    std::vector<T> const own(in.data() + (offsets[s] - how.far), in.data() + (offsets[s + 1] - how.far));
    auto const results =
        tally::test::reference::scan(own, tally::plus{}, how.has_init ? std::optional<T>(init) : std::nullopt);
    for (std::size_t k = 0; k < own.size(); ++k)
      expected[offsets[s] - how.far + k] = how.is_exclusive ? results.exclusive[k] : results.inclusive[k];
  }

  using P = segment_problem<segment_work::scan, tally::detail::batch::from_front, T, tally::plus, T const*,
                            Offset const*, T*>;
  T* const to = how.is_in_place ? in.data() : out.data();
  auto const from_far = [&](T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) - how.far * sizeof(T));
  };
  P const problem{from_far(in.data()),
                  offsets.data(),
                  lengths.size(),
                  from_far(to),
                  {how.has_init, init, init},
                  nullptr,
                  nullptr,
                  {},
                  false,
                  {},
                  how.is_exclusive,
                  nullptr,
                  nullptr,
                  0,
                  0,
                  {}};
  using memory = segment_words_memory<P>;
  tally::test::forget_barriers();
  tally::test::run_grid(1, warp_lanes, sizeof(memory), [&] {
    auto& own = *reinterpret_cast<memory*>(tally::test::grid::current()->memory());
    tally::plus op;
    segment_words<P> words(problem, own, op);
    for (std::size_t next = first; next < lengths.size(); next += how.at_once) {
      std::size_t const end = std::min(lengths.size(), next + how.at_once);
      words.work(next, end, offsets[next], offsets[end], how.longest);
    }
  });
  EXPECT_TRUE(in.guards_intact());
  EXPECT_TRUE(out.guards_intact());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < all; ++k)
    if (!same(to[k], expected[k]) && ++wrong == 1) ADD_FAILURE() << "the first wrong result is at " << k;
  EXPECT_EQ(wrong, 0u);
}

template <class T>
class drawn {
public:
  explicit drawn(std::uint64_t stream) : stream_(stream) {}
  std::size_t operator()(std::size_t below)
  {
    return static_cast<std::size_t>(random_bits(stream_, ++draws_) >> 11) % below;
  }
  call how()
  {
    call result;
    result.in = (*this)(16 / sizeof(T));
    result.out = (*this)(2) == 0 ? result.in : (*this)(16 / sizeof(T));
    result.is_exclusive = (*this)(3) == 0;
    result.has_init = result.is_exclusive || (*this)(2) == 0;
    result.is_in_place = (*this)(4) == 0;
    if ((*this)(2) == 0) result.at_once = 1 + (*this)((*this)(2) == 0 ? 4 : 40);
    return result;
  }

private:
  std::uint64_t stream_, draws_ = 0;
};

template <class T>
void check_all(std::uint64_t stream)
{
  constexpr std::size_t word = 16 / sizeof(T), row = tally::order::row<T>, strip = tally::order::strip<T>,
                        tile = tally::order::tile<T>, chunk = 4 * row;
  drawn<T> draw(stream);
  // Each length around those of the order, at each place of a word.
  for (std::size_t const n : {std::size_t{1}, word, row, strip, chunk, tile})
    for (std::size_t const more : {std::size_t(-1), std::size_t{0}, std::size_t{1}, word + 1, row, row + 1})
      for (std::size_t before = 0; before <= word; ++before) {
        if (n + more == 0) continue;
        check<T, std::uint32_t>({before, n + more, 1, 0, 2, n + more}, draw.how());
      }
  // Every sum of lengths, so that ends and heads lie at all places of a chunk.
  for (std::size_t before = 0; before < chunk + 2 * word; before += 1 + draw(3))
    check<T, std::uint32_t>({before, 1, word + 1, 0, chunk - word, 3 * row + 1, 5}, draw.how());
  for (std::size_t const most : {1, 2, 3, 5, 9, 20, 40, 150, 700, 3000}) {
    std::vector<std::size_t> lengths;
    for (std::size_t sum = 0; sum < 5 * chunk + most; sum += lengths.back() + 1) lengths.push_back(draw(most + 1));
    check<T, std::uint32_t>(lengths, draw.how());
    call how = draw.how();
    how.skipped = draw(lengths.size());
    check<T, std::uint32_t>(lengths, how);
  }
  // More segments than offsets in shared memory, and none but empty ones.
  auto const many = [&](std::vector<std::size_t> const& lengths) {
    call how = draw.how();
    how.at_once = 900 + draw(4000);
    check<T, std::uint32_t>(lengths, how);
  };
  many(std::vector<std::size_t>(3000, 1));
  std::vector<std::size_t> few(4000, 0);
  for (int k = 0; k < 40; ++k) few[draw(4000)] = draw(60);
  many(few);
  many(std::vector<std::size_t>(1500, 0));
  // Offsets beyond four bytes.
  for (std::size_t const before : {700, 3, 2, 1, 0, -5}) {
    call how = draw.how();
    how.far = (std::size_t(1) << 32) - before;
    check<T, std::uint64_t>({1, 400, 7, 0, 2 * chunk, 90, 3}, how);
  }
  // Carries of several tiles and of several spans' tiles.
  check<T, std::uint32_t>({5, 3 * tile + 7, 1, 2 * tile, 9, tile + 1, tile, 2 * tile + row}, draw.how());
  check<T, std::uint32_t>({3, 34 * tile + 3, 8}, draw.how());
  for (int k = 0; k < 20; ++k) {
    std::vector<std::size_t> lengths;
    for (std::size_t s = 1 + draw(9); s > 0; --s)
      lengths.push_back(draw(3) == 0 ? draw(2 * tile + 9) : draw(3) == 0 ? draw(2 * row) : draw(8));
    check<T, std::uint32_t>(lengths, draw.how());
  }
  // Long segments are left out: first, last, next to each other, around the ends of chunks.
  for (std::size_t before = chunk - word; before <= chunk + word; ++before) {
    call how = draw.how();
    how.longest = chunk + 2 * word;
    check<T, std::uint64_t>({before, 3 * chunk, 5}, how);
  }
  for (int k = 0; k < 60; ++k) {
    call how = draw.how();
    how.longest = chunk / 2 + draw(chunk);
    std::vector<std::size_t> lengths;
    for (std::size_t s = 1 + draw(30); s > 0; --s)
      lengths.push_back(draw(3) == 0 ? how.longest + draw(3 * chunk) : draw(4) == 0 ? draw(chunk) : draw(40));
    check<T, std::uint64_t>(lengths, how);
  }
}

TEST(segment_words_on_fibers, of_floats)
{
  check_all<float>(2);
}
TEST(segment_words_on_fibers, of_doubles)
{
  check_all<double>(3);
}

}  // namespace
