#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "commands.hpp"
#include "gpu/on_gpu.hpp"
#include "io/output.hpp"
#include "model_gpu.hpp"
#include "report.hpp"
#include "source.hpp"
#include "tool.hpp"

/// `--on gpu`: that what gathers on a GPU comes out as the CPU has it, on a model of a GPU (tests/cli/gpu_check.py compares on a real
/// one); and what the tool says where there is none.
namespace tally::test {
namespace {

using words = std::vector<std::string>;

class on_gpu : public in_folder {
protected:
  /// What a reduction prints.
  static std::string reduced(words const& arguments, cli::gpu* device)
  {
    cli::command_settings const settings = cli::parse_reduce(arguments);
    cli::source from(settings.input, settings.threads);
    cli::accumulators const all = cli::make_accumulators(settings, from.type());
    if (device != nullptr) return report(settings, cli::reduce_on_gpu(settings, from, all, *device));
    cli::reduce_all(settings, from, all);
    return report(settings, cli::results_of(all));
  }

  /// What a scan writes.
  std::string scanned(words arguments, std::string const& output, cli::gpu* device) const
  {
    arguments.insert(arguments.end(), {"-o", path(output)});
    cli::command_settings const settings = cli::parse_scan(arguments);
    cli::source from(settings.input, settings.threads);
    io::output to = io::output::named(settings.output.file);
    if (device != nullptr)
      cli::scan_on_gpu(settings, from, *device, std::move(to));
    else
      cli::scan_all(settings, from, from.type(), std::move(to));
    return read(output);
  }

  struct printed {
    std::string out;
    std::string notes;
    int calls;
  };

  static printed reduce_on_model(words const& arguments)
  {
    model_gpu device;
    ::testing::internal::CaptureStderr();
    std::string const out = reduced(arguments, &device);
    return {out, ::testing::internal::GetCapturedStderr(), device.calls()};
  }

  printed scan_on_model(words const& arguments, std::string const& output) const
  {
    model_gpu device;
    ::testing::internal::CaptureStderr();
    std::string const out = scanned(arguments, output, &device);
    return {out, ::testing::internal::GetCapturedStderr(), device.calls()};
  }

  void expect_the_same_reduction(words const& arguments) const
  {
    std::string what;
    for (std::string const& word : arguments) what += word + ' ';
    printed const got = reduce_on_model(arguments);
    EXPECT_EQ(got.out, reduced(arguments, nullptr)) << what;
    EXPECT_EQ(got.notes, "") << what;
    EXPECT_GT(got.calls, 0) << what;
  }

  void expect_the_same_scan(words const& arguments, std::string const& output) const
  {
    std::string what = output + ' ';
    for (std::string const& word : arguments) what += word + ' ';
    printed const got = scan_on_model(arguments, output);
    EXPECT_TRUE(got.out == scanned(arguments, "cpu_" + output, nullptr)) << what;
    EXPECT_EQ(got.notes, "") << what;
    EXPECT_GT(got.calls, 0) << what;
  }

