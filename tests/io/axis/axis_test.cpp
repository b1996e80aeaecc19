#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "io/axis/reader.hpp"
#include "io/writer.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

using testing::scratch_folder;
using testing::slow_pipe;

using lengths = std::vector<std::uint64_t>;

struct array_case {
  lengths shape;
  std::vector<int> axes;
  bool fortran;
};

void PrintTo(array_case const& one, std::ostream* to)
{
  for (std::uint64_t const length : one.shape) *to << length << "x";
  *to << " axis";
  for (int const axis : one.axes) *to << " " << axis;
  *to << (one.fortran ? " Fortran" : " C");
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

/// Blocks of single values, rows, lines, several lines; stretches of lines, from either end.
std::vector<axis_limits> all_limits()
{
  std::vector<axis_limits> all = {{}};
  for (auto const& [block, most, piece, stretch] : {std::tuple{4, 4, 4, 1},
                                                    {4, 16, 256, 2},
                                                    {64, 64, 4, 3},
                                                    {64, 256, 16, 8},
                                                    {64, 400, 256, 7},
                                                    {400, 400, 4, 64},
                                                    {400, 4000, 64, 16},
                                                    {4000, 4000, 4000, 128}}) {
    for (bool const reversed : {false, true})
      all.push_back({4, std::size_t(block), std::size_t(most), std::size_t(piece), std::size_t(stretch), reversed});
  }
  return all;
}

/// The strides of the array's axes in the file, in elements.
lengths strides_of(lengths const& shape, bool fortran)
{
  lengths strides(shape.size(), 1);
  std::uint64_t step = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::size_t const axis = fortran ? k : shape.size() - 1 - k;
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

/// The places in the file of the elements of each line, straight from the definition.
std::vector<lengths> lines_of(array_case const& one)
{
  std::size_t const rank = one.shape.size();
  lengths const strides = strides_of(one.shape, one.fortran);
  std::vector<std::size_t> named, others;
  for (int const axis : one.axes) named.push_back(static_cast<std::size_t>(axis < 0 ? axis + int(rank) : axis));
  for (std::size_t k = 0; k < rank; ++k) {
    std::size_t const axis = one.fortran ? rank - 1 - k : k;
    if (std::ranges::find(named, axis) == named.end()) others.push_back(axis);
  }
  auto const places = [&](std::vector<std::size_t> const& axes) {
    lengths all = {0};
    for (std::size_t const axis : axes) {
      lengths next;
      for (std::uint64_t const before : all)
        for (std::uint64_t index = 0; index < one.shape[axis]; ++index) next.push_back(before + index * strides[axis]);
      all = next;
    }
    return all;
  };
  std::vector<lengths> lines;
  for (std::uint64_t const first : places(others)) {
    lines.emplace_back();
    for (std::uint64_t const element : places(named)) lines.back().push_back(first + element);
  }
  return lines;
}

TEST_P(axis, blocks_hold_each_value_once_and_lines_ascend)
{
  scratch_folder const folder;
  std::string const path = write_array(folder);
  std::vector<lengths> const lines = lines_of(GetParam());
  for (axis_limits const& limits : all_limits()) {
    axis_reader from(input::file(path), GetParam().axes);
    axis_layout const& layout = from.layout();
    axis_plan const& plan = from.plan(limits);
    ASSERT_EQ(layout.lines(), lines.size());
    if (!lines.empty()) {
      ASSERT_EQ(layout.length(), lines[0].size());
    }
    std::vector<std::size_t> seen(layout.header.count(), 0);
    std::uint64_t in_file = 0;  // where the next block begins if they are in order
    axis_block block;
    while (from.next(block)) {
      from.load(block);
      auto const values = std::get<std::span<std::int32_t const>>(block.values);
      EXPECT_LE(values.size(), plan.largest());
      for (std::int32_t const value : values) ++seen[static_cast<std::size_t>(value)];
      if (plan.in_order()) {
        EXPECT_EQ(static_cast<std::uint64_t>(values[0]), in_file);
        in_file += values.size();
      }
      // A block holds whole lines, or one stretch of each of its lines.
      std::uint64_t held = 1;
      for (std::size_t p = 0; p < layout.parts.size(); ++p)
        if (layout.parts[p].turn) held *= block.place[p].count;
      if (plan.whole()) {
        EXPECT_EQ(held, layout.length());
      } else if (limits.reversed && held % limits.stretch != 0) {
        EXPECT_EQ(block.place[layout.parts[0].turn ? 0 : 1].first, 0u) << "the last stretch is at the beginning";
      }
    }
    EXPECT_EQ(std::ranges::count(seen, 1u), static_cast<std::ptrdiff_t>(seen.size()));
  }
}

TEST_P(axis, what_is_written_back_is_the_same_file)
{
  scratch_folder const folder;
  std::string const path = write_array(folder);
  for (axis_limits const& limits : all_limits()) {
    axis_reader again(input::file(path), GetParam().axes);
    bool const in_order = again.plan(limits).in_order();
    axis_writer to(output::file(folder.path("out.npy")), again.layout(), element_type::int32, in_order);
    axis_block block;
    while (again.next(block)) {
      again.load(block);
      to.write(block.place, block.values);
    }
    to.finish();
    ASSERT_TRUE(folder.read("out.npy") == folder.read("in.npy"));
  }
}

using axes = std::vector<int>;
INSTANTIATE_TEST_SUITE_P(
    shapes, axis,
    ::testing::Values(array_case{{7}, axes{0}, false}, array_case{{5, 3}, axes{0}, false},
                      array_case{{5, 3}, axes{1}, false}, array_case{{5, 3}, axes{-1}, true},
                      array_case{{5, 3}, axes{-2}, true}, array_case{{4, 50, 3}, axes{1}, false},
                      array_case{{4, 50, 3}, axes{0}, false}, array_case{{4, 50, 3}, axes{2}, true},
                      array_case{{2, 3, 4, 5}, axes{1}, true}, array_case{{1, 300}, axes{0}, false},
                      array_case{{300, 1}, axes{0}, false}, array_case{{3, 1000}, axes{0}, false},
                      array_case{{0, 4}, axes{1}, false}, array_case{{4, 0}, axes{1}, false},
                      array_case{{67, 129}, axes{0}, false}, array_case{{4, 5, 6}, axes{0, 1}, false},
                      array_case{{4, 5, 6}, axes{1, 0}, false}, array_case{{4, 5, 6}, axes{0, 2}, false},
                      array_case{{4, 5, 6}, axes{2, 0}, true}, array_case{{4, 5, 6}, axes{2, 0, 1}, false},
                      array_case{{2, 3, 4, 5, 6}, axes{0, 2, 4}, false}, array_case{{2, 3, 4, 5, 6}, axes{4, 1}, true},
                      array_case{{3, 1, 5}, axes{0, 1, 2}, false}));

TEST(axis_layout, axes_that_lie_as_one_are_one_part)
{
  auto const parts = [](lengths const& shape, std::vector<int> const& named, bool fortran = false) {
    npy_header header;
    header.shape = shape;
    header.fortran_order = fortran;
    std::string text;
    for (auto const& each : lay_out(header, named, "x.npy").parts)
      text +=
          (text.empty() ? "" : " ") + std::to_string(each.extent) + (each.turn ? "@" + std::to_string(*each.turn) : "");
    return text;
  };
  EXPECT_EQ(parts({2, 3, 4}, {1}), "2 3@0 4");
  EXPECT_EQ(parts({2, 3, 4}, {0}), "2@0 12");
  EXPECT_EQ(parts({2, 3, 4}, {2}), "6 4@0");
  EXPECT_EQ(parts({2, 3, 4}, {1}, true), "4 3@0 2");
  EXPECT_EQ(parts({2, 3, 4}, {0, 1}), "6@0 4");
  EXPECT_EQ(parts({2, 3, 4}, {1, 0}), "2@1 3@0 4");
  EXPECT_EQ(parts({2, 3, 4}, {1, 0}, true), "4 6@0");
  EXPECT_EQ(parts({2, 3, 4}, {0, 2}), "2@0 3 4@1");
  EXPECT_EQ(parts({2, 1, 4}, {0, 2}), "8@0") << "an axis of one index lies between no others";
  EXPECT_EQ(parts({2, 1, 4}, {0, 1, 2}), "8@0");
  EXPECT_EQ(parts({2, 3, 4}, {0, 2, 1}), "2@0 3@2 4@1");
  EXPECT_EQ(parts({1, 1}, {0}), "1@0");
  EXPECT_EQ(parts({5}, {-1}), "5@0");
}

TEST(axis_layout, axes_that_an_array_does_not_have_are_errors)
{
  npy_header header;
  header.shape = {2, 3, 4};
  EXPECT_THROW(lay_out(header, {3}, "x.npy"), data_error);
  EXPECT_THROW(lay_out(header, {-4}, "x.npy"), data_error);
  EXPECT_THROW(lay_out(header, {0, -3}, "x.npy"), data_error) << "the same one";
  EXPECT_EQ(lay_out(header, {2, 0}, "x.npy").reduced_shape(), (lengths{3}));
}

TEST(axis_reader, pipes_only_along_the_fastest_axis)
{
  scratch_folder const folder;
  auto const to = write_npy(output::file(folder.path("in.npy")), element_type::uint8, {2, 3});
  std::uint8_t const values[] = {1, 2, 3, 4, 5, 6};
  to->write(std::span<std::uint8_t const>(values));
  to->finish();
  std::string const file = folder.read("in.npy");
  slow_pipe const fastest({file}), other({file}), longer({file + "x"}), backwards({file});
  axis_reader from(fastest.source(), {1});
  from.plan({});
  axis_block block;
  ASSERT_TRUE(from.next(block));
  from.load(block);
  EXPECT_EQ(std::get<std::span<std::uint8_t const>>(block.values)[5], 6);
  EXPECT_FALSE(from.next(block));
  EXPECT_THROW(axis_reader(other.source(), {0}), data_error);
  axis_reader too_long(longer.source(), {1});
  too_long.plan({});
  EXPECT_TRUE(too_long.next(block));
  EXPECT_THROW(too_long.next(block), data_error);
  axis_limits limits;
  limits.reversed = true;
  axis_reader from_the_end(backwards.source(), {1});
  EXPECT_THROW(from_the_end.plan(limits), data_error);
}

}  // namespace
}  // namespace tally::io
