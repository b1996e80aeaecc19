// Segments on a GPU: the tests of any backend, and many segments of every distribution of lengths.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../../batch/segments_suite.hpp"
#include "../../contract/cuda_backend.hpp"
#include "../../order/reference.hpp"
#include "../../support/generator.hpp"
#include "tally/batches.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/path.hpp"
#include "tally/half.hpp"
#include "tally/operators.hpp"

namespace tally::test {
namespace {

int visits = 0;
std::set<std::string> taken;  ///< the paths of all tests so far

/// The GPU with the ways of segments: all blocks, one, three, chunks that do not share totals, warps, trees, warps that
/// share out elements, words, and listed tiles.
struct segments_backend {
  template <class T>
  using array = guarded_on_device<T>;

  template <class F>
  static void for_each_way(ways, F const& f)
  {
    static constexpr auto never = std::size_t(-1);
    struct way {
      char const* name;
      int blocks = 0;  ///< 0: all
      std::size_t chunks = never, long_segments = 0;
      std::size_t by_warps = never, reduced_by_trees = never, reduced_along = never;
      std::size_t by_tiles = never;  ///< the least mean length; one block takes 3 us a tile
      std::size_t by_tiles_and_words = never, longest_by_words = 1;
      std::size_t tiles_folded_by_warp = 256;
    };
    static constexpr way all[] = {
        {.name = "all blocks, overlapped"},
        {.name = "all blocks", .long_segments = never},
        {.name = "one block, overlapped", .blocks = 1},
        {.name = "three blocks", .blocks = 3, .long_segments = never},
        {.name = "each segment in one block, overlapped", .chunks = 0},
        {.name = "each segment in one block", .chunks = 0, .long_segments = never},
        {.name = "warps or words of all blocks", .by_warps = 0},
        {.name = "warps or words of two blocks", .blocks = 2, .by_warps = 0},
        {.name = "trees of all blocks", .by_warps = 0, .reduced_by_trees = 0},
        {.name = "trees of two blocks", .blocks = 2, .by_warps = 0, .reduced_by_trees = 0},
        {.name = "trees or warps", .by_warps = 0, .reduced_by_trees = 32},
        {.name = "along, all blocks", .by_warps = 0, .reduced_by_trees = 0, .reduced_along = 0},
        {.name = "along, one block", .blocks = 1, .by_warps = 0, .reduced_by_trees = 0, .reduced_along = 0},
        {.name = "along, few chunks with words", .chunks = 5, .by_warps = 0, .reduced_by_trees = 0, .reduced_along = 0},
        {.name = "tiles, all blocks", .by_tiles = 0, .by_tiles_and_words = 0},
        {.name = "tiles, one block", .blocks = 1, .by_tiles = 100, .by_tiles_and_words = 100},
        {.name = "tiles, few folded by a warp", .by_tiles = 0, .by_tiles_and_words = 0, .tiles_folded_by_warp = 3},
        {.name = "tiles and words", .by_tiles_and_words = 0},
        {.name = "tiles and words, 9000", .by_tiles_and_words = 0, .longest_by_words = 9000},
        {.name = "tiles and words of two blocks", .blocks = 2, .by_tiles_and_words = 0, .longest_by_words = 600}};
    tally::detail::observer_of_paths = [](char const* path, char const*) {
      visits += std::string(path).starts_with("cuda: segments");
      taken.insert(path);
    };
    auto& fixture = cuda_fixture::instance();
    for (way const& each : all) {
      tally::cuda_backend::tuning_in_use().segment_chunks = each.chunks;
      tally::cuda_backend::tuning_in_use().long_segments = each.long_segments;
      tally::cuda_backend::tuning_in_use().segments_by_warps = each.by_warps;
      tally::cuda_backend::tuning_in_use().segments_scanned_by_words = each.by_warps;
      tally::cuda_backend::tuning_in_use().segments_reduced_by_trees = each.reduced_by_trees;
      tally::cuda_backend::tuning_in_use().segments_reduced_along = each.reduced_along;
      tally::cuda_backend::tuning_in_use().segments_by_tiles = each.by_tiles;
      tally::cuda_backend::tuning_in_use().segments_reduced_by_tiles = each.by_tiles;
      tally::cuda_backend::tuning_in_use().listed_tiles_folded_by_warp = each.tiles_folded_by_warp;
      tally::cuda_backend::tuning_in_use().segments_by_tiles_and_words = each.by_tiles_and_words;
      tally::cuda_backend::tuning_in_use().longest_by_words = each.longest_by_words;
      tally::cuda_backend::tuning_in_use().least_by_tiles = 0;
      tally::cuda_backend::tuning_in_use().least_reduced_by_tiles = 0;
      fixture.space.prefer(cuda::workspace::path::automatic, each.blocks);
      f(cuda{fixture.stream, fixture.space}, std::string(each.name));
    }
    tally::cuda_backend::tuning_in_use() = {};
    fixture.space.prefer(cuda::workspace::path::automatic);
    tally::detail::observer_of_paths = nullptr;
    EXPECT_GT(visits, 0);
  }
};

/// Lengths of segments that have `total` elements in all, or some more.
std::vector<std::size_t> lengths_of(std::string const& kind, std::size_t total)
{
  dice of(total + kind.size());
  std::vector<std::size_t> lengths;
  auto const exponential = [&](double mean) {
    double const uniform = (static_cast<double>(of(std::size_t(1) << 30)) + 1) * 0x1p-30;
    return static_cast<std::size_t>(std::llround(-std::log(uniform) * mean));
  };
  static constexpr std::size_t edges[] = {1, 4, 16, 128, 512, 1024, 2048, 8192, 9216, 16384, 262144, 0};
  for (std::size_t sum = 0; sum < total && lengths.size() < 100'000; sum += lengths.back()) {
    std::size_t n = total;
    if (kind.starts_with("mean ")) n = exponential(std::stod(kind.substr(5)));
    if (kind.starts_with("all ")) n = std::stoul(kind.substr(4));
    if (kind == "up to 2000") n = 1 + of(2000);
    if (kind == "few of 200,000") n = of(100) == 0 ? 200'000 : 1 + of(20);
    if (kind == "around units") n = edges[of(12)] + of(5), n -= n < 2 ? n : 2;
    if (kind == "few long") n = of(50) == 0 ? 30 + of(60) : of(2);
    if (kind == "few of 1000") n = of(700) == 0 ? 900 + of(300) : of(3);
    if (kind == "few of 9000") n = of(10'000) == 0 ? 8500 + of(2000) : of(3);
    if (kind == "nine groups") n = of(60) == 0 ? 30 + of(8) : of(8) == 0 ? 4 + of(14) : of(2);
    if (kind == "alternating") n = lengths.size() % 2 == 0 ? 8192 : 1;
    if (kind == "nearly all empty") n = lengths.size() == 60'000 ? total : lengths.size() % 20'011 == 0 ? 3 : 0;
    lengths.push_back(n);
  }
  return lengths;
}

template <class T, class Offset, class Op>
void check_lengths(std::vector<std::size_t> const& lengths, std::size_t before, Op op, std::string const& what)
{
  std::size_t const count = lengths.size();
  std::vector<Offset> offsets{static_cast<Offset>(before)};
  for (std::size_t const n : lengths) offsets.push_back(static_cast<Offset>(offsets.back() + static_cast<Offset>(n)));
  auto const size = static_cast<std::size_t>(offsets.back());
  std::vector<T> const values = values_to<T>(size);
  T const init = value_at<T>(99);
  std::vector<T> inclusive = poisoned_values<T>(size), exclusive = values, reduced(count), lasts(count);
  for (std::size_t s = 0; s < count; ++s) {
    auto const begin = static_cast<std::ptrdiff_t>(offsets[s]), end = static_cast<std::ptrdiff_t>(offsets[s + 1]);
    auto const own = reference::scan<T>({values.begin() + begin, values.begin() + end}, op, std::optional<T>(init));
    std::copy(own.inclusive.begin(), own.inclusive.end(), inclusive.begin() + begin);
    if (begin != end) std::copy(own.exclusive.begin(), own.exclusive.end(), exclusive.begin() + begin);
    reduced[s] = lasts[s] = *own.reduced;
  }
  segments_backend::for_each_way(ways::few_threads, [&](auto const& on, std::string const& way) {
    guarded_on_device<T> const in(values, before), out(poisoned_values<T>(size), 1), totals(count, 2), ends(count, 3);
    guarded_on_device<Offset> const at(offsets, 1);
    auto const batch = segments(static_cast<T const*>(in.begin()), static_cast<Offset const*>(at.begin()),
                                static_cast<Offset const*>(at.end()));
    tally::reduce(on, batch, totals.begin(), init, op);
    tally::inclusive_scan(on, batch, out.begin(), op, init, last_to(ends.begin()));
    EXPECT_TRUE(same_bits<T>(totals.values(), reduced)) << what << ", " << way;
    EXPECT_TRUE(same_bits<T>(ends.values(), lasts)) << what << ", " << way;
    EXPECT_TRUE(same_bits<T>(out.values(), inclusive)) << what << ", " << way;
    EXPECT_TRUE(out.guards_intact() && totals.guards_intact() && ends.guards_intact()) << what << ", " << way;
    if (way.starts_with("warps") || way.starts_with("tiles")) {  // which write no last values
      guarded_on_device<T> const again(poisoned_values<T>(size), 1);
      tally::inclusive_scan(on, batch, again.begin(), op, init);
      EXPECT_TRUE(same_bits<T>(again.values(), inclusive)) << what << ", " << way;
      EXPECT_TRUE(again.guards_intact()) << what << ", " << way;
    }
    tally::exclusive_scan(on, batch, in.begin(), init, op);
    EXPECT_TRUE(same_bits<T>(in.values(), exclusive)) << what << ", " << way;
    EXPECT_TRUE(in.guards_intact()) << what << ", " << way;
  });
}

constexpr char const* all_kinds[] = {
    "mean 1",       "mean 4",         "mean 16",    "mean 60",  "mean 256",    "mean 1000",        "mean 3000",
    "all 1",        "all 4",          "all 5",      "all 16",   "all 17",      "all 127",          "all 128",
    "all 129",      "all 1023",       "all 1024",   "all 1025", "all 8191",    "all 8192",         "all 8193",
    "all 9216",     "all 70000",      "up to 2000", "one",      "alternating", "nearly all empty", "mean 20000",
    "around units", "few of 200,000", "mean 2",     "few long", "few of 1000", "few of 9000",      "nine groups"};

/// Not commutative, and without an identity.
struct three_quarters_less {
  template <class T>
  TALLY_HD T operator()(T const& a, T const& b) const
  {
    return static_cast<T>(a * T(0.75) - b);
  }
};

TEST(cuda_segments, floats_of_every_distribution)
{
  for (auto const* kind : all_kinds)
    for (std::size_t const total : {100, 8190, 9300, 300'000})
      check_lengths<float, std::uint32_t>(lengths_of(kind, total), total % 7, plus{}, kind);
  for (auto const* path : {"cuda: segments", "cuda: segments, overlapped", "cuda: segments by warps",
                           "cuda: segments scanned by words", "cuda: segments scanned by tiles",
                           "cuda: segments scanned by tiles and words", "cuda: segments reduced by tiles"})
    EXPECT_TRUE(taken.contains(path)) << path;
}
TEST(cuda_segments, an_operator_without_identity)
{
  for (auto const* kind : all_kinds)
    check_lengths<float, std::int64_t>(lengths_of(kind, 100'000), 3, three_quarters_less{}, kind);
}
TEST(cuda_segments, a_giant_of_many_spans)
{
  // 59 spans: a block that folds the totals of listed tiles has 56 at a time.
  check_lengths<float, std::uint64_t>({5, 0, std::size_t(15'300'011), 1, 300'000}, 2, plus{}, "a giant");
}
TEST(cuda_segments, halves)
{
  for (auto const* kind : all_kinds) check_lengths<half, std::uint32_t>(lengths_of(kind, 60'000), 1, plus{}, kind);
}
TEST(cuda_segments, floats_by_every_verb)
{
  random_segments<segments_backend, float, std::uint32_t>(plus{}, 8);
  segments_around_units<segments_backend, float, std::uint32_t>(plus{});
}
TEST(cuda_segments, bytes_by_every_verb)
{
  random_segments<segments_backend, std::int8_t, std::size_t>(plus{}, 6);
}
TEST(cuda_segments, twelve_bytes_by_every_verb)
{
  random_segments<segments_backend, twelve_bytes, std::int32_t>(compose_twelve{}, 8);
  segments_around_units<segments_backend, twelve_bytes, std::int32_t>(compose_twelve{});
}
TEST(cuda_segments, no_segments)
{
  segments_backend::for_each_way(ways::few_threads, [&](auto const& on, std::string const&) {
    guarded_on_device<float> const out(1, 1);
    guarded_on_device<std::uint32_t> const at(std::vector<std::uint32_t>{7}, 1);
    tally::reduce(on, segments(static_cast<float const*>(out.begin()), at.begin(), at.end()), out.begin());
    tally::reduce(on, segments(static_cast<float const*>(out.begin()), at.begin(), at.begin()), out.begin());
    EXPECT_TRUE(out.guards_intact());
    ++visits;
  });
}

}  // namespace
}  // namespace tally::test
