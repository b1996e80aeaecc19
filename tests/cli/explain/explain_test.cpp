#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "explain/explanation.hpp"
#include "explained.hpp"
#include "textbook/catalogue.hpp"

/// `tally explain`: its output for readers.
namespace tally::test {
namespace {

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
  EXPECT_TRUE(has(text, "x[7] <- 0 + old x[3]\n"));
  EXPECT_TRUE(has(text, "x[5] <- x[7] "));
  EXPECT_TRUE(has(text, "x[7] <- x[7] + old x[5]\n")) << "x[5] receives x[7] in the same step";
}

TEST(explain, what_has_many_steps_keeps_a_blank_behind_their_numbers)
{
  std::string const text = explained({"scan-scan-add", "--n", "64"}).out;
  EXPECT_TRUE(has(text, "\nsteps 10-11 6 of 6 threads\n")) << text;
}

TEST(explain, tells_where_to_go_on)
{
  std::string const text = explained({"brent-kung"}).out;
  EXPECT_TRUE(has(text, "\nIts traps: tally exhibit no-barrier-after-load, half-write-back. Next: tally explain\n"));
  EXPECT_TRUE(has(text, "brent-kung-exclusive. The words: tally explain --glossary\n"));
  EXPECT_FALSE(has(explained({std::string(textbook::catalogue().back().name)}).out, "Next:"));
}

TEST(explain, every_word_of_the_counts_is_in_the_glossary)
{
  std::string const words = explained({"--glossary"}).out;
  for (char const* word : {"wavefront", "warp-step", "sector", "divergent", "bank conflict", "barrier", "depth, T_inf"})
    EXPECT_TRUE(has(words, "\n  " + std::string(word) + "  ")) << word;
  EXPECT_TRUE(has(explained({"--glossary", "--json"}).out, R"({"term":"wavefront","subject":"Memory","meaning":")"));
  EXPECT_EQ(explained({"--glossary", "blelloch"}).status, 2);
  EXPECT_EQ(explained({"--glossary", "--n", "4"}).status, 2);
}

/// The rows of a drawing and the steps of the run are told apart where they differ.
TEST(explain, a_drawing_says_what_it_draws)
{
  auto const drawing = [](char const* kernel) { return explained({kernel, "--n", "16", "--svg", "-"}).out; };
  EXPECT_TRUE(has(drawing("blelloch"), ">30 operations in 8 steps<"));
  EXPECT_TRUE(
      has(drawing("host-finished-reduction"), ">15 operations in 5 rows; a thread takes 2 steps, in blocks of"));
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
  std::string const text = explained({"scan-scan-add", "--n", "4096"}).out;
  EXPECT_TRUE(has(text, "the counts alone"));
  EXPECT_FALSE(has(text, "step 1"));
  EXPECT_TRUE(has(text, "\noperations       11699   below 3n\n")) << text;
}

TEST(explain, of_a_million_acts_the_first_are_listed)
{
  if (is_brief) return;
  outcome const drawn = explained({"one-thread-per-output", "--n", "1024", "--svg", "-"});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_TRUE(has(drawn.out, ">Elements 0 to 31<"));
  EXPECT_LT(drawn.out.size(), 1'500'000u);
  outcome const listed = explained({"one-thread-per-output", "--n", "1000", "--json"});
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_LT(listed.out.size(), 20'000'000u);
  EXPECT_TRUE(has(listed.out, "\"listed\":192,\"operations\":499500,")) << "all operations, and fewer events";
  EXPECT_TRUE(has(listed.out, "\"x[999]\":")) << "changes are of all threads";
  EXPECT_FALSE(has(explained({"one-thread-per-output", "--n", "200", "--json"}).out, "\"listed\""));
}

TEST(explain, turns_of_atomic_additions_are_counted)
{
  std::string const text = explained({"atomic-histogram", "--input", "5,5,5,5,2,2,7,0", "--full-blocks"}).out;
  EXPECT_TRUE(has(text, "\natomics              8   additions, by 1 warp in 4 turns: ")) << text;
  EXPECT_TRUE(has(text, "\ndepth                4   ")) << text;
  EXPECT_FALSE(has(explained({"private-histogram"}).out, "\natomics "));
}

TEST(explain, reads_lists_with_blanks)
{
  EXPECT_EQ(explained({"blelloch", "--input", "3 1 7 0"}).out, explained({"blelloch", "--input", "3,1,7,0"}).out);
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
      {{"tournament", "--op", "sum"}, "tournament is by max alone"},
      {{"tournament", "--op", "join"}, "tournament is by max alone"},
      {{"private-histogram", "--input", "1,8"}, "private-histogram counts integers from 0 to 7"},
      {{"private-histogram", "--input", "0.5"}, "private-histogram counts integers from 0 to 7"},
      {{"scan-scan-add", "--n", "2049", "--svg", "-"}, "--svg: too much happens"},
      {{"--svg", "x.svg"}, "name a KERNEL to explain"},
      {{"blelloch", "--svg", "-", "--json"}, "--svg -, --html - and --json: standard output takes one of them"},
      {{"blelloch", "--html", "-", "--json"}, "--svg -, --html - and --json: standard output takes one of them"},
      {{"blelloch", "--html", "-", "--svg", "-"}, "--svg -, --html - and --json: standard output takes one of them"},
  };
  for (auto const& each : all) {
    outcome const result = explained(each.arguments);
    EXPECT_EQ(result.status, 2) << each.message;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(has(result.err, each.message)) << result.err;
  }
}

}  // namespace
}  // namespace tally::test
