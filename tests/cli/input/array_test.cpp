#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tally/reduce.hpp>
#include <tally/scan.hpp>

#include "io/numbers/number.hpp"
#include "tool.hpp"

/// .npy and raw values: types, byte orders, axes, results in files.
namespace tally::test {
namespace {

class arrays : public in_folder {
protected:
  std::string run(words arguments)
  {
    outcome const result = run_tool(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }

  /// The dictionary of a .npy file's header must contain these.
  void expect_header(std::string const& name, std::string const& type, std::string const& shape)
  {
    std::string const header = parse_npy(read(name)).header;
    EXPECT_NE(header.find("'descr': '" + type + "'"), std::string::npos) << header;
    EXPECT_NE(header.find("'shape': " + shape), std::string::npos) << header;
  }
};

std::vector<float> floats(std::size_t n)
{
  std::vector<float> values;
  std::uint32_t state = 3;
  for (std::size_t k = 0; k < n; ++k) {
    state = state * 1664525U + 1013904223U;
    values.push_back(static_cast<float>(state >> 8) * 0x1p-20F - (k % 5 == 0 ? 7.25F : 0.0F));
  }
  return values;
}

TEST_F(arrays, floats_are_reduced_in_their_own_type_with_the_bits_of_the_library)
{
  std::vector<float> const values = floats(700001);
  std::string const path = file("x.npy", npy("<f4", "(700001,)", bytes_of(values)));
  EXPECT_EQ(run({"reduce", path}), io::to_text(tally::reduce(values)) + "\n");
  EXPECT_EQ(run({"reduce", "--threads", "1", path}), io::to_text(tally::reduce(values)) + "\n");
  EXPECT_EQ(run({"reduce", "--op", "max", path}), io::to_text(tally::reduce(values, tally::maximum{})) + "\n");
  run({"scan", "-o", path + ".out.npy", path});
  std::vector<float> expected(values.size());
  tally::inclusive_scan(values, expected);
  expect_header("x.npy.out.npy", "<f4", "(700001,)");
  EXPECT_TRUE(parse_npy(read("x.npy.out.npy")).bytes == bytes_of(expected));
  run({"scan", "--exclusive", "-o", path + ".out.npy", path});
  tally::exclusive_scan(values, expected, 0.0F);
  EXPECT_TRUE(parse_npy(read("x.npy.out.npy")).bytes == bytes_of(expected));
}

TEST_F(arrays, every_type_is_summed_exactly)
{
  EXPECT_EQ(run({"reduce", file("b.npy", npy("|i1", "(3,)", bytes_of<std::int8_t>({-128, -128, 100})))}), "-156\n");
  EXPECT_EQ(run({"reduce", file("b.npy", npy("|u1", "(3,)", bytes_of<std::uint8_t>({255, 255, 1})))}), "511\n");
  EXPECT_EQ(run({"reduce", file("b.npy", npy("|b1", "(3,)", bytes_of<std::uint8_t>({1, 0, 1})))}), "2\n");
  EXPECT_EQ(run({"reduce", file("b.npy", npy("<i2", "(2,)", bytes_of<std::int16_t>({32767, 32767})))}), "65534\n");
  EXPECT_EQ(run({"reduce", file("b.npy", npy("<u4", "(2,)", bytes_of<std::uint32_t>({4294967295U, 1})))}),
            "4294967296\n");
  EXPECT_EQ(run({"reduce", file("b.npy", npy("<i8", "(2,)", bytes_of<std::int64_t>({INT64_MAX, INT64_MAX})))}),
            "18446744073709551614\n");
  EXPECT_EQ(run({"reduce", file("b.npy", npy("<i8", "(3,)", bytes_of<std::int64_t>({INT64_MIN, INT64_MIN, -1})))}),
            "-18446744073709551617\n");
  EXPECT_EQ(run({"reduce", file("b.npy", npy("<u8", "(2,)", bytes_of<std::uint64_t>({UINT64_MAX, UINT64_MAX})))}),
            "36893488147419103230\n");
  EXPECT_EQ(run({"reduce", file("b.npy", npy(">i2", "(2,)", std::string("\x01\x00\x00\x02", 4)))}), "258\n");
  EXPECT_EQ(run({"reduce", file("b.npy", npy("<f2", "(2,)", std::string("\x00\x3c\x00\x40", 4)))}), "3\n");
  EXPECT_EQ(run({"reduce", file("b.npy", npy("<f8", "(2,)", bytes_of<double>({0.1, 0.2})))}), "0.30000000000000004\n");
}

// An array of several chunks, the last of which has a few elements.
TEST_F(arrays, the_last_elements_of_a_long_array_are_summed)
{
  std::size_t const n = (std::size_t{1} << 21) + 3;
  std::vector<std::uint8_t> const values(n, 200);
  std::string const shape = "(" + std::to_string(n) + ",)";
  EXPECT_EQ(run({"reduce", file("b.npy", npy("|u1", shape, bytes_of(values)))}), std::to_string(200 * n) + "\n");
}

TEST_F(arrays, results_in_files_have_the_types_of_the_manual)
{
  std::string const bytes = file("b.npy", npy("|i1", "(3,)", bytes_of<std::int8_t>({100, 100, -3})));
  std::string const out = path("out.npy");
  run({"scan", "-o", out, bytes});
  expect_header("out.npy", "<i8", "(3,)");
  EXPECT_EQ(values_of<std::int64_t>(parse_npy(read("out.npy")).bytes), (std::vector<std::int64_t>{100, 200, 197}));
  run({"scan", "--op", "min", "-o", out, bytes});
  expect_header("out.npy", "|i1", "(3,)");
  EXPECT_EQ(values_of<std::int8_t>(parse_npy(read("out.npy")).bytes), (std::vector<std::int8_t>{100, 100, -3}));
  run({"scan", "--op", "any", "-o", out, bytes});
  expect_header("out.npy", "|u1", "(3,)");
  run({"scan", "--op", "argmin", "-o", out, bytes});
  expect_header("out.npy", "<i8", "(3,)");
  run({"scan", "--op", "mean", "-o", out, bytes});
  expect_header("out.npy", "<f8", "(3,)");
  run({"scan", "-o", out, file("u.npy", npy("<u2", "(2,)", bytes_of<std::uint16_t>({65535, 65535})))});
  expect_header("out.npy", "<u8", "(2,)");
  run({"reduce", "-o", out, bytes});
  expect_header("out.npy", "<i8", "()");
  EXPECT_EQ(values_of<std::int64_t>(parse_npy(read("out.npy")).bytes), (std::vector<std::int64_t>{197}));
}

TEST_F(arrays, text_goes_into_arrays_too)
{
  run({"scan", "-o", path("out.npy"), file("x.txt", "1 2 3.5")});
  expect_header("out.npy", "<f8", "(3,)");
  EXPECT_EQ(values_of<double>(parse_npy(read("out.npy")).bytes), (std::vector<double>{1, 3, 6.5}));
  run({"scan", "--type", "i32", "-o", path("out.npy"), file("x.txt", "1 2 3")});
  expect_header("out.npy", "<i8", "(3,)");
  run({"scan", "-o", path("out.raw"), file("x.txt", "1 2 3")});
  EXPECT_EQ(values_of<double>(read("out.raw")), (std::vector<double>{1, 3, 6}));
  EXPECT_EQ(values_of<double>(run({"scan", "--format", "raw", path("x.txt")})), (std::vector<double>{1, 3, 6}));
  EXPECT_EQ(parse_npy(run({"scan", "--format", "npy", path("x.txt")})).bytes, read("out.raw"));
  run({"reduce", "--format", "raw", "-o", path("sum"), path("x.txt")});
  EXPECT_EQ(values_of<double>(read("sum")), (std::vector<double>{6}));
  run({"scan", "-o", path("out.json"), path("x.txt")});
  EXPECT_EQ(read("out.json"), "{\"op\":\"sum\",\"values\":[1,3,6]}\n");
  run({"scan", "-o", path("out.txt"), path("x.txt")});
  EXPECT_EQ(read("out.txt"), "1\n3\n6\n");
}

TEST_F(arrays, raw_values_have_a_type_and_a_byte_order)
{
  std::string const path = file("x.raw", std::string("\x00\x01\x00\x02", 4));
  EXPECT_EQ(run({"reduce", "--type", "u8", path}), "3\n");
  EXPECT_EQ(run({"reduce", "--type", "uint16", "--byte-order", "little", path}), "768\n");
  EXPECT_EQ(run({"reduce", "--type", "uint16", "--byte-order", "big", path}), "3\n");
  EXPECT_EQ(run({"reduce", "--type", "uint16", "--byte-order", "big", path, path}), "6\n");
  EXPECT_EQ(run({"scan", "--type", "u8", path}), "0\n1\n1\n3\n");
}

TEST_F(arrays, a_type_converts_arrays)
{
  std::string const path = file("x.npy", npy("<i4", "(2,)", bytes_of<std::int32_t>({3, 4})));
  run({"scan", "--type", "f32", "-o", this->path("out.npy"), path});
  expect_header("out.npy", "<f4", "(2,)");
  EXPECT_EQ(run({"reduce", "--type", "f64", path, file("y.npy", npy("<f8", "(1,)", bytes_of<double>({0.5})))}),
            "7.5\n");
}

TEST_F(arrays, text_and_arrays_make_one_sequence)
{
  std::string const array = file("x.npy", npy("<i4", "(2,)", bytes_of<std::int32_t>({3, 4})));
  std::string const halves = file("y.npy", npy("<f4", "(1,)", bytes_of<float>({0.5F})));
  std::string const text = file("x.txt", "10");
  EXPECT_EQ(run({"scan", text, array, halves, text}), "10\n13\n17\n17.5\n27.5\n");
  EXPECT_EQ(run({"scan", array, text}), "3\n7\n17\n");
  outcome const result = run_tool(words{"reduce", array, file("z.txt", "1.5")});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("z.txt:1:1: found '1.5', expected an integer"), std::string::npos) << result.err;
}

/// 2 x 3 x 2, values 1 .. 12.
std::string cube(bool fortran_order)
{
  std::vector<std::int32_t> values;
  for (std::int32_t k = 0; k < 12; ++k) {
    // In Fortran order the index of element [a][b][c] is a + 2 b + 6 c.
    std::int32_t const a = k % 2, b = k / 2 % 3, c = k / 6;
    values.push_back(fortran_order ? 1 + a * 6 + b * 2 + c : 1 + k);
  }
  return npy("<i4", "(2, 3, 2)", bytes_of(values), fortran_order);
}

TEST_F(arrays, without_an_axis_an_array_is_one_sequence_in_c_order)
{
  EXPECT_EQ(run({"scan", "--op", "max", file("c.npy", cube(false))}), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
  EXPECT_EQ(run({"scan", "--op", "max", file("f.npy", cube(true))}), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
}

TEST_F(arrays, along_an_axis_in_both_orders)
{
  using list = std::vector<std::int64_t>;
  std::string const c = file("c.npy", cube(false));
  std::string const out = path("out.npy");
  run({"reduce", "--axis", "1", "-o", out, c});
  expect_header("out.npy", "<i8", "(2, 2)");
  EXPECT_EQ(values_of<std::int64_t>(parse_npy(read("out.npy")).bytes), (list{9, 12, 27, 30}));
  run({"reduce", "--axis", "-1", "-o", out, c});
  expect_header("out.npy", "<i8", "(2, 3)");
  EXPECT_EQ(values_of<std::int64_t>(parse_npy(read("out.npy")).bytes), (list{3, 7, 11, 15, 19, 23}));
  run({"scan", "--axis", "0", "-o", out, c});
  expect_header("out.npy", "<i8", "(2, 3, 2)");
  EXPECT_EQ(values_of<std::int64_t>(parse_npy(read("out.npy")).bytes), (list{1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18}));
  run({"scan", "--axis", "1", "--exclusive", "--init", "100", "-o", out, c});
  EXPECT_EQ(values_of<std::int64_t>(parse_npy(read("out.npy")).bytes),
            (list{100, 100, 101, 102, 104, 106, 100, 100, 107, 108, 116, 118}));

  std::string const f = file("f.npy", cube(true));
  run({"reduce", "--axis", "1", "-o", out, f});
  EXPECT_NE(parse_npy(read("out.npy")).header.find("'fortran_order': True"), std::string::npos);
  EXPECT_EQ(values_of<std::int64_t>(parse_npy(read("out.npy")).bytes), (list{9, 27, 12, 30}));
  run({"scan", "--axis", "2", "-o", out, f});
  EXPECT_EQ(values_of<std::int64_t>(parse_npy(read("out.npy")).bytes), (list{1, 7, 3, 9, 5, 11, 3, 15, 7, 19, 11, 23}));
}

TEST_F(arrays, one_axis_that_is_left_can_be_text)
{
  std::string const matrix = file("m.npy", npy("<f8", "(2, 3)", bytes_of<double>({1, 2, 3, 10, 20, 30})));
  EXPECT_EQ(run({"reduce", "--axis", "0", matrix}), "11\n22\n33\n");
  EXPECT_EQ(run({"reduce", "--axis", "1", matrix}), "6\n60\n");
  EXPECT_EQ(run({"reduce", "--axis", "1", "--op", "mean", "--json", matrix}), "{\"op\":\"mean\",\"values\":[2,20]}\n");
}

TEST_F(arrays, an_axis_without_values_has_the_result_of_none)
{
  EXPECT_EQ(run({"reduce", "--axis", "1", file("e.npy", npy("<i4", "(3, 0)", ""))}), "0\n0\n0\n");
  EXPECT_EQ(run({"reduce", file("e.npy", npy("<i4", "(0,)", ""))}), "0\n");
  EXPECT_EQ(run({"reduce", "--op", "max", path("e.npy")}), "-2147483648\n") << "the type is known from the header";
}

}  // namespace
}  // namespace tally::test
