#include <cctype>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/application.hpp"
#include "help/page.hpp"
#include "help/pages/pages.hpp"
#include "tool.hpp"

/// Help, man pages and completion: each names every option, because all are made from the same pages.
namespace tally::test {
namespace {

std::vector<cli::option_page> options_of(cli::command_page const& page)
{
  std::vector<cli::option_page> all;
  for (cli::option_group const& group : page.options) all.insert(all.end(), group.options.begin(), group.options.end());
  return all;
}

/// The pages of commands and of applications.
std::vector<cli::command_page const*> all_pages()
{
  std::vector<cli::command_page const*> all = cli::command_pages();
  all.insert(all.end(), cli::application_pages().begin(), cli::application_pages().end());
  return all;
}

/// The words of its name: "app", "pi".
words name_words(cli::command_page const& page)
{
  std::string const name(page.name);
  std::size_t const blank = name.find(' ');
  return blank == std::string::npos ? words{name} : words{name.substr(0, blank), name.substr(blank + 1)};
}

words joined(words first, words const& second)
{
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST(help, of_the_tool_lists_every_command)
{
  outcome const result = run_tool(words{"--help"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  for (cli::command_page const* page : cli::command_pages())
    EXPECT_NE(result.out.find("\n  " + std::string(page->name) + " "), std::string::npos) << page->name;
  EXPECT_EQ(run_tool(words{"-h"}).out, result.out);
  EXPECT_EQ(run_tool(words{"help"}).out, result.out);
}

TEST(help, of_a_command_names_every_option_value_and_example)
{
  for (cli::command_page const* page : all_pages()) {
    words const name = name_words(*page);
    outcome const result = run_tool(joined(name, {"--help"}));
    EXPECT_EQ(result.status, 0) << page->name;
    EXPECT_EQ(result.out, run_tool(joined({"help"}, name)).out);
    EXPECT_EQ(result.out, run_tool(joined(name, {"--nonsense", "-h"})).out) << "help goes before errors";
    for (cli::option_page const& option : options_of(*page)) {
      EXPECT_NE(result.out.find(cli::long_name(option)), std::string::npos) << page->name << ' ' << option.names;
      for (cli::choice const& each : option.choices)
        EXPECT_NE(result.out.find(each.name), std::string::npos) << each.name;
    }
    for (cli::example const& each : page->examples)
      EXPECT_NE(result.out.find(each.command), std::string::npos) << each.command;
  }
}

TEST(help, keeps_to_80_columns_but_for_commands_to_copy)
{
  for (cli::command_page const* page : all_pages()) {
    std::string const text = cli::help_text(*page, cli::command_pages(), 80);
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      std::string const line = text.substr(begin, end - begin);
      if (!line.starts_with("    ") || line.starts_with("     ")) {
        EXPECT_LE(line.size(), 80U) << line;
      }
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(help, version_is_one_line)
{
  outcome const result = run_tool(words{"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "tally " TALLY_PROJECT_VERSION "\n");
}

TEST(manual, names_every_option_and_command)
{
  std::string const whole = run_tool(words{"help", "--man"}).out;
  EXPECT_EQ(whole.substr(0, 12), ".TH \"TALLY\" ");
  for (cli::command_page const* page : cli::command_pages()) {
    std::string const name(page->name);
    EXPECT_NE(whole.find("\\fB" + name + "\\fR"), std::string::npos) << name;
  }
  for (cli::command_page const* page : all_pages()) {
    std::string const name(page->name);
    outcome const result = run_tool(joined({"help", "--man"}, name_words(*page)));
    EXPECT_EQ(result.status, 0);
    for (char const* heading : {"NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "SEE ALSO"})
      EXPECT_NE(result.out.find(".SH \"" + std::string(heading) + "\"\n"), std::string::npos) << name << ' ' << heading;
    for (cli::option_page const& option : options_of(*page)) {
      std::string escaped;
      for (char const c : cli::long_name(option)) escaped += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_NE(result.out.find(escaped), std::string::npos) << name << ' ' << option.names;
    }
  }
}

TEST(manual, is_roff_without_complaints)
{
  if (run_shell("command -v groff").status != 0) GTEST_SKIP() << "no groff here";
  std::vector<cli::command_page const*> pages = all_pages();
  pages.push_back(&cli::tally_page());
  for (cli::command_page const* page : pages) {
    std::string const name(page->name);
    outcome const result = run_shell("tally help --man " + name + " | groff -man -Tutf8 -ww -z");
    EXPECT_EQ(result.status, 0) << name;
    EXPECT_EQ(result.err, "") << name;
  }
}

TEST(manual, has_the_recipes)
{
  std::string const text = run_tool(words{"help", "recipes"}).out;
  EXPECT_NE(text.find("\nA running total by group\n\n    $ tally cumsum --column amount --by region sales.csv\n"),
            std::string::npos);
  EXPECT_EQ(text.find("```"), std::string::npos);
  std::string const page = run_tool(words{"help", "--man", "recipes"}).out;
  EXPECT_TRUE(page.starts_with(".TH \"TALLY-RECIPES\""));
  EXPECT_NE(page.find(".SS \"A running total by group\""), std::string::npos);
  if (run_shell("command -v groff").status != 0) return;
  EXPECT_EQ(run_shell("tally help --man recipes | groff -k -man -Tutf8 -ww -z").err, "");
}

TEST(completion, scripts_are_accepted_by_their_shells)
{
  EXPECT_EQ(run_shell("tally completion bash | bash -n").err, "");
  for (char const* shell : {"zsh", "fish"}) {
    if (run_shell("command -v " + std::string(shell)).status != 0) continue;
    outcome const result = run_shell("tally completion " + std::string(shell) + " | " + shell + " -n /dev/stdin");
    EXPECT_EQ(result.status, 0) << shell << ' ' << result.err;
  }
}

TEST(completion, every_script_knows_every_option)
{
  for (char const* shell : {"bash", "zsh", "fish"}) {
    std::string const script = run_tool(words{"completion", shell}).out;
    for (cli::command_page const* page : all_pages()) {
      for (cli::option_page const& option : options_of(*page)) {
        if (!cli::is_named(option)) continue;
        std::string const name(cli::long_name(option).substr(2));
        bool const is_fish = std::string(shell) == "fish";
        EXPECT_NE(script.find(is_fish ? "-l " + name : "--" + name), std::string::npos) << shell << ' ' << name;
      }
    }
  }
}

/// The completions that bash offers for the last word of a line.
std::string offered(std::string const& line)
{
  outcome const result = run_shell("source <(tally completion bash)\nCOMP_WORDS=(" + line + ")\n" +
                                   "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_tally\necho \"${COMPREPLY[*]}\"");
  return result.out;
}

TEST(completion, bash_offers_commands_options_and_values)
{
  EXPECT_EQ(offered("tally ''"),
            "reduce scan bench explain compare brent exhibit app help completion --help --version\n");
  EXPECT_EQ(offered("tally re"), "reduce\n");
  EXPECT_EQ(offered("tally reduce --op m"), "min max median mad mode mean\n");
  EXPECT_EQ(offered("tally reduce --op = m"), "min max median mad mode mean\n") << "bash splits --op=m";
  EXPECT_EQ(offered("tally scan --ex"), "--exclusive\n");
  EXPECT_EQ(offered("tally reduce --ex"), "\n");
  EXPECT_EQ(offered("tally help sc"), "scan\n");
  EXPECT_EQ(offered("tally completion ''"), "bash zsh fish\n");
  EXPECT_EQ(offered("tally reduce --threads ''"), "\n");
  EXPECT_EQ(offered("tally reduce --op sum,mea"), "sum,mean\n") << "the next of a list";
  EXPECT_EQ(offered("tally help app his"), "histogram\n");
}

class column_completion : public in_folder {};

TEST_F(column_completion, bash_offers_the_names_in_the_header_of_the_table)
{
  file("t.csv", "region,\"the \"\"end\"\", $x\",amount\n1,2,3\n");
  auto const names = [&](std::string const& line) {
    return run_shell("source <(tally completion bash)\nCOMP_WORDS=(" + line + ")\n" +
                         "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_tally\nprintf '%s\\n' \"${COMPREPLY[@]}\"",
                     folder_)
        .out;
  };
  EXPECT_EQ(names("tally reduce t.csv --by r"), "region\n");
  EXPECT_EQ(names("tally reduce t.csv --column ''"), "region\nthe\\ \\\"end\\\"\\,\\ \\$x\namount\n");
  EXPECT_EQ(names("tally reduce none.csv --column ''"), "\n");
  file("u.csv.gz", run_shell("printf 'a;b\\n' | gzip").out);
  EXPECT_EQ(run_shell("tally completion columns reduce --delimiter ';' u.csv.gz t.csv", folder_).out, "a\nb\n");
  EXPECT_EQ(run_shell("tally completion columns reduce x", folder_).out, "");
}

TEST(short_names, stand_for_commands)
{
  EXPECT_EQ(run_tool(words{"sum"}, "1 2 3").out, "6\n");
  EXPECT_EQ(run_tool(words{"sum,count"}, "1 2 3").out, run_tool(words{"reduce", "--op", "sum,count"}, "1 2 3").out);
  EXPECT_EQ(run_tool(words{"mean", "--op", "max"}, "1 2 3").out,
            run_tool(words{"reduce", "--op", "mean,max"}, "1 2 3").out);
  EXPECT_EQ(run_tool(words{"cumsum"}, "1 2 3").out, "1\n3\n6\n");
  EXPECT_EQ(run_tool(words{"cumprod", "--exclusive"}, "2 3 4").out, "1\n2\n6\n");
  EXPECT_EQ(run_tool(words{"cummax", "--help"}).out, run_tool(words{"scan", "--help"}).out);
  EXPECT_EQ(run_tool(words{"help", "mean"}).out, run_tool(words{"reduce", "--help"}).out);
  EXPECT_EQ(run_tool(words{"sum", "--nonsense"}).err, "tally: unknown option --nonsense\nSee 'tally reduce --help'.\n");
  EXPECT_EQ(run_tool(words{"avg"}).err,
            "tally: there is no command 'avg' (did you mean 'mean'?)\nSee 'tally --help'.\n");
  auto const first_line = [](words const& all) {
    std::string const message = run_tool(all).err;
    return message.substr(0, message.find('\n'));
  };
  EXPECT_EQ(first_line({"cumfrob"}), "tally: there is no command 'cumfrob'");
  EXPECT_EQ(first_line({"cumavg"}), "tally: there is no command 'cumavg' (did you mean 'cummean'?)");
  EXPECT_EQ(first_line({"sum,frob"}), "tally: there is no command 'sum,frob': no operation is called 'frob'");
  EXPECT_EQ(first_line({"sum,avg"}),
            "tally: there is no command 'sum,avg': no operation is called 'avg' (did you mean 'mean'?)");
  EXPECT_EQ(first_line({"-op", "sum"}), "tally: unknown option -op (did you mean 'tally reduce --op'?)");
  EXPECT_EQ(first_line({"--window", "3"}), "tally: unknown option --window (did you mean 'tally scan --window'?)");
  EXPECT_EQ(first_line({"--frob"}), "tally: unknown option --frob");
  EXPECT_EQ(first_line({"-"}), "tally: unknown option -");
  EXPECT_EQ(run_tool(words{"diff"}, "1 4 9").out, run_tool(words{"scan", "--op", "diff"}, "1 4 9").out) << "for scans";
  EXPECT_EQ(run_tool(words{"p95"}, "1 4 9").out, run_tool(words{"reduce", "--op", "p95"}, "1 4 9").out);
  EXPECT_EQ(run_tool(words{"reduce", "--op", "cumsum"}).err,
            "tally: --op: there is no 'cumsum' (did you mean 'tally scan --op sum'?)\nSee 'tally reduce --help'.\n");
}

}  // namespace
}  // namespace tally::test
