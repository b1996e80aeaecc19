#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tally/reduce.hpp>
#include <tally/scan.hpp>

#include "axis/along_axes.hpp"
#include "commands/commands.hpp"
#include "gpu/model_gpu.hpp"
#include "io/numbers/number.hpp"
#include "tool.hpp"

/// `--axis`: each line has the results of the call on it alone, whatever the shape and the order of the array.
namespace tally::test {
namespace {

using extents = std::vector<std::size_t>;

std::string shape_text(extents const& shape)
{
  std::string text = "(";
  for (std::size_t const extent : shape) text += std::to_string(extent) + ",";
  return text + ")";
}

std::size_t count_of(extents const& shape)
{
  std::size_t product = 1;
  for (std::size_t const extent : shape) product *= extent;
  return product;
}

/// Values without a pattern, of both signs where the type has them.
template <class T>
std::vector<T> values_without_pattern(std::size_t n)
{
  std::vector<T> values(n);
  std::uint64_t state = 7;
  for (T& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(static_cast<double>(state >> 40) * 0x1p-20 - 5);
    else
      value = static_cast<T>(state >> 33);
  }
  return values;
}

/// The places in the file of the elements of each line: the lines in the order of the file, the elements in the order
/// in which the axes are named, the last one fastest.
std::vector<std::vector<std::size_t>> lines_of(extents const& shape, std::vector<std::size_t> const& named,
                                               bool fortran)
{
  std::vector<std::size_t> strides(shape.size(), 1), others;
  std::size_t step = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::size_t const axis = fortran ? k : shape.size() - 1 - k;
    strides[axis] = step;
    step *= shape[axis];
    if (std::ranges::find(named, axis) == named.end()) others.insert(others.begin(), axis);
  }
  auto const places = [&](std::vector<std::size_t> const& axes) {
    std::vector<std::size_t> all = {0};
    for (std::size_t const axis : axes) {
      std::vector<std::size_t> next;
      for (std::size_t const before : all)
        for (std::size_t index = 0; index < shape[axis]; ++index) next.push_back(before + index * strides[axis]);
      all = std::move(next);
    }
    return all;
  };
  std::vector<std::vector<std::size_t>> lines;
  std::vector<std::size_t> const elements = places(named);
  for (std::size_t const first : places(others)) {
    lines.emplace_back();
    for (std::size_t const element : elements) lines.back().push_back(first + element);
  }
  return lines;
}

class along_axis : public in_folder {
protected:
  std::string run(words arguments)
  {
    outcome const result = run_tool(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }

  /// The tool's scan and reduction along an axis, beside those of each line alone by `scan` and `reduce`.
  template <class T, class R>
  void compare(std::string const& type, extents const& shape, std::vector<std::size_t> const& axes, bool fortran,
               words const& options, std::function<R(std::vector<T> const&)> const& reduce,
               std::function<std::vector<R>(std::vector<T> const&)> const& scan, words const& of_scan = {})
  {
    std::vector<T> const values = values_without_pattern<T>(count_of(shape));
    std::string const in = file("x.npy", npy(type, shape_text(shape), bytes_of(values), fortran));
    std::string named;
    for (std::size_t const axis : axes) named += (named.empty() ? "" : ",") + std::to_string(axis);
    words arguments = {"reduce", "--axis", named, "-o", path("out.npy"), in};
    arguments.insert(arguments.end(), options.begin(), options.end());
    std::vector<R> results, scanned(values.size());
    for (auto const& line : lines_of(shape, axes, fortran)) {
      std::vector<T> alone;
      for (std::size_t const place : line) alone.push_back(values[place]);
      results.push_back(reduce(alone));
      if (!scan) continue;
      std::vector<R> const made = scan(alone);
      for (std::size_t k = 0; k < line.size(); ++k) scanned[line[k]] = made[k];
    }
    std::string const what = shape_text(shape) + " along " + named + (fortran ? " Fortran " : " C ") + type;
    run(arguments);
    EXPECT_TRUE(parse_npy(read("out.npy")).bytes == bytes_of(results)) << "reduce " << what;
    if (!scan) return;
    arguments[0] = "scan";
    arguments.insert(arguments.end(), of_scan.begin(), of_scan.end());
    run(arguments);
    EXPECT_TRUE(parse_npy(read("out.npy")).bytes == bytes_of(scanned)) << "scan " << what;
  }

  template <class T>
  void compare_sums(std::string const& type, extents const& shape, std::vector<std::size_t> const& axes, bool fortran)
  {
    compare<T, T>(
        type, shape, axes, fortran, {}, [](std::vector<T> const& line) { return tally::reduce(line); },
        axes.size() > 1 ? nullptr : std::function([](std::vector<T> const& line) {
          std::vector<T> out(line.size());
          tally::inclusive_scan(line, out);
          return out;
        }));
  }
};

TEST_F(along_axis, sums_of_floats_have_the_bits_of_each_line_alone)
{
  for (bool const fortran : {false, true}) {
    compare_sums<float>("<f4", {1000, 33}, {0}, fortran);
    compare_sums<float>("<f4", {33, 1000}, {0}, fortran);
    compare_sums<float>("<f4", {7, 9000, 5}, {1}, fortran);
    compare_sums<double>("<f8", {70, 50, 130}, {1}, fortran);
    compare_sums<double>("<f8", {3, 70, 50, 13}, {2}, fortran);
  }
}

// Lines of more than 16 MiB, columns of more than 16 MiB in pieces of 2 KiB, and a stretch of a few elements at the
// end.
TEST_F(along_axis, lines_in_stretches_have_the_same_bits)
{
  compare_sums<float>("<f4", {8200, 700}, {0}, false);
  if (is_brief) return;
  compare_sums<float>("<f4", {2, 4300001}, {1}, false);
  compare_sums<double>("<f8", {4097, 600}, {1}, true);
  compare<float, float>(
      "<f4", {16387, 300}, {0}, false, {"--init", "3"},
      [](std::vector<float> const& line) { return tally::reduce(line, 3.0F); },
      [](std::vector<float> const& line) {
        std::vector<float> out(line.size());
        tally::exclusive_scan(line, out, 3.0F);
        return out;
      },
      {"--exclusive"});
}

// Operations without calls of the library, in stretches of a few elements.
TEST_F(along_axis, other_operations_go_on_from_stretch_to_stretch)
{
  io::axis_limits small;
  small.piece = 4;
  small.block = 8;
  small.most = 120;
  auto const output_of = [&](words arguments, io::axis_limits const& limits) {
    bool const scans = arguments[0] == "scan";
    arguments.erase(arguments.begin());
    arguments.insert(arguments.end(), {"-o", path("out.npy")});
    cli::command_settings const settings = scans ? cli::parse_scan(arguments) : cli::parse_reduce(arguments);
    cli::along_axes lines(settings, scans, limits);
    scans ? cli::scan_lines(settings, lines) : cli::reduce_lines(settings, lines);
    return read("out.npy");
  };
  std::string const floats = file("f.npy", npy("<f4", "(3, 97, 5)", bytes_of(values_without_pattern<float>(1455))));
  std::string const bytes = file("b.npy", npy("|i1", "(97, 15)", bytes_of(values_without_pattern<std::int8_t>(1455))));
  for (std::string const op : {"argmax", "variance", "logsumexp", "all", "count"}) {
    for (std::size_t const stretch : {1, 2, 3, 7}) {
      small.stretch = stretch;
      for (words arguments : {words{"reduce", "--axis", "1", floats},
                              {"reduce", "--axis", "0", bytes},
                              {"reduce", "--axis", "1", bytes},
                              {"scan", "--axis", "1", floats},
                              {"scan", "--axis", "0", bytes},
                              {"scan", "--axis", "0", "--reverse", bytes}}) {
        arguments.insert(arguments.end(), {"--op", op});
        EXPECT_TRUE(output_of(arguments, small) == output_of(arguments, {}))
            << op << " in stretches of " << stretch << ", " << arguments[0] << " --axis " << arguments[2];
      }
    }
  }
  small.held = 59;
  try {
    output_of({"reduce", "--axis", "0,2", floats}, small);
    ADD_FAILURE() << "a line of 60 bytes is held";
  } catch (io::data_error const& problem) {
    EXPECT_EQ(problem.what(), floats + ": found axes that do not lie as one, with 15 values together, expected at most "
                                       "59 bytes of them, which are held in memory");
  }
}

TEST_F(along_axis, several_axes_are_one_sequence_in_the_order_in_which_they_are_named)
{
  for (bool const fortran : {false, true}) {
    compare_sums<float>("<f4", {17, 9, 33}, {0, 2}, fortran);
    compare_sums<float>("<f4", {17, 9, 33}, {2, 0}, fortran);
    compare_sums<float>("<f4", {17, 9, 33}, {0, 1}, fortran);
    compare_sums<float>("<f4", {17, 9, 33}, {1, 0, 2}, fortran);
    compare_sums<float>("<f4", {5, 4, 7, 6, 8}, {0, 2, 4}, fortran);
    compare_sums<double>("<f8", {30, 300, 70}, {2, 0}, fortran);
  }
  std::string const in = file("c.npy", npy("<i4", "(2, 2, 2)", bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6, 7, 8})));
  EXPECT_EQ(run({"reduce", "--axis", "0,2", in}), "14\n22\n");
  EXPECT_EQ(run({"reduce", "--axis", "-1, 0", "--op", "argmax", in}), "3\n3\n");
  EXPECT_EQ(run({"reduce", "--axis", "0,1,2", "--op", "mean", in}), "4.5\n");
  EXPECT_EQ(run({"reduce", "--axis", "2,0", "--op", "argmin", in}), "0\n0\n");
}

