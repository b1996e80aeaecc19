#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tally/detail/path.hpp"

namespace tally::test {

/// Counts the visits to each path while the program runs, and fails at its end if a path that the sources name was not
/// taken.
///
/// The sources are the files `sources`, given as paths within the repository; a folder stands for all files in it
/// except those that are `excepted`, files and folders alike. A program that runs only some of its tests
/// (--gtest_filter) is not checked.
class visits : public testing::Environment {
public:
  explicit visits(std::vector<std::string> sources, std::vector<std::string> excepted = {})
      : sources_(std::move(sources)),
        excepted_(std::move(excepted))
  {
  }

  void SetUp() override
  {
    tally::detail::observer_of_paths = [](char const* name, char const*) { count(name); };
  }

  void TearDown() override
  {
    tally::detail::observer_of_paths = nullptr;
    if (testing::GTEST_FLAG(filter) != "*") return;
    std::vector<std::string> const names = paths_named();
    EXPECT_FALSE(names.empty()) << "no took(\"...\") in the sources";
    for (std::string const& name : names) {
      std::size_t const count = counts()[name];
      std::printf("%10zu  %s\n", count, name.c_str());
      EXPECT_GT(count, 0u) << "no test took the path \"" << name << '"';
    }
  }

private:
  static std::map<std::string, std::size_t, std::less<>>& counts()
  {
    static std::map<std::string, std::size_t, std::less<>> all;
    return all;
  }

  static void count(std::string_view name)
  {
    static std::mutex mutex;
    std::scoped_lock const lock(mutex);
    auto const at = counts().find(name);
    if (at != counts().end())
      ++at->second;
    else
      counts().emplace(name, 1);
  }

  // Every string between the brackets of a took(...).
  std::vector<std::string> paths_named() const
  {
    std::vector<std::string> names;
    for (std::string const& source : sources_) {
      std::filesystem::path const place = std::filesystem::path(TALLY_SOURCE_FOLDER) / source;
      if (std::filesystem::is_directory(place)) {
        for (auto const& entry : std::filesystem::recursive_directory_iterator(place))
          if (entry.is_regular_file() && !is_excepted(entry.path().string())) read(entry.path(), names);
      } else {
        read(place, names);
      }
    }
    return names;
  }
  static void read(std::filesystem::path const& file, std::vector<std::string>& names)
  {
    std::ifstream in(file);
    EXPECT_TRUE(in) << file;
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    constexpr std::string_view call = "took(";
    for (std::size_t at = text.find(call); at != text.npos; at = text.find(call, at + 1)) {
      std::size_t const end = text.find(");", at);
      for (std::size_t quote = text.find('"', at); quote < end; quote = text.find('"', quote + 1)) {
        std::size_t const last = text.find('"', quote + 1);
        std::string const name = text.substr(quote + 1, last - quote - 1);
        if (name.find(": ") != name.npos) names.push_back(name);  // and no reason
        quote = last;
      }
    }
  }

  bool is_excepted(std::string const& path) const
  {
    return std::any_of(excepted_.begin(), excepted_.end(),
                       [&](std::string const& each) { return (path + '/').find("/" + each + "/") != path.npos; });
  }

  std::vector<std::string> sources_;
  std::vector<std::string> excepted_;
};

}  // namespace tally::test
