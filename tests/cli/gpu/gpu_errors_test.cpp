#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "on_model_gpu.hpp"

/// `--on gpu`: errors are those of the CPU, and a message names the work that the CPU does instead.
namespace tally::test {
namespace {

using on_gpu_errors = on_model_gpu;

/// The message of the exception that a call throws.
template <class Call>
std::string message_of(Call call)
{
  try {
    call();
  } catch (std::exception const& problem) {
    return problem.what();
  }
  return "nothing is thrown";
}

TEST_F(on_gpu_errors, values_that_cannot_be_taken_are_named_where_they_stand)
{
  std::string const bits = file("bits.txt", "1 2\n3 4.5 6\n");
  std::string const wide = file("wide.txt", "1\n2\n9007199254740992 3\n");
  std::string const huge =
      file("huge.txt", "1\n170141183460469231731687303715884105727\n170141183460469231731687303715884105727\n");
  model_gpu device;
  words const arguments = {"--op", "or", bits};
  EXPECT_EQ(message_of([&] { reduced(arguments, &device); }), message_of([&] { reduced(arguments, nullptr); }));
  EXPECT_EQ(message_of([&] { scanned(arguments, "out.txt", &device); }),
            bits + ":2:3: found '4.5', expected an integer, since --op is or");
  EXPECT_EQ(message_of([&] { scanned({wide}, "out.npy", &device); }),
            message_of([&] { scanned({wide}, "out.npy", nullptr); }));
  EXPECT_NE(message_of([&] { scanned({wide}, "out.npy", &device); }).find(wide + ":3:1: "), std::string::npos);
  EXPECT_EQ(message_of([&] { reduced({huge}, &device); }), message_of([&] { reduced({huge}, nullptr); }));
  EXPECT_EQ(listing(), "bits.txt huge.txt wide.txt") << "nothing is left behind";
}

TEST_F(on_gpu_errors, a_value_of_a_pipe_is_named_by_its_source)
{
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_TRUE(feed_all(ends[1], "1\n9007199254740992 3\n"));
  close(ends[1]);
  std::string const name = "/dev/fd/" + std::to_string(ends[0]);
  model_gpu device;
  std::string const message = message_of([&] { scanned({name}, "out.npy", &device); });
  EXPECT_EQ(message.substr(0, message.find(" expected")), name + ": found '9007199254740993',");
  close(ends[0]);
}

TEST_F(on_gpu_errors, what_does_not_fit_its_memory_is_an_error_that_says_so)
{
  words const known = {raw_file<double>(1000000, 0), "--type", "float64"};
  std::string text;
  for (int k = 0; k < 700000; ++k) text += "1 ";
  words const unknown = {file("ones.txt", text)};
  for (words const& arguments : {known, unknown}) {
    model_gpu device(5000000);
    std::string const message = message_of([&] { scanned(arguments, "out.npy", &device); });
    EXPECT_NE(message.find(" of the GPU's memory, of which "), std::string::npos) << message;
    EXPECT_NE(message.find("(--on cpu takes input of any size)"), std::string::npos) << message;
    EXPECT_EQ(listing().find("out.npy"), std::string::npos);
  }
  model_gpu device(5000000);
  EXPECT_EQ(message_of([&] { reduced(known, &device); }),
            "the values need 8.0 MB of the GPU's memory, of which 5.0 MB are free (--on cpu takes input of any size)");
}

/// Whether the tool finds a GPU here. Then its messages without a GPU cannot be tested.
bool gpu_answers()
{
  return run_tool(words{"reduce", "--on", "gpu"}, "1").err.empty();
}

TEST_F(on_gpu_errors, without_one_the_cpu_does_it_and_says_so)
{
  if (gpu_answers()) GTEST_SKIP() << "a GPU answers here";
  std::string const input = "3 1 2\n";
  for (words const& arguments : {words{"reduce"}, words{"reduce", "--op", "sum,argmin", "--json"}, words{"scan"},
                                 words{"scan", "--exclusive", "--no-progress"}, words{"scan", "--format", "npy"}}) {
    outcome const cpu = run_tool(arguments, input);
    outcome const got = run_tool(plus_words(arguments, {"--on", "gpu"}), input);
    EXPECT_EQ(got.status, 0);
    EXPECT_EQ(got.out, cpu.out);
    EXPECT_EQ(got.err.substr(0, 40), "tally: the CPU does it: no GPU answers (") << got.err;
    EXPECT_EQ(got.err.find('\n'), got.err.size() - 1) << "one line";
    EXPECT_EQ(cpu.err, "");
  }
}

TEST_F(on_gpu_errors, what_a_gpu_does_not_do_is_named)
{
  std::string const table = file("t.csv", "k,v\na,1\nb,2\n");
  std::string const matrix = file("m.npy", npy("<i4", "(2, 2)", bytes_of(std::vector<std::int32_t>{1, 2, 3, 4})));
  struct named {
    words arguments;
    std::string note;
  };
  for (auto const& [arguments, note] : {
           named{{"reduce", "--op", "argmin,count"},
                 "the CPU does argmin and count: the GPU does sum, product, min, max, and, or, xor and mean"},
           named{{"scan", "--op", "logsumexp"},
                 "the CPU does logsumexp: the GPU does sum, product, min, max, and, or, xor and mean"},
           named{{"reduce", "--op", "product"},
                 "the CPU does product: products of integers are exact in 128 bits, which a GPU does not multiply "
                 "(--type float64 rounds)"},
           named{{"reduce", "--init", "9223372036854775808"}, "the CPU does sum: --init has more than 64 bits"},
           named{{"reduce", "--by", "k", "--column", "v", table}, "the CPU does it: a GPU is of no use to --by"},
           named{{"scan", "--by", "k", "--column", "v", table}, "the CPU does it: a GPU is of no use to --by"},
           named{{"reduce", "--axis", "0", "--op", "argmin", "--format", "npy", matrix},
                 "the CPU does argmin: the GPU does sum, product, min, max, and, or, xor and mean"},
           named{{"scan", "--axis", "0", "--op", "product", "--format", "npy", matrix},
                 "the CPU does product: products of integers are exact in 128 bits, which a GPU does not multiply "
                 "(--type float64 rounds)"},
       }) {
    outcome const got = run_tool(plus_words(arguments, {"--on", "gpu"}), "3 1 2");
    EXPECT_EQ(got.status, 0);
    EXPECT_EQ(got.err, "tally: " + note + "\n");
    EXPECT_EQ(got.out, run_tool(arguments, "3 1 2").out);
  }
  EXPECT_EQ(run_tool(words{"reduce", "--on", "cpu"}, "3 1 2").err, "");
}

TEST_F(on_gpu_errors, errors_are_the_cpu_s)
{
  outcome const wrong = run_tool(words{"reduce", "--on", "gpu", "--op", "argmin"}, "1 x");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("(standard input):1:3: found 'x', expected a number\n"), std::string::npos);
  EXPECT_EQ(run_tool(words{"scan", "--on", "gpu", "--op", "xor", "--type", "float32"}, "1").status, 2);
}

}  // namespace
}  // namespace tally::test
