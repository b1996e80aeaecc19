#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "exhibit/text.hpp"
#include "textbook/exhibits.hpp"
#include "textbook/sources.hpp"
#include "tool.hpp"

/// `tally exhibit`: its list and its exhibits.
namespace tally::test {
namespace {

std::string shown(std::string_view name)
{
  outcome const result = run_tool(words{"exhibit", std::string(name)});
  EXPECT_EQ(result.status, 0) << name << ' ' << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

bool has(std::string const& text, std::string_view part)
{
  return text.find(part) != std::string::npos;
}

TEST(exhibit, without_a_name_all_are_listed_a_line_each)
{
  outcome const result = run_tool(words{"exhibit"});
  EXPECT_EQ(result.status, 0);
  std::size_t lines = 0;
  for (char const c : result.out) lines += c == '\n';
  EXPECT_EQ(lines, textbook::all_exhibits().size() + 2);
  for (textbook::exhibit const& each : textbook::all_exhibits()) {
    std::size_t const at = result.out.find("\n  " + std::string(each.name) + "  ");
    ASSERT_NE(at, std::string::npos) << each.name;
    EXPECT_EQ(result.out.find(each.title), result.out.find_first_not_of(' ', at + 3 + each.name.size())) << each.name;
  }
}

TEST(exhibit, shows_a_race_with_its_line_and_the_fix)
{
  std::string const text = shown("in-place-sum");
  EXPECT_TRUE(has(text, "\nexhibits/in_place_sum.hpp\n")) << text;
  EXPECT_TRUE(has(text, "\n>  23 |       if (s <= t && t < n) x[t] = op(x[t - s], x[t]);\n      |  ")) << text;
  EXPECT_TRUE(has(text, "^ race\n")) << text;
  EXPECT_TRUE(has(text, "thread 2 reads x[1], which thread 1 writes")) << text;
  EXPECT_TRUE(has(text, "  come out  3 4 14 15 32 35 65 71\n  right     3 4 11 11 15 16 22 25\n")) << text;
  EXPECT_TRUE(has(text, "\nRight  hillis_steele.hpp\n")) << text;
  EXPECT_TRUE(has(text, "if (s <= t && t < n) left[t] = x[t - s];")) << text;
  EXPECT_TRUE(has(text, "\nThe machine finds nothing. The inclusive sums: 3 4 11 11 15 16 22 25\n")) << text;
}

TEST(exhibit, says_where_a_result_is_right_by_luck_and_where_there_is_no_finding)
{
  EXPECT_TRUE(has(shown("barrier-in-loop"), "  come out  3 4 11 11 15 16 22 25  by luck\n"));
  EXPECT_FALSE(has(shown("in-place-sum"), "by luck"));
  EXPECT_TRUE(has(shown("padding-at-2048"), "The machine finds no fault"));
  EXPECT_FALSE(has(shown("in-place-sum"), "The machine finds no fault"));
}

/// Every exhibit has all of its parts, and a caret below the line of each of the machine's findings that is shown.
TEST(exhibit, shows_all_of_them)
{
  for (textbook::exhibit const& each : textbook::all_exhibits()) {
    std::string const text = shown(each.name);
    EXPECT_TRUE(text.starts_with(std::string(each.title) + '\n')) << each.name;
    EXPECT_TRUE(has(text, std::to_string(line_number(each.wrong, each.line)) + " | ")) << each.name;
    EXPECT_TRUE(has(text, each.line)) << each.name;
    textbook::exhibit_run const run = each.run();
    for (model::finding const& found : run.wrong.counts.findings) {
      std::string const line(textbook::line_of(found.where.file, found.where.line));
      bool const is_shown = has(found.where.file, each.wrong.header);  // not where the mistake is in a launch
      EXPECT_EQ(has(text, std::to_string(found.where.line) + " | " + line + "\n      | "), is_shown)
          << each.name << '\n'
          << text;
      EXPECT_TRUE(has(text, model::name(found.what))) << each.name;
    }
    EXPECT_TRUE(has(text, run.expected + '\n')) << each.name;
    EXPECT_TRUE(has(text, run.wrong.result)) << each.name;
    for (std::string_view const line : textbook::lines_of(each.fix).lines) EXPECT_TRUE(has(text, line)) << each.name;
  }
}

TEST(exhibit, colours_where_they_are_wanted_only)
{
  textbook::exhibit const& one = *textbook::find_exhibit("in-place-sum");
  EXPECT_FALSE(has(shown("in-place-sum"), "\033")) << "this is no terminal";
  EXPECT_TRUE(has(cli::text(one, {.colours = true}), "\033[1;31m"));
  if (run_shell("command -v script").status != 0) GTEST_SKIP() << "no script here";
  std::string const tool = tool_path();
  EXPECT_TRUE(has(run_shell("TERM=xterm script -qec '" + tool + " exhibit in-place-sum' /dev/null").out, "\033[1;31m"));
  EXPECT_FALSE(
      has(run_shell("NO_COLOR=1 TERM=xterm script -qec '" + tool + " exhibit in-place-sum' /dev/null").out, "\033["));
}

TEST(exhibit, one_that_is_none)
{
  outcome const near = run_tool(words{"exhibit", "in-place"});
  EXPECT_EQ(near.status, 2);
  EXPECT_EQ(near.out, "");
  EXPECT_EQ(near.err,
            "tally: there is no exhibit 'in-place' (did you mean 'in-place-sum'?)\nSee 'tally exhibit --help'.\n");
  EXPECT_EQ(run_tool(words{"exhibit", "xyzzy"}).err,
            "tally: there is no exhibit 'xyzzy'\nSee 'tally exhibit --help'.\n");
  EXPECT_EQ(run_tool(words{"exhibit", "scan-of-six", "out-of-order"}).status, 2);
}

nlohmann::json exhibit_record(std::string const& name)
{
  outcome const result = run_tool(words{"exhibit", name, "--json"});
  EXPECT_EQ(result.status, 0) << name << ' ' << result.err;
  return nlohmann::json::parse(result.out);
}

std::string joined(nlohmann::json const& lines)
{
  std::string text;
  for (nlohmann::json const& line : lines) text += line.get<std::string>() + '\n';
  return text;
}

TEST(exhibit_json, has_all_that_the_terminal_shows)
{
  for (textbook::exhibit const& each : textbook::all_exhibits()) {
    SCOPED_TRACE(each.name);
    nlohmann::json const all = exhibit_record(std::string(each.name));
    textbook::exhibit_run const run = each.run();
    EXPECT_EQ(all["exhibit"], each.name);
    EXPECT_EQ(all["title"], each.title);
    EXPECT_EQ(all["from"], each.from);
    EXPECT_EQ(all["says"], each.says);
    EXPECT_EQ(all["why"], each.why);
    EXPECT_EQ(all["shows"], each.shows);
    EXPECT_EQ(all["expected"], run.expected);
    EXPECT_EQ(all["by_luck"], run.wrong.result == run.expected);
    nlohmann::json const &wrong = all["wrong"], &right = all["right"];
    EXPECT_EQ(wrong["header"], each.wrong.header);
    EXPECT_EQ(wrong["line"], line_number(each.wrong, each.line));
    EXPECT_EQ(wrong["result"], run.wrong.result);
    std::size_t const place = wrong["line"].get<std::size_t>() - wrong["first"].get<std::size_t>();
    EXPECT_TRUE(has(wrong["lines"].at(place).get<std::string>(), each.line));
    EXPECT_EQ(right["header"], each.fix.header);
    EXPECT_EQ(right["first"], lines_of(each.fix).first);
    EXPECT_EQ(right["lines"].size(), lines_of(each.fix).lines.size());
    EXPECT_EQ(right["result"], run.expected);
    std::size_t times = 0, found = 0;
    for (nlohmann::json const& one : all["findings"]) times += one["times"].get<std::size_t>();
    for (model::finding const& one : run.wrong.counts.findings) found += one.times;
    EXPECT_EQ(times, found) << "none is lost where they are told together";
  }
}

TEST(exhibit_json, of_a_race)
{
  nlohmann::json const all = exhibit_record("in-place-sum");
  EXPECT_TRUE(has(joined(all["wrong"]["lines"]), "struct in_place_sum"));
  ASSERT_FALSE(all["findings"].empty());
  nlohmann::json const& race = all["findings"][0];
  EXPECT_EQ(race["fault"], "race");
  EXPECT_EQ(race["file"], "exhibits/in_place_sum.hpp");
  EXPECT_EQ(race["line"], all["wrong"]["line"]);
  EXPECT_EQ(race["thread"], 2);
  EXPECT_EQ(race["other_thread"], 1);
  EXPECT_TRUE(has(race["text"].get<std::string>(), "thread 2 reads x[1], which thread 1 writes"));
  EXPECT_EQ(all["by_luck"], false);
  EXPECT_EQ(exhibit_record("barrier-in-loop")["by_luck"], true);
  EXPECT_TRUE(exhibit_record("padding-at-2048")["findings"].empty());
}

TEST(exhibit_json, of_all_is_the_list)
{
  outcome const result = run_tool(words{"exhibit", "--json"});
  nlohmann::json const all = nlohmann::json::parse(result.out)["exhibits"];
  ASSERT_EQ(all.size(), textbook::all_exhibits().size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    EXPECT_EQ(all[k]["exhibit"], textbook::all_exhibits()[k].name);
    EXPECT_EQ(all[k]["title"], textbook::all_exhibits()[k].title);
  }
}

/// An installed tool has no source tree.
TEST_F(in_folder, exhibits_need_no_sources)
{
  EXPECT_EQ(run_tool(words{"exhibit", "unset-tail"}, {.directory = folder_.string()}).out, shown("unset-tail"));
}

}  // namespace
}  // namespace tally::test
