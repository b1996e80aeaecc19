#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "io/arrays/fortran_reader.hpp"
#include "io/arrays/npy_reader.hpp"
#include "io/text/column_reader.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

using testing::bytes;
using testing::everything;
using testing::read_all;
using testing::scratch_folder;
using testing::slow_pipe;
using testing::word;

std::string header_text(std::string const& dictionary, int version = 1)
{
  std::string length = {static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
  if (version > 1) length += std::string(2, '\0');
  return "\x93NUMPY" + std::string{static_cast<char>(version), '\0'} + length + dictionary;
}

std::string dictionary(std::string const& descr, std::string const& shape, bool fortran = false)
{
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
         ", }\n";
}

std::string npy(std::string const& descr, std::string const& shape, std::string const& data, bool fortran = false)
{
  return header_text(dictionary(descr, shape, fortran)) + data;
}

everything read(std::string const& content)
{
  scratch_folder const folder;
  std::string const path = folder.write("npy", content);
  everything got = read_all([&] { return read_npy(input::file(path)); });
  slow_pipe const pipe({content});
  everything through = read_all([&] { return read_npy(pipe.source()); });
  if (got.error.empty())
    EXPECT_EQ(through, got);
  else
    got.error.replace(0, path.size(), "npy");
  return got;
}

std::string error_of(std::string const& content)
{
  return read(content).error;
}

template <class T>
void expect_type(char const* code)
{
  std::vector<T> const values = {T(1), T(2), static_cast<T>(-3), std::numeric_limits<T>::max(),
                                 std::numeric_limits<T>::lowest()};
  std::vector<std::string> words;
  for (T const value : values) words.push_back(word(value));
  for (bool const swapped : {false, true}) {
    std::string const descr = std::string(swapped ? ">" : sizeof(T) == 1 ? "|" : "<") + code;
    EXPECT_EQ(read(npy(descr, "(5,)", bytes(values, swapped))).values, words) << descr;
  }
}

TEST(npy_reader, every_type_in_both_byte_orders)
{
  expect_type<std::int8_t>("i1");
  expect_type<std::int16_t>("i2");
  expect_type<std::int32_t>("i4");
  expect_type<std::int64_t>("i8");
  expect_type<std::uint8_t>("u1");
  expect_type<std::uint16_t>("u2");
  expect_type<std::uint32_t>("u4");
  expect_type<std::uint64_t>("u8");
  expect_type<float>("f4");
  expect_type<double>("f8");
  EXPECT_EQ(read(npy("|b1", "(3,)", std::string("\0\1\7", 3))).values, (std::vector{word(0), word(1), word(1)}));
}

TEST(npy_reader, halves_become_floats_exactly)
{
  std::vector<std::uint16_t> const halves = {0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x0001,
                                             0x03ff, 0x0400, 0x7c00, 0xfc00, 0x7e00};
  std::vector<float> const floats = {0.0f,
                                     -0.0f,
                                     1.0f,
                                     -2.0f,
                                     65504.0f,
                                     0x1p-24f,
                                     0x1.ff8p-15f,
                                     0x1p-14f,
                                     std::numeric_limits<float>::infinity(),
                                     -std::numeric_limits<float>::infinity(),
                                     std::numeric_limits<float>::quiet_NaN()};
  std::vector<std::string> words;
  for (float const value : floats) words.push_back(word(value));
  EXPECT_EQ(read(npy("<f2", "(11,)", bytes(halves))).values, words);
  EXPECT_EQ(read(npy(">f2", "(11,)", bytes(halves, true))).values, words);
}

TEST(npy_reader, versions_and_spellings)
{
  std::string const data = bytes<std::int32_t>({7, 8});
  std::vector<std::string> const words = {word(7), word(8)};
  for (int const version : {1, 2, 3})
    EXPECT_EQ(read(header_text(dictionary("<i4", "(2,)"), version) + data).values, words) << version;
  EXPECT_EQ(read(header_text("{\"shape\":(2L,),\"descr\":\"=i4\",\"fortran_order\":False}") + data).values, words);
  EXPECT_EQ(read(npy("<i4", "(2, 1)", data)).values, words);
  EXPECT_EQ(read(npy("<i4", "()", data.substr(0, 4))).values, (std::vector{word(7)}));
  EXPECT_EQ(read(npy("<i4", "(0,)", "")).values.size(), 0u);
  EXPECT_EQ(read(npy("<i4", "(3, 0, 4)", "", true)).values.size(), 0u);
}

TEST(npy_reader, more_than_one_batch)
{
  std::vector<std::int16_t> values(1'200'001);
  std::iota(values.begin(), values.end(), std::int16_t(-5));
  std::vector<std::string> words;
  for (auto const value : values) words.push_back(word(value));
  EXPECT_TRUE(read(npy("<i2", "(1200001,)", bytes(values))).values == words);
  EXPECT_TRUE(read(npy(">i2", "(1200001,)", bytes(values, true))).values == words);
}

TEST(npy_reader, headers_that_lie)
{
  std::string const data = bytes<double>({1, 2, 3});
  EXPECT_EQ(error_of(npy("<f8", "(4,)", data)),
            "npy: found a file of 92 bytes, expected 100, which is what the header says: 68 and 4 values of 8 bytes");
  EXPECT_NE(error_of(npy("<f8", "(2,)", data)), "");
  EXPECT_EQ(error_of(npy("<f8", "(-3,)", data)),
            "npy: found '-3,), }\\x0a' in the shape, expected lengths that are not negative");
  EXPECT_EQ(error_of(npy("<f8", "(4294967296, 4294967296)", data)),
            "npy: found a shape of more than 2^60 values, expected an array that can exist");
  EXPECT_EQ(error_of(npy("<f8", "(0, 4294967296, 4294967296)", "")),
            "npy: found a shape of more than 2^60 values, expected an array that can exist");
  EXPECT_NE(error_of(npy("<f8", "(99999999999999999999,)", data)).find("expected lengths below 2^63"),
            std::string::npos);
  std::string rank;
  for (int i = 0; i < 65; ++i) rank += "1,";
  EXPECT_EQ(error_of(npy("<f8", "(" + rank + ")", "")), "npy: found more than 64 axes, expected at most 64");
  std::string huge = header_text(dictionary("<f8", "(3,)"), 2);
  huge[10] = huge[11] = '\x7f';
  EXPECT_EQ(error_of(huge), "npy: found a header of 2139029562 bytes, expected at most 1048576");
}

TEST(npy_reader, pipes_that_lie)
{
  std::string const data = bytes<double>({1, 2, 3});
  for (std::string const shape : {"(4,)", "(2,)"}) {
    slow_pipe const pipe({npy("<f8", shape, data)});
    EXPECT_NE(read_all([&] { return read_npy(pipe.source()); }).error, "") << shape;
  }
  slow_pipe const fortran({npy("<f8", "(3, 1, 2)", data + data, true)});
  EXPECT_EQ(read_all([&] { return read_npy(fortran.source()); }).error,
            "pipe: found a pipe, expected a regular file, to read an array in Fortran order");
}

TEST(npy_reader, files_of_other_kinds)
{
  EXPECT_EQ(error_of(""), "npy: found an empty file, expected a .npy file");
  EXPECT_EQ(error_of("1 2 3\n4 5"), "npy: found '1 2 3\\x0a', expected a .npy file, which begins with '\\x93NUMPY'");
  EXPECT_EQ(error_of("\x93NUM"), "npy: found the end of the file within the first 8 bytes, expected a whole .npy file");
  EXPECT_EQ(error_of("\x93NUMPY\x04" + std::string(20, '\0')),
            "npy: found version 4 of the .npy format, expected version 1, 2 or 3");
  std::string const whole = npy("<f8", "(1,)", std::string(8, '\0'));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(error_of(whole.substr(0, length)), "") << length;
}

TEST(npy_reader, types_that_are_no_real_numbers)
{
  auto const refused = [](std::string const& descr) { return error_of(npy(descr, "(1,)", std::string(16, '\0'))); };
  std::string const expected = ", expected integers or floats of at most 8 bytes, or truth values";
  EXPECT_EQ(refused("<c16"), "npy: found complex numbers ('<c16')" + expected);
  EXPECT_EQ(refused("<f16"), "npy: found values of type '<f16'" + expected);
  EXPECT_EQ(refused("<M8[ns]"), "npy: found dates or times ('<M8[ns]')" + expected);
  EXPECT_EQ(refused("|O"), "npy: found Python objects ('|O')" + expected);
  EXPECT_EQ(refused("<U4"), "npy: found strings ('<U4')" + expected);
  EXPECT_EQ(refused(""), "npy: found values of type nothing" + expected);
  EXPECT_EQ(error_of(header_text("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }") +
                     std::string(8, '\0')),
            "npy: found records of several fields, expected an array of numbers");
}

TEST(npy_reader, malformed_headers)
{
  for (char const* text :
       {"", "{", "{}", "[]", "{'descr'", "{'descr':}", "{'descr': '<f8'}", "{'descr': '<f8', 'descr': '<f8'}",
        "{'descr': '<f8', 'fortran_order': 1, 'shape': (1,)}", "{'descr': '<f8', 'fortran_order': False, 'shape': (1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 2}"})
    EXPECT_NE(error_of(header_text(text) + std::string(8, '\0')), "") << text;
}

/// Values numbered in C order, stored in Fortran order.
std::string fortran_bytes(std::vector<std::uint64_t> const& shape)
{
  std::uint64_t const count = std::accumulate(shape.begin(), shape.end(), std::uint64_t(1), std::multiplies<>());
  std::vector<std::int32_t> values(count);
  for (std::uint64_t c = 0; c < count; ++c) {
    std::uint64_t rest = c, weight = count, at = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      weight /= shape[axis];
      at += rest % shape[axis] * weight;
      rest /= shape[axis];
    }
    values[at] = static_cast<std::int32_t>(c);
  }
  return bytes(values);
}

