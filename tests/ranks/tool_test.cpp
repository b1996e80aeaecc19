#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/generator.hpp"
#include "../support/virtual_ranks.hpp"
#include "commands/command_line.hpp"
#include "ranks/command.hpp"

/// The tool on virtual ranks: what it writes is what the tool writes on one machine, byte for byte.
namespace tally::test {
namespace {

/// The ranks of a world, and files of this machine.
class virtual_network final : public cli::network_over<virtual_transport> {
public:
  virtual_network(world& all, int rank) : network_over(virtual_transport(all, rank)) {}

  void open_to_read(std::string const& path) override { descriptor_ = open(path.c_str(), O_RDONLY); }
  void open_to_write(std::string const& path) override
  {
    descriptor_ = open(path.c_str(), O_WRONLY);
    wrote_to = path;
  }
  void read_at(void* to, std::size_t n, std::uint64_t offset) override
  {
    if (pread(descriptor_, to, n, static_cast<off_t>(offset)) != static_cast<ssize_t>(n)) throw error("pread");
  }
  void write_at(void const* from, std::size_t n, std::uint64_t offset) override
  {
    if (fails_to_write) throw error("no space");
    if (pwrite(descriptor_, from, n, static_cast<off_t>(offset)) != static_cast<ssize_t>(n)) throw error("pwrite");
  }
  void close() override { ::close(descriptor_); }

  bool fails_to_write = false;
  std::string wrote_to;

private:
  int descriptor_ = -1;
};

class tool_on_ranks : public testing::Test {
protected:
  tool_on_ranks() : folder_(std::filesystem::temp_directory_path() / ("tally-ranks-" + std::to_string(getpid())))
  {
    std::filesystem::create_directories(folder_);
  }
  ~tool_on_ranks() override { std::filesystem::remove_all(folder_); }

