#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "compressed.hpp"
#include "io/arrays/npy_header.hpp"
#include "io/arrays/npy_reader.hpp"
#include "io/arrays/raw_reader.hpp"
#include "io/compression/decompressor.hpp"
#include "io/compression/signature.hpp"
#include "io/compression/zip_archive.hpp"
#include "io/errors.hpp"
#include "io/text/reader.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

using testing::compressed;
using testing::compressions;
using testing::everything;
using testing::pieces_of;
using testing::read_all;
using testing::scratch_folder;
using testing::slow_pipe;

std::string numbers(int count)
{
  std::string text;
  for (int k = 0; k < count; ++k) text += std::to_string(k * 7919 % 1000) + (k % 5 == 0 ? "\n" : " ");
  return text;
}

struct outcome {
  std::string content, error;
};

/// Everything that comes out of `packed` through blocks of these sizes.
outcome unpacked(scratch_folder const& folder, compression kind, std::string const& packed, unpacking_sizes sizes)
{
  int const file = open(folder.write("packed", packed).c_str(), O_RDONLY | O_CLOEXEC);
  outcome result;
  try {
    decompressor from(packed_source(file, "packed", 0, packed.size()), make_decoder(kind), std::string(name_of(kind)),
                      sizes);
    char piece[10];
    while (std::size_t const got = from.read(piece, sizeof piece)) result.content.append(piece, got);
    EXPECT_TRUE(from.ready());
    EXPECT_EQ(from.packed_bytes(), packed.size());
  } catch (data_error const& failure) {
    result.error = failure.what();
  }
  close(file);
  return result;
}

TEST(compression, is_known_by_first_bytes)
{
  EXPECT_EQ(compression_of(""), std::nullopt);
  EXPECT_EQ(compression_of("1"), compression::none);
  EXPECT_EQ(compression_of("BZh9"), std::nullopt);
  EXPECT_EQ(compression_of("BZh9 "), compression::none);
  EXPECT_EQ(compression_of("\x1f\x8b"), std::nullopt);
  EXPECT_EQ(compression_of("\x1f\x8b\x07"), compression::none) << "gzip has no other method than 8";
  for (compression const kind : compressions)
    for (char const* text : {"", "1 2 3"})
      EXPECT_EQ(compression_of(compressed(kind, text).substr(0, compression_bytes)), kind) << name_of(kind);
  EXPECT_EQ(without_compression_ending("a/sales.csv.GZ"), "a/sales.csv");
  EXPECT_EQ(without_compression_ending(".gz"), ".gz");
  EXPECT_EQ(without_compression_ending("x.csv"), "x.csv");
}

TEST(compression, content_does_not_depend_on_the_sizes_of_pieces)
{
  scratch_folder const folder;
  std::string const first = numbers(150), second = numbers(40);
  for (compression const kind : compressions) {
    std::string const packed = compressed(kind, first) + compressed(kind, "") + compressed(kind, second);
    for (std::size_t const block : {1, 7, 64, 1 << 18})
      for (std::size_t const read : {1, 13, 1 << 17})
        for (std::size_t const blocks : {1, 3}) {
          outcome const got = unpacked(folder, kind, packed, {.packed = read, .block = block, .blocks = blocks});
          EXPECT_EQ(got.error, "");
          EXPECT_EQ(got.content, first + second) << name_of(kind) << ' ' << block << ' ' << read;
        }
  }
}

TEST(compression, what_is_cut_short_is_an_error_at_every_length)
{
  scratch_folder const folder;
  std::string const text = numbers(30);
  for (compression const kind : compressions) {
    std::string const packed = compressed(kind, text);
    for (std::size_t size = compression_bytes; size < packed.size(); ++size) {
      outcome const got = unpacked(folder, kind, packed.substr(0, size), {});
      EXPECT_EQ(got.error, "packed: compressed byte " + std::to_string(size + 1) +
                               ": found the end of the data within what " + std::string(name_of(kind)) +
                               " compressed, expected the rest: it is cut short");
      EXPECT_TRUE(text.starts_with(got.content));
    }
  }
}

