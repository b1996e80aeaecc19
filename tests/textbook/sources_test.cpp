// The embedded text of the textbook's headers is that of the files.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "textbook/catalogue.hpp"
#include "textbook/sources.hpp"

namespace tally::textbook {
namespace {

TEST(textbook_sources, are_the_files)
{
  std::filesystem::path const folder = TALLY_TEXTBOOK_FOLDER;
  std::size_t files = 0;
  for (auto const& each : std::filesystem::recursive_directory_iterator(folder)) {
    if (each.path().extension() != ".hpp" && each.path().extension() != ".cuh") continue;
    ++files;
    std::ifstream in(each.path());
    std::string const text(std::istreambuf_iterator<char>(in), {});
    EXPECT_TRUE(source_of(each.path().lexically_relative(folder).string()) == text) << each.path();
  }
  EXPECT_EQ(sources().size(), files);
}

TEST(textbook_sources, of_every_kernel_and_by_any_path)
{
  for (kernel_entry const& each : catalogue()) EXPECT_FALSE(source_of(each.header).empty()) << each.name;
  EXPECT_EQ(source_of("/somewhere/course/include/tally/textbook/hillis_steele.hpp"), source_of("hillis_steele.hpp"));
  EXPECT_EQ(source_of("none.hpp"), "");
}

TEST(textbook_sources, line_by_line)
{
  std::string all;
  for (std::size_t k = 1; k < 1000; ++k) all.append(line_of("hillis_steele.hpp", k)).append("\n");
  std::string const text(source_of("hillis_steele.hpp"));
  EXPECT_EQ(all.substr(0, text.size()), text);
  EXPECT_EQ(all.find_first_not_of('\n', text.size()), std::string::npos);
  EXPECT_EQ(line_of("hillis_steele.hpp", 1), "#pragma once");
}

}  // namespace
}  // namespace tally::textbook
