#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "brent/times.hpp"
#include "draw/plot.hpp"
#include "tally/error.hpp"
#include "tool.hpp"

/// `tally brent`: times of schedules, their bounds, and the plot.
namespace tally::test {
namespace {

using nlohmann::json;

json times(words const& arguments)
{
  words all = {"brent", "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  outcome const result = run_tool(all);
  EXPECT_EQ(result.status, 0) << result.err;
  return json::parse(result.out);
}

TEST(brent, of_no_kernel_is_an_error)
{
  outcome const result = run_tool({"brent", "--n", "4096", "hillis-steele", "sklansky"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("hillis-steele: takes at most 1024 elements"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("; sklansky: "), std::string::npos) << result.err;
}

TEST(brent, every_time_is_within_the_bounds)
{
  for (char const* n : {"1", "2", "7", "32", "100", "1024"}) {
    json const all = times({"--n", n});
    EXPECT_EQ(all["kernels"].size() + all["left_out"].size(), textbook::catalogue().size() + 1) << "and the map";
    for (json const& kernel : all["kernels"]) {
      double const work = kernel["T_1"], depth = kernel["T_inf"];
      double p = 1;
      for (json const& each : kernel["times"]) {
        EXPECT_EQ(each["p"], p);
        EXPECT_GE(each["T_p"].get<double>(), work / p) << kernel["kernel"];
        EXPECT_LE(each["T_p"].get<double>(), work / p + depth) << kernel["kernel"];
        EXPECT_GE(each["T_p"].get<double>(), depth) << kernel["kernel"];
        p *= 2;
      }
      EXPECT_EQ(kernel["times"][0]["T_p"], work) << kernel["kernel"];
      EXPECT_GE(p / 2, std::stod(n));
      EXPECT_LT(p / 4, std::stod(n)) << "and no further";
    }
  }
}

TEST(brent, a_map_has_depth_1_and_divides_evenly)
{
  json const map = times({"--n", "1000", "map"})["kernels"][0];
  EXPECT_EQ(map["T_1"], 1000);
  EXPECT_EQ(map["T_inf"], 1);
  for (json const& each : map["times"]) EXPECT_EQ(each["T_p"], (999 + each["p"].get<int>()) / each["p"].get<int>());
}

TEST(brent, a_million_values_take_20_steps_and_half_a_million_processors)
{
  int const n = is_brief ? 4000 : 1'000'000;
  json const tree = times({"--n", std::to_string(n), "tree-reduction"})["kernels"][0];
  EXPECT_EQ(tree["T_1"], n - 1);
  EXPECT_EQ(tree["T_inf"], is_brief ? 12 : 20);
  EXPECT_EQ(tree["widest"], n / 2);
}

TEST(brent, a_time_out_of_bounds_is_an_error)
{
  cli::brent_times const right{"right", 100, 10, 20, {100, 55, 30, 20, 12}};
  EXPECT_NO_THROW(cli::check(right));
  for (auto const& [k, time] : {std::pair{0, 99}, {1, 49}, {1, 61}, {4, 17}, {4, 9}}) {
    cli::brent_times wrong = right;
    wrong.times[static_cast<std::size_t>(k)] = static_cast<std::size_t>(time);
    EXPECT_THROW(cli::check(wrong), error) << k << ' ' << time;
  }
}

TEST(brent, a_kernel_has_a_table_with_its_bounds)
{
  outcome const result = run_tool(words{"brent", "--n", "4", "hillis-steele"});
  EXPECT_EQ(result.out, R"(hillis-steele on 4 elements: T_1 = 5, T_inf = 2; at once 2.5 on average, 3 at most

      p       T_1/p      T_p  T_1/p + T_inf  faster  busy
      1         5.0        5            7.0    1.0x  100%
      2         2.5        3            4.5    1.7x   83%
      4         1.2        2            3.2    2.5x   62%

T_1/p <= T_p <= T_1/p + T_inf: holds for each of 3 times.
)");
}

TEST(brent, the_parallel_one_is_slower_on_few_processors)
{
  outcome const result = run_tool(words{"brent", "hillis-steele", "sequential-scan"});
  EXPECT_NE(result.out.find("hillis-steele does 9.0 times the work of sequential-scan, and on fewer than 10 processors "
                            "it is the slower one. It is\nahead of sequential-scan from p = 10 on.\n"),
            std::string::npos)
      << result.out;
}

TEST(brent, the_table_of_all_fits_120_columns)
{
  for (char const* n : {"1", "1024", "65536"}) {
    if (is_brief && n == std::string("65536")) continue;
    outcome const result = run_tool(words{"brent", "--n", n});
    ASSERT_EQ(result.status, 0) << result.err;
    std::istringstream in(result.out);
    std::size_t heading = 0;
    for (std::string line; std::getline(in, line);) {
      EXPECT_LE(line.size(), 120U) << line;
      if (line.starts_with("kernel ")) heading = line.size();
      if (line.empty() && heading > 0) break;
      if (heading > 0) {
        EXPECT_EQ(line.size(), heading) << line;
      }
    }
    EXPECT_GT(heading, 0U);
  }
}

class plotted : public in_folder {};

std::size_t count(std::string const& text, std::string const& part)
{
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

TEST_F(plotted, file_has_a_curve_for_each_kernel)
{
  outcome const result =
      run_tool(words{"brent", "--n", "256", "hillis-steele", "brent-kung", "map", "--svg", path("scans.svg")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("brent-kung on 256"), std::string::npos) << "the tables are there as well";
  std::string const svg = read("scans.svg");
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  EXPECT_EQ(count(svg, "<path class=\"line "), 3U);
  EXPECT_EQ(count(svg, "<path class=\"band "), 3U);
  for (char const* name : {">hillis-steele<", ">brent-kung<", ">map<", "prefers-color-scheme: dark"})
    EXPECT_NE(svg.find(name), std::string::npos) << name;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf\""), std::string::npos);
  EXPECT_EQ(listing(), "scans.svg");
  EXPECT_EQ(run_tool(words{"brent", "--n", "256", "map", "hillis-steele", "brent-kung", "--svg", "-"}).out, svg)
      << "alone, on standard output";
}

TEST_F(plotted, nothing_named_plots_a_few)
{
  outcome const result = run_tool(words{"brent", "--svg", "-"});
  for (char const* name : {"map", "tree-reduction", "sequential-scan", "hillis-steele", "brent-kung", "p = 10"})
    EXPECT_NE(result.out.find(">" + std::string(name) + "<"), std::string::npos) << name;
  EXPECT_EQ(count(result.out, "<path class=\"line "), 5U);
}

TEST_F(plotted, one_element_is_no_trouble)
{
  outcome const result = run_tool(words{"brent", "--n", "1", "--svg", "-"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.find("nan"), std::string::npos);
}

TEST_F(plotted, after_an_error_the_old_file_is_still_there)
{
  std::string const old = file("old.svg", "old");
  for (words const& arguments : {words{"brent", "--svg", old, "hillis"}, words{"brent", "--svg", old, "--n", "0"}}) {
    EXPECT_EQ(run_tool(arguments).status, 2);
    EXPECT_EQ(read("old.svg"), "old");
  }
  outcome const result = run_tool(words{"brent", "--svg", path("no/such.svg"), "map"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("no/such.svg: cannot "), std::string::npos) << result.err;
  words many = {"brent", "--svg", old};
  for (std::size_t k = 0; k < 9; ++k) many.emplace_back(textbook::catalogue()[k].name);
  outcome const crowd = run_tool(many);
  EXPECT_EQ(crowd.status, 2);
  EXPECT_EQ(crowd.err, "tally: --svg: a plot of more than 8 kernels cannot be read\nSee 'tally brent --help'.\n");
  EXPECT_EQ(listing(), "old.svg");
}

/// The numbers of `attribute` in every `element`.
std::vector<double> numbers(std::string const& svg, std::string const& pattern)
{
  std::vector<double> found;
  std::regex const each(pattern);
  for (std::sregex_iterator at(svg.begin(), svg.end(), each); at != std::sregex_iterator(); ++at)
    found.push_back(std::stod((*at)[1]));
  return found;
}

TEST(brent_plot, names_of_curves_that_end_together_do_not_touch)
{
  for (double const end : {1.0, 40.0, 1000.0}) {
    draw::chart chart{.title = "t", .x_name = "x", .y_name = "y", .curves = {}};
    for (int k = 0; k < 8; ++k) chart.curves.push_back({"name " + std::to_string(k), {{1, 1000}, {1024, end}}});
    std::vector<double> at =
        numbers(draw::svg(chart), "y=\"([0-9.]+)\" class=\"ink\" text-anchor=\"start\" font-size=\"13\">name");
    ASSERT_EQ(at.size(), 8U);
    std::sort(at.begin(), at.end());
    for (std::size_t k = 1; k < at.size(); ++k) EXPECT_GE(at[k] - at[k - 1], 15.0) << end;
    EXPECT_GT(at.front(), 15.0);
    EXPECT_LT(at.back(), 440.0) << "above the note";
  }
}

TEST(brent_plot, equal_factors_are_equal_distances)
{
  draw::chart const chart{
      .title = "a < b & c", .x_name = "x", .y_name = "y", .curves = {{"c", {{1, 1000}, {2, 100}, {4, 10}, {8, 1}}}}};
  std::string const svg = draw::svg(chart);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(svg, found,
                                std::regex("class=\"line c0\" d=\"M([0-9.]+) ([0-9.]+) L([0-9.]+) ([0-9.]+) "
                                           "L([0-9.]+) ([0-9.]+) L([0-9.]+) ([0-9.]+)\"")));
  std::vector<double> at;
  for (std::size_t k = 1; k < found.size(); ++k) at.push_back(std::stod(found[k]));
  for (std::size_t k = 4; k < at.size(); ++k) EXPECT_NEAR(at[k] - at[k - 2], at[k - 2] - at[k - 4], 0.11);
  EXPECT_GT(at[2], at[0]) << "to the right";
  EXPECT_GT(at[3], at[1]) << "less is lower";
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
}

}  // namespace
}  // namespace tally::test
