#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tool.hpp"

/// The output of `tally explain`, and helpers to search it.
namespace tally::test {

inline outcome explained(std::vector<std::string> arguments)
{
  arguments.insert(arguments.begin(), "explain");
  return run_tool(arguments);
}

inline bool has(std::string const& text, std::string_view part)
{
  return text.find(part) != std::string::npos;
}

inline std::vector<std::string> lines_of(std::string const& text)
{
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace tally::test