std::string text_of(std::vector<std::uint64_t> const& shape)
{
  std::string text = "(";
  for (std::uint64_t const length : shape) text += std::to_string(length) + ",";
  return text + ")";
}

TEST(npy_reader, fortran_order_is_read_in_c_order)
{
  scratch_folder const folder;
  for (std::vector<std::uint64_t> const& shape : std::vector<std::vector<std::uint64_t>>{
           {2, 3}, {3, 2, 4}, {1, 5, 2}, {37, 41}, {5, 1, 7, 3}, {1500, 3}, {3, 1500}, {2, 3, 700}}) {
    std::string const path = folder.write("npy", npy("<i4", text_of(shape), fortran_bytes(shape), true));
    std::uint64_t const count = std::accumulate(shape.begin(), shape.end(), std::uint64_t(1), std::multiplies<>());
    std::vector<std::string> words;
    for (std::uint64_t c = 0; c < count; ++c) words.push_back(word(static_cast<int>(c)));
    for (std::size_t block : {4, 12, 40, 1000, 1 << 20}) {
      everything const got = read_all([&] {
        input source = input::file(path);
        npy_header const header = read_npy_header(source);
        return std::make_unique<fortran_reader>(std::move(source), header, block);
      });
      ASSERT_EQ(got.error, "");
      ASSERT_TRUE(got.values == words) << text_of(shape) << " in blocks of " << block;
    }
    EXPECT_TRUE(read_all([&] { return read_npy(input::file(path)); }).values == words);
  }
}

}  // namespace
}  // namespace tally::io
