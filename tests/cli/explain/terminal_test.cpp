#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "explain/explanation.hpp"
#include "explained.hpp"
#include "textbook/catalogue.hpp"

/// `tally explain`: its output on a terminal and in files.
namespace tally::test {
namespace {

TEST(explain, keeps_to_the_width_of_the_terminal)
{
  for (textbook::kernel_entry const& kernel : textbook::catalogue())
    for (int const n : {8, 33, 100}) {
      cli::explain_settings settings;
      settings.kernels = {std::string(kernel.name)};
      settings.n = n;
      cli::explanation const explanation = cli::explain(settings);
      for (std::size_t const width : {90U, 140U})
        for (std::string const& line : lines_of(cli::text(explanation, {false, width}))) {
          EXPECT_LE(line.size(), width) << kernel.name << ", n = " << n << ": " << line;
          EXPECT_FALSE(line.ends_with(' ')) << kernel.name << ": " << line;
        }
    }
}

TEST(explain, wide_arrays_go_on_in_groups)
{
  cli::explain_settings settings;
  settings.kernels = {"sklansky"};
  settings.n = 32;
  std::string const text = cli::text(cli::explain(settings), {false, 80});
  EXPECT_TRUE(has(text, "\nin           3    1    7    0    4    1    6    3\n  [8]        3    1 ")) << text;
  EXPECT_TRUE(has(text, "\n  [24]       3    4  *11  *11    4    5  *11  *14\n"));
}

/// The output of the tool on a terminal of 100 columns.
std::string on_terminal(char const* no_color, char const* term)
{
  winsize size{};
  size.ws_col = 100;
  size.ws_row = 50;
  int terminal = -1;
  pid_t const child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    setenv("TERM", term, 1);
    setenv("NO_COLOR", no_color, 1);
    execl(tool_path().c_str(), "tally", "explain", "hillis-steele", nullptr);
    _exit(127);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(terminal, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  close(terminal);
  waitpid(child, nullptr, 0);
  return text;
}

TEST(explain, has_colours_on_a_terminal_that_wants_them)
{
  std::string const coloured = on_terminal("", "xterm");
  EXPECT_TRUE(has(coloured, "\033[1;32m25\033[0m")) << coloured;
  EXPECT_FALSE(has(coloured, "*25"));
  for (std::string const& plain : {on_terminal("1", "xterm"), on_terminal("", "dumb")}) {
    EXPECT_FALSE(has(plain, "\033"));
    EXPECT_TRUE(has(plain, "*25"));
  }
  EXPECT_FALSE(has(explained({"hillis-steele"}).out, "\033")) << "a pipe";
}

TEST(explain, what_the_machine_finds_comes_last)
{
  cli::explain_settings settings;
  settings.kernels = {"sklansky"};
  cli::explanation explanation = cli::explain(settings);
  EXPECT_FALSE(has(cli::text(explanation, {}), "The machine found:"));
  model::finding race;
  race.what = model::fault::race;
  race.kernel = "sklansky";
  race.array = "x";
  race.index = 3;
  race.other = race.other_block = 0;
  race.where = {"/course/include/tally/textbook/exhibits/a.hpp", 7, 1};
  explanation.counts.findings.push_back(race);
  std::string const text = cli::text(explanation, {});
  EXPECT_TRUE(has(text.substr(text.find("sectors ")), "\nThe machine found:\n  a.hpp:7: race in sklansky")) << text;
  nlohmann::json const findings = nlohmann::json::parse(cli::json_text(explanation))["findings"];
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0]["fault"], "race");
  EXPECT_EQ(findings[0]["file"], "exhibits/a.hpp");
  EXPECT_EQ(findings[0]["index"], 3);
}

class explain_files : public in_folder {};

TEST_F(explain_files, a_drawing_goes_to_a_file_or_alone_to_standard_output)
{
  outcome const both = explained({"brent-kung", "--svg", path("scan.svg")});
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_EQ(both.out, explained({"brent-kung"}).out);
  EXPECT_EQ(listing(), "scan.svg");
  std::string const drawing = read("scan.svg");
  EXPECT_EQ(drawing.substr(0, 5), "<svg ");
  EXPECT_TRUE(has(drawing, "Brent-Kung scan, n = 8"));
  EXPECT_TRUE(has(drawing, "11 operations in 5 steps"));
  EXPECT_EQ(explained({"brent-kung", "--svg", "-"}).out, drawing);
}

}  // namespace
}  // namespace tally::test
