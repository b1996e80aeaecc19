#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "app/application.hpp"
#include "help/page.hpp"
#include "help/pages/pages.hpp"
#include "tool.hpp"

/// Runs the manual's examples and compares their output. In a ```console block a line after "$ " is a shell command, ">
/// " continues it, and everything else is its output, errors included. All blocks run in one folder, from first to
/// last.
namespace tally::test {
namespace {

struct shell_example {
  int line = 0;
  std::string command;
  std::string expected;
  std::string instead_of;  ///< another program's command that prints the same
};

std::vector<shell_example> examples_in(std::string_view document)
{
  std::vector<shell_example> all;
  bool inside = false;
  bool other = false;
  int number = 0;
  for (std::size_t begin = 0; begin < document.size();) {
    std::size_t const end = std::min(document.find('\n', begin), document.size());
    std::string const line(document.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.starts_with("```")) {
      inside = line == "```console";
      other = line == "```awk";
    } else if (other && !all.empty()) {
      all.back().instead_of += line + "\n";
    } else if (inside && line.starts_with("$ ")) {
      all.push_back({number, line.substr(2) + "\n", {}, {}});
    } else if (inside && !all.empty() && line.starts_with("> ") && all.back().expected.empty()) {
      all.back().command += line.substr(2) + "\n";
    } else if (inside && !all.empty()) {
      all.back().expected += line + "\n";
    }
  }
  return all;
}

class document : public in_folder {};

TEST_F(document, examples_print_what_the_manual_says)
{
  std::ifstream in(TALLY_MANUAL);
  std::string const text{std::istreambuf_iterator<char>(in), {}};
  std::vector<shell_example> const examples = examples_in(text);
  EXPECT_GE(examples.size(), 20U);
  for (shell_example const& each : examples) {
    outcome const result = run_shell("exec 2>&1\n" + each.command, folder_);
    EXPECT_EQ(result.out, each.expected) << "line " << each.line << ": " << each.command;
  }
}

TEST_F(document, recipes_print_what_they_say_and_what_the_awk_prints_that_they_replace)
{
  std::ifstream in(TALLY_RECIPES);
  std::string const text{std::istreambuf_iterator<char>(in), {}};
  std::vector<shell_example> const examples = examples_in(text);
  std::size_t replaced = 0;
  for (shell_example const& each : examples) {
    outcome const result = run_shell("exec 2>&1\n" + each.command, folder_);
    EXPECT_EQ(result.out, each.expected) << "line " << each.line << ": " << each.command;
    if (each.instead_of.empty()) continue;
    ++replaced;
    EXPECT_EQ(run_shell(each.instead_of, folder_).out, each.expected) << each.instead_of;
  }
  EXPECT_GE(examples.size(), 40U);
  EXPECT_GE(replaced, 20U);
}

TEST_F(document, names_every_option)
{
  std::ifstream in(TALLY_MANUAL);
  std::string const text{std::istreambuf_iterator<char>(in), {}};
  std::vector<cli::command_page const*> pages = cli::command_pages();
  pages.insert(pages.end(), cli::application_pages().begin(), cli::application_pages().end());
  for (cli::command_page const* page : pages) {
    std::string const help = cli::help_text(*page, {}, 80);
    for (std::size_t at = 0; (at = help.find("\n      --", at)) != std::string::npos;) {
      at += 7;
      std::string const name = help.substr(at, help.find_first_of(" [\n", at) - at);
      EXPECT_NE(text.find("`" + name), std::string::npos) << page->name << ' ' << name;
    }
  }
}

TEST(document_reader, splits_commands_and_output)
{
  auto const all =
      examples_in("a\n```console\n$ one\n> two\nout\n\n$ three\n```\n$ no\n```sh\n$ no\n```\n```awk\nawk 4\n```\n");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].command, "one\ntwo\n");
  EXPECT_EQ(all[0].expected, "out\n\n");
  EXPECT_EQ(all[1].command, "three\n");
  EXPECT_EQ(all[1].expected, "");
  EXPECT_EQ(all[1].instead_of, "awk 4\n");
  EXPECT_EQ(all[1].line, 7);
}

}  // namespace
}  // namespace tally::test
