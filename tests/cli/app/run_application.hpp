#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tool.hpp"

/// Runs applications of the tool: `tally app NAME`.
namespace tally::test {

/// Runs `tally app` with these words.
inline outcome app(words all, std::string_view input = {})
{
  all.insert(all.begin(), "app");
  return run_tool(all, input);
}

/// Expects no output, that exit status, and `message` as the first line on standard error.
inline void expect_error(words const& all, std::string_view input, int status, std::string const& message)
{
  outcome const result = app(all, input);
  EXPECT_EQ(result.status, status) << result.out;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.substr(0, result.err.find('\n')), message);
}

/// The same for a wrong command line.
inline void expect_usage_error(words const& all, std::string const& message)
{
  expect_error(all, {}, 2, "tally: " + message);
}

}  // namespace tally::test