  /// Values of a type without a pattern: all bits of integers, or few enough that sums fit.
  template <class T>
  std::string raw_file(std::size_t n, int bits) const
  {
    std::mt19937_64 random(n);
    std::vector<T> values(n);
    for (T& value : values) {
      if constexpr (std::is_floating_point_v<T>)
        value = static_cast<T>(static_cast<double>(random() >> 20) * 0x1p-40 - 4);
      else
        value = static_cast<T>(random() >> (64 - bits));
    }
    return file("values.raw", bytes_of(values));
  }
};

words plus_words(words first, words const& more)
{
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

template <class T>
struct of_type {
  using type = T;
};

template <class Use>
void for_every_type(Use use)
{
  use("int8", of_type<std::int8_t>{});
  use("int16", of_type<std::int16_t>{});
  use("int32", of_type<std::int32_t>{});
  use("int64", of_type<std::int64_t>{});
  use("uint8", of_type<std::uint8_t>{});
  use("uint16", of_type<std::uint16_t>{});
  use("uint32", of_type<std::uint32_t>{});
  use("uint64", of_type<std::uint64_t>{});
  use("float32", of_type<float>{});
  use("float64", of_type<double>{});
}

std::size_t const sizes[] = {1, 2, 8191, 8193, 270000};

TEST_F(on_gpu, reductions_of_every_type_are_the_cpu_s)
{
  for_every_type([&]<class T>(std::string const& type, of_type<T>) {
    bool const floating = std::is_floating_point_v<T>;
    for (std::size_t const n : sizes) {
      words const input = {raw_file<T>(n, std::min<int>(8 * sizeof(T), 40)), "--type", type};
      for (std::string const op :
           {"sum", "min", "max", "mean", floating ? "product" : "and", floating ? "sum,max" : "or,min",
            floating ? "mean,min,sum" : "xor,sum,mean,max,min,or"}) {
        expect_the_same_reduction(plus_words({"--op", op}, input));
        if (op.find("mean") == std::string::npos)
          expect_the_same_reduction(plus_words({"--op", op, "--init", "17"}, input));
      }
    }
  });
}

TEST_F(on_gpu, scans_of_every_type_are_the_cpu_s)
{
  for_every_type([&]<class T>(std::string const& type, of_type<T>) {
    for (std::size_t const n : sizes) {
      words const input = {raw_file<T>(n, std::min<int>(8 * sizeof(T), 40)), "--type", type};
      for (std::string const op : {"sum", "min", "max", std::is_floating_point_v<T> ? "product" : "xor"}) {
        words const all = plus_words({"--op", op}, input);
        expect_the_same_scan(all, "out.npy");
        expect_the_same_scan(plus_words({"--exclusive"}, all), "out.npy");
        if (n > 8193) continue;
        expect_the_same_scan(all, "out.txt");
        expect_the_same_scan(plus_words({"--init", "3"}, all), "out.json");
        expect_the_same_scan(plus_words({"--init", "100", "--exclusive"}, all), "out.raw");
      }
      expect_the_same_scan(plus_words({"--op", "mean"}, input), "out.npy");
    }
  });
}

TEST_F(on_gpu, text_turns_from_integers_to_doubles_where_the_cpu_s_does)
{
  std::string text;
  for (int k = 0; k < 20000; ++k) text += std::to_string(k * 7919 % 10007 - 5000) + (k % 9 == 0 ? "\n" : " ");
  std::string const integers = file("integers.txt", text);
  std::string const mixed = file("mixed.txt", text + "0.5 -0.0 1e3 2\n" + text);
  std::string const decimals = file("decimals.txt", "-0.0 0.25\n" + text);
  for (std::string const& name : {integers, mixed, decimals}) {
    expect_the_same_reduction({"--op", "sum,min,max,mean", name});
    expect_the_same_reduction({"--init", "5", name});
    expect_the_same_reduction({"--init", "0.5", name});
    for (words const& options :
         {words{}, words{"--exclusive"}, words{"--init", "-7"}, words{"--init", "1.5", "--exclusive"},
          words{"--op", "min"}, words{"--op", "max", "--init", "8", "--exclusive"}, words{"--op", "mean"}})
      expect_the_same_scan(plus_words(options, {name}), "out.txt");
    expect_the_same_scan({"--op", "max", name}, "out.npy");
  }
  expect_the_same_reduction({"--op", "and,or,xor", integers});
  expect_the_same_scan({"--op", "xor", "--exclusive", integers}, "out.txt");
  expect_the_same_reduction({integers, mixed, decimals});
  std::string const with_nan = file("with_nan.txt", text + "0.5 nan 2\n");  // a NaN has no bits that the order promises
  expect_the_same_reduction({"--op", "sum,min,max,mean", with_nan});
  expect_the_same_scan({"--op", "max", with_nan}, "out.txt");
  std::string const table = file("table.csv", "a,b\n1,2\n3,4.5\n-5,6\n");
  expect_the_same_reduction({"--column", "b", table});
  expect_the_same_scan({"--column", "a", table}, "out.txt");
}

TEST_F(on_gpu, the_cpu_s_operations_go_along)
{
  words const input = {raw_file<std::int32_t>(10000, 32), "--type", "int32"};
  words const arguments = plus_words({"--op", "argmax,sum,count,max,variance"}, input);
  printed const got = reduce_on_model(arguments);
  EXPECT_EQ(got.out, reduced(arguments, nullptr));
  EXPECT_EQ(got.calls, 2) << "sum and max";
}

TEST_F(on_gpu, sums_beyond_64_bits_are_exact_on_the_cpu)
{
  std::vector<std::int64_t> values(30000, INT64_MAX - 5);
  values[7] = 3;
  words const input = {file("large.raw", bytes_of(values)), "--type", "int64"};
  printed const got = reduce_on_model(plus_words({"--op", "sum,min"}, input));
  EXPECT_EQ(got.out, reduced(plus_words({"--op", "sum,min"}, input), nullptr));
  EXPECT_EQ(got.notes, "tally: the CPU does sum: sums of these integers may need more than 64 bits\n");
  EXPECT_EQ(got.calls, 3) << "the least and the greatest to look at, and the least";
  printed const scan = scan_on_model(input, "out.txt");
  EXPECT_TRUE(scan.out == scanned(input, "cpu.txt", nullptr));
  EXPECT_EQ(scan.notes, got.notes);
}

/// The bound is sharp: n equal values whose sum is the greatest 64-bit value, and one more.
TEST_F(on_gpu, sums_up_to_64_bits_are_the_gpu_s)
{
  auto const notes_of = [&](auto values, std::string const& type, std::string const& init) {
    words const input = {file("edge.raw", bytes_of(values)), "--type", type, "--init", init};
    printed const got = scan_on_model(input, "out.txt");
    EXPECT_TRUE(got.out == scanned(input, "cpu.txt", nullptr));
    return got.notes;
  };
  std::vector<std::int64_t> const seven(7, INT64_MAX / 7);
  EXPECT_EQ(notes_of(seven, "int64", "0"), "") << "2^63 - 1 is a multiple of 7";
  EXPECT_NE(notes_of(seven, "int64", "1"), "");
  std::vector<std::uint64_t> const three(3, UINT64_MAX / 3);
  EXPECT_EQ(notes_of(three, "uint64", "0"), "");
  EXPECT_NE(notes_of(three, "uint64", "1"), "");
}

TEST_F(on_gpu, integers_of_text_beyond_64_bits_go_to_the_cpu_with_all_before_them)
{
  std::string text;
  for (int k = 0; k < 5000; ++k) text += std::to_string(k) + '\n';
  std::string const name = file("wide.txt", text + "1267650600228229401496703205376\n-3 4\n" + text + "0.5\n");
  for (words const& arguments : {words{name}, words{"--op", "sum,max,count,mean", name}}) {
    printed const got = reduce_on_model(arguments);
    EXPECT_EQ(got.out, reduced(arguments, nullptr));
    EXPECT_EQ(got.notes, "tally: the CPU does it all: an integer has more than 64 bits\n");
  }
  printed const got = scan_on_model({name}, "out.txt");
  EXPECT_TRUE(got.out == scanned({name}, "cpu.txt", nullptr));
  EXPECT_EQ(got.notes, "tally: the CPU does it all: an integer has more than 64 bits\n");
}

TEST_F(on_gpu, no_values_have_the_cpu_s_result)
{
  std::string const empty = file("empty.txt", "");
  for (std::string const op : {"sum", "min", "max", "and", "mean"}) {
    words const arguments = {"--op", op, empty};
    EXPECT_EQ(reduce_on_model(arguments).out, reduced(arguments, nullptr)) << op;
    EXPECT_EQ(scan_on_model(arguments, "out.txt").out, "") << op;
  }
  EXPECT_EQ(scan_on_model({empty}, "out.npy").out, scanned({empty}, "cpu.npy", nullptr));
}

/// The message of what a call throws.
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

TEST_F(on_gpu, values_that_cannot_be_taken_are_named_where_they_stand)
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

TEST_F(on_gpu, a_value_of_a_pipe_is_named_by_its_source)
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

TEST_F(on_gpu, what_does_not_fit_its_memory_is_an_error_that_says_so)
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

/// Whether a GPU answers the tool here; then what it says where there is none cannot be seen.
bool gpu_answers()
{
  return run_tool(words{"reduce", "--on", "gpu"}, "1").err.empty();
}

TEST_F(on_gpu, without_one_the_cpu_does_it_and_says_so)
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

TEST_F(on_gpu, what_a_gpu_does_not_do_is_named)
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
           named{{"reduce", "--axis", "0", "--format", "npy", matrix}, "the CPU does it: a GPU is of no use to --axis"},
           named{{"scan", "--axis", "0", "--format", "npy", matrix}, "the CPU does it: a GPU is of no use to --axis"},
       }) {
    outcome const got = run_tool(plus_words(arguments, {"--on", "gpu"}), "3 1 2");
    EXPECT_EQ(got.status, 0);
    EXPECT_EQ(got.err, "tally: " + note + "\n");
    EXPECT_EQ(got.out, run_tool(arguments, "3 1 2").out);
  }
  EXPECT_EQ(run_tool(words{"reduce", "--on", "cpu"}, "3 1 2").err, "");
}

TEST_F(on_gpu, errors_are_the_cpu_s)
{
  outcome const wrong = run_tool(words{"reduce", "--on", "gpu", "--op", "argmin"}, "1 x");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("(standard input):1:3: found 'x', expected a number\n"), std::string::npos);
  EXPECT_EQ(run_tool(words{"scan", "--on", "gpu", "--op", "xor", "--type", "float32"}, "1").status, 2);
}

}  // namespace
}  // namespace tally::test
