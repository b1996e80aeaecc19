// Diagrams show the values that moved: for every kernel of the catalogue its applications, and their places.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "draw/circuit.hpp"
#include "runs.hpp"

namespace tally::test {
namespace {

using draw::circuit;

/// The values of each row's nodes of one kind, from left to right.
std::vector<std::string> rows_of(circuit const& all, circuit::kind what = circuit::kind::combined)
{
  std::map<int, std::map<int, std::string>> rows;
  for (circuit::node const& each : all.nodes)
    if (each.what == what) rows[each.row][each.column] = each.text;
  std::vector<std::string> texts;
  for (auto const& [row, columns] : rows) {
    std::string text;
    for (auto const& [column, value] : columns) (text += text.empty() ? "" : " ") += value;
    texts.push_back(text);
  }
  return texts;
}

std::vector<std::vector<int>> columns_of(circuit const& all)
{
  std::map<int, std::set<int>> rows;
  for (circuit::node const& each : all.nodes)
    if (each.what == circuit::kind::combined) rows[each.row].insert(each.column);
  std::vector<std::vector<int>> result;
  for (auto const& [row, columns] : rows) result.emplace_back(columns.begin(), columns.end());
  return result;
}

struct operands {
  circuit::node const *left = nullptr, *right = nullptr, *moved = nullptr, *index = nullptr;
};

std::vector<operands> operands_of(circuit const& all)
{
  std::vector<operands> result(all.nodes.size());
  for (circuit::arrow const& each : all.arrows) {
    operands& to = result[static_cast<std::size_t>(each.to)];
    circuit::node const*& end = each.as == circuit::role::left    ? to.left
                                : each.as == circuit::role::right ? to.right
                                : each.as == circuit::role::moved ? to.moved
                                                                  : to.index;
    EXPECT_EQ(end, nullptr) << "an operand twice";
    end = &all.nodes[static_cast<std::size_t>(each.from)];
  }
  return result;
}

/// Properties of the diagram of any kernel.
void check_circuit(textbook::kernel_entry const& kernel, textbook::values const& in)
{
  recorded const kept = record(kernel, in);
  circuit const all = draw::circuit_of(kept.run);
  std::size_t const n = texts_of(in).size();
  SCOPED_TRACE(std::string(kernel.name) + ", n = " + std::to_string(n));
  std::set<std::pair<int, int>> cells;
  std::size_t combined = 0, counts = 0;
  std::vector<operands> const from = operands_of(all);
  for (std::size_t k = 0; k < all.nodes.size(); ++k) {
    circuit::node const& node = all.nodes[k];
    EXPECT_TRUE(cells.insert({node.row, node.column}).second) << "two nodes at " << node.row << ", " << node.column;
    EXPECT_LT(node.column, all.columns);
    EXPECT_GE(node.column, 0);
    EXPECT_LT(node.row, static_cast<int>(all.rows.size()));
    EXPECT_FALSE(node.text.empty());
    for (circuit::node const* operand : {from[k].left, from[k].right, from[k].moved, from[k].index})
      if (operand != nullptr) {
        EXPECT_LT(operand->row, node.row);
      }
    if (node.what == circuit::kind::moved && from[k].moved != nullptr) {
      EXPECT_EQ(from[k].moved->text, node.text);
    }
    if (node.what == circuit::kind::moved) {
      EXPECT_NE(from[k].moved, nullptr);
    }
    if (node.what != circuit::kind::combined) continue;
    ++combined;
    EXPECT_TRUE(from[k].left != nullptr || from[k].right != nullptr);
    if (std::holds_alternative<std::vector<textbook::letters>>(in)) {
      if (from[k].left != nullptr && from[k].left->text != "-") {
        EXPECT_EQ(from[k].left->text.front(), node.text.front());
      }
      if (from[k].right != nullptr && from[k].right->text != "-") {
        EXPECT_EQ(from[k].right->text.back(), node.text.back());
      }
    }
    if (!std::holds_alternative<std::vector<int>>(in) || kernel.name == "tournament") continue;
    auto const value = [](circuit::node const* of) {
      return of == nullptr ? 0U : static_cast<unsigned>(std::stoll(of->text));
    };
    unsigned const counted = from[k].index == nullptr ? 0 : 1;
    EXPECT_EQ(value(&node), value(from[k].left) + value(from[k].right) + counted);
    counts += counted;
  }
  EXPECT_EQ(combined, kept.work);
  EXPECT_EQ(counts, kernel.result == textbook::result_kind::histogram ? n : 0);
  for (std::size_t k = 0; k < kept.out.size(); ++k) {
    bool const shown = std::any_of(all.result.begin(), all.result.end(), [&](std::string const& each) {
      return each.substr(0, each.find('@')) == kept.out[k];  // without a player's place
    });
    EXPECT_TRUE(shown) << kept.out[k];
    if (is_scan(kernel.result)) {
      EXPECT_EQ(all.result.at(k), kept.out[k]);
    }
  }
}

TEST(circuit, of_every_kernel_has_its_operations_with_their_operands_above_them)
{
  for (textbook::blocks const size : {textbook::blocks::full, textbook::blocks::small})
    for (textbook::kernel_entry const& kernel : textbook::catalogue(size))
      for (int const n : {1, 2, 3, 7, 8, 16, 31, 33, 64, 100})
        check_circuit(kernel, taken_by(kernel, powers_of_two(n)));
}

TEST(circuit, blocks_stand_side_by_side)
{
  for (textbook::kernel_entry const& kernel : textbook::catalogue())
    if (kernel.most == 0) check_circuit(kernel, taken_by(kernel, powers_of_two(1100)));
  recorded const kept = record("scan-scan-add", one_to(1100));
  circuit const all = draw::circuit_of(kept.run);
  EXPECT_EQ(all.columns, 1100);
  int last = -1;
  for (circuit::node const& each : all.nodes)
    if (each.block == 1 && each.what == circuit::kind::combined) last = std::max(last, each.column);
  EXPECT_EQ(last, 1099) << "block 1 of the last launch adds to the third section";
}

TEST(circuit, letters_join_from_left_to_right)
{
  for (textbook::kernel_entry const& kernel : textbook::catalogue()) {
    if (kernel.run_letters == nullptr) continue;
    check_circuit(kernel, alphabet(13));
    recorded const kept = record(kernel, alphabet(13));
    for (circuit::node const& each : draw::circuit_of(kept.run).nodes) EXPECT_NE(each.text, "?!") << kernel.name;
  }
}

TEST(circuit, of_hillis_steele_on_one_to_eight_has_the_three_stages_of_the_course)
{
  recorded const kept = record("hillis-steele", one_to(8));
  circuit const all = draw::circuit_of(kept.run);
  EXPECT_EQ(rows_of(all), (std::vector<std::string>{"3 5 7 9 11 13 15", "6 10 14 18 22 26", "15 21 28 36"}));
  ASSERT_EQ(all.rows.size(), 4U);
  EXPECT_EQ(all.rows[0].label, "input");
  EXPECT_EQ(all.rows[3].label, "step 3");
  EXPECT_EQ(all.rows[3].detail, "stride 4");
}

TEST(circuit, of_blelloch_on_one_to_eight_goes_up_and_down_as_in_the_course)
{
  recorded const kept = record("blelloch", one_to(8));
  circuit const all = draw::circuit_of(kept.run);
  std::vector<std::string> const combined = rows_of(all);
  ASSERT_EQ(combined.size(), 6U);
  EXPECT_EQ(combined[0], "3 7 11 15");
  EXPECT_EQ(combined[1], "10 26");
  EXPECT_EQ(combined[2], "36");
  EXPECT_EQ(combined[3], "10");
  EXPECT_EQ(combined[4], "3 21");
  EXPECT_EQ(combined[5], "1 6 15 28");
  EXPECT_EQ(rows_of(all, circuit::kind::constant), std::vector<std::string>{"0"});
  EXPECT_EQ(all.result, (std::vector<std::string>{"0", "1", "3", "6", "10", "15", "21", "28"}));
}

TEST(circuit, of_brent_kung_on_sixteen_has_the_index_tables_of_the_course)
{
  recorded const kept = record("brent-kung", one_to(16));
  EXPECT_EQ(
      columns_of(draw::circuit_of(kept.run)),
      (std::vector<std::vector<int>>{
          {1, 3, 5, 7, 9, 11, 13, 15}, {3, 7, 11, 15}, {7, 15}, {15}, {11}, {5, 9, 13}, {2, 4, 6, 8, 10, 12, 14}}));
}

TEST(circuit, a_shifted_load_is_a_row_of_its_own)
{
  recorded const kept = record("hillis-steele-exclusive", one_to(8));
  circuit const all = draw::circuit_of(kept.run);
  EXPECT_EQ(all.rows.at(1).label, "shift");
  EXPECT_EQ(rows_of(all, circuit::kind::moved), std::vector<std::string>{"1 2 3 4 5 6 7"});
  EXPECT_EQ(rows_of(all, circuit::kind::constant), std::vector<std::string>{"0"});
}

TEST(circuit, atomic_additions_are_in_the_column_of_their_bin)
{
  std::vector<int> const in = {3, 1, 3, 0, 3};
  for (char const* name : {"atomic-histogram", "block-histogram"}) {
    SCOPED_TRACE(name);
    recorded const kept = record(name, in);
    draw::circuit const all = draw::circuit_of(kept.run);
    std::vector<int> rows(8);  // of the additions in each column so far
    std::size_t counted = 0;
    for (draw::circuit::arrow const& each : all.arrows) {
      if (each.as != draw::circuit::role::index) continue;
      draw::circuit::node const &element = all.nodes[static_cast<std::size_t>(each.from)],
                                &sum = all.nodes[static_cast<std::size_t>(each.to)];
      int const bin = in[static_cast<std::size_t>(element.column)];
      EXPECT_EQ(sum.column, bin);
      EXPECT_GT(sum.row, rows[static_cast<std::size_t>(bin)]) << "additions to a bin go one after the other";
      rows[static_cast<std::size_t>(bin)] = sum.row;
      ++counted;
    }
    EXPECT_EQ(counted, in.size());
    EXPECT_EQ(all.result, (std::vector<std::string>{"1", "1", "0", "3", "0", "0", "0", "0"}));
  }
}

TEST(circuit, one_thread_goes_step_by_step)
{
  recorded const kept = record("sequential-scan", one_to(8));
  EXPECT_EQ(columns_of(draw::circuit_of(kept.run)), (std::vector<std::vector<int>>{{1}, {2}, {3}, {4}, {5}, {6}, {7}}));
}

}  // namespace
}  // namespace tally::test
