#pragma once

#include <fstream>
#include <source_location>
#include <string>

#include <gtest/gtest.h>

#include "tally/model.hpp"

namespace tally::model {

/// A kernel from a lambda: `on.launch(blocks, threads, kernel_of{[](block const& b, ...) { ... }}, ...)`.
template <class Body>
struct kernel_of {
  static constexpr char const* name = "kernel";
  Body body;
  void operator()(block const& b, auto const&... arguments) const { body(b, arguments...); }
};

/// The same for blocks that wait for each other.
template <class Body>
struct waiting_kernel_of {
  static constexpr char const* name = "waiting_kernel";
  static constexpr bool waits = true;
  Body body;
  void operator()(block const& b, auto const&... arguments) const { body(b, arguments...); }
};

/// The line of this file that ends with `// mark`; 0 if none does.
inline unsigned line_marked(std::string const& mark, std::source_location const& in = std::source_location::current())
{
  std::ifstream file(in.file_name());
  std::string const end = "// " + mark;
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number)
    if (line.ends_with(end)) return number;
  return 0;
}

/// The part of a finding that a test states. The rest is as in a new finding.
struct expected_finding {
  fault what = fault::race;
  int step = 0, thread = 0, other = -1;
  std::string array = {};
  int index = 0;
  bool writes = false, other_writes = false;
  std::string mark = {}, other_mark = {};
  int block = 0, other_block = -1;
  std::size_t size = 0, times = 1;
};

inline void expect_finding(finding const& found, expected_finding const& expected,
                           std::source_location const& in = std::source_location::current())
{
  SCOPED_TRACE(testing::Message() << in.file_name() << ":" << in.line() << ": " << found.text());
  EXPECT_EQ(found.what, expected.what);
  EXPECT_EQ(found.step, expected.step);
  EXPECT_EQ(found.block, expected.block);
  EXPECT_EQ(found.thread, expected.thread);
  EXPECT_EQ(found.other, expected.other);
  EXPECT_EQ(found.other_block, expected.other_block);
  EXPECT_EQ(found.array, expected.array);
  EXPECT_EQ(found.index, expected.index);
  EXPECT_EQ(found.size, expected.size);
  EXPECT_EQ(found.writes, expected.writes);
  EXPECT_EQ(found.other_writes, expected.other_writes);
  EXPECT_EQ(found.times, expected.times);
  EXPECT_EQ(found.where.line, line_marked(expected.mark, in));
  EXPECT_EQ(found.other_where.line, expected.other_mark.empty() ? 0 : line_marked(expected.other_mark, in));
}

/// The only finding of a machine.
inline void expect_only(machine const& on, expected_finding const& expected,
                        std::source_location const& in = std::source_location::current())
{
  ASSERT_EQ(on.counts().findings.size(), 1u) << in.file_name() << ":" << in.line();
  expect_finding(on.counts().findings.front(), expected, in);
}

}  // namespace tally::model
