#include "settings/parser.hpp"

#include <optional>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "tool.hpp"

/// The words of a command line become options, values and arguments.
namespace tally::test {
namespace {

using cli::completes;

cli::command_page const small_page = {
    .name = "try",
    .summary = "",
    .usage = "",
    .description = {},
    .options = {{"",
                 {{"FILE...", "", ""},
                  {"-o,--output", "FILE", ""},
                  {"--threads", "N", ""},
                  {"--add", "X", ""},
                  {"--color", "COLOR", "", completes::choices, {{"red", ""}, {"green", ""}}},
                  {"--json", "", ""},
                  {"--label", "[NAME]", ""},
                  {"-h,--help", "", ""}}}},
    .sections = {},
    .examples = {}};

enum class color { red, green };

struct small_settings {
  words files, added;
  std::string output;
  int threads = 0;
  std::optional<color> ink;
  bool json = false;
  std::optional<std::string> label;
};

small_settings parsed(words const& line)
{
  small_settings all;
  cli::parser options(small_page);
  options.arguments("FILE...", all.files);
  options.value("--output", all.output);
  options.number("--threads", all.threads, 1, 64);
  options.values("--add", [&](std::string const& text) { all.added.push_back(text); });
  options.choice("--color", all.ink);
  options.flag("--json", all.json);
  options.value("--label", all.label);
  options.parse(line);
  return all;
}

std::string complaint(words const& line)
{
  try {
    parsed(line);
  } catch (cli::command_line_error const& problem) {
    return problem.what();
  }
  return "";
}

TEST(parser, takes_a_value_from_the_next_word_or_from_the_same)
{
  EXPECT_EQ(parsed({"--output", "a"}).output, "a");
  EXPECT_EQ(parsed({"--output=a"}).output, "a");
  EXPECT_EQ(parsed({"--output=a=b"}).output, "a=b");
  EXPECT_EQ(parsed({"-o", "a"}).output, "a");
  EXPECT_EQ(parsed({"-oa"}).output, "a");
  EXPECT_EQ(parsed({"--output", ""}).output, "");
  EXPECT_EQ(parsed({"--threads", "7"}).threads, 7);
  EXPECT_EQ(parsed({"--color=green"}).ink, color::green);
  EXPECT_FALSE(parsed({}).ink.has_value());
  EXPECT_TRUE(parsed({"--json", "--json"}).json);
}

TEST(parser, takes_a_value_that_may_be_left_out_from_the_same_word_only)
{
  EXPECT_EQ(parsed({"--label=a", "b"}).label, "a");
  EXPECT_EQ(parsed({"--label", "b"}).label, "");
  EXPECT_EQ(parsed({"--label", "b"}).files, words{"b"});
  EXPECT_FALSE(parsed({"b"}).label.has_value());
  EXPECT_EQ(complaint({"--label="}), "--label needs a value");
  EXPECT_EQ(complaint({"--label=a", "--label"}), "--label is given twice");
  std::string const help = cli::help_text(small_page, {}, 80);
  EXPECT_NE(help.find("      --label[=NAME] "), std::string::npos) << help;
}

TEST(parser, takes_the_next_word_for_a_value_whatever_it_looks_like)
{
  EXPECT_EQ(parsed({"--output", "-5"}).output, "-5");
  EXPECT_EQ(parsed({"--output", "--json"}).output, "--json");
  EXPECT_EQ(parsed({"--output", "--"}).output, "--");
  EXPECT_EQ(parsed({"-o", "-o"}).output, "-o");
}

TEST(parser, keeps_values_and_arguments_in_order)
{
  EXPECT_EQ(parsed({"--add", "1", "--add=-2", "--add", "3"}).added, (words{"1", "-2", "3"}));
  EXPECT_EQ(parsed({"b", "--json", "a", "-", ""}).files, (words{"b", "a", "-", ""}));
  EXPECT_EQ(parsed({"[a,b]", "--threads", "2", "{}"}).files, (words{"[a,b]", "{}"})) << "brackets mean nothing";
}

TEST(parser, takes_every_word_after_two_hyphens_for_an_argument)
{
  EXPECT_EQ(parsed({"a", "--", "--json", "-o", "--", "--x"}).files, (words{"a", "--json", "-o", "--", "--x"}));
  EXPECT_FALSE(parsed({"--", "--json"}).json);
}

TEST(parser, says_what_is_wrong)
{
  EXPECT_EQ(complaint({"--output"}), "--output needs a value");
  EXPECT_EQ(complaint({"a", "-o"}), "-o needs a value");
  EXPECT_EQ(complaint({"--output=", "a"}), "--output needs a value");
  EXPECT_EQ(complaint({"-oa", "--output", "b"}), "--output is given twice");
  EXPECT_EQ(complaint({"--json=yes"}), "--json takes no value");
  EXPECT_EQ(complaint({"--threads", "65"}), "--threads: 65 is too large; at most 64");
  EXPECT_EQ(complaint({"--color", "gren"}), "--color: there is no 'gren' (did you mean 'green'?)");
  EXPECT_EQ(complaint({"--outptu=a"}), "unknown option --outptu=a (did you mean '--output'?)");
  EXPECT_EQ(complaint({"-output"}), "unknown option -output (did you mean '--output'?)");
  EXPECT_EQ(complaint({"--unheard-of"}), "unknown option --unheard-of");
  EXPECT_EQ(complaint({"-5"}), "unknown option -5");
}

TEST(parser, checks_values_before_it_complains_of_unknown_options)
{
  EXPECT_EQ(complaint({"--unheard-of", "--threads", "0"}), "--threads: '0' is not a whole number from 1 on");
}

TEST(parser, finds_a_page_that_lists_other_options_than_are_bound)
{
  cli::parser options(small_page);
  bool flag = false;
  EXPECT_THROW(options.flag("--unheard-of", flag), std::logic_error);
  EXPECT_THROW(options.parse({}), std::logic_error) << "nothing is bound";
}

}  // namespace
}  // namespace tally::test
