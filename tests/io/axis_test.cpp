#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <numeric>

#include "io/npy_reader.hpp"
#include "io/writer.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

using testing::scratch_folder;
using testing::slow_pipe;

using lengths = std::vector<std::uint64_t>;

struct array_case {
  lengths shape;
  int axis;
  bool fortran;
};

void PrintTo(array_case const& one, std::ostream* to)
{
  for (std::uint64_t const length : one.shape) *to << length << "x";
  *to << " axis " << one.axis << (one.fortran ? " Fortran" : " C");
}

class axis : public ::testing::TestWithParam<array_case> {
protected:
  /// An array whose values are their indices in the file.
  std::string write_array(scratch_folder const& folder)
  {
    lengths const& shape = GetParam().shape;
    std::vector<std::int32_t> values(
        std::accumulate(shape.begin(), shape.end(), std::uint64_t(1), std::multiplies<>()));
    std::iota(values.begin(), values.end(), 0);
    auto const to = write_npy(output::file(folder.path("in.npy")), element_type::int32, shape, GetParam().fortran);
    to->write(std::span<std::int32_t const>(values));
    to->finish();
    return folder.path("in.npy");
  }
};

constexpr axis_limits all_limits[] = {{},        {4, 4},   {4, 256},   {64, 4},   {64, 16},
                                      {64, 256}, {400, 4}, {400, 256}, {4000, 64}};

TEST_P(axis, blocks_hold_each_value_once_and_in_place)
{
  scratch_folder const folder;
  std::string const path = write_array(folder);
  for (axis_limits const& limits : all_limits) {
    axis_reader from(input::file(path), GetParam().axis, limits);
    axis_layout const& layout = from.layout();
    std::vector<std::uint64_t> reached(layout.lines(), 0);  // the number of positions seen of each line
    std::uint64_t seen = 0;
    axis_block block;
    while (from.next(block)) {
      auto const values = std::get<std::span<std::int32_t const>>(block.values);
      ASSERT_EQ(values.size(), block.place.lines * block.place.count);
      EXPECT_LE(values.size() * 4, std::max<std::size_t>(limits.block, 4));
      for (std::uint64_t i = 0; i < values.size(); ++i) {
        std::uint64_t const line = block.place.line + i / block.place.count;
        std::uint64_t const position = block.place.first + i % block.place.count;
        std::uint64_t const memory =
            (line / layout.inner * layout.length + position) * layout.inner + line % layout.inner;
        ASSERT_EQ(static_cast<std::uint64_t>(values[i]), memory) << "line " << line << ", position " << position;
        ASSERT_EQ(reached[line]++, position) << "line " << line;
        ++seen;
      }
    }
    EXPECT_EQ(seen, layout.header.count());
  }
}

TEST_P(axis, what_is_written_back_is_the_same_file)
{
  scratch_folder const folder;
  std::string const path = write_array(folder);
  for (axis_limits const& limits : all_limits) {
    axis_reader again(input::file(path), GetParam().axis, limits);
    axis_writer to(output::file(folder.path("out.npy")), again.layout(), element_type::int32);
    axis_block block;
    while (again.next(block)) to.write(block.place, block.values);
    to.finish();
    ASSERT_EQ(folder.read("out.npy"), folder.read("in.npy"));
  }
}

INSTANTIATE_TEST_SUITE_P(shapes, axis,
                         ::testing::Values(array_case{{7}, 0, false}, array_case{{5, 3}, 0, false},
                                           array_case{{5, 3}, 1, false}, array_case{{5, 3}, -1, true},
                                           array_case{{5, 3}, -2, true}, array_case{{4, 50, 3}, 1, false},
                                           array_case{{4, 50, 3}, 0, false}, array_case{{4, 50, 3}, 2, true},
                                           array_case{{2, 3, 4, 5}, 1, true}, array_case{{1, 300}, 0, false},
                                           array_case{{300, 1}, 0, false}, array_case{{3, 1000}, 0, false},
                                           array_case{{0, 4}, 1, false}, array_case{{4, 0}, 1, false},
                                           array_case{{67, 129}, 0, false}));

TEST(axis_reader, layouts)
{
  scratch_folder const folder;
  std::string const path = folder.path("in.npy");
  std::vector<double> const values(24);
  for (bool const fortran : {false, true}) {
    auto const to = write_npy(output::file(path), element_type::float64, {2, 3, 4}, fortran);
    to->write(std::span<double const>(values));
    to->finish();
    axis_layout const layout = axis_reader(input::file(path), 1).layout();
    EXPECT_EQ(layout.outer, fortran ? 4u : 2u);
    EXPECT_EQ(layout.length, 3u);
    EXPECT_EQ(layout.inner, fortran ? 2u : 4u);
    EXPECT_EQ(layout.reduced_shape(), (lengths{2, 4}));
  }
  EXPECT_THROW(axis_reader(input::file(path), 3), data_error);
  EXPECT_THROW(axis_reader(input::file(path), -4), data_error);
}

TEST(axis_reader, pipes_only_along_the_fastest_axis)
{
  scratch_folder const folder;
  auto const to = write_npy(output::file(folder.path("in.npy")), element_type::uint8, {2, 3});
  std::uint8_t const values[] = {1, 2, 3, 4, 5, 6};
  to->write(std::span<std::uint8_t const>(values));
  to->finish();
  slow_pipe const fastest({folder.read("in.npy")}), other({folder.read("in.npy")}),
      longer({folder.read("in.npy") + "x"});
  axis_reader from(fastest.source(), 1);
  axis_block block;
  ASSERT_TRUE(from.next(block));
  EXPECT_EQ(std::get<std::span<std::uint8_t const>>(block.values)[5], 6);
  EXPECT_FALSE(from.next(block));
  EXPECT_THROW(axis_reader(other.source(), 0), data_error);
  axis_reader too_long(longer.source(), 1);
  EXPECT_TRUE(too_long.next(block));
  EXPECT_THROW(too_long.next(block), data_error);
}

}  // namespace
}  // namespace tally::io