TEST_F(along_axis, integers_are_exact)
{
  auto const sum = [](auto const& line) {
    std::int64_t total = 0;
    for (auto const value : line) total += value;
    return total;
  };
  auto const running = [](auto const& line) {
    std::vector<std::int64_t> out;
    for (auto const value : line) out.push_back((out.empty() ? 0 : out.back()) + value);
    return out;
  };
  compare<std::int8_t, std::int64_t>("|i1", {300, 70}, {0}, false, {}, sum, running);
  compare<std::int32_t, std::int64_t>("<i4", {30, 50, 70}, {1}, true, {}, sum, running);
  compare<std::int64_t, std::int64_t>("<i8", {5000, 500}, {0}, false, {}, sum, running);

  // Sums that need more than 64 bits on the way, of whole lines and of lines in stretches.
  std::int64_t const big = INT64_MAX - 5;
  EXPECT_EQ(run({"reduce", "--axis", "1",
                 file("a.npy", npy("<i8", "(2, 3)", bytes_of<std::int64_t>({big, big, 1, big, 1, -big})))}),
            "18446744073709551605\n1\n");
  std::vector<std::int64_t> tall(std::size_t{4200} * 600, 0);
  tall[0] = tall[600] = big;
  tall[1] = big;
  tall[std::size_t{4199} * 600] = -big;
  tall[std::size_t{4199} * 600 + 1] = 3;
  std::string const columns = file("t.npy", npy("<i8", "(4200, 600)", bytes_of(tall)));
  run({"reduce", "--axis", "0", "-o", path("sums.txt"), columns});
  EXPECT_EQ(read("sums.txt").substr(0, 44), "9223372036854775802\n9223372036854775805\n0\n0\n");
  outcome const refused = run_tool(words{"scan", "--axis", "0", "-o", path("out.npy"), columns});
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.err, columns +
                             ": found '18446744073709551604' at position 1 in line 0 of the axis, expected a value "
                             "that fits int64\n");
}