TEST(compression, damage_is_found_or_changes_nothing)
{
  scratch_folder const folder;
  std::string const text = numbers(30);
  for (compression const kind : compressions) {
    std::string const packed = compressed(kind, text);
    std::size_t unnoticed = 0;
    for (std::size_t at = 0; at < packed.size(); ++at) {
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      outcome const got = unpacked(folder, kind, damaged, {});
      if (!got.error.empty()) continue;
      EXPECT_EQ(got.content, text) << name_of(kind) << " byte " << at;
      ++unnoticed;
    }
    EXPECT_LE(unnoticed, 6U) << name_of(kind) << ": the time and the system in gzip's header, an unused bit";
  }
  std::string const packed = compressed(compression::gzip, text);
  EXPECT_EQ(unpacked(folder, compression::gzip, packed + "and more", {}).error,
            "packed: found other bytes behind the data that gzip compressed, expected the end, or more such data");
  std::string wrong_sum = packed;
  wrong_sum[packed.size() - 8] = static_cast<char>(wrong_sum[packed.size() - 8] ^ 1);
  outcome const wrong = unpacked(folder, compression::gzip, wrong_sum, {});
  EXPECT_EQ(wrong.content, text) << "all that comes before the damage is given";
  EXPECT_TRUE(wrong.error.ends_with("found damaged data of gzip (incorrect data check), expected data as gzip wrote it "
                                    "(--no-decompress reads the bytes as they stand)"))
      << wrong.error;
}

TEST(compression, a_file_and_a_pipe_in_any_pieces_read_as_the_text_does)
{
  scratch_folder const folder;
  std::string const text = numbers(60) + "0.5";
  everything const expected = read_all([&] { return read_text(input::file(folder.write("text", text)), {}); });
  ASSERT_EQ(expected.values.size(), 61U);
  for (compression const kind : compressions) {
    std::string const packed = compressed(kind, text);
    std::string const path = folder.write("packed.txt", packed);
    EXPECT_EQ(read_all([&] { return read_text(input::file(path), {}); }), expected) << name_of(kind);
    for (std::size_t const size : {1, 64}) {
      slow_pipe const pipe(pieces_of(packed, size));
      EXPECT_EQ(read_all([&] { return read_text(pipe.source(), {}); }), expected) << name_of(kind) << ' ' << size;
    }
    EXPECT_EQ(read_all([&] {
                return read_text(input::file(path, unpacking::none), {});
              }).error.find("packed.txt: found data"),
              folder.path("").size())
        << "read as it stands";
    input source = input::file(path);
    EXPECT_FALSE(source.seekable());
    EXPECT_TRUE(source.repeatable());
    EXPECT_EQ(source.not_seekable(), "a file compressed by " + std::string(name_of(kind)));
    EXPECT_EQ(source.so_far(0).total, packed.size());
  }
  for (std::string const beginning : {"B", "BZ", "BZh9"})  // perhaps bzip2's, and it is not
    for (std::size_t const size : {1, 9}) {
      slow_pipe const pipe(pieces_of(beginning, size));
      EXPECT_EQ(read_all([&] { return read_text(pipe.source(), {}); }).error,
                "pipe:1:1: found '" + beginning + "', expected a number" +
                    (beginning.size() > 1 ? " (--column chooses a column of a table)" : ""));
    }
}

TEST(compression, values_before_the_damage_are_given)
{
  scratch_folder const folder;
  std::string packed = compressed(compression::gzip, "1 2 3 ") + compressed(compression::gzip, "4 5 6 7");
  packed.resize(packed.size() - 1);
  everything const got = read_all([&] { return read_text(input::file(folder.write("cut.gz", packed)), {}); });
  EXPECT_EQ(got.values.size(), 6U) << "the last token may go on";
  EXPECT_NE(got.error.find("cut short"), std::string::npos) << got.error;
}

TEST(compression, arrays_and_bare_values_are_decompressed_too)
{
  scratch_folder const folder;
  std::vector<double> values(3000);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k) / 8;
  std::string const bytes = testing::bytes(values);
  everything const expected =
      read_all([&] { return read_raw(input::file(folder.write("x.raw", bytes)), element_type::float64); });
  std::string const packed = folder.write("x.raw.zst", compressed(compression::zstd, bytes));
  EXPECT_EQ(read_all([&] { return read_raw(input::file(packed), element_type::float64); }), expected);
  std::string const header = make_npy_header(element_type::float64, {values.size()});
  std::string const array = folder.write("x.npy.gz", compressed(compression::gzip, header + bytes));
  EXPECT_EQ(read_all([&] { return read_npy(input::file(array)); }), expected);
  std::string const fortran = make_npy_header(element_type::float64, {2, 1500}, true);
  std::string const other = folder.write("y.npy.gz", compressed(compression::gzip, fortran + bytes));
  EXPECT_EQ(read_all([&] { return read_npy(input::file(other)); }).error,
            other + ": found a file compressed by gzip, expected a regular file, to read an array in Fortran order");
}

