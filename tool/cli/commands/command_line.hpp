#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tally::cli {

/// Runs the tool with the words of a command line. Returns its exit status.
int run_command_line(std::vector<std::string> const& words);

/// The words with the command in the place of its short name. Requires: there are some.
std::vector<std::string> written_out(std::vector<std::string> words);

/// Calls `work`, and prints the message of what it throws as the tool does. Returns the exit status of the tool.
int reported(std::vector<std::string> const& words, std::function<void()> const& work);

}  // namespace tally::cli
