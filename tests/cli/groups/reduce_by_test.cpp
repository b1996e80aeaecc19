// tally reduce --by: many groups, large groups, little memory, and the order of the output.
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tool.hpp"

namespace tally::test {
namespace {

class reduce_by : public in_folder {
protected:
  static std::string run(words const& arguments)
  {
    outcome const result = run_tool(arguments);
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.status, 0);
    return result.out;
  }
};

/// A number that is the same for the same k.
unsigned drawn(unsigned k)
{
  k = (k ^ k >> 16) * 0x7feb352dU;
  k = (k ^ k >> 15) * 0x846ca68bU;
  return k ^ k >> 16;
}

std::string decimal(unsigned k)
{
  return std::to_string(drawn(k) % 20000) + "." + std::to_string(drawn(k + 1) % 1000);
}

/// The lines of a text, sorted.
std::string sorted(std::string const& text)
{
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
    lines.push_back(text.substr(begin, text.find('\n', begin) + 1 - begin));
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (std::string const& line : lines) all += line;
  return all;
}

// A group's sum keeps the totals of a row of 64 values, and sums of rows, strips of 512 and tiles of 4096.
TEST_F(reduce_by, sums_of_every_length_have_the_bits_of_their_values_alone)
{
  std::vector<unsigned> const lengths = {1,    2,    3,    4,    5,    33,   62,   63,   64,   65,   66,   127,  128,
                                         129,  191,  192,  511,  512,  513,  575,  576,  577,  640,  1023, 1024, 1025,
                                         4094, 4095, 4096, 4097, 4160, 4161, 4608, 4609, 8191, 8192, 8193, 12345};
  for (unsigned const reals_from : {0U, 50U, 1000000000U}) {  // integers up to there
    auto const value = [&](unsigned size, unsigned k) {
      return k < reals_from ? std::to_string(drawn(size + 7 * k) % 20001) : decimal(size + 7 * k);
    };
    std::string together = "key,value\n";
    std::string apart = "key,value\n";
    // Once a column has a value that is no integer all that follow are doubles, so integers come first.
    for (unsigned k = 0; k < lengths.back(); ++k)
      for (unsigned const size : lengths)
        if (k < size) apart += std::to_string(size) + "," + value(size, k) + "\n";
    std::string const mixed = file("apart.csv", apart);
    std::string const results =
        run({"reduce", "--by", "key", "--column", "value", "--op", "sum,mean,min,max,count", mixed});
    for (unsigned const size : lengths) {
      if (is_brief && reals_from != 50U) break;
      if (reals_from == 50U && size <= 50U) continue;  // of integers alone, which the tables below have
      std::string values;
      for (unsigned k = 0; k < size; ++k) values += value(size, k) + "\n";
      std::string line = "\n" + std::to_string(size);
      std::string const alone = run_tool(words{"reduce", "--op", "sum,mean,min,max,count"}, values).out;
      for (std::size_t begin = 0; begin < alone.size(); begin = alone.find('\n', begin) + 1) {
        std::size_t const tab = alone.find('\t', begin);
        line += alone.substr(tab, alone.find('\n', tab) - tab);
      }
      EXPECT_NE(results.find(line + "\n"), std::string::npos) << line << " not in " << results;
    }
  }
}

// Integers of any size are exact, and extremes of any kind.
TEST_F(reduce_by, scans_of_groups_are_those_of_their_rows_alone)
{
  // Some groups begin with many rows at once, one with few and has many in the end, and most have few.
  std::string rows = "k,v\n";
  std::map<std::string, std::string> alone;
  constexpr unsigned count = is_brief ? 12'000 : 40'000;
  for (unsigned k = 0; k < count; ++k) {
    std::string const key = k % 3 == 0 ? "long" : k % 97 == 1 ? "slow" : "k" + std::to_string(drawn(k) % 900);
    std::string const value = k < count / 3 ? std::to_string(drawn(k) % 20001) : decimal(k);
    rows += key + "," + value + "\n";
    alone[key] += value + "\n";
  }
  std::string const path = file("scans.csv", rows);
  for (words const& more : {words{"--op", "sum,mean,max,count,stddev,median"}, {"--op", "sum,count", "--exclusive"}}) {
    words asked = {"scan", "--by", "k", "--column", "v", "--format", "csv", path};
    asked.insert(asked.end(), more.begin(), more.end());
    std::map<std::string, std::string> found;
    std::string const all = run(asked);
    for (std::size_t begin = all.find('\n') + 1; begin < all.size(); begin = all.find('\n', begin) + 1) {
      std::size_t const comma = all.find(',', begin);
      found[all.substr(begin, comma - begin)] += all.substr(comma + 1, all.find('\n', begin) - comma);
    }
    EXPECT_EQ(found.size(), alone.size());
    for (std::string const key : {"long", "slow", "k0", "k899"}) {
      words one = {"scan", "--format", "csv"};
      one.insert(one.end(), more.begin(), more.end());
      std::string const expected = run_tool(one, alone[key]).out;
      EXPECT_TRUE(found[key] == expected.substr(expected.find('\n') + 1)) << key << more.back();
    }
  }
  words const typed = {"scan", "--by", "k", "--column", "v", "--op", "sum", "--type", "i64"};
  EXPECT_EQ(run_tool(typed, "k,v\na,9223372036854775807\nb,1\na,9223372036854775807\nb,2\n").out,
            "9223372036854775807\n1\n18446744073709551614\n3\n");
}

TEST_F(reduce_by, wide_integers_are_exact)
{
  std::string const path = file("w.csv", "k,v\na,70368744177664\nb,-70368744177663\na,9223372036854775807\nb,1\na,1\n"
                                         "c,170141183460469231731687303715884105727\nc,-1\nb,2\n");
  EXPECT_EQ(run({"reduce", "--by", "k", "--column", "v", "--op", "sum,min,max,mean,count", path}),
            "k\tsum\tmin\tmax\tmean\tcount\n"
            "a\t9223442405598953472\t1\t9223372036854775807\t3.074480801866318e+18\t3\n"
            "b\t-70368744177660\t-70368744177663\t2\t-23456248059220\t3\n"
            "c\t170141183460469231731687303715884105726\t-1\t170141183460469231731687303715884105727\t"
            "8.507059173023462e+37\t2\n");
  std::string const typed = file("u.csv", "k,v\na,18446744073709551615\na,18446744073709551615\nb,3\n");
  EXPECT_EQ(run({"reduce", "--by", "k", "--column", "v", "--type", "u64", "--op", "sum,max,min", typed}),
            "k\tsum\tmax\tmin\na\t36893488147419103230\t18446744073709551615\t18446744073709551615\nb\t3\t3\t3\n");
  std::string const wide_then_real =
      file("r.csv", "k,v\na,170141183460469231731687303715884105727\na,-1\nb,-0\nb,0.5\na,2\nc,nan\nb,-0.0\nc,1\n");
  EXPECT_EQ(run({"reduce", "--by", "k", "--column", "v", "--op", "sum,min,max", wide_then_real}),
            "k\tsum\tmin\tmax\na\t1.7014118346046923e+38\t-1\t1.7014118346046923e+38\nb\t0.5\t-0.0\t0.5\n"
            "c\tnan\tnan\tnan\n");
}

TEST_F(reduce_by, little_memory_gives_the_same_output)
{
  // Keys of all lengths around those of the pieces in which they are kept, and quoted ones; some come often, some once.
  std::string rows = "key,value\n";
  constexpr unsigned count = is_brief ? 12'000 : 60'000;
  for (unsigned k = 0; k < count; ++k) {
    unsigned const key = k % 3 == 0 ? drawn(k) % 50 : drawn(k) % 20000;
    rows += "k" + std::to_string(key) + (key % 1000 == 7 ? std::string(key, 'x') : "") + "," +
            (k < count / 2 ? std::to_string(k) : decimal(k)) + "\n";
  }
  std::string const path = file("many.csv", rows);
  words const asked = {"reduce", "--by", "key", "--column", "value", path};
  auto const with = [&](words const& more) {
    words all = asked;
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  for (words const& operations : {words{"--op", "sum,count,max"}, words{"--op", "variance"}}) {
    words little = operations;
    std::string const expected = with(operations);
    // All in memory; new keys wait from some row on; all rows do; and the partitions take several turns.
    for (std::string const memory : {"24M", "16M", "12M", "1M", "10K"}) {
      words limited = operations;
      limited.insert(limited.end(), {"--memory", memory, "--threads", memory == "1M" ? "1" : "3"});
      EXPECT_TRUE(with(limited) == expected) << memory;
    }
  }
  for (std::string const order : {"key", "-key", "value", "-value"}) {
    std::string const expected = with({"--sort", order});
    EXPECT_TRUE(with({"--sort", order, "--memory", "10K"}) == expected) << order;
    EXPECT_TRUE(sorted(expected) == sorted(with({}))) << order;
  }
}

TEST_F(reduce_by, groups_are_sorted)
{
  std::string const path =
      file("s.csv", "k,v\nb,5\n10,2\n9,2\na,nan\n9007199254740993,1\n9007199254740992,1\n-3.5,7\n1e400,0\n");
  words const asked = {"reduce", "--by", "k", "--column", "v", path, "--sort"};
  auto const by = [&](std::string const& order) {
    words all = asked;
    all.push_back(order);
    return run(all);
  };
  EXPECT_EQ(by("key"), "-3.5\t7\n9\t2\n10\t2\n9007199254740992\t1\n9007199254740993\t1\n1e400\t0\na\tnan\nb\t5\n");
  EXPECT_EQ(by("-key"), "b\t5\na\tnan\n1e400\t0\n9007199254740993\t1\n9007199254740992\t1\n10\t2\n9\t2\n-3.5\t7\n");
  EXPECT_EQ(by("value"), "1e400\t0\n9007199254740993\t1\n9007199254740992\t1\n10\t2\n9\t2\nb\t5\n-3.5\t7\na\tnan\n");
  EXPECT_EQ(by("-value"), "-3.5\t7\nb\t5\n10\t2\n9\t2\n9007199254740993\t1\n9007199254740992\t1\n1e400\t0\na\tnan\n");
  EXPECT_EQ(by("first"), run({"reduce", "--by", "k", "--column", "v", path}));
  std::string const wide = file("i.csv", "k,v\na,9007199254740993\nb,9007199254740992\nc,9007199254740994\n");
  EXPECT_EQ(run({"reduce", "--by", "k", "--column", "v", "--sort", "value", wide}),
            "b\t9007199254740992\na\t9007199254740993\nc\t9007199254740994\n");
}

TEST_F(reduce_by, the_first_wrong_value_is_named)
{
  // In the order of the rows, though another group is seen first; and whichever partition each of the keys is in.
  for (std::string const rows : {"a,1\nb,1\nb,2.5\na,1.5\n", "b,1\na,1\na,2.5\nb,1.5\n"}) {
    std::string const path = file("x.csv", "k,v\n" + rows);
    for (char const* const threads : {"1", "3"})
      EXPECT_EQ(run_tool(words{"reduce", "--by", "k", "--column", "v", "--op", "xor", "--threads", threads, path}).err,
                path + ":4:3: found '2.5', expected an integer, since --op is xor\n");
  }
}

// A value of a row that waited in a file: the row is found again, among those of its key that have a value.
TEST_F(reduce_by, a_wrong_value_that_waited_has_its_place)
{
  std::string rows = "k,v,w\n";
  for (unsigned k = 0; k < 3000; ++k) rows += std::to_string(k % 1500) + "," + (k % 4 == 3 ? "" : "3") + ",1\n";
  rows += "1204,170141183460469231731687303715884105721,1\n1205,1,1\n1204,,1\n1204,2,1\n";
  std::string const path = file("w.csv", rows);
  words asked = {"reduce", "--by", "k", "--column", "w,v", "--missing", "skip", "--memory", "100M"};
  std::string const message = " found a sum of integers that needs more than 128 bits, expected one that fits (--type "
                              "float64 rounds numbers of "
                              "text instead)\n";
  for (std::string const memory : {"100M", "1K"}) {
    asked.back() = memory;
    words of_file = asked;
    of_file.push_back(path);
    EXPECT_EQ(run_tool(of_file).err, path + ":3005:6:" + message) << memory;
  }
  EXPECT_EQ(run_tool(asked, rows).err, "(standard input):" + message) << "a pipe is read once";
}

/// The groups of a table by a plain loop. Values are multiples of 1/4, so that sums are exact in any order.
class plain_groups {
public:
  void add(std::string const& key, unsigned quarters)
  {
    auto const [at, is_new] = groups_.try_emplace(key);
    if (is_new) order_.push_back(key);
    group& here = at->second;
    if (here.count++ == 0) here.first = quarters;
    here.last = quarters;
    here.quarters += quarters;
  }
  /// In text of the operations sum, count, first and last, the keys as they are or in their order as bytes.
  std::string text(bool by_key = false) const
  {
    std::vector<std::string> keys = order_;
    if (by_key) std::sort(keys.begin(), keys.end());
    std::string all = "k\tsum\tcount\tfirst\tlast\n";
    for (std::string const& key : keys) all += key + '\t' + line(groups_.at(key), "\t", false) + '\n';
    return all;
  }
  /// Of the sum alone.
  std::string sums() const
  {
    std::string all;
    for (std::string const& key : order_) all += key + '\t' + number(groups_.at(key).quarters) + '\n';
    return all;
  }
  std::string json() const
  {
    std::string all = R"({"by":"k","groups":[)";
    for (std::string const& key : order_)
      all += (key == order_[0] ? "" : ",") + (R"({"key":")" + key) + R"(",)" + line(groups_.at(key), ",", true) + "}";
    return all + "]}\n";
  }
  static std::string number(unsigned long quarters)
  {
    char const* const behind[] = {"", ".25", ".5", ".75"};
    return std::to_string(quarters / 4) + behind[quarters % 4];
  }

private:
  struct group {
    unsigned long quarters = 0, count = 0, first = 0, last = 0;
  };
  static std::string line(group const& of, std::string const& between, bool named)
  {
    auto const name = [&](char const* text) { return named ? '"' + std::string(text) + R"(":)" : std::string(); };
    return name("sum") + number(of.quarters) + between + name("count") + std::to_string(of.count) + between +
           name("first") + number(of.first) + between + name("last") + number(of.last);
  }

  std::map<std::string, group> groups_;
  std::vector<std::string> order_;
};

// After 1024 rows of which more than 896 have new keys, keys are not looked up in their chunk any more.
TEST_F(reduce_by, keys_that_repeat_little)
{
  for (unsigned const distinct : {895U, 896U, 897U, 1024U}) {
    for (unsigned const rows : {1023U, 1024U, 1025U, 1026U, 9000U}) {
      if (is_brief && (distinct != 897 || rows < 9000)) continue;
      plain_groups expected;
      std::string table = "k,v,w\n", missing = "k,v,w\n";
      plain_groups present;
      for (unsigned row = 0; row < rows; ++row) {
        // Adjacent equal keys too, and keys that come again behind others.
        unsigned const number = row < 1024 ? row % distinct : row % 5 == 0 ? row / 2 : drawn(row) % 3000;
        std::string const key = "k" + std::to_string(number) + std::string(number % 40, 'x');
        unsigned const quarters = 1 + 2 * (drawn(row) % 100000);
        table += key + ',' + plain_groups::number(quarters) + ",1\n";
        bool const has = row % 7 != 3;
        missing += key + ',' + (has ? plain_groups::number(quarters) : "") + ",1\n";
        expected.add(key, quarters);
        if (has) present.add(key, quarters);
      }
      words const asked = {"reduce", "--by", "k", "--op", "sum,count,first,last", "--column", "v"};
      auto const with = [&](std::string const& input, words const& more) {
        words all = asked;
        all.insert(all.end(), more.begin(), more.end());
        outcome const result = run_tool(all, input);
        EXPECT_EQ(result.err, "");
        return result.out;
      };
      std::string const what = std::to_string(distinct) + " of " + std::to_string(rows);
      for (char const* const threads : {"1", "3"})
        EXPECT_TRUE(with(table, {"--threads", threads}) == expected.text()) << what;
      EXPECT_TRUE(with(table, {"--memory", "10K"}) == expected.text()) << what << ", with files";
      EXPECT_TRUE(with(table, {"--sort", "key"}) == expected.text(true)) << what << ", by key";
      EXPECT_EQ(with(table, {"--format", "json"}), expected.json()) << what;
      words const sum = {"reduce", "--by", "k", "--column", "v"};
      words weighted = sum;
      weighted.insert(weighted.end(), {"--weights", "w"});
      EXPECT_TRUE(run_tool(sum, table).out == expected.sums()) << what << ", small states";
      EXPECT_TRUE(run_tool(weighted, table).out == expected.sums()) << what << ", with weights";
      // Groups without any value are in the output too, so only the others are compared.
      std::string found = with(missing, {"--missing", "skip"});
      for (std::size_t at = found.find("\t0\t0\t"); at != found.npos; at = found.find("\t0\t0\t")) {
        std::size_t const begin = found.rfind('\n', at) + 1;
        found.erase(begin, found.find('\n', at) + 1 - begin);
      }
      EXPECT_TRUE(sorted(found) == sorted(present.text())) << what << ", with missing cells";
    }
  }
}

// Groups are written in blocks, whose bounds are every 64th sample of every 64th group of each of 256 partitions.
TEST_F(reduce_by, output_of_any_number_of_groups)
{
  for (unsigned const groups : {1U, 2U, 255U, 4095U, 4096U, 4097U, 16383U, 16384U, 16385U, 33000U}) {
    if (is_brief && groups > 4097U) continue;
    plain_groups expected;
    std::string table = "k,v\n";
    for (unsigned row = 0; row < groups + groups / 2; ++row) {
      std::string const key = std::to_string(drawn(row % groups));
      table += key + ',' + plain_groups::number(row) + '\n';
      expected.add(key, row);
    }
    words asked = {"reduce", "--by", "k", "--op", "sum,count,first,last", "--column", "v", "--threads", "3"};
    EXPECT_TRUE(run_tool(asked, table).out == expected.text()) << groups;
    asked.insert(asked.end(), {"--format", "json"});
    EXPECT_TRUE(run_tool(asked, table).out == expected.json()) << groups;
  }
}

TEST_F(reduce_by, many_keys_take_little_memory)
{
  // 300,000 keys of 8 characters, two values each: 64 bytes a key besides, and what a tool takes anyway.
  constexpr int keys = is_brief ? 30'000 : 300'000;
  surroundings around;
  around.feed = [](int descriptor) {
    std::string rows = "k,v\n";
    for (int turn = 0; turn < 2; ++turn) {
      for (int k = 0; k < keys; ++k) {
        rows += std::to_string(10000000 + k) + "," + std::to_string(k % 1000) + "\n";
        if (rows.size() < 65536) continue;
        feed_all(descriptor, rows);
        rows.clear();
      }
    }
    feed_all(descriptor, rows);
  };
  std::size_t lines = 0;
  around.take = [&](std::string_view text) {
    lines += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  };
  outcome const result = run_tool(words{"reduce", "--by", "k", "--column", "v"}, around);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(lines, std::size_t{keys});
  EXPECT_TRUE(is_brief || result.peak_bytes < 160U << 20) << result.peak_bytes;  // a sanitizer takes more
}

}  // namespace
}  // namespace tally::test
