#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "explain/explanation.hpp"
#include "explained.hpp"

/// `tally explain --json`.
namespace tally::test {
namespace {

nlohmann::json record(words arguments)
{
  arguments.emplace_back("--json");
  outcome const result = explained(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

TEST(explain_json, without_a_kernel_is_a_list_of_all)
{
  nlohmann::json const list = record({});
  ASSERT_EQ(list.size(), textbook::catalogue().size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    EXPECT_EQ(list[k]["kernel"], textbook::catalogue()[k].name);
    EXPECT_EQ(list[k]["title"], textbook::catalogue()[k].title);
  }
}

TEST(explain_json, has_the_run_and_its_formulas)
{
  nlohmann::json const run = record({"brent-kung", "--n", "16"});
  EXPECT_EQ(run["kernel"], "brent-kung");
  EXPECT_EQ(run["result"], "inclusive");
  EXPECT_EQ(run["header"], "brent_kung.hpp");
  EXPECT_EQ(run["n"], 16);
  EXPECT_EQ(run["op"], "sum");
  EXPECT_EQ(run["type"], "int");
  EXPECT_EQ(run["in"].size(), 16U);
  EXPECT_EQ(run["out"].back(), 50);
  EXPECT_EQ(run["counts"]["operations"], 26);
  EXPECT_EQ(run["formulas"]["operations"]["value"], 26);
  EXPECT_EQ(run["formulas"]["operations"]["text"], "2n - 2 - log2 n");
  EXPECT_EQ(run["counts"]["steps"], 7);
  EXPECT_TRUE(run["findings"].empty());
  EXPECT_EQ(run["diagram"]["columns"], 16);
}

TEST(explain_json, every_operation_has_its_operands_and_the_counts_add_up)
{
  for (char const* kernel : {"hillis-steele", "blelloch", "sequential-addressing-reduction", "warp-shuffle-scan"}) {
    nlohmann::json const run = record({kernel, "--n", "40"});
    std::size_t operations = 0, wavefronts = 0, barriers = 0;
    for (nlohmann::json const& phase : run["phases"]) {
      barriers += phase["barrier"].get<bool>();
      if (!phase["transfers"].get<bool>()) wavefronts += phase["shared"]["wavefronts"].get<std::size_t>();
      for (nlohmann::json const& event : phase["events"]) {
        if (event["what"] != "apply") continue;
        ++operations;
        EXPECT_EQ(event["left"]["value"].get<int>() + event["right"]["value"].get<int>(), event["value"].get<int>());
        EXPECT_FALSE(event["at"].get<std::string>().empty());
      }
    }
    EXPECT_EQ(operations, run["counts"]["operations"]) << kernel;
    EXPECT_EQ(wavefronts, run["counts"]["shared"]["wavefronts"]) << kernel;
    EXPECT_EQ(barriers, run["counts"]["barriers"]) << kernel;
  }
}

TEST(explain_json, letters_are_texts_and_much_is_counted_only)
{
  nlohmann::json const letters = record({"sklansky", "--op", "join", "--n", "5"});
  EXPECT_EQ(letters["type"], "letters");
  EXPECT_EQ(letters["out"], (nlohmann::json{"a", "a..b", "a..c", "a..d", "a..e"}));
  nlohmann::json const decimals = record({"sklansky", "--input", "0.5,nan"});
  EXPECT_EQ(decimals["in"], (nlohmann::json{0.5, "nan"}));
  nlohmann::json const much = record({"scan-scan-add", "--n", "4096"});
  EXPECT_EQ(much["counts"]["operations"], 11699);
  EXPECT_FALSE(much.contains("phases"));
  EXPECT_EQ(much["out"].size(), 4096U);
}

TEST(explain_json, tells_the_threads_of_a_block_and_the_areas_of_blocks)
{
  nlohmann::json const small = record({"scan-scan-add", "--n", "16"});
  EXPECT_EQ(small["threads"], 2);
  EXPECT_EQ(small["small_blocks"], true);
  EXPECT_EQ(small["formulas"]["steps"]["value"], small["counts"]["steps"]);
  nlohmann::json const& blocks = small["diagram"]["blocks"];
  ASSERT_EQ(blocks.size(), 8U);
  EXPECT_EQ(blocks[1]["launch"], 0);
  EXPECT_EQ(blocks[1]["block"], 1);
  EXPECT_EQ(blocks[1]["columns"], (nlohmann::json{4, 7}));
  EXPECT_EQ(blocks[1]["rows"], (nlohmann::json{1, 3}));
  nlohmann::json const full = record({"scan-scan-add", "--n", "16", "--full-blocks"});
  EXPECT_EQ(full["threads"], 256);
  EXPECT_EQ(full["small_blocks"], false);
  EXPECT_TRUE(full["diagram"]["blocks"].empty());
  EXPECT_TRUE(record({"brent-kung"})["threads"].is_null());
}

TEST(explain_json, has_a_bracket_and_the_indices_of_a_histogram)
{
  nlohmann::json const played = record({"tournament", "--n", "2"});
  EXPECT_EQ(played["bracket"], "3 -+\n   +- 3\n1 -+\n");
  EXPECT_EQ(played["op"], "max");
  EXPECT_EQ(played["out"], nlohmann::json{3});
  EXPECT_EQ(played["diagram"]["result"], nlohmann::json{"3@0"});
  nlohmann::json const counted = record({"private-histogram"});
  EXPECT_FALSE(counted.contains("bracket"));
  EXPECT_EQ(counted["result"], "histogram");
  std::size_t indices = 0;
  for (nlohmann::json const& arrow : counted["diagram"]["arrows"]) indices += arrow["as"] == "index";
  EXPECT_EQ(indices, 8U);
}

}  // namespace
}  // namespace tally::test
