// Which kernel a batch of sequences becomes, against tables written by hand. Needs no GPU.
#include "tally/detail/cuda/batch/sequences_choice.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tally::cuda_backend {
namespace {

using path = execution::workspace::path;
using which = sequences_kernel;

constexpr std::size_t row = 128, strip = 1024, tile = 8192;  // of four bytes

constexpr sequences_shape of_floats{.size = 0,
                                    .sequences = 0,
                                    .row = row,
                                    .tile = tile,
                                    .few_slots = 4,
                                    .many_slots = 8,
                                    .reduces = false,
                                    .aligned_slots = 0,
                                    .is_span = false,
                                    .has_totals = false,
                                    .are_neighbours = false,
                                    .fits_ring = true};
constexpr call_means h200{.requested = path::automatic,
                          .most_blocks = 0,
                          .capacity = std::size_t(1) << 40,
                          .compute_capability = 90,
                          .processors = 132};

struct expected {
  std::size_t size, sequences;
  which kernel;
  std::size_t blocks;
  int warps;
  int rounds = 1;
};

void expect(char const* name, sequences_shape shape, call_means const& means, tuning const& by,
            std::vector<expected> const& all)
{
  for (expected const& each : all) {
    shape.size = each.size;
    shape.sequences = each.sequences;
    sequences_choice const chosen = choose(shape, means, by, [&](which kernel) {
      EXPECT_LT(static_cast<std::size_t>(kernel), resident_sequences_kernels);
      return kernel == which::ring ? means.processors : 2 * means.processors;
    });
    std::string const said =
        std::string(name) + ", " + std::to_string(each.sequences) + " of " + std::to_string(each.size);
    EXPECT_EQ(std::string(path_of(chosen.which)), path_of(each.kernel)) << said;
    EXPECT_EQ(chosen.blocks, each.blocks) << said;
    EXPECT_EQ(chosen.warps, each.warps) << said;
    EXPECT_EQ(chosen.rounds, each.rounds) << said;
    EXPECT_NE(std::string(chosen.because), "") << said;
  }
}

constexpr std::size_t million = 1 << 20;

TEST(cuda_sequences_choice, of_many_sequences)
{
  // A block has 8 warps of 8 slots, and takes 4 rounds if there are many.
  expect("scans", of_floats, h200, {},
         {{1, million, which::many_slots, million / 256 / 8, 8},  // 32 a slot
          {4, million, which::many_slots, million / 256 / 8, 8},
          {5, million, which::many_slots, million / 128 / 8, 8},        // two lanes each: 16 a slot
          {9, million, which::many_slots, 1639, 8},                     // three lanes each: 10 a slot
          {68, million, which::many_slots, million / 8 / 8 / 4, 8, 4},  // 17 lanes each
          {row, million, which::many_slots, million / 8 / 8 / 4, 8, 4},
          {row + 1, million, which::many_slots, million / 4 / 8 / 4, 8, 4},
          {2 * row + 1, million, which::many_slots, million / 2 / 8 / 4, 8, 4},
          {4 * row + 1, million, which::many_slots, million / 8 / 4, 8, 4},
          {strip, million, which::many_slots, million / 8 / 4, 8, 4},
          {strip + 1, million, which::four_rows, million / 4, 3, 4},
          {4 * strip + 1, million, which::eight_rows, million, 5},
          {tile, million, which::eight_rows, million, 8},
          {tile + 1, million, which::ring, 132, 0},
          {million, million / 4, which::ring, 132, 0}});
}

TEST(cuda_sequences_choice, of_aligned_sequences)
{
  sequences_shape shape = of_floats;
  shape.aligned_slots = 4;
  expect("four slots", shape, h200, {},
         {{4, million, which::aligned, million / 128 / 8, 8},
          {row, million, which::aligned, million / 4 / 8, 8},
          {row + 4, million, which::aligned, million / 2 / 8, 8},
          {2 * row + 4, million, which::aligned, million / 8, 8},  // three rows take four slots
          {4 * row + 4, million, which::aligned, million / 8, 8},
          {strip, million, which::aligned, million / 8, 8},
          {strip + 4, million, which::four_rows, million / 4, 3, 4},
          {row, 100, which::aligned, 25, 1},
          {2 * row, 100, which::one_row, 100, 2}});
  shape.aligned_slots = 8;
  expect("eight slots", shape, h200, {},
         {{row, million, which::aligned, million / 8 / 8, 8},
          {2 * row + 4, million, which::aligned, million / 2 / 8, 8},
          {strip, million, which::aligned, million / 8, 8}});
}

TEST(cuda_sequences_choice, of_sequences_without_gaps)
{
  sequences_shape shape = of_floats;
  shape.is_span = true;
  expect("spans", shape, h200, {},
         {{3, million, which::spans, million / 256 / 8, 8},  // 32 a slot
          {row - 1, million, which::spans, million / 8 / 8, 8},
          {row + 1, million, which::spans, million / 4 / 8, 8},
          {2 * row + 1, million, which::spans, million / 2 / 8, 8},
          {4 * row + 1, million, which::spans, million / 8, 8},
          {strip + 1, million, which::four_rows, million / 4, 3, 4},
          {row + 1, 100, which::one_row, 100, 2}});
  tuning by;
  by.spans = false;
  expect("not by spans", shape, h200, by, {{row - 1, million, which::many_slots, million / 8 / 8 / 4, 8, 4}});
  shape.aligned_slots = 4;
  expect("aligned too", shape, h200, {}, {{row, million, which::aligned, million / 4 / 8, 8}});
}

TEST(cuda_sequences_choice, of_reductions_by_totals)
{
  sequences_shape shape = of_floats;
  shape.reduces = shape.has_totals = shape.is_span = true;
  expect("not aligned", shape, h200, {},
         {{4, million, which::spans, million / 256 / 8, 8},  // one group
          {5, million, which::totals, million / 256 / 8, 8},
          {65, million, which::totals, million / 16 / 8, 8},  // 16 lanes each
          {row, million, which::totals, million / 8 / 8, 8},
          {row + 1, million, which::totals, million / 8 / 8, 8},
          {row + 5, million, which::totals, million / 4 / 8, 8},
          {strip, million, which::totals, million / 8, 8},
          {strip + 1, million, which::warps, million / 8, 8},
          {row + 1, 100, which::one_row, 100, 2}});
  shape.is_span = false;
  shape.aligned_slots = 8;
  expect("aligned", shape, h200, {},
         {{16, million, which::aligned, million / 64 / 8, 8},
          {64, million, which::totals, million / 16 / 8, 8},
          {row, million, which::totals, million / 8 / 8, 8},
          {2 * row, million, which::aligned, million / 4 / 8, 8}});
  shape.aligned_slots = 4;
  expect("aligned, four slots", shape, h200, {}, {{2 * row, million, which::totals, million / 4 / 8, 8}});
}

TEST(cuda_sequences_choice, of_scans_by_warps)
{
  sequences_shape shape = of_floats;
  shape.are_neighbours = true;
  expect("neighbours", shape, h200, {},
         {{2 * row, million, which::many_slots, million / 4 / 8 / 4, 8, 4},
          {2 * row + 1, million, which::scanning_warps, million / 8, 8},
          {strip + 1, million, which::scanning_warps, million / 8, 8},
          {strip + 1, 3167, which::four_rows, 3167, 3},
          {40 * row, million, which::scanning_warps, million / 8, 8},
          {40 * row + 1, million, which::eight_rows, million, 6},
          {tile + 1, million, which::ring, 132, 0}});
  shape.is_span = true;
  expect("spans", shape, h200, {},
         {{2 * row + 1, million, which::spans, million / 2 / 8, 8},
          {5 * row, million, which::spans, million / 8, 8},
          {5 * row + 1, million, which::scanning_warps, million / 8, 8}});
  shape.row = 256;
  shape.tile = 16384;
  expect("halves", shape, h200, {}, {{16384, million, which::scanning_warps, million / 8, 8}});
}

TEST(cuda_sequences_choice, of_few_sequences)
{
  // Short ones are spread over blocks of fewer warps; longer ones have a block each.
  expect("few", of_floats, h200, {},
         {{64, 1, which::few_slots, 1, 1},
          {64, 1024, which::few_slots, 128, 1},
          {64, 4096, which::few_slots, 171, 3},
          {64, 8448, which::few_slots, 132, 8},
          {64, 8449, which::many_slots, 133, 4},
          {row + 1, 528, which::one_row, 528, 2},
          {row + 1, 529, which::few_slots, 133, 2},
          {5 * row, 529, which::many_slots, 133, 4},
          {strip, 4, which::one_row, 4, 8},
          {strip + 1, 4, which::four_rows, 4, 3},
          {4 * strip, 4, which::four_rows, 4, 8},
          {4 * strip + 1, 4, which::eight_rows, 4, 5},
          {tile + 1, 4, which::ring, 8, 0}});
}

TEST(cuda_sequences_choice, of_reductions)
{
  sequences_shape shape = of_floats;
  shape.reduces = true;
  expect("reductions", shape, h200, {},
         {{strip, million, which::many_slots, million / 8 / 4, 8, 4},
          {strip + 1, 24 * 132, which::warps, 24 * 132 / 8, 8},
          {strip + 1, 24 * 132 - 1, which::four_rows, 24 * 132 - 1, 3},
          {tile, million, which::warps, million / 8, 8},
          {tile + 1, 2, which::reduction, 4, 4},
          {million, 256, which::reduction, 128 * 256, 4}});
  tuning by;
  by.sequences_by_warps = 2 * million;
  by.warps_of_a_tile = 2;
  by.totals_by_a_warp = 128;
  expect("by blocks", shape, h200, by,
         {{2 * strip, million, which::four_rows, million / 4, 4, 4},
          {2 * strip + 1, million, which::eight_rows, million / 4, 3, 4},
          {tile, million, which::eight_rows, million, 8},
          {million, 256, which::reduction, 128 * 256, 2},
          {million + 1, 256, which::reduction, 129 * 256, 8}});
}

TEST(cuda_sequences_choice, where_the_ring_cannot)
{
  sequences_shape shape = of_floats;
  shape.fits_ring = false;
  expect("not aligned", shape, h200, {}, {{tile + 1, million / 4, which::drawn_tiles, 264, 0}});
  call_means a100 = h200;
  a100.compute_capability = 80;
  expect("sm_80", of_floats, a100, {}, {{tile + 1, million / 4, which::drawn_tiles, 264, 0}});
  call_means asked = h200;
  asked.requested = path::registers;
  asked.most_blocks = 3;
  expect("by request", of_floats, asked, {}, {{tile + 1, million / 4, which::drawn_tiles, 3, 0}});
}

TEST(cuda_sequences_choice, of_wide_elements)
{
  sequences_shape shape = of_floats;
  shape.row = 32;
  shape.tile = 2048;
  shape.few_slots = shape.many_slots = 1;
  expect("a row in a warp", shape, h200, {},
         {{1, million, which::many_slots, million / 32 / 8 / 2, 8, 2},
          {32, million, which::many_slots, million / 8 / 4, 8, 4},
          {33, million, which::four_rows, million / 4, 1, 4},
          {2048, million, which::eight_rows, million, 8}});
}

TEST(cuda_sequences_choice, by_tuning)
{
  tuning by;
  by.sequences_by_blocks = 0;
  by.few_slots_warps = 0;
  by.ring_strips = 1;
  expect(
      "never few", of_floats, h200, by,
      {{64, 1024, which::many_slots, 64, 1}, {strip, 1, which::many_slots, 1, 1}, {strip + 1, 1, which::ring, 1, 0}});
}

// A total of 8 bytes for each tile of each sequence (16 for values of 8 bytes), and 8 bytes more for each sequence.
TEST(cuda_workspace, has_room_for_the_totals_of_each_sequence)
{
  using space = execution::workspace;
  EXPECT_EQ(space::bytes_for<float>(tile + 1, 3), space::header_bytes + 3 * (2 * 8 + 8));
  EXPECT_EQ(space::bytes_for<double>(10 * tile, 1000), space::header_bytes + 1000 * (21 * 16 + 8));
  EXPECT_GE(space::bytes_for<float>(5, 7), space::bytes_for<float>(5));
}

TEST(cuda_sequences_choice, names_each_kernel)
{
  std::set<std::string> names;
  for (std::size_t k = 0; k < sequences_kernels; ++k) names.insert(path_of(static_cast<which>(k)));
  EXPECT_EQ(names.size(), sequences_kernels);
  EXPECT_EQ(names.count(""), 0u);
}

}  // namespace
}  // namespace tally::cuda_backend
