// The choice of the kernel for columns (detail/cuda/batch/columns_choice.hpp), which needs no GPU.
#include <bit>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "tally/detail/cuda/batch/columns_choice.hpp"

namespace tally::cuda_backend {
namespace {

constexpr std::size_t row = 128;

columns_shape floats(std::size_t outer, std::size_t size, std::size_t neighbours)
{
  return {.size = size,
          .row = row,
          .short_size = 64,
          .shortest_size = 16,
          .neighbours = neighbours,
          .sequences = outer * neighbours,
          .are_aligned = true,
          .are_stretches = true,
          .reduces = false,
          .bytes = 4,
          .fits_boxes = true};
}

/// The same without the kernel by warps.
columns_shape floats_of_blocks(std::size_t outer, std::size_t size, std::size_t neighbours)
{
  columns_shape shape = floats(outer, size, neighbours);
  shape.fits_boxes = false;
  return shape;
}

TEST(columns_choice, pieces_fit_a_block_and_cover_all_columns)
{
  for (std::size_t outer : {1, 2, 5, 1000})
    for (std::size_t size : {1, 16, 17, 128, 129, 300, 512, 1024, 1025, 8192, 8193, 1 << 20})
      for (std::size_t neighbours = 2; neighbours < 300; ++neighbours)
        for (bool are_stretches : {false, true})
          for (bool reduces : {false, true}) {
            columns_shape shape = floats(outer, size, neighbours);
            shape.are_stretches = are_stretches;
            shape.reduces = reduces;
            shape.are_aligned = neighbours % 4 == 0;
            shape.fits_boxes = shape.are_aligned && !reduces;
            columns_choice const made = choose(shape, 132, tuning{});
            std::string const said = std::to_string(outer) + " " + std::to_string(size) + " " +
                                     std::to_string(neighbours) + " " + path_of(made);
            column_piece const& piece = made.piece;
            ASSERT_GE(piece.columns, 1) << said;
            ASSERT_GE(piece.rows, 1) << said;
            if (made.which == columns_kernel::scan_by_warps) {
              ASSERT_TRUE(!reduces && shape.are_aligned && size >= 86 && made.is_shared_out) << said;
              ASSERT_TRUE(piece.columns == 32 && piece.rows == 1) << said;
              ASSERT_EQ(made.groups, outer * ((neighbours + 31) / 32)) << said;
              ASSERT_GE(shape.sequences * 100, made.groups * 32 * 75) << said;
              continue;
            }
            if (made.which == columns_kernel::short_planes || made.which == columns_kernel::shortest_planes) {
              ASSERT_TRUE(are_stretches && size <= 64) << said;
              ASSERT_EQ(made.which == columns_kernel::shortest_planes, size <= 16) << said;
              ASSERT_EQ(piece.inner, static_cast<int>(neighbours)) << said;
              ASSERT_EQ(piece.columns % piece.inner, 0) << said;
              auto const of_a_block = static_cast<std::size_t>(piece.columns);
              auto const pitch = static_cast<std::size_t>(
                  plane_pitch(static_cast<int>(size * neighbours), static_cast<int>(neighbours), 4));
              ASSERT_LE(of_a_block / neighbours * pitch * 4, planes_bytes) << said;
              ASSERT_EQ(made.groups, (shape.sequences + of_a_block - 1) / of_a_block) << said;
              continue;
            }
            ASSERT_LE(piece.columns * piece.rows, column_threads) << said;
            ASSERT_LE(piece.rows, 64) << said;
            ASSERT_TRUE(std::has_single_bit(static_cast<unsigned>(piece.rows))) << said;
            auto const columns = static_cast<std::size_t>(piece.columns);
            bool const stretches =
                made.which == columns_kernel::scan_of_stretches || made.which == columns_kernel::reduction_of_stretches;
            if (stretches) {
              ASSERT_EQ(static_cast<std::size_t>(piece.inner), neighbours) << said;
              ASSERT_EQ(columns % neighbours, 0) << said;
              ASSERT_EQ(made.groups, (shape.sequences + columns - 1) / columns) << said;
            } else {
              ASSERT_EQ(piece.inner, 1) << said;
              ASSERT_EQ(made.groups, outer * ((neighbours + columns - 1) / columns)) << said;
            }
            if (size <= row * static_cast<std::size_t>(piece.rows)) {
              ASSERT_FALSE(made.is_shared_out) << said;
            }
            if (made.which == columns_kernel::short_scan || made.which == columns_kernel::short_reduction) {
              ASSERT_TRUE(size > 16 && size <= 64) << said;
            }
            if (made.which == columns_kernel::shortest_scan || made.which == columns_kernel::shortest_reduction) {
              ASSERT_LE(size, 16) << said;
            }
          }
}

TEST(columns_choice, lays_planes_out_in_different_banks)
{
  for (int bytes : {1, 2, 4, 8, 12})
    for (int inner = 2; inner <= 128; ++inner)
      for (int size = 1; size <= 64; ++size) {
        int const pitch = plane_pitch(size * inner, inner, bytes);
        ASSERT_GE(pitch, size * inner) << bytes << " " << inner << " " << size;
        ASSERT_TRUE(16 % bytes != 0 || pitch * bytes % 16 == 0) << bytes << " " << inner << " " << size;
      }
  EXPECT_EQ(plane_pitch(64, 4, 4), 68);
  EXPECT_EQ(plane_pitch(33, 3, 4), 36);
  EXPECT_EQ(plane_pitch(64, 32, 4), 64);
}

TEST(columns_choice, shares_out_columns_that_are_too_few)
{
  EXPECT_TRUE(choose(floats_of_blocks(1, std::size_t(1) << 20, 256), 132, tuning{}).is_shared_out);
  columns_shape const wide = floats_of_blocks(1, 1024, std::size_t(1) << 18);
  EXPECT_FALSE(choose(wide, 132, tuning{}).is_shared_out);
  columns_shape reduction = floats_of_blocks(1, 8192, 256);
  reduction.reduces = true;
  EXPECT_FALSE(choose(reduction, 132, tuning{}).is_shared_out) << "a tile has one block";
  reduction.size = 8193;
  EXPECT_TRUE(choose(reduction, 132, tuning{}).is_shared_out);
}

TEST(columns_choice, lets_warps_scan_aligned_columns)
{
  using enum columns_kernel;
  auto const many = floats(1, 4096, 65536);
  EXPECT_EQ(choose(many, 132, tuning{}).which, scan_by_warps);
  EXPECT_EQ(choose(floats(64, 4096, 1024), 132, tuning{}).which, scan_by_warps);
  EXPECT_EQ(choose(floats(1, std::size_t(1) << 20, 256), 132, tuning{}).which, scan_by_warps);
  EXPECT_EQ(choose(floats(1, 86, 32), 132, tuning{}).which, scan_by_warps);
  EXPECT_EQ(choose(floats(1, 85, 32), 132, tuning{}).which, scan);
  EXPECT_EQ(choose(floats(1, 1000, 40), 132, tuning{}).which, scan) << "the second piece has eight columns of 32";
  EXPECT_EQ(choose(floats(1, 1000, 48), 132, tuning{}).which, scan_by_warps);
  EXPECT_EQ(choose(floats(1, 1000, 1 << 18), 132, tuning{}).which, scan) << "blocks have columns of their own";
  EXPECT_EQ(choose(floats(1, 15 * row + 1, 1 << 18), 132, tuning{}).which, scan_by_warps);
  auto other = many;
  other.fits_boxes = false;
  EXPECT_EQ(choose(other, 132, tuning{}).which, scan);
  tuning by;
  by.box_elements = 4097;
  EXPECT_EQ(choose(many, 132, by).which, scan);
  by = {};
  by.box_percent = 0;
  EXPECT_EQ(choose(floats(1, 1000, 40), 132, by).which, scan_by_warps);
}

/// Matrices of 40 columns of 1000 elements, one behind the other.
detail::batch::layout matrices(std::ptrdiff_t along, std::ptrdiff_t matrix)
{
  detail::batch::layout where;
  where.along = {1000, {along, along, 0, 0}};
  where.dimensions = 2;
  where.across[0] = {5, {matrix, matrix, 0, 0}};
  where.across[1] = {40, {1, 1, 0, 0}};
  return where;
}

TEST(columns_choice, knows_what_boxes_can_tell)
{
  auto const taken = matrices(40, 40000);
  EXPECT_TRUE(fits_boxes(taken, 4));
  EXPECT_TRUE(fits_boxes(matrices(-40, 40000), 4)) << "backward";
  EXPECT_FALSE(fits_boxes(matrices(42, 42000), 4)) << "rows that are not aligned to 16 bytes";
  EXPECT_TRUE(fits_boxes(matrices(42, 42000), 8));
  EXPECT_FALSE(fits_boxes(matrices(40, -40000), 4)) << "the last matrix first";
  EXPECT_FALSE(fits_boxes(matrices(40, 0), 4)) << "one matrix five times";
  EXPECT_FALSE(fits_boxes(matrices(40, 40001), 4));
  EXPECT_FALSE(fits_boxes(matrices(36, 40000), 4)) << "rows that overlap";
  EXPECT_FALSE(fits_boxes(matrices(40, 39996), 4)) << "matrices that overlap";
  EXPECT_FALSE(fits_boxes(matrices(200, 40), 4)) << "matrices side by side";
  EXPECT_TRUE(fits_boxes(matrices(-44, 43996), 4)) << "the gap behind the last row left out";
  auto other = taken;
  other.across[1].extent = 38;
  EXPECT_FALSE(fits_boxes(other, 4)) << "a box writes whole 16 bytes, and so behind the last column";
  EXPECT_TRUE(fits_boxes(other, 8));
  other.across[1].extent = 39;
  EXPECT_FALSE(fits_boxes(other, 8));
  other = taken;
  other.along.step.out = -40;
  EXPECT_FALSE(fits_boxes(other, 4)) << "read forward, written backward";
  other = taken;
  other.across[1].step.in = 2;
  EXPECT_FALSE(fits_boxes(other, 4)) << "every other column";
  other = taken;
  other.along.extent = std::size_t(1) << 31;
  EXPECT_FALSE(fits_boxes(other, 4));
  other = taken;
  other.dimensions = 3;
  other.across[2] = other.across[1];
  EXPECT_FALSE(fits_boxes(other, 4)) << "matrices in two dimensions";
  other = taken;
  other.dimensions = 1;
  other.across[0] = other.across[1];
  EXPECT_TRUE(fits_boxes(other, 4)) << "one matrix";
  other.along.step.in = other.along.step.out = std::ptrdiff_t(1) << 38;
  EXPECT_FALSE(fits_boxes(other, 4)) << "2^40 bytes between rows";
  other.along.step.in = other.along.step.out = std::ptrdiff_t(1) << 37;
  EXPECT_TRUE(fits_boxes(other, 4));
}

TEST(columns_choice, obeys_the_tuning)
{
  tuning by;
  by.stretch_columns = 0;
  EXPECT_EQ(choose(floats_of_blocks(9, 1000, 5), 132, by).which, columns_kernel::scan);
  by.plane_elements = 0;
  EXPECT_EQ(choose(floats_of_blocks(1000, 16, 4), 132, by).which, columns_kernel::shortest_scan);
  by.stretch_columns = 5;
  EXPECT_EQ(choose(floats_of_blocks(1000, 16, 4), 132, by).which, columns_kernel::scan_of_stretches);
  by.plane_elements = 15;
  EXPECT_EQ(choose(floats_of_blocks(1000, 15, 4), 132, by).which, columns_kernel::shortest_planes);
  EXPECT_EQ(choose(floats_of_blocks(1000, 16, 4), 132, by).which, columns_kernel::scan_of_stretches);
  EXPECT_EQ(choose(floats_of_blocks(9, 1000, 5), 132, by).which, columns_kernel::scan_of_stretches);
  EXPECT_EQ(choose(floats_of_blocks(9, 1000, 6), 132, by).which, columns_kernel::scan);
  by.column_groups_walked = 0;
  EXPECT_FALSE(choose(floats_of_blocks(1, std::size_t(1) << 20, 256), 132, by).is_shared_out);
  by.column_width = 64;
  EXPECT_EQ(choose(floats_of_blocks(1, 100 * row, 256), 132, by).piece.columns, 64);
}

}  // namespace
}  // namespace tally::cuda_backend
