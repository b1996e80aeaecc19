#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../../support/sizes.hpp"
#include "on_model_gpu.hpp"

/// `--on gpu`: the output is that of the CPU (tests/cli/gpu/gpu_check.py compares on a real GPU).
namespace tally::test {
namespace {

using on_gpu = on_model_gpu;

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

std::vector<std::size_t> const sizes = tidy({1, 2, 8191, 8193, 270000});

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
      if (is_brief && n != 2 && n != 8193) continue;
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
  std::string const with_nan = file("with_nan.txt", text + "0.5 nan 2\n");  // the order does not fix the bits of a NaN
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

/// The bound is sharp: n equal values whose sum is the greatest 64-bit value fit, and one more does not.
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

}  // namespace
}  // namespace tally::test
