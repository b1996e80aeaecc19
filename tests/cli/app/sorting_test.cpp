// tally app sort, quicksort and histogram.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_application.hpp"
#include "tool.hpp"

namespace tally::test {
namespace {

TEST(app_sort, orders_integers_and_doubles)
{
  EXPECT_EQ(app({"sort"}, "3 -1 20 5").out, "-1\n3\n5\n20\n");
  EXPECT_EQ(app({"sort", "--descending"}, "3 -1 20 5").out, "20\n5\n3\n-1\n");
  EXPECT_EQ(app({"sort"}, "9007199254740993 9007199254740992").out, "9007199254740992\n9007199254740993\n");
  EXPECT_EQ(app({"sort"}, "2.5 nan 0 -0.0 -inf inf").out, "-inf\n-0.0\n0\n2.5\ninf\nnan\n");
  EXPECT_EQ(app({"sort", "--descending"}, "nan 1 0.5").out, "1\n0.5\nnan\n");
  EXPECT_EQ(app({"sort"}, "").out, "");
}

class app_sort_files : public in_folder {};

TEST_F(app_sort_files, reads_columns_and_writes_arrays)
{
  std::string const table = file("t.csv", "a,b\n3,x\n1,y\n2,z\n");
  EXPECT_EQ(app({"sort", "--column", "a", table}).out, "1\n2\n3\n");
  EXPECT_EQ(app({"sort", "--column", "a", "-o", path("s.npy"), table}).status, 0);
  EXPECT_EQ(values_of<std::int64_t>(parse_npy(read("s.npy")).bytes), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(app({"sort", "--column", "a", "--descending", "-o", path("s.raw"), table}).status, 0);
  EXPECT_EQ(values_of<std::int64_t>(read("s.raw")), (std::vector<std::int64_t>{3, 2, 1}));

  outcome const wrong = app({"sort", "--column", "b", "-o", path("none.txt"), table});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_EQ(wrong.err, table + ":2:3: found 'x', expected a number\n");
  EXPECT_EQ(listing(), "s.npy s.raw t.csv");
}

TEST_F(app_sort_files, sorts_more_than_fits_into_a_tile)
{
  std::vector<std::int32_t> values(300'000), sorted;
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = static_cast<std::int32_t>(static_cast<std::uint32_t>(k) * 2'654'435'761u);
  sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::string const input = file("v.raw", bytes_of(values));
  EXPECT_EQ(app({"sort", "--type", "int32", "-o", path("s.raw"), input}).status, 0);
  std::vector<std::int64_t> const got = values_of<std::int64_t>(read("s.raw"));
  EXPECT_TRUE(std::equal(got.begin(), got.end(), sorted.begin(), sorted.end()));
}

TEST(app_quicksort, shows_levels)
{
  EXPECT_EQ(app({"quicksort", "--levels"}, "6 3 8 1 7 2 5 4").out,
            "given: [6 3 8 1 7 2 5 4]\n"
            "level 1, pivots 4: [3 1 2] [4] [6 8 7 5]\n"
            "level 2, pivots 1 4 8: [1] [3 2] [4] [6 7 5] [8]\n"
            "level 3, pivots 1 2 4 6 8: [1] [2] [3] [4] [5] [6] [7] [8]\n");
  EXPECT_EQ(app({"quicksort", "--levels"}, "1 2 2").out, "given: [1 2 2]\n");
  EXPECT_EQ(app({"quicksort", "--levels"}, "").out, "");
  EXPECT_EQ(app({"quicksort"}, "6 3.5 8").out, "3.5\n6\n8\n");
  EXPECT_EQ(app({"quicksort"}, "99 nan -7 0 -0.0 -inf inf").out, "-inf\n-7\n-0.0\n0\n99\ninf\nnan\n");
  EXPECT_EQ(app({"quicksort", "--levels"}, "99 nan -7").out,
            "given: [99 nan -7]\nlevel 1, pivots nan: [99 -7] [nan]\nlevel 2, pivots 99 nan: [-7] [99] [nan]\n");
  std::string many;
  for (int k = 65; k > 0; --k) many += std::to_string(k) + ' ';
  outcome const result = app({"quicksort", "--levels"}, many);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err.substr(0, result.err.find('\n')), "tally: --levels shows up to 64 values, and there are 65");
}

TEST(app_histogram, has_bars_and_what_is_outside)
{
  EXPECT_EQ(app({"histogram", "--bins", "2", "--range", "0,4"}, "0 1 1.5 2 4 -1 9 nan inf").out,
            "[0, 2)  3  ████████████████████████████████████████\n"
            "[2, 4]  2  ██████████████████████████▋\n"
            "below   1\n"
            "above   2\n"
            "nan     1\n");
  // One value among very many shows.
  std::string many = "1 ";
  for (int k = 0; k < 1000; ++k) many += "0 ";
  EXPECT_EQ(app({"histogram", "--bins", "2"}, many).out,
            "[0, 0.5)  1000  ████████████████████████████████████████\n[0.5, 1]     1  ▏\n");
  EXPECT_EQ(app({"histogram", "--bins", "1"}, "7 7 7").out,
            "[6.5, 7.5]  3  ████████████████████████████████████████\n");
  EXPECT_EQ(app({"histogram", "--bins", "1"}, "").out, "[0, 1]  0\n");
}

TEST(app_histogram, has_edges_and_json)
{
  auto const all =
      nlohmann::json::parse(app({"histogram", "--json", "--edges", "0,10,10,50,90"}, "-5 0 9 10 49 50 90 91 nan").out);
  EXPECT_EQ(all, nlohmann::json::parse(R"({"edges":[0,10,10,50,90],"counts":[2,0,2,2],"below":1,"above":1,"nan":1})"));
  EXPECT_EQ(app({"histogram", "--json", "--bins", "2"}, "1 2 3").out,
            "{\"edges\":[1,2,3],\"counts\":[1,2],\"below\":0,\"above\":0,\"nan\":0}\n");
}

class app_histogram_files : public in_folder {};

TEST_F(app_histogram_files, is_drawn)
{
  EXPECT_EQ(app({"histogram", "--edges", "0,5,7,30", "--svg", path("h.svg")}, "1 6 8 31").status, 0);
  std::string const picture = read("h.svg");
  EXPECT_TRUE(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")) << picture;
  EXPECT_TRUE(picture.ends_with("</svg>\n"));
  // Areas are counts: the bin of width 2 is the highest.
  EXPECT_NE(picture.find("y=\"58\" width=\"34.9\" height=\"358\"><title>5 to 7: 1<"), std::string::npos) << picture;
  EXPECT_NE(picture.find(">above 1<"), std::string::npos) << picture;
}

TEST(app_histogram, says_what_is_wrong)
{
  expect_usage_error({"histogram", "--bins", "0"}, "--bins: '0' is not a whole number from 1 on");
  expect_usage_error({"histogram", "--bins", "1000001"}, "--bins: 1000001 is too large; at most 1000000");
  expect_usage_error({"histogram", "--range", "2,1"},
                     "--range: '2,1' is not two numbers LOWER,UPPER with LOWER less than UPPER");
  expect_usage_error({"histogram", "--range", "1,x"}, "--range: 'x' is not a finite number");
  expect_usage_error({"histogram", "--edges", "1"}, "--edges: a bin needs two edges");
  expect_usage_error({"histogram", "--edges", "1,3,2"}, "--edges: '1,3,2' is not in ascending order");
  expect_usage_error({"histogram", "--edges", "1,"}, "--edges: '' is not a finite number");
  expect_usage_error({"histogram", "--edges", "1,2", "--bins", "3"},
                     "--edges says what the bins are; --bins and --range are for bins of one width");
  expect_usage_error({"histogram", "--svg", "-"}, "--svg: standard output has the table; name a file for one of them");
  outcome const wide = app({"histogram"}, "-1e308 1e308");
  EXPECT_EQ(wide.status, 1);
  EXPECT_EQ(wide.err,
            "tally: the values reach from -1e+308 to 1e+308, which is too wide for bins of one width; give a narrower "
            "--range, or --edges\n");
}

}  // namespace
}  // namespace tally::test
