// Which kernel a call becomes, against a table written by hand. Needs no GPU.
#include "tally/detail/cuda/choice.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tally::cuda_backend {
namespace {

using path = execution::workspace::path;

constexpr std::size_t strip = 1024, tile = 8192;  // of four bytes
constexpr std::size_t endless = std::size_t(1) << 40;

/// A scan of floats that are in memory, aligned, to elsewhere.
constexpr call_shape of_floats{.size = 0,
                               .strip = strip,
                               .tile = tile,
                               .words = 1,
                               .reduces = false,
                               .takes_steps = false,
                               .whole_words = true,
                               .striped_tile = 0,
                               .most_own_tiles = 512,
                               .narrow = true,
                               .fits_ring = true};
constexpr call_means h200{
    .requested = path::automatic, .most_blocks = 0, .capacity = endless, .compute_capability = 90, .processors = 132};

/// Blocks of each kernel that run at once on so many multiprocessors.
int blocks_of(kernel which, int processors)
{
  switch (which) {
    case kernel::striped: return 2 * processors;
    case kernel::own_tiles: return 2 * processors;
    case kernel::own_tiles_in_pairs: return 2 * processors;
    case kernel::ring: return processors;
    case kernel::drawn_tiles: return 2 * processors;
    case kernel::reduction: return 3 * processors;
    default: ADD_FAILURE() << path_of(which) << " is launched with a number of blocks of its own"; return 1;
  }
}

/// Up to `last` elements: this kernel, with `blocks` blocks at most, but no more than `work` elements for each make
/// necessary, and `more` besides.
struct row {
  std::size_t last;
  kernel which;
  unsigned blocks;
  std::size_t work = tile;
  unsigned more = 0;
};

/// Compares all sizes around each boundary, and all small ones.
void expect(std::string const& name, call_shape shape, call_means const& means, tuning const& by,
            std::vector<row> const& rows)
{
  std::set<std::size_t> sizes;
  for (std::size_t n = 1; n <= 40; ++n) sizes.insert(n);
  for (std::size_t at = strip; at <= 9 * tile; at += strip)
    for (std::size_t n = at - 2; n <= at + 2; ++n) sizes.insert(n);
  for (std::size_t tiles : {131, 132, 133, 263, 264, 265, 511, 512, 513, 10'000})
    for (std::size_t n = tiles * tile - 2; n <= tiles * tile + 2; ++n) sizes.insert(n);
  for (row const& each : rows)
    for (std::size_t n = each.last - std::min<std::size_t>(each.last, 3); n <= each.last + 3; ++n)
      if (n > 0 && n < endless) sizes.insert(n);
  sizes.insert(std::size_t(1) << 33);
  int const processors = by.processors > 0 ? by.processors : means.processors;
  call_means here = means;
  here.processors = processors;
  for (std::size_t const n : sizes) {
    shape.size = n;
    auto const right = std::find_if(rows.begin(), rows.end(), [n](row const& each) { return n <= each.last; });
    ASSERT_NE(right, rows.end());
    std::size_t const pieces = (n - 1) / right->work + 1;
    unsigned const blocks = static_cast<unsigned>(std::min<std::size_t>(right->blocks, pieces)) + right->more;
    choice const chosen = choose(shape, here, by, [&](kernel which) { return blocks_of(which, processors); });
    ASSERT_EQ(std::string(path_of(chosen.which)), path_of(right->which)) << name << ", " << n << " elements";
    ASSERT_EQ(chosen.blocks, blocks) << name << ", " << n << " elements";
    ASSERT_NE(std::string(chosen.because), "") << name << ", " << n << " elements";
  }
}

constexpr std::size_t any = 1;  // elements for a block of a kernel whose number of blocks is fixed

std::vector<row> with_small(std::initializer_list<row> rest)
{
  std::vector<row> all{{strip, kernel::one_row, 1, any},    {4 * strip, kernel::four_rows, 1, any},
                       {tile, kernel::eight_rows, 1, any},  {2 * tile, kernel::cluster, 2, any},
                       {4 * tile, kernel::cluster, 4, any}, {8 * tile, kernel::cluster, 8, any}};
  all.insert(all.end(), rest);
  return all;
}

TEST(cuda_choice, of_scans_in_memory)
{
  call_shape shape = of_floats;
  std::vector<row> const in_full = with_small({{132 * tile, kernel::own_tiles, 132},
                                               {264 * tile, kernel::own_tiles_in_pairs, 264},
                                               {endless, kernel::ring, 132}});
  expect("floats", shape, h200, {}, in_full);
  shape.narrow = false;
  expect("wide groups", shape, h200, {},
         with_small({{132 * tile, kernel::own_tiles, 132}, {endless, kernel::ring, 132}}));
  shape.most_own_tiles = 100;
  expect("own tiles fold few", shape, h200, {},
         with_small({{100 * tile, kernel::own_tiles, 100}, {endless, kernel::ring, 132}}));
  shape.most_own_tiles = 0;
  expect("in place", shape, h200, {}, with_small({{endless, kernel::ring, 132}}));
  shape.fits_ring = false;
  expect("in place, not aligned", shape, h200, {}, with_small({{endless, kernel::drawn_tiles, 264}}));
  shape = of_floats;
  shape.fits_ring = false;
  expect("not aligned", shape, h200, {},
         with_small({{132 * tile, kernel::own_tiles, 132},
                     {264 * tile, kernel::own_tiles_in_pairs, 264},
                     {endless, kernel::drawn_tiles, 264}}));
}

TEST(cuda_choice, of_totals_that_a_cluster_cannot_send)
{
  call_shape shape = of_floats;
  shape.whole_words = false;
  expect("bytes", shape, h200, {},
         {{strip, kernel::one_row, 1, any},
          {4 * strip, kernel::four_rows, 1, any},
          {tile, kernel::eight_rows, 1, any},
          {132 * tile, kernel::own_tiles, 132},
          {264 * tile, kernel::own_tiles_in_pairs, 264},
          {endless, kernel::ring, 132}});
}

TEST(cuda_choice, on_older_and_smaller_devices)
{
  call_means a100 = h200;
  a100.compute_capability = 80;
  a100.processors = 108;
  std::vector<row> const rows{{strip, kernel::one_row, 1, any},
                              {4 * strip, kernel::four_rows, 1, any},
                              {tile, kernel::eight_rows, 1, any},
                              {108 * tile, kernel::own_tiles, 108},
                              {216 * tile, kernel::own_tiles_in_pairs, 216},
                              {endless, kernel::drawn_tiles, 216}};
  expect("sm_80", of_floats, a100, {}, rows);
  tuning few;
  few.processors = 9;
  expect(
      "nine multiprocessors", of_floats, h200, few,
      with_small(
          {{9 * tile, kernel::own_tiles, 9}, {18 * tile, kernel::own_tiles_in_pairs, 18}, {endless, kernel::ring, 9}}));
}

TEST(cuda_choice, of_reductions)
{
  call_shape shape = of_floats;
  shape.reduces = true;
  auto const of_own_tiles = [](unsigned most) {
    return std::vector<row>{{strip, kernel::one_row, 1, any},
                            {4 * strip, kernel::four_rows, 1, any},
                            {tile, kernel::eight_rows, 1, any},
                            {most * tile, kernel::own_reduction, most, tile, 1},
                            {endless, kernel::reduction, 395, tile, 1}};
  };
  expect("reduction", shape, h200, {}, of_own_tiles(512));
  tuning by;
  by.own_tiles = 20;
  expect("reduction of few own tiles", shape, h200, by, of_own_tiles(20));
  by.own_tiles = 0;
  expect("reduction of no own tiles", shape, h200, by, with_small({{endless, kernel::reduction, 395, tile, 1}}));
  call_means means = h200;
  means.most_blocks = 3;
  expect("reduction by three blocks", shape, means, {}, with_small({{endless, kernel::reduction, 3, tile, 1}}));
  means = h200;
  means.requested = path::registers;
  expect("reduction, never by one block", shape, means, {}, {{endless, kernel::reduction, 395, tile, 1}});
  for (path const each : {path::own_tiles, path::backwards}) {
    means.requested = each;
    expect("reduction of own tiles", shape, means, {},
           {{512 * tile, kernel::own_reduction, 512, tile, 1}, {endless, kernel::reduction, 395, tile, 1}});
  }
  means.compute_capability = 80;
  means.requested = path::automatic;
  shape.most_own_tiles = 0;
  shape.fits_ring = false;
  shape.striped_tile = 8192;
  expect("reduction of what a function gives, sm_80", shape, means, {},
         {{strip, kernel::one_row, 1, any},
          {4 * strip, kernel::four_rows, 1, any},
          {tile, kernel::eight_rows, 1, any},
          {endless, kernel::reduction, 395, tile, 1}});
}

TEST(cuda_choice, of_striped_scans)
{
  call_shape shape = of_floats;
  shape.most_own_tiles = 0;
  shape.fits_ring = false;
  shape.striped_tile = 2048;
  expect("from a function", shape, h200, {}, with_small({{endless, kernel::striped, 264, 2048}}));
  call_means means = h200;
  means.most_blocks = 5;
  expect("from a function, by five blocks", shape, means, {}, with_small({{endless, kernel::striped, 5, 2048}}));
  means = h200;
  means.capacity = 100;
  expect("a workspace of a hundred words", shape, means, {},
         with_small({{100 * 2048, kernel::striped, 264, 2048}, {endless, kernel::drawn_tiles, 264}}));
  shape.words = 3;
  expect("of three words each", shape, means, {},
         with_small({{33 * 2048, kernel::striped, 264, 2048}, {endless, kernel::drawn_tiles, 264}}));
  shape.words = 1;
  means = h200;
  means.requested = path::registers;
  expect("by request drawn", shape, means, {}, {{endless, kernel::drawn_tiles, 264}});
  shape.takes_steps = true;
  for (path const each : {path::automatic, path::registers, path::ring, path::own_tiles, path::backwards}) {
    means.requested = each;
    means.capacity = 0;
    expect("steps", shape, means, {}, {{endless, kernel::striped, 264, 2048}});
  }
}

TEST(cuda_choice, by_request)
{
  call_means means = h200;
  means.requested = path::registers;
  expect("registers", of_floats, means, {}, {{endless, kernel::drawn_tiles, 264}});
  means.requested = path::ring;
  expect("ring", of_floats, means, {}, {{endless, kernel::ring, 132}});
  for (path const each : {path::own_tiles, path::backwards}) {
    means.requested = each;
    // A request may be for more blocks than run at once, but not for more tiles than a block can fold.
    expect("own tiles", of_floats, means, {},
           {{512 * tile, kernel::own_tiles, 512}, {endless, kernel::drawn_tiles, 264}});
    call_shape in_place = of_floats;
    in_place.most_own_tiles = 0;
    expect("own tiles in place", in_place, means, {}, {{endless, kernel::drawn_tiles, 264}});
  }
  means = h200;
  means.most_blocks = 3;
  expect("three blocks", of_floats, means, {}, with_small({{endless, kernel::ring, 3}}));
  means.requested = path::registers;
  expect("three blocks that draw", of_floats, means, {}, {{endless, kernel::drawn_tiles, 3}});
  means.requested = path::own_tiles;
  expect("own tiles need as many blocks as tiles", of_floats, means, {}, {{endless, kernel::drawn_tiles, 3}});
}

TEST(cuda_choice, by_tuning)
{
  tuning by;
  by.one_row_strips = 0;
  by.four_row_strips = 2;
  by.cluster_tiles = 3;
  by.own_tiles = 20;
  expect("other sizes", of_floats, h200, by,
         {{2 * strip, kernel::four_rows, 1, any},
          {tile, kernel::eight_rows, 1, any},
          {2 * tile, kernel::cluster, 2, any},
          {3 * tile, kernel::cluster, 4, any},
          {20 * tile, kernel::own_tiles, 20},
          {endless, kernel::ring, 132}});
  by = {.one_block_tiles = 0, .one_row_strips = 1, .four_row_strips = 4, .cluster_tiles = 0, .own_tiles = 0};
  expect("the ring from the first element on", of_floats, h200, by, {{endless, kernel::ring, 132}});
}

TEST(cuda_choice, names_each_kernel)
{
  std::set<std::string> names;
  for (int k = 0; k <= static_cast<int>(kernel::cluster); ++k) names.insert(path_of(static_cast<kernel>(k)));
  EXPECT_EQ(names.size(), std::size_t(static_cast<int>(kernel::cluster)) + 1);
  EXPECT_EQ(names.count(""), 0u);
}

}  // namespace
}  // namespace tally::cuda_backend
