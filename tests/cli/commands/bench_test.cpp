#include <algorithm>
#include <cstdint>
#include <new>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/limits.hpp"
#include "bench/speeds.hpp"
#include "tool.hpp"

namespace tally::test {
namespace {

#ifndef TALLY_TEST_BRIEFLY  // under a sanitizer the figures mean nothing, and take half a minute
TEST(bench, json_has_every_cell_with_sensible_figures)
{
  outcome const result = run_tool(words{"bench", "--json", "--threads", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  nlohmann::json const report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["threads"], 1);
  EXPECT_EQ(report["plain"], false);
  std::set<std::string> kinds;
  for (auto const& cell : report["cells"]) {
    kinds.insert(cell["call"].get<std::string>() + " " + cell["type"].get<std::string>());
    for (char const* figure : {"limit", "tally", "std", "share"}) EXPECT_GT(cell[figure].get<double>(), 0.0) << figure;
    EXPECT_LT(cell["limit"].get<double>(), 5000.0) << "GB/s";
    double const ratio = cell["tally"].get<double>() / cell["limit"].get<double>();
    EXPECT_NEAR(cell["share"].get<double>(), ratio, 0.002 * std::max(1.0, ratio));
  }
  EXPECT_EQ(kinds.size(), 8U) << "two calls, four types";
  EXPECT_EQ(report["cells"].size(), 24U) << "in three sizes";
}
#endif

/// Calls are plain without --threads.
TEST(bench, says_whether_its_calls_are_plain)
{
  cli::speeds measured;
  measured.plain = true;
  EXPECT_TRUE(cli::table(measured).starts_with("GB/s of plain calls with at most 1 thread; std:: has one."));
  EXPECT_EQ(nlohmann::json::parse(cli::json_text(measured))["plain"], true);
}

/// Without a GPU the output does not mention one; with one it has a second table.
TEST(bench, a_gpu_adds_a_table_and_changes_nothing_else)
{
  cli::speeds measured;
  measured.threads = 2;
  measured.cells = {{"scan", "float32", std::size_t{1} << 22, std::size_t{1} << 20, 100, 50, 10}};
  std::string const cpu = cli::table(measured);
  EXPECT_TRUE(cpu.starts_with("GB/s of calls with at most 2 threads; std:: has one.")) << cpu;
  EXPECT_NE(cpu.find("\nscan    float32     4 MiB    100.0     50.0   0.50     10.0    5.0x\n"), std::string::npos)
      << cpu;
  EXPECT_FALSE(nlohmann::json::parse(cli::json_text(measured)).contains("gpu"));
  measured.gpu = {.name = "A \"GPU\"",
                  .cells = {{"reduce", "int64", std::size_t{1} << 30, std::size_t{1} << 27, 4600, 4554}}};
  std::string const both = cli::table(measured);
  EXPECT_EQ(both.substr(0, cpu.size()), cpu);
  EXPECT_NE(both.find("\nreduce  int64    1024 MiB   4600.0   4554.0   0.99\n"), std::string::npos) << both;
  nlohmann::json const report = nlohmann::json::parse(cli::json_text(measured));
  EXPECT_EQ(report["cells"].size(), 1U);
  EXPECT_EQ(report["gpu"]["name"], "A \"GPU\"");
  EXPECT_EQ(report["gpu"]["cells"][0]["share"], 0.99);
  EXPECT_FALSE(report["gpu"]["cells"][0].contains("std"));
}

TEST(bench, the_limits_do_what_they_measure)
{
  for (int const threads : {1, 3}) {
    cli::crew crew(threads);
    for (std::size_t const n : {8U, 64U, 4096U, 16384U, 65544U, 262144U}) {
      std::vector<std::uint64_t> in(n / 8);
      std::uint64_t expected = 0;
      for (std::size_t k = 0; k < in.size(); ++k) expected ^= in[k] = (k + 1) * 0x9e3779b97f4a7c15U;
      for (auto const copy : {cli::copy_ordinary, cli::copy_streaming}) {
        void* const raw = ::operator new(n, std::align_val_t{64});
        std::fill_n(static_cast<unsigned char*>(raw), n, static_cast<unsigned char>(0xaa));
        copy(crew, in.data(), raw, n);
        EXPECT_TRUE(std::equal(in.begin(), in.end(), static_cast<std::uint64_t const*>(raw))) << n;
        ::operator delete(raw, std::align_val_t{64});
      }
      EXPECT_EQ(cli::read_all(crew, in.data(), n), expected) << n;
    }
  }
}

}  // namespace
}  // namespace tally::test