  std::string path(std::string const& name) const { return folder_ / name; }
  std::string make(std::string const& name, std::string const& text) const
  {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static std::string content(std::string const& file)
  {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t files() const
  {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  /// Runs a command on ranks; returns the status, and counts the ranks' files that were written together.
  int run(std::vector<std::string> const& words, int ranks, bool last_fails_to_write = false)
  {
    std::vector<int> status(static_cast<std::size_t>(ranks));
    divided_ = false;
    world all(ranks);
    {
      std::vector<std::jthread> threads;
      for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
          virtual_network by(all, rank);
          by.fails_to_write = last_fails_to_write && rank == ranks - 1;
          status[static_cast<std::size_t>(rank)] = cli::run_on_ranks(words, by);
          if (rank == 0) divided_ = !by.wrote_to.empty();
        });
    }
    for (int const each : status) EXPECT_EQ(each, status[0]);
    return status[0];
  }

  /// The command writes the same file on 1 to 8 ranks as on one machine, divided or by rank 0 alone.
  void check(std::vector<std::string> words, std::string const& ending, bool divides = true)
  {
    std::string const one = path("one" + ending), many = path("many" + ending);
    std::string text;
    for (std::string const& word : words) text += word + ' ';
    words.insert(words.end(), {"-o", one});
    int const expected = cli::run_command_line(words);
    words.back() = many;
    for (int const ranks : {1, 2, 3, 5, 8}) {
      EXPECT_EQ(run(words, ranks), expected) << text;
      EXPECT_EQ(content(many), content(one)) << text << ranks << " ranks";
      if (words[0] == "scan") {
        EXPECT_EQ(divided_, divides) << text << ranks << " ranks";
      }
      std::filesystem::remove(many);
    }
    std::filesystem::remove(one);
  }

  template <class T>
  static std::string bytes(std::vector<T> const& values)
  {
    return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
  }
  template <class T, class Make>
  static std::string raw(std::size_t n, Make const& make)
  {
    std::vector<T> values(n);
    for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<T>(make(k));
    return bytes(values);
  }
  static std::string lines(std::size_t n, bool with_decimals)
  {
    std::string text;
    for (std::size_t k = 0; k < n; ++k) {
      std::uint64_t const random = random_bits(1, k);
      text += std::to_string(static_cast<std::int64_t>(random >> (40 + random % 20)) - 4096);
      if (with_decimals && k > n / 2 && k % 3 == 0) text += ".125";
      text += k % 7 == 3 ? " 12\n" : "\n";
    }
    return text;
  }

  std::filesystem::path folder_;
  bool divided_ = false;
};

TEST_F(tool_on_ranks, arrays_of_floats)
{
  auto const some = [](std::size_t k) { return static_cast<double>(random_bits(2, k) >> 40) * 1e-3; };
  for (std::size_t const n : {1, 5, 8191, 40000}) {
    std::string const f32 = make("x.bin", raw<float>(n, some));
    check({"scan", "--type", "f32", f32}, ".npy");
    check({"scan", "--type", "f32", "--exclusive", f32}, ".bin");
    check({"scan", "--type", "f32", "--op", "max", "--init", "7.5", f32}, ".txt");
    check({"reduce", "--type", "f32", "--op", "sum,product,min,count", f32}, ".txt");
    std::string const f64 = make("y.bin", raw<double>(n, some));
    check({"scan", "--type", "f64", "--init", "0.1", f64}, ".bin");
    check({"reduce", "--type", "f64", f64}, ".npy");
  }
}

TEST_F(tool_on_ranks, npy)
{
  std::string const big = make("x.bin", raw<std::uint16_t>(50000, [](std::size_t k) { return random_bits(3, k); }));
  ASSERT_EQ(cli::run_command_line({"scan", "--type", "u16", "--op", "max", big, "-o", path("max.npy")}), 0);
  check({"scan", "--op", "sum", path("max.npy")}, ".npy");
  check({"scan", "--op", "xor", path("max.npy")}, ".csv");
  check({"reduce", "--op", "or,min", path("max.npy")}, ".json");
  // Big-endian, two axes.
  std::string header = "{'descr': '>i2', 'fortran_order': False, 'shape': (3, 5), }";
  header.resize(117, ' ');
  std::string const npy = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n' +
                          raw<std::int16_t>(15, [](std::size_t k) { return static_cast<std::int16_t>(k * 2571); });
  check({"scan", make("big.npy", npy)}, ".txt");
}

TEST_F(tool_on_ranks, integers)
{
  std::string const i64 = make("x.bin", raw<std::int64_t>(3000, [](std::size_t k) { return random_bits(4, k) >> 1; }));
  check({"scan", "--type", "i64", i64}, ".txt");         // beyond 64 bits
  check({"scan", "--type", "i64", i64}, ".npy", false);  // which an array has no room for
  check({"scan", "--type", "i64", "--exclusive", "--op", "min", i64}, ".npy");
  std::string const factors = make("f.bin", raw<std::int8_t>(300, [](std::size_t k) { return k == 40 ? 0 : 2; }));
  check({"scan", "--type", "i8", "--op", "product", factors}, ".txt");
  check({"reduce", "--type", "i8", "--op", "product,max", factors}, ".txt");
  std::string const twos = make("g.bin", raw<std::int8_t>(300, [](std::size_t) { return 2; }));
  check({"reduce", "--type", "i8", "--op", "product", twos}, ".txt");  // which fails: status 1
  check({"scan", "--type", "i8", "--op", "product", twos}, ".txt", false);
}

TEST_F(tool_on_ranks, text)
{
  for (std::size_t const n : {1, 4, 50, 4000})
    for (bool const decimals : {false, true}) {
      std::string const file = make("x.txt", lines(n, decimals));
      check({"scan", file}, ".txt");
      check({"scan", "--exclusive", "--init", "5", file}, ".npy");
      check({"scan", "--op", "max", file}, ".jsonl");
      check({"scan", "--type", "f32", file}, ".bin");
      check({"reduce", "--op", "sum,max,count", file}, ".json");
    }
  // A negative zero is an integer up to the first decimal, and a double behind it; a line may be longer than a part.
  check({"scan", "--op", "min", make("z.txt", "-0\n-0\n1.5 -0 -0\n-0\n-0\n\n-0\n")}, ".txt");
  check({"scan", make("l.txt", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n21\n22")}, ".txt");
  check({"scan", make("w.txt", "1\n170141183460469231731687303715884105000\n3\n700\n-4\n")}, ".txt");
  check({"scan", "--init", "0.5", make("i.txt", "1\n2\n3\n")}, ".txt");
  check({"reduce", "--op", "xor", make("b.txt", "1\n2\n3\n4.5\n")}, ".txt");  // which fails
  check({"reduce", make("e.txt", "1\n2\nthree\n4\n")}, ".txt");               // likewise
  check({"scan", make("e.txt", "1\n2\nthree\n4\n")}, ".txt", false);
  check({"scan", make("0.txt", "")}, ".txt", false);
}

TEST_F(tool_on_ranks, tables)
{
  std::string named = "city,amount\n", bare;
  for (int k = 0; k < 500; ++k) {
    std::string const row = "c" + std::to_string(k % 9) + "," + std::to_string(k * k) + (k > 300 ? ".5" : "") + "\n";
    named += row;
    bare += row;
  }
  check({"scan", "--column", "amount", make("x.csv", named)}, ".csv");
  check({"scan", "--column", "2", "--no-header", make("y.csv", bare)}, ".tsv");
  check({"reduce", "--column", "amount", "--op", "sum,min", path("x.csv")}, ".txt");
  check({"scan", "--column", "2", make("z", "a 1\nb 2\nc 3\nd 4.5\ne 6\n")}, ".txt");
  check({"scan", "--column", "amount", make("q.csv", "city,amount\n\"a\nb\",3\nc,4\n")}, ".txt", false);
}

TEST_F(tool_on_ranks, other_commands_are_those_of_one_machine)
{
  std::string const file = make("x.txt", lines(100, true));
  check({"scan", "--op", "mean", file}, ".txt", false);
  check({"scan", "--reverse", file}, ".txt", false);
  check({"scan", file, file}, ".txt", false);
  check({"reduce", "--op", "median", file}, ".txt");
  check({"scan", file}, ".json", false);
  EXPECT_EQ(run({"scan", path("none.txt")}, 3), 1);
  EXPECT_EQ(run({"scan", "--such", file}, 3), 2);
  EXPECT_EQ(run({"scan", file, "-o", "/dev/null"}, 3), 0);
  EXPECT_EQ(run({"scan", file, "-o", "/dev/full"}, 3), 1);
}

TEST_F(tool_on_ranks, a_rank_that_cannot_write)
{
  std::string const file = make("x.txt", lines(100, true));
  ASSERT_EQ(cli::run_command_line({"scan", file, "-o", path("one.txt")}), 0);
  std::size_t const before = files();
  EXPECT_EQ(run({"scan", file, "-o", path("many.txt")}, 3, true), 0);  // rank 0 has done it alone
  EXPECT_EQ(content(path("many.txt")), content(path("one.txt")));
  EXPECT_EQ(files(), before + 1) << "an unfinished file is left";
}

}  // namespace
}  // namespace tally::test
