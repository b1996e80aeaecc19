#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "explain/explanation.hpp"
#include "textbook/catalogue.hpp"
#include "tool.hpp"

/// `tally explain`: what it prints for readers and for scripts.
namespace tally::test {
namespace {

using words = std::vector<std::string>;

outcome explained(words arguments)
{
  arguments.insert(arguments.begin(), "explain");
  return run_tool(arguments);
}

bool has(std::string const& text, std::string_view part)
{
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines_of(std::string const& text)
{
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(explain, without_a_kernel_all_are_listed_with_their_titles)
{
  outcome const result = explained({});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(lines_of(result.out).size(), textbook::catalogue().size() + 2);
  for (textbook::kernel_entry const& each : textbook::catalogue()) {
    std::size_t const at = result.out.find("\n  " + std::string(each.name) + " ");
    ASSERT_NE(at, std::string::npos) << each.name;
    EXPECT_EQ(result.out.find(each.title), result.out.find_first_not_of(' ', at + 3 + each.name.size())) << each.name;
  }
}

TEST(explain, shows_who_is_combined_and_what_is_in_memory_then)
{
  outcome const result = explained({"hillis-steele"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(has(result.out, "Hillis-Steele scan: inclusive scan of 8 integers by sum\n"));
  EXPECT_TRUE(has(result.out, "\nin         3  1  7  0  4  1  6  3\n") ||
              has(result.out, "\nin          3   1   7   0"));
  EXPECT_TRUE(has(result.out, "\nstep 2     stride 2, 6 of 32 threads, divergent\n"));
  EXPECT_TRUE(has(result.out, "hillis_steele.hpp:"));
  EXPECT_TRUE(has(result.out, "x[7] <- x[5] + x[7]\n"));
  EXPECT_TRUE(has(result.out, "\nx           3   4 *11 *11 *12 *12 *11 *14\n")) << result.out;
  EXPECT_TRUE(has(result.out, "\nx           3   4  11  11 *15 *16 *22 *25\n"));
  EXPECT_TRUE(has(result.out, "\nout        *3  *4 *11 *11 *15 *16 *22 *25\n"));
  EXPECT_TRUE(has(result.out, "\noperations          17   n log2 n - (n - 1)\n"));
  EXPECT_TRUE(has(result.out, "\nsteps                3   log2 n\n"));
}

TEST(explain, phases_that_only_copy_are_one_line)
{
  std::string const text = explained({"hillis-steele", "--n", "4"}).out;
  EXPECT_TRUE(has(text, "\ncopy       in -> x, x -> registers; 4 of 32 threads\n\nstep 1 ")) << text;
}

TEST(explain, moves_stand_beside_operations)
{
  std::string const text = explained({"blelloch"}).out;
  EXPECT_TRUE(has(text, "x[3] <- 0 ")) << "what is left of the root";
  EXPECT_TRUE(has(text, "x[7] <- 0 + x[3]\n"));
  EXPECT_TRUE(has(text, "x[5] <- x[7] "));
  EXPECT_TRUE(has(text, "x[7] <- x[7] + x[5]\n"));
}

TEST(explain, registers_and_steps_of_one_thread)
{
  std::string const shuffled = explained({"warp-shuffle-scan"}).out;
  EXPECT_TRUE(has(shuffled, "t7 <- t5 + t7\n")) << shuffled;
  EXPECT_TRUE(has(shuffled, "t1 is a register of thread 1"));
  std::string const alone = explained({"sequential-scan"}).out;
  EXPECT_TRUE(has(alone, "\nsteps 1-7  1 of 32 threads, divergent\n")) << alone;
}

TEST(explain, bank_conflicts_are_named_where_they_are)
{
  EXPECT_TRUE(has(explained({"blelloch", "--n", "64"}).out, "bank conflicts: ")) << "stride 2 of 64";
  EXPECT_FALSE(has(explained({"blelloch-padded", "--n", "64"}).out, "bank conflicts: "));
  EXPECT_TRUE(
      has(explained({"blelloch", "--n", "1024"}).out, "of shared memory; 252 without bank conflicts, at worst 32 "));
}

TEST(explain, takes_other_elements_and_operators)
{
  EXPECT_TRUE(has(explained({"tree-reduction", "--input", "0.1, 0.2,0.3,0.4"}).out, " of 4 floats by sum\n"));
  EXPECT_TRUE(has(explained({"tree-reduction", "--input", "0.1,0.2,0.3,0.4"}).out, "*0.70000005"));
  EXPECT_TRUE(has(explained({"sklansky", "--op", "max", "--input", "-3,-1,-7"}).out, "x[1] <- max(x[0], x[1])"));
  EXPECT_TRUE(has(explained({"sklansky", "--op", "product", "--input", "2,3,5"}).out, "*30\n"));
  EXPECT_TRUE(has(explained({"brent-kung", "--op", "join"}).out, "*a..h"));
}

TEST(explain, more_than_can_be_shown_is_counted)
{
  std::string const text = explained({"brent-kung", "--n", "2048"}).out;
  EXPECT_TRUE(has(text, "the counts alone"));
  EXPECT_FALSE(has(text, "step 1"));
  EXPECT_TRUE(has(text, "\noperations        4083   2n - 2 - log2 n\n")) << text;
  EXPECT_TRUE(has(explained({"one-thread-per-output", "--n", "1024"}).out, "the counts alone")) << "a million acts";
}

TEST(explain, what_it_does_not_take_is_said)
{
  struct {
    words arguments;
    char const* message;
  } const all[] = {
      {{"hilis-steele"}, "KERNEL: there is no 'hilis-steele' (did you mean 'hillis-steele'?)"},
      {{"hillis-steele", "brent-kung"}, "one kernel at a time"},
      {{"hillis-steele", "--n", "1025"}, "takes at most 1024 elements, not 1025"},
      {{"hillis-steele", "--n", "0"}, "--n: '0' is not a whole number from 1 on"},
      {{"hillis-steele", "--n", "3", "--input", "1,2"}, "--n 3, but --input names 2 elements"},
      {{"hillis-steele", "--input", "1,two"}, "--input: 'two' is not a number"},
      {{"hillis-steele", "--input", "1,,2"}, "--input: '' is not a number"},
      {{"hillis-steele", "--input", "3000000000"}, "an integer has 4 bytes, and 3000000000 needs more"},
      {{"hillis-steele", "--op", "mean"}, "--op: there is no 'mean'"},
      {{"hillis-steele", "--op", "join", "--input", "1,2"}, "--op join has letters"},
      {{"sequential-addressing-reduction", "--op", "join"}, "takes operands out of order"},
      {{"brent-kung", "--n", "2000", "--svg", "-"}, "--svg: too much happens"},
  };
  for (auto const& each : all) {
    outcome const result = explained(each.arguments);
    EXPECT_EQ(result.status, 2) << each.message;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(has(result.err, each.message)) << result.err;
  }
}

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

/// What the tool prints on a terminal of 100 columns.
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
  race.where = {"/include/tally/textbook/exhibits/a.hpp", 7, 1};
  explanation.counts.findings.push_back(race);
  std::string const text = cli::text(explanation, {});
  EXPECT_TRUE(has(text.substr(text.find("sectors ")), "\nThe machine found:\n  a.hpp:7: race in sklansky")) << text;
  nlohmann::json const findings = nlohmann::json::parse(cli::json(explanation))["findings"];
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

nlohmann::json record(words arguments)
{
  arguments.emplace_back("--json");
  outcome const result = explained(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

TEST(explain_json, has_the_run_and_its_formulas)
{
  nlohmann::json const run = record({"brent-kung", "--n", "16"});
  EXPECT_EQ(run["kernel"], "brent-kung");
  EXPECT_EQ(run["result"], "inclusive");
  EXPECT_EQ(run["header"], "brent_kung.hpp");
  EXPECT_EQ(run["n"], 16);
  EXPECT_EQ(run["op"], "sum");
  EXPECT_EQ(run["type"], "int");
  EXPECT_EQ(run["in"].size(), 16U);
  EXPECT_EQ(run["out"].back(), 50);
  EXPECT_EQ(run["counts"]["operations"], 26);
  EXPECT_EQ(run["formulas"]["operations"]["value"], 26);
  EXPECT_EQ(run["formulas"]["operations"]["text"], "2n - 2 - log2 n");
  EXPECT_EQ(run["counts"]["steps"], 7);
  EXPECT_TRUE(run["findings"].empty());
  EXPECT_EQ(run["diagram"]["columns"], 16);
}

TEST(explain_json, every_operation_has_its_operands_and_the_counts_add_up)
{
  for (char const* kernel : {"hillis-steele", "blelloch", "sequential-addressing-reduction", "warp-shuffle-scan"}) {
    nlohmann::json const run = record({kernel, "--n", "40"});
    std::size_t operations = 0, wavefronts = 0, barriers = 0;
    for (nlohmann::json const& phase : run["phases"]) {
      barriers += phase["barrier"].get<bool>();
      if (!phase["transfers"].get<bool>()) wavefronts += phase["shared"]["wavefronts"].get<std::size_t>();
      for (nlohmann::json const& event : phase["events"]) {
        if (event["what"] != "apply") continue;
        ++operations;
        EXPECT_EQ(event["left"]["value"].get<int>() + event["right"]["value"].get<int>(), event["value"].get<int>());
        EXPECT_FALSE(event["at"].get<std::string>().empty());
      }
    }
    EXPECT_EQ(operations, run["counts"]["operations"]) << kernel;
    EXPECT_EQ(wavefronts, run["counts"]["shared"]["wavefronts"]) << kernel;
    EXPECT_EQ(barriers, run["counts"]["barriers"]) << kernel;
  }
}

TEST(explain_json, letters_are_texts_and_much_is_counted_only)
{
  nlohmann::json const letters = record({"sklansky", "--op", "join", "--n", "5"});
  EXPECT_EQ(letters["type"], "letters");
  EXPECT_EQ(letters["out"], (nlohmann::json{"a", "a..b", "a..c", "a..d", "a..e"}));
  nlohmann::json const decimals = record({"sklansky", "--input", "0.5,nan"});
  EXPECT_EQ(decimals["in"], (nlohmann::json{0.5, "nan"}));
  nlohmann::json const much = record({"brent-kung", "--n", "2048"});
  EXPECT_EQ(much["counts"]["operations"], 4083);
  EXPECT_FALSE(much.contains("phases"));
  EXPECT_EQ(much["out"].size(), 2048U);
}

}  // namespace
}  // namespace tally::test