TEST_F(along_axis, other_operations_are_those_of_each_line)
{
  extents const shape = {40, 3000};
  for (std::size_t const axis : {std::size_t{0}, std::size_t{1}}) {
    compare<float, double>(
        "<f4", shape, {axis}, false, {"--op", "mean"},
        [](std::vector<float> const& line) {
          return tally::reduce(std::vector<double>(line.begin(), line.end())) / static_cast<double>(line.size());
        },
        [](std::vector<float> const& line) {
          std::vector<double> out(line.begin(), line.end());
          tally::inclusive_scan(out, out);
          for (std::size_t k = 0; k < out.size(); ++k) out[k] /= static_cast<double>(k + 1);
          return out;
        });
    compare<std::uint16_t, std::uint8_t>(
        "<u2", shape, {axis}, true, {"--op", "all"},
        [](std::vector<std::uint16_t> const& line) { return std::ranges::count(line, 0) == 0; },
        [](std::vector<std::uint16_t> const& line) {
          std::vector<std::uint8_t> out;
          for (std::uint16_t const value : line) out.push_back(value != 0 && (out.empty() || out.back() != 0));
          return out;
        });
    compare<std::int8_t, std::int64_t>(
        "|i1", shape, {axis}, false, {"--op", "argmax"},
        [](std::vector<std::int8_t> const& line) { return std::ranges::max_element(line) - line.begin(); }, nullptr);
    compare<std::uint8_t, std::uint8_t>(
        "|u1", shape, {axis}, false, {"--op", "xor", "--init", "5"},
        [](std::vector<std::uint8_t> const& line) {
          std::uint8_t all = 5;
          for (std::uint8_t const value : line) all ^= value;
          return all;
        },
        nullptr);
  }
}

