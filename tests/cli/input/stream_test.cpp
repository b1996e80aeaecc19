#include <pty.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "input/progress.hpp"
#include "tool.hpp"

/// Input that arrives in pieces or exceeds the memory bound, and output whose reader has gone.
namespace tally::test {
namespace {

/// Text of integers, then of decimals: both kinds of accumulators, and the change between them.
std::string numbers(int integers, int decimals)
{
  std::string text;
  std::uint32_t state = 1;
  for (int k = 0; k < integers + decimals; ++k) {
    state = state * 1664525U + 1013904223U;
    text += std::to_string(static_cast<int>(state >> 4) - (1 << 27));
    if (k >= integers) (text += '.') += std::to_string(state % 977);
    text += k % 7 == 0 ? "\n" : " ";
  }
  return text;
}

TEST(stream, results_do_not_depend_on_the_pieces_in_which_a_pipe_delivers)
{
  std::string const text = numbers(3000, 7000);
  for (words const& command :
       {words{"reduce", "--op", "sum,min,mean,variance,logsumexp"}, words{"scan"}, words{"scan", "--op", "variance"}}) {
    std::string const whole = run_tool(command, text).out;
    ASSERT_FALSE(whole.empty());
    surroundings around;
    around.feed = [&](int descriptor) {
      std::size_t const sizes[] = {1, 4097, 3, 17, 8191, 2, 63, 997};
      std::size_t at = 0;
      for (std::size_t k = 0; at < text.size(); ++k) {
        std::size_t const size = std::min(sizes[k % std::size(sizes)], text.size() - at);
        if (!feed_all(descriptor, std::string_view(text).substr(at, size))) return;
        at += size;
        std::this_thread::sleep_for(std::chrono::microseconds(300));
      }
    };
    EXPECT_TRUE(run_tool(command, around).out == whole) << command[0];
  }
}

TEST(stream, a_row_has_a_limit_that_does_not_depend_on_the_pieces_either)
{
  // The second row is "1,", a quote, letters and another quote.
  constexpr std::size_t most = std::size_t{1} << 20;
  for (std::size_t const length : {most, most + 1, std::size_t{1400000}, std::size_t{2500000}}) {
    std::string const text = "a,b\n1,\"" + std::string(length - 4, 'x') + "\"\n2,y\n";
    for (std::size_t const piece : {std::size_t{4096}, std::size_t{65537}, std::size_t{700001}, text.size()}) {
      surroundings around;
      around.feed = [&](int descriptor) {
        for (std::size_t at = 0; at < text.size(); at += piece)
          if (!feed_all(descriptor, std::string_view(text).substr(at, piece))) return;
      };
      outcome const result = run_tool(words{"reduce", "--column", "a"}, around);
      EXPECT_EQ(result.out, length == most ? "3\n" : "") << length << " bytes in pieces of " << piece;
      EXPECT_EQ(result.err,
                length == most ? ""
                : length == most + 1
                    ? "(standard input):2:1: found a row of more than 1048576 bytes, expected a shorter one\n"
                    : "(standard input):2:3: found a quote that is not closed in the first 1048576 bytes of "
                      "its row, expected a closing quote\n")
          << length << " bytes in pieces of " << piece;
    }
  }
}

TEST(stream, results_appear_while_the_input_is_still_open)
{
  surroundings around;
  std::string seen;
  around.take = [&](std::string_view text) { seen += text; };
  around.feed = [&](int descriptor) {
    feed_all(descriptor, "1\n2\n");
    for (int k = 0; k < 400 && seen.size() < 2; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(seen.substr(0, 2), "1\n");
    feed_all(descriptor, "3\n");
  };
  run_tool(words{"scan"}, around);
  EXPECT_EQ(seen, "1\n3\n6\n");
}

constexpr std::size_t memory_limit = std::size_t{256} << 20;

/// A sanitizer's shadow memory counts as resident too.
#ifdef TALLY_TEST_BRIEFLY  // a sanitizer
constexpr bool memory_is_the_tools_own = false;
#else
constexpr bool memory_is_the_tools_own = true;
#endif

/// Feeds `megabytes` of copies of a block.
surroundings stream_of(std::string const& block, std::size_t megabytes)
{
  surroundings around;
  around.feed = [=](int descriptor) {
    for (std::size_t sent = 0; sent < megabytes << 20; sent += block.size())
      if (!feed_all(descriptor, block)) return;
  };
  around.take = [](std::string_view) {};
  return around;
}

TEST(stream, memory_stays_below_256_mib_whatever_the_size)
{
  if (!memory_is_the_tools_own) GTEST_SKIP() << "under a sanitizer";
  std::string const text = numbers(0, 100000);
  std::string const zeros(std::size_t{1} << 20, '\0');
  EXPECT_LT(run_tool(words{"reduce", "--op", "sum,min,max,mean,stddev"}, stream_of(text, 300)).peak_bytes,
            memory_limit);
  EXPECT_LT(run_tool(words{"scan"}, stream_of(text, 300)).peak_bytes, memory_limit);
  EXPECT_LT(run_tool(words{"scan", "--type", "f32", "--input-format", "raw", "--format", "raw"}, stream_of(zeros, 600))
                .peak_bytes,
            memory_limit);
  EXPECT_LT(run_tool(words{"scan", "--type", "i8", "--input-format", "raw", "--format", "raw"}, stream_of(zeros, 300))
                .peak_bytes,
            memory_limit);
}

TEST(stream, ten_thousand_groups_stay_below_it_too)
{
  if (!memory_is_the_tools_own) GTEST_SKIP() << "under a sanitizer";
  std::string rows;
  for (int k = 0; k < 50000; ++k) rows += std::to_string(k % 10000) + "," + std::to_string(k) + ".5\n";
  outcome const result = run_tool(words{"reduce", "--no-header", "--by", "1", "--column", "2"}, stream_of(rows, 100));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_LT(result.peak_bytes, memory_limit);
}

TEST(stream, a_reader_that_leaves_is_no_error_to_speak_of)
{
  outcome const result = run_shell("set -o pipefail; yes 1 | tally scan | head -n 1");
  EXPECT_EQ(result.out, "1\n");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(run_shell("yes 1 | tally scan 2>&1 >&- | cat").out,
            "tally: (standard output): cannot write: Bad file descriptor\n");
  EXPECT_EQ(run_shell("(sleep 0.2; seq 1000000) | (tally scan; echo $? >&2) | true").err, "141\n");
}

/// The output on a terminal of standard error while the tool reads `megabytes` from a pipe at about 40 MB/s.
std::string on_terminal(words const& arguments, int megabytes)
{
  int terminal = -1;
  int const child_input = 0;
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  pid_t const child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    dup2(ends[0], child_input);
    close(ends[0]);
    close(ends[1]);
    std::vector<std::string> all = {tool_path()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : all) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  close(ends[0]);
  std::thread feeder([&] {
    std::string const block(std::size_t{1} << 20, '\0');
    for (int k = 0; k < megabytes; ++k) {
      if (!feed_all(ends[1], block)) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    close(ends[1]);
  });
  std::string seen;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(terminal, buffer, sizeof buffer)) > 0;)
    seen.append(buffer, static_cast<std::size_t>(n));
  feeder.join();
  waitpid(child, nullptr, 0);
  close(terminal);
  return seen;
}

TEST(progress, is_shown_on_a_terminal_after_a_second_and_cleared_at_the_end)
{
  words const raw = {"reduce", "--input-format", "raw", "--type", "u8", "-o", "/dev/null"};
  std::string const seen = on_terminal(raw, 60);
  EXPECT_NE(seen.find("MB/s"), std::string::npos) << seen;
  EXPECT_TRUE(seen.ends_with("\r\033[K")) << "the line is cleared";
  words quiet = raw;
  quiet.push_back("--no-progress");
  EXPECT_EQ(on_terminal(quiet, 60), "");
  EXPECT_EQ(on_terminal(raw, 4), "") << "a short job shows none";
}

TEST(progress, is_not_shown_in_a_pipe)
{
  surroundings around;
  around.feed = [](int descriptor) {
    feed_all(descriptor, "1\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(1300));
    feed_all(descriptor, "2 3");
  };
  outcome const result = run_tool(words{"reduce"}, around);
  EXPECT_EQ(result.out, "6\n");
  EXPECT_EQ(result.err, "");
}

TEST(progress, line_has_share_rate_and_time_left)
{
  EXPECT_EQ(cli::progress_line({.bytes = 500'000'000, .total = 2'000'000'000}, 2.0),
            "[#####...............]  25%  500 MB of 2.0 GB  250 MB/s  6 s left");
  EXPECT_EQ(cli::progress_line({.bytes = 12'345'678, .total = {}}, 2.0), "12 MB  6.2 MB/s");
  EXPECT_EQ(cli::progress_line({.bytes = 1'000'000, .total = 1'000'000'000}, 2.0),
            "[....................]   0%  1.0 MB of 1.0 GB  500 kB/s  33:18 min left");
  EXPECT_EQ(cli::progress_line({.bytes = 10, .total = 10}, 1.0),
            "[####################] 100%  10 B of 10 B  10 B/s  0 s left");
}

}  // namespace
}  // namespace tally::test
