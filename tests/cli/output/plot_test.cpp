// Results as drawings: curves of scans, bars of groups, as text, SVG and PNG.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "plot/bars.hpp"
#include "plot/curve.hpp"
#include "tool.hpp"

namespace tally::test {
namespace {

std::size_t occurrences(std::string const& text, std::string const& part)
{
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

class plot : public in_folder {};

TEST_F(plot, a_scan_is_a_curve)
{
  EXPECT_EQ(run_tool(words{"scan", "--plot", "--op", "max"}, "7 7").out.substr(0, 12), "running max\n");
  outcome const done = run_tool(words{"scan", "--plot", "-o", path("a.svg")}, "1 -5 3 nan");
  EXPECT_EQ(done.status, 0) << done.err;
  std::string const svg = read("a.svg");
  EXPECT_EQ(occurrences(svg, "<path class=\"line c0\""), 1U);
  EXPECT_NE(svg.find(">running sum</title>"), std::string::npos);
  EXPECT_NE(svg.find("1 of 4 not finite"), std::string::npos);
  EXPECT_NE(svg.find(">-4</text>"), std::string::npos) << "the axis goes below 0";
  EXPECT_EQ(run_tool(words{"scan", "--plot", "--op", "count", "-o", path("b.txt")}, "").status, 0);
  EXPECT_EQ(read("b.txt"), "running count: no values to draw\n");
}

TEST_F(plot, groups_are_bars)
{
  std::string const table = file("t.csv", "k,n\na,8\nb b,-4\n\"c\",1\nd,nan\n");
  words const bars = {"reduce", "--by", "k", "--column", "n", "--plot", table};
  EXPECT_EQ(run_tool(bars).out, "a      8                │██████████████████████████▋\nb b   -4  ▐█████████████│\n"
                                "c      1                │███▎\nd    nan                │\n");
  std::string const whole = file("w.csv", "k,n\na,8\nb,1\nc,0\n");
  EXPECT_EQ(run_tool(words{"reduce", "--by", "k", "--column", "n", "--plot", whole}).out,
            "a  8  ████████████████████████████████████████\nb  1  █████\nc  0\n");
  words drawn = bars;
  drawn.insert(drawn.end(), {"-o", path("a.svg")});
  outcome const done = run_tool(drawn);
  EXPECT_EQ(done.status, 0) << done.err;
  std::string const svg = read("a.svg");
  EXPECT_EQ(occurrences(svg, "<rect class=\"bar"), 3U);
  EXPECT_NE(svg.find(">b b</text>"), std::string::npos);
  EXPECT_NE(svg.find("sum by k"), std::string::npos);
  EXPECT_NE(svg.find("1 of 4 not finite"), std::string::npos);
}

TEST_F(plot, takes_what_it_can_draw)
{
  std::string const see_scan = "\nSee 'tally scan --help'.\n", see_reduce = "\nSee 'tally reduce --help'.\n";
  EXPECT_EQ(run_tool(words{"scan", "--plot", "--op", "sum,max"}, "1").err,
            "tally: --plot draws one curve: of one operation, without --by" + see_scan);
  EXPECT_EQ(run_tool(words{"scan", "--plot", "--json"}, "1").err,
            "tally: --plot draws the results and writes no table: it takes no format, delimiter or --append" +
                see_scan);
  EXPECT_EQ(
      run_tool(words{"reduce", "--plot"}, "1").err,
      "tally: --plot draws a bar for each group (--by) of one operation; values are drawn by tally app histogram, "
      "running results by tally scan --plot" +
          see_reduce);
  EXPECT_EQ(listing(), "");
}

// `rsvg-convert` is a script here, which shows what it is given.
TEST_F(plot, a_png_file_is_made_by_a_program)
{
  std::string const folders = std::getenv("PATH");
  ::setenv("PATH", path("bin").c_str(), 1);
  std::string const missing = run_tool(words{"scan", "--plot", "-o", path("a.png")}, "1").err;
  std::filesystem::create_directory(path("bin"));
  auto const program = [&](std::string const& script) {
    std::filesystem::permissions(file("bin/rsvg-convert", "#!/bin/sh\n" + script), std::filesystem::perms::owner_all);
  };
  program("[ \"$1\" = --zoom=2 ] && read -r line || exit 1\n"
          "case $line in '<svg '*) printf 'a picture' ;; *) exit 2 ;; esac\n");
  outcome const curve = run_tool(words{"scan", "--plot", "-o", path("a.png")}, "1 2 3");
  outcome const bars = run_tool(words{"reduce", "--by", "1", "--column", "2", "--plot", "-o", path("b.png")}, "k\t1\n");
  program("exit 3\n");
  outcome const failed = run_tool(words{"scan", "--plot", "-o", path("c.png")}, "1 2 3");
  ::setenv("PATH", folders.c_str(), 1);

  EXPECT_EQ(missing, "tally: --plot -o FILE.png needs the program rsvg-convert, which PATH does not have (Debian: "
                     "librsvg2-bin); -o FILE.svg needs none\nSee 'tally scan --help'.\n");
  EXPECT_EQ(curve.status, 0) << curve.err;
  EXPECT_EQ(read("a.png"), "a picture");
  EXPECT_EQ(bars.status, 0) << bars.err;
  EXPECT_EQ(read("b.png"), "a picture");
  EXPECT_NE(failed.status, 0);
  EXPECT_EQ(failed.err, "tally: rsvg-convert: ended with status 3\n");
  EXPECT_FALSE(std::filesystem::exists(path("c.png")));
}

// Two columns of dots and four rows are a character: a line from corner to corner takes every column.
TEST(curve_text, goes_through_its_points)
{
  cli::curve line;
  for (int k = 0; k < 8; ++k) line.add(k);
  EXPECT_EQ(cli::text_of(line, "t", 17, 2), "t\n"
                                            "7 ┤       ⣀⣀⠤⠤⠒⠒⠉\n"
                                            "0 ┤⣀⡠⠤⠔⠒⠊⠉⠁\n"
                                            "  └──────────────\n"
                                            "   1            8\n");
  cli::curve one;
  one.add(-2.5);
  EXPECT_EQ(cli::text_of(one, "t", 20, 2), "t\n"
                                           "     │\n"
                                           "-2.5 ┤⡀\n"
                                           "     └──────────────\n"
                                           "      1\n");
}

TEST(curve_text, has_numbers_of_any_size)
{
  cli::curve wide;
  wide.add(-1.7e308);
  wide.add(std::numeric_limits<double>::infinity());
  wide.add(1.7e308);
  std::string const text = cli::text_of(wide, "t", 40, 4);
  EXPECT_NE(text.find("1 of 3 not finite\n"), std::string::npos);
  EXPECT_NE(text.find("-1.7e+308 ┤⣀"), std::string::npos) << text;
}

// Stretches double when the sequence outgrows them, and keep the least and the greatest of what they hold.
TEST(curve, is_kept_in_few_stretches)
{
  for (std::size_t const size : {2047U, 2048U, 2049U, 4096U, 4097U, 100000U}) {
    cli::curve of;
    for (std::size_t k = 0; k < size; ++k) of.add(k == size / 2 ? 1e6 : k == size / 3 ? std::nan("") : double(k % 17));
    EXPECT_EQ(of.size(), size);
    EXPECT_EQ(of.not_finite(), 1U);
    ASSERT_LE(of.stretches().size(), cli::curve::most_stretches);
    ASSERT_EQ(of.stretches().size(), of.begins().size());
    std::size_t const length = of.length();
    std::size_t k = 0;
    for (std::size_t s = 0; s < of.begins().size(); ++s) {
      EXPECT_EQ(of.begins()[s] % length, 0U);
      double least = 1e9, greatest = -1e9, last = 0;
      for (k = of.begins()[s]; k < std::min(size, of.begins()[s] + length); ++k) {
        if (k == size / 3 && k != size / 2) continue;
        last = k == size / 2 ? 1e6 : double(k % 17);
        least = std::min(least, last);
        greatest = std::max(greatest, last);
      }
      ASSERT_EQ(of.stretches()[s].least, least) << size << ' ' << s;
      ASSERT_EQ(of.stretches()[s].greatest, greatest) << size << ' ' << s;
      ASSERT_EQ(of.stretches()[s].last, last) << size << ' ' << s;
    }
    EXPECT_EQ(k, size);
  }
}

}  // namespace
}  // namespace tally::test