TEST_F(along_axis, from_the_end)
{
  auto const backwards = [](auto scan) {
    return [scan](std::vector<float> line) {
      std::ranges::reverse(line);
      std::vector<float> out(line.size());
      scan(line, out);
      std::ranges::reverse(out);
      return out;
    };
  };
  auto const compare_scan = [&](extents const& shape, std::size_t axis, bool fortran, words const& options, auto scan) {
    std::vector<float> const values = values_without_pattern<float>(count_of(shape));
    std::string const in = file("x.npy", npy("<f4", shape_text(shape), bytes_of(values), fortran));
    std::vector<float> expected(values.size());
    for (auto const& line : lines_of(shape, {axis}, fortran)) {
      std::vector<float> alone;
      for (std::size_t const place : line) alone.push_back(values[place]);
      std::vector<float> const made = backwards(scan)(alone);
      for (std::size_t k = 0; k < line.size(); ++k) expected[line[k]] = made[k];
    }
    words arguments = {"scan", "--reverse", "--axis", std::to_string(axis), "-o", path("out.npy"), in};
    arguments.insert(arguments.end(), options.begin(), options.end());
    run(arguments);
    EXPECT_TRUE(parse_npy(read("out.npy")).bytes == bytes_of(expected)) << shape_text(shape) << " along " << axis;
  };
  auto const inclusive = [](auto const& in, auto& out) { tally::inclusive_scan(in, out); };
  auto const exclusive = [](auto const& in, auto& out) { tally::exclusive_scan(in, out, 3.0F); };
  for (auto const& [shape, axis] :
       {std::pair{extents{33, 1000}, 1}, {{1000, 33}, 0}, {{7, 900, 5}, 1}, {{2, 4300001}, 1}, {{8200, 700}, 0}}) {
    if (is_brief && count_of(shape) > 100'000) continue;
    compare_scan(shape, static_cast<std::size_t>(axis), false, {}, inclusive);
    compare_scan(shape, static_cast<std::size_t>(axis), false, {"--exclusive", "--init", "3"}, exclusive);
  }
  compare_scan({33, 1000}, 0, true, {}, inclusive);
  std::string const in = file("m.npy", npy("<i4", "(2, 3)", bytes_of<std::int32_t>({1, 2, 3, 10, 20, 30})));
  EXPECT_EQ(run({"scan", "--reverse", "--axis", "1", in}), "6\t5\t3\n60\t50\t30\n");
  EXPECT_EQ(run({"scan", "--reverse", "--axis", "1", "--op", "mean", in}), "2\t2.5\t3\n20\t25\t30\n");
  EXPECT_EQ(run({"scan", "--reverse", "--axis", "0", "--op", "argmax", in}), "0\t0\t0\n0\t0\t0\n")
      << "positions count from where the scan begins";
}

TEST_F(along_axis, text_has_a_line_for_each_row)
{
  std::string const cube =
      file("c.npy", npy("<i4", "(2, 2, 3)", bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})));
  EXPECT_EQ(run({"scan", "--axis", "2", cube}), "1\t3\t6\n4\t9\t15\n\n7\t15\t24\n10\t21\t33\n");
  EXPECT_EQ(run({"reduce", "--axis", "0", cube}), "8\t10\t12\n14\t16\t18\n");
  EXPECT_EQ(run({"reduce", "--axis", "0,2", cube}), "30\n48\n");
  std::string const columns = file("f.npy", npy("<f8", "(2, 3)", bytes_of<double>({1, 10, 2, 20, 3, 30}), true));
  EXPECT_EQ(run({"scan", "--axis", "0", columns}), "1\t2\t3\n11\t22\t33\n") << "rows, although columns are stored";
  EXPECT_EQ(run({"reduce", "--axis", "1", file("e.npy", npy("<f8", "(0, 2, 3)", ""))}), "");
  EXPECT_EQ(run({"reduce", "--axis", "0", path("e.npy")}), "0\t0\t0\n0\t0\t0\n");
  run({"scan", "--axis", "1", "-o", path("out.txt"), columns});
  EXPECT_EQ(read("out.txt"), "1\t3\t6\n10\t30\t60\n");
}

TEST_F(along_axis, other_byte_orders_and_halves)
{
  EXPECT_EQ(run({"reduce", "--axis", "0",
                 file("b.npy", npy(">i2", "(2, 2)", std::string("\x00\x01\x00\x02\x01\x00\x02\x00", 8)))}),
            "257\n514\n");
  EXPECT_EQ(run({"scan", "--axis", "0", "--reverse",
                 file("h.npy", npy(">f2", "(2, 2)", std::string("\x3c\x00\x40\x00\x3c\x00\x3c\x00", 8)))}),
            "2\t3\n1\t1\n");
}