TEST(zip_archive, members_are_read_by_name_stored_or_deflated)
{
  scratch_folder const folder;
  std::string const text = numbers(60);
  everything const expected = read_all([&] { return read_text(input::file(folder.write("text", text)), {}); });
  auto const read = [&](std::string const& path) {
    return read_all([&] { return read_text(input::file(folder.path(path)), {}); });
  };
  for (bool const wide : {false, true}) {
    for (bool const deflated : {false, true}) {
      folder.write("one.zip", testing::zip({{"sub/", ""}, {"sub/a:b.txt", text, deflated}}, wide));
      EXPECT_EQ(read("one.zip"), expected) << wide << deflated;
      EXPECT_EQ(read("one.zip:sub/a:b.txt"), expected);
      folder.write("two.npz", testing::zip({{"x.npy", "1"}, {"x", "3", deflated}, {"y.npy", text, deflated}}, wide));
      EXPECT_EQ(read("two.npz:y"), expected);
      EXPECT_EQ(read("two.npz:y.npy"), expected);
      EXPECT_EQ(read("two.npz:x").values, std::vector<std::string>{"i:3"}) << "its whole name goes first";
      EXPECT_EQ(read("two.npz").error, folder.path("two.npz") +
                                           ": found a zip archive of 3 members: 'x.npy', 'x', 'y.npy', expected a "
                                           "single one, or FILE:NAME to name one");
      EXPECT_EQ(read("two.npz:z").error, folder.path("two.npz") +
                                             ": found no member 'z' in the archive, expected one of 'x.npy', 'x', "
                                             "'y.npy'");
      input const member = input::file(folder.path("two.npz:y"));
      EXPECT_EQ(member.seekable(), !deflated);
      EXPECT_TRUE(member.repeatable());
      EXPECT_EQ(member.name(), folder.path("two.npz:y.npy"));
    }
  }
  EXPECT_THROW(input::file(folder.path("text:x")), file_error) << "no archive";
  folder.write("text:x", "5");
  EXPECT_EQ(read("text:x").values, std::vector<std::string>{"i:5"}) << "a file of that name goes first";
}

TEST(zip_archive, damage_is_an_error_or_changes_nothing)
{
  scratch_folder const folder;
  for (bool const wide : {false, true}) {
    std::string const whole = testing::zip({{"a", "10 20 30 40 50\n", true}}, wide);
    std::string const path = folder.path("damaged");
    auto const read = [&](std::string const& bytes) {
      folder.write("damaged", bytes);
      return read_all([&] { return read_text(input::file(path), {}); });
    };
    everything const expected = read(whole);
    ASSERT_EQ(expected.values.size(), 5U) << expected.error;
    for (std::size_t size = zip_signature.size(); size < whole.size(); ++size)
      EXPECT_EQ(read(whole.substr(0, size)).error,
                path + ": found a damaged zip archive, expected one whose directory lies at its end");
    for (std::size_t at = zip_signature.size(); at < whole.size(); ++at) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x21);
      everything const got = read(bytes);
      if (got.error.empty()) {
        EXPECT_EQ(got, expected) << at;
      }
    }
  }
}

TEST(input, a_file_that_is_followed_ends_where_it_is_removed)
{
  scratch_folder const folder;
  std::string const path = folder.write("log", "1 2");
  input source = input::followed(path);
  EXPECT_FALSE(source.seekable());
  EXPECT_TRUE(source.ready());
  char bytes[10];
  EXPECT_EQ(source.read(bytes, sizeof bytes), 3U);
  EXPECT_FALSE(source.ready());
  std::thread writer([&] {
    std::ofstream(path, std::ios::app) << "3 4";
    std::filesystem::remove(path);
  });
  EXPECT_EQ(source.read_full(bytes, sizeof bytes), 3U);
  writer.join();
  folder.write("log", "1 2 3");
  input shorter = input::followed(path);
  EXPECT_EQ(shorter.read(bytes, sizeof bytes), 5U);
  std::filesystem::resize_file(path, 1);
  EXPECT_THROW(shorter.read(bytes, sizeof bytes), data_error);
}

}  // namespace
}  // namespace tally::io
