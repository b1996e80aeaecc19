#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "compare/comparison.hpp"
#include "kernels/figures.hpp"
#include "tally/error.hpp"
#include "tool.hpp"

/// `tally compare`: its counts and its layout.
namespace tally::test {
namespace {

using nlohmann::json;

json compared(words const& arguments)
{
  words all = {"compare", "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  outcome const result = run_tool(all);
  EXPECT_EQ(result.status, 0) << result.err;
  return json::parse(result.out);
}

json row_of(json const& table, std::string const& kernel)
{
  for (json const& each : table["kernels"])
    if (each["kernel"] == kernel) return each;
  ADD_FAILURE() << "no " << kernel;
  return {};
}

std::vector<std::string> lines_of(std::string const& text)
{
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> fields_of(std::string const& line)
{
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; in >> field;) fields.push_back(field);
  return fields;
}

TEST(compare, has_the_figures_of_the_course)
{
  json const all = compared({});
  json const wide = row_of(all, "hillis-steele"), lean = row_of(all, "blelloch"),
             padded = row_of(all, "blelloch-padded");
  EXPECT_EQ(wide["work"], 9217);
  EXPECT_EQ(wide["depth"], 10);
  EXPECT_EQ(wide["wavefronts"], 867);
  EXPECT_EQ(lean["wavefronts"], 1337);
  EXPECT_EQ(lean["ideal"], 252);
  EXPECT_EQ(lean["degree"], 32);
  EXPECT_EQ(lean["warp-steps"], 72);
  EXPECT_EQ(lean["divergent"], 10);
  EXPECT_EQ(padded["wavefronts"], 252);
  EXPECT_EQ(padded["degree"], 1);
  json const brent_kung = row_of(all, "brent-kung");
  EXPECT_EQ(brent_kung["work"], 2036);
  EXPECT_EQ(brent_kung["steps"], 19);
  // On a warp the lean scan is ahead, on a block the shallow one.
  EXPECT_LT(brent_kung["T_32"], wide["T_32"]);
  EXPECT_GT(brent_kung["T_1024"], wide["T_1024"]);
}

TEST(compare, counts_are_those_of_the_formulas)
{
  for (char const* n : {"8", "33", "1000", "1024"}) {
    if (is_brief && n == std::string("1000")) continue;
    json const all = compared({"--n", n});
    for (json const& each : all["kernels"]) {
      for (std::string const count : {"work", "steps", "barriers"}) {
        if (each.contains(count + "_by_formula")) {
          EXPECT_EQ(each[count + "_by_formula"], each[count]) << n << ' ' << each["kernel"] << ' ' << count;
        }
      }
    }
  }
}

TEST(compare, every_kernel_is_in_the_table_or_left_out_with_a_reason)
{
  for (words const& arguments : {words{"--n", "1024"}, words{"--n", "1025"}, words{"--n", "8", "--op", "join"}}) {
    json const all = compared(arguments);
    std::multiset<std::string> names, expected;
    for (json const& each : all["kernels"]) names.insert(each["kernel"].get<std::string>());
    for (json const& each : all["left_out"]) {
      names.insert(each["kernel"].get<std::string>());
      EXPECT_NE(each["reason"], "");
    }
    for (textbook::kernel_entry const& kernel : textbook::catalogue()) expected.insert(std::string(kernel.name));
    EXPECT_EQ(names, expected);
  }
  outcome const many = run_tool(words{"compare", "--n", "1025", "hillis-steele"});
  EXPECT_NE(many.out.find("\nLeft out:\nhillis-steele  takes at most 1024 elements: it is a kernel of one block\n"),
            std::string::npos)
      << many.out;
  outcome const letters = run_tool(words{"compare", "--n", "64", "--op", "join", "sequential-addressing-reduction"});
  EXPECT_NE(letters.out.find("\nsequential-addressing-reduction  takes operands out of order, and joining letters is "
                             "not commutative\n"),
            std::string::npos)
      << letters.out;
}

TEST(compare, table_is_aligned_and_fits_a_terminal_of_120_columns)
{
  for (char const* n : {"1", "8", "1024", "65536"}) {
    if (is_brief && n == std::string("65536")) continue;
    outcome const result = run_tool(words{"compare", "--n", n});
    ASSERT_EQ(result.status, 0) << result.err;
    std::vector<std::string> const lines = lines_of(result.out);
    for (std::string const& line : lines) {
      EXPECT_LE(line.size(), 120U) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
    ASSERT_GT(lines.size(), 4U);
    ASSERT_TRUE(lines[3].starts_with("kernel ")) << result.out;
    std::size_t const columns = fields_of(lines[3]).size();
    for (std::size_t k = 4; k < lines.size() && !lines[k].empty(); ++k) {
      EXPECT_EQ(lines[k].size(), lines[3].size()) << "numbers end below their heading: " << lines[k];
      EXPECT_EQ(fields_of(lines[k]).size(), columns) << "a blank between columns: " << lines[k];
    }
  }
}

TEST(compare, sorts_by_any_column_and_keeps_the_ladder_among_equals)
{
  std::vector<std::string> const kinds = {"reduction", "inclusive", "exclusive", "histogram"};
  json const ladder = compared({"--n", "64"});
  std::vector<std::string> names;
  for (json const& each : ladder["kernels"]) names.push_back(each["kernel"]);
  auto const place = [&](json const& row) {
    return std::ranges::find(names, row["kernel"].get<std::string>()) - names.begin();
  };
  for (cli::comparison_column const& column : cli::comparison_columns()) {
    std::string const name(column.name);
    json const sorted = compared({"--n", "64", "--sort", name})["kernels"];
    ASSERT_EQ(sorted.size(), names.size());
    auto const key = [&](json const& row) -> json {
      if (name == "sectors") return row["sectors_read"].get<int>() + row["sectors_written"].get<int>();
      if (name == "result") return std::ranges::find(kinds, row["result"].get<std::string>()) - kinds.begin();
      return row[name];
    };
    for (std::size_t k = 1; k < sorted.size(); ++k) {
      EXPECT_LE(key(sorted[k - 1]), key(sorted[k])) << name;
      if (key(sorted[k - 1]) == key(sorted[k])) {
        EXPECT_LT(place(sorted[k - 1]), place(sorted[k])) << name;
      }
    }
  }
}

TEST(compare, crossovers_are_where_the_times_cross)
{
  cli::kernel_figures const wide =
      cli::measure(*textbook::find_kernel("hillis-steele"), 256, cli::kernel_operation::sum);
  for (char const* name : {"sequential-scan", "brent-kung", "blelloch"}) {
    cli::kernel_figures const lean = cli::measure(*textbook::find_kernel(name), 256, cli::kernel_operation::sum);
    auto const from = cli::ahead_from(lean.operations, wide.operations);
    ASSERT_TRUE(from.has_value()) << name;
    for (std::size_t p = 1; p <= 300; ++p)
      EXPECT_EQ(wide.operations.schedule(p) < lean.operations.schedule(p), p >= *from) << name << ' ' << p;
    EXPECT_FALSE(cli::ahead_from(wide.operations, lean.operations)) << "never the other way round";
  }
  json const all = compared({"hillis-steele", "sequential-scan", "brent-kung"});
  ASSERT_EQ(all["crossovers"].size(), 2U);
  EXPECT_EQ(all["crossovers"][0], (json{{"lean", "sequential-scan"}, {"shallow", "hillis-steele"}, {"from", 10}}))
      << "9217 / 9 is more than 1023";
  EXPECT_EQ(all["crossovers"][1], (json{{"lean", "brent-kung"}, {"shallow", "hillis-steele"}, {"from", 545}}));
}

TEST(compare, tells_what_the_figures_say)
{
  outcome const result = run_tool(words{"compare", "sequential-scan", "hillis-steele", "brent-kung", "blelloch"});
  std::string said = result.out.substr(result.out.find("\nFew ") + 1);
  std::replace(said.begin(), said.end(), '\n', ' ');
  EXPECT_EQ(said,
            "Few processors take as long as there is work, many as long as the depth. So less work is not always less "
            "time: hillis-steele has the least depth of these scans; it is ahead of sequential-scan from p = 10 on; "
            "blelloch from p = 513 on; brent-kung from p = 545 on. "
            "Nor are all operations equally dear: blelloch does 2046 of them and hillis-steele 9217, but takes 1337 "
            "wavefronts where that takes 867; if no two words met in one bank it would take 252. ");
}

struct reads_unset {
  static constexpr char const* name = "reads_unset";
  void operator()(model::block const& block, model::view<model::traced<int>> x) const
  {
    block.step([&](int t) {
      if (t == 0) x[0] = int(x[1]);
    });
  }
};

TEST(compare, a_wrong_result_or_a_fault_is_an_error)
{
  textbook::kernel_entry wrong = *textbook::find_kernel("hillis-steele");
  wrong.result = textbook::result_kind::exclusive_scan;
  EXPECT_THROW((void)cli::measure(wrong, 8, cli::kernel_operation::sum), error);
  textbook::kernel_entry faulty = *textbook::find_kernel("hillis-steele");
  faulty.run_int = [](model::machine& on, std::vector<int> const& in, textbook::selected_operator<int> op,
                      textbook::outcome& result) {
    textbook::find_kernel("hillis-steele")->run_int(on, in, op, result);
    on.launch(1, 32, reads_unset{}, on.allocate<model::traced<int>>(2, "x"));
  };
  try {
    (void)cli::measure(faulty, 8, cli::kernel_operation::sum);
    ADD_FAILURE() << "a fault is an error";
  } catch (error const& problem) {
    EXPECT_NE(std::string(problem.what()).find("hillis-steele: "), std::string::npos) << problem.what();
    EXPECT_NE(std::string(problem.what()).find("reads_unset"), std::string::npos) << problem.what();
  }
}

TEST(compare, all_operations_give_the_same_counts)
{
  auto const counts_by = [](char const* op) {
    json all = compared({"--n", "100", "--op", op});
    EXPECT_EQ(all.at("op"), op);
    all.erase("op");
    all.erase("left_out");
    json& kernels = all["kernels"];
    for (std::size_t k = kernels.size(); k-- > 0;) {
      bool const is_for_one = kernels[k]["kernel"] == "tournament" || kernels[k]["result"] == "histogram";
      EXPECT_EQ(kernels[k]["op"], op);
      if (is_for_one)
        kernels.erase(k);
      else
        kernels[k].erase("op");
    }
    return all;
  };
  json const sum = counts_by("sum");
  for (char const* op : {"product", "min", "max"}) EXPECT_TRUE(counts_by(op) == sum) << op;
}

TEST(compare, what_is_made_for_one_operation_runs_by_it_or_is_left_out)
{
  words const both = {"--n", "100", "tournament", "private-histogram"};
  json const all = compared(both);
  EXPECT_EQ(row_of(all, "tournament")["op"], "max");
  EXPECT_EQ(row_of(all, "private-histogram")["op"], "sum");
  EXPECT_EQ(row_of(all, "private-histogram")["result"], "histogram");
  words by_max = both;
  by_max.insert(by_max.end(), {"--op", "max"});
  json const some = compared(by_max);
  EXPECT_EQ(some["kernels"].size(), 1U);
  EXPECT_EQ(some["left_out"], (json{{{"kernel", "private-histogram"}, {"reason", "is by sum alone"}}}));
  EXPECT_NE(run_tool(words{"compare", "--n", "8", "tournament"})
                .out.find("The tournament is by max, for which it is made.\n"),
            std::string::npos);
}

TEST(compare, what_cannot_be_meant)
{
  struct {
    words arguments;
    std::string message;
  } const cases[] = {
      {{"hillis"}, "KERNEL: there is no 'hillis' (did you mean 'hillis-steele'?)"},
      {{"--n", "0"}, "--n: '0' is not a whole number from 1 on"},
      {{"--n", "1048577"}, "--n: 1048577 is too large; at most 1048576"},
      {{"--n", "32769", "--op", "join"}, "--op join: there are letters for up to 32768 elements"},
      {{"--op", "summ"}, "--op: there is no 'summ' (did you mean 'sum'?)"},
      {{"--sort", "wavefront"}, "--sort: there is no 'wavefront' (did you mean 'wavefronts'?)"},
      {{"--sort", "work", "--sort", "depth"}, "--sort is given twice"},
  };
  for (auto const& each : cases) {
    words all = {"compare"};
    all.insert(all.end(), each.arguments.begin(), each.arguments.end());
    outcome const result = run_tool(all);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "tally: " + each.message + "\nSee 'tally compare --help'.\n");
  }
}

}  // namespace
}  // namespace tally::test