TEST_F(along_axis, errors_name_what_and_where)
{
  std::string const in = file("m.npy", npy("<f8", "(2, 2, 3)", bytes_of(std::vector<double>(12, 1.5))));
  auto const message = [](words const& arguments, std::string const& input = {}) {
    outcome const result = run_tool(arguments, input);
    EXPECT_NE(result.status, 0);
    return result.err.substr(0, result.err.find('\n'));
  };
  EXPECT_EQ(message({"reduce", "--axis", "0,3", in}),
            in + ": found an array of 3 axes, expected one that has an axis 3");
  EXPECT_EQ(message({"reduce", "--axis", "0,-3", in}),
            in + ": found an array of 3 axes, of which axis 0 is named twice, expected each axis at most once");
  EXPECT_EQ(message({"scan", "--axis", "0,1", in}), "tally: --axis: a scan goes along one axis, and 2 are named");
  EXPECT_EQ(message({"reduce", "--axis", "0,", in}),
            "tally: --axis: '' is not an axis: 0, 1, ... from the first on, or -1, -2, ... from the last");
  EXPECT_EQ(
      message({"scan", "--axis", "2", "--json", in}),
      "tally: the result is an array with 3 axes: write it with -o FILE.npy or --format npy, or as text, csv or tsv");
  EXPECT_EQ(message({"reduce", "--axis", "1", "--type", "int32", in}),
            in + ": found '1.5' at position 0 in line 0 of the axis, expected an integer");
  EXPECT_EQ(message({"scan", "--axis", "2", "--reverse", "--input-format", "npy", "-"}, read("m.npy")),
            "(standard input): found a pipe, expected a regular file, to scan along an axis from its end");
  EXPECT_EQ(
      message({"reduce", "--axis", "0,2", "--input-format", "npy", "-"}, read("m.npy")),
      "(standard input): found a pipe, expected a regular file, to read along an axis that is not the fastest one");
}

// The GPU's part of the code, on a model that computes on the CPU.
TEST_F(along_axis, a_gpu_gives_the_same)
{
  std::size_t const lines_across = is_brief ? 70 : 700;
  std::vector<float> const values = values_without_pattern<float>(8200 * lines_across);
  std::string const tall = file("x.npy", npy("<f4", "(8200, " + std::to_string(lines_across) + ")", bytes_of(values)));
  std::string const wide = file("y.npy", npy("<f4", is_brief ? "(7, 82000)" : "(70, 82000)", bytes_of(values)));
  std::string const integers = file("i.npy", npy("<i8", "(2, 3)", bytes_of<std::int64_t>({1, 2, 3, INT64_MAX, 1, -3})));
  for (words arguments : {words{"scan", "--axis", "0", tall},
                          {"scan", "--axis", "1", wide},
                          {"reduce", "--axis", "0", tall},
                          {"scan", "--axis", "0", "--reverse", "--exclusive", "--init", "2", tall},
                          {"reduce", "--axis", "1", "--op", "mean", wide},
                          {"reduce", "--axis", "1", integers}}) {
    bool const scans = arguments[0] == "scan";
    arguments.erase(arguments.begin());
    std::string outputs[2];
    model_gpu device;
    for (bool const on_device : {false, true}) {
      words with_output = arguments;
      with_output.insert(with_output.end(), {"-o", path(scans ? "out.npy" : "out.txt")});
      cli::command_settings const settings = scans ? cli::parse_scan(with_output) : cli::parse_reduce(with_output);
      cli::along_axes lines(settings, scans);
      if (on_device) lines.use(device);
      ::testing::internal::CaptureStderr();
      if (scans)
        cli::scan_lines(settings, lines);
      else
        cli::reduce_lines(settings, lines);
      std::string const notes = ::testing::internal::GetCapturedStderr();
      EXPECT_EQ(notes, on_device && arguments.back() == integers
                           ? "tally: the CPU does sum: sums of these integers may need more than 64 bits\n"
                           : "");
      outputs[on_device] = read(scans ? "out.npy" : "out.txt");
    }
    EXPECT_TRUE(outputs[0] == outputs[1]) << arguments[1];
    EXPECT_EQ(device.calls() > 0, arguments.back() != integers);
  }
}

}  // namespace
}  // namespace tally::test
