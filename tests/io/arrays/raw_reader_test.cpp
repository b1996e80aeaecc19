#include <gtest/gtest.h>

#include <bit>
#include <filesystem>

#include "io/arrays/raw_reader.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

using testing::bytes;
using testing::everything;
using testing::read_all;
using testing::scratch_folder;
using testing::slow_pipe;
using testing::word;

TEST(raw_reader, values_in_both_byte_orders)
{
  scratch_folder const folder;
  std::vector<std::string> const words = {word(1.5), word(-2.25)};
  for (bool const swapped : {false, true}) {
    std::string const content = bytes<double>({1.5, -2.25}, swapped);
    auto const order = swapped == (std::endian::native == std::endian::little) ? std::endian::big : std::endian::little;
    std::string const path = folder.write("raw", content);
    EXPECT_EQ(read_all([&] { return read_raw(input::file(path), element_type::float64, order); }).values, words);
    slow_pipe const pipe({content.substr(0, 5), content.substr(5)});
    EXPECT_EQ(read_all([&] { return read_raw(pipe.source(), element_type::float64, order); }).values, words);
  }
}

TEST(raw_reader, a_size_that_is_no_multiple)
{
  scratch_folder const folder;
  std::string const path = folder.write("raw", "1234567");
  EXPECT_EQ(read_all([&] { return read_raw(input::file(path), element_type::int32); }).error,
            path + ": found 7 bytes, expected a multiple of 4, the size of int32");
  slow_pipe const pipe({"1234567"});
  EXPECT_EQ(read_all([&] { return read_raw(pipe.source(), element_type::int32); }).error,
            "pipe: found 7 bytes, expected a multiple of 4, the size of int32");
  EXPECT_EQ(read_all([&] { return read_raw(input::file(folder.write("none", "")), element_type::int32); }),
            everything());
}

TEST(raw_reader, batches_are_whole_mebibytes)
{
  scratch_folder const folder;
  std::string const path = folder.write("raw", std::string((3 << 20) + 16, 'x'));
  auto const from = read_raw(input::file(path), element_type::int64);
  std::vector<std::size_t> sizes;
  batch next;
  while (from->next(next)) sizes.push_back(next.rows * 8);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1 << 20, 1 << 20, 1 << 20, 16}));
  EXPECT_EQ(from->so_far().bytes, (3u << 20) + 16);
}

TEST(raw_reader, a_file_that_shrinks)
{
  scratch_folder const folder;
  std::string const path = folder.write("raw", std::string(64 << 20, 'x'));
  auto const from = read_raw(input::file(path), element_type::int64);
  std::filesystem::resize_file(path, 100);
  batch next;
  EXPECT_THROW(while (from->next(next)) continue, data_error);
}

}  // namespace
}  // namespace tally::io
