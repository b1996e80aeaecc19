#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "explain/own_operator.hpp"
#include "explained.hpp"
#include "kernels/expression.hpp"
#include "settings/parser.hpp"
#include "textbook/catalogue.hpp"

/// `tally explain --op EXPRESSION`: operators of the reader's own.
namespace tally::test {
namespace {

textbook::own_operator of(std::string const& text)
{
  return cli::operator_of(text);
}

TEST(expression, is_what_it_says)
{
  EXPECT_EQ(of("a*b+1").combine(3, 4), 13);
  EXPECT_EQ(of("a - b").combine(3, 4), -1) << "a is the left operand";
  EXPECT_EQ(of("a < b ? a : b").combine(3, 4), 3);
  EXPECT_EQ(of("max(a, b)").combine(3, 4), 4);
  EXPECT_EQ(of("a % b").combine(-7, 4), -3) << "as in C++";
  EXPECT_EQ(of("a*b % 10").combine(7, 4), 8);
  EXPECT_EQ(of("a^b").combine(2, 10), 1024);
  EXPECT_EQ(of("b").combine(3, 4), 4);
  EXPECT_EQ(of("sqrt(a*a + b*b)").combine(3, 4), 5);
  EXPECT_EQ(of("0.5*a").combine(3, 4), 1.5);
}

TEST(expression, has_its_identity_if_that_is_a_usual_one)
{
  EXPECT_EQ(of("a + b").identity, 0);
  EXPECT_EQ(of("a*b").identity, 1);
  EXPECT_EQ(of("a + b + a*b").identity, 0);
  EXPECT_EQ(of("a + b + 1").identity, -1);
  EXPECT_EQ(of("max(a, b)").identity, -HUGE_VAL);
  EXPECT_EQ(of("min(a, b)").identity, HUGE_VAL);
  EXPECT_EQ(of("a - b").identity, std::nullopt) << "only a - 0 is a";
  EXPECT_EQ(of("a").identity, std::nullopt);
}

TEST(own_operator, laws_that_are_broken_have_the_simplest_example)
{
  std::vector<int> const in = {3, 1, 7, 0};
  cli::own_laws const difference = cli::laws_of(of("a - b"), in);
  ASSERT_EQ(difference.broken.size(), 2u);
  EXPECT_EQ(difference.broken[0].law, "commutativity");
  EXPECT_EQ(difference.broken[0].example, "a op b = 1, b op a = -1 at a = 1, b = 0");
  EXPECT_EQ(difference.broken[1].law, "associativity");
  EXPECT_EQ(difference.broken[1].example, "(a op b) op c = -1, a op (b op c) = 1 at a = 0, b = 0, c = 1");
  EXPECT_FALSE(cli::laws_of(of("a*b + 1"), in).keeps("associativity"));
  EXPECT_TRUE(cli::laws_of(of("a*b + 1"), in).keeps("commutativity"));
  for (char const* kept : {"a + b", "a * b", "max(a, b)", "min(a, b)", "a + b + a*b", "a + b + 1"})
    EXPECT_TRUE(cli::laws_of(of(kept), in).broken.empty()) << kept;
  cli::own_laws const left = cli::laws_of(of("a"), in);
  EXPECT_TRUE(left.keeps("associativity")) << "the left of the left";
  EXPECT_FALSE(left.keeps("commutativity"));
  EXPECT_FALSE(cli::laws_of(of("(a + b)/2"), in).keeps("associativity"));
  EXPECT_TRUE(cli::laws_of(of("a + b"), std::vector<float>{0.1F, 1e-7F, 1e7F}).broken.empty()) << "up to rounding";
  textbook::own_operator wrong = of("a + b");
  wrong.identity = 1;
  EXPECT_FALSE(cli::laws_of(wrong, in).keeps("identity"));
}

TEST(own_operator, large_integers_break_no_law_by_their_rounding)
{
  EXPECT_TRUE(cli::laws_of(of("a*b"), std::vector<int>{2147483647, 2147483646, -2147483647}).broken.empty());
}

TEST(own_operator, a_kernel_runs_with_it_and_is_compared_with_a_loop)
{
  std::string const tree = explained({"tree-reduction", "--input", "10,3,2,1", "--op", "a - b"}).out;
  EXPECT_TRUE(has(tree, "reduction of 4 integers by a - b\n")) << tree;
  EXPECT_TRUE(has(tree, "sums[0] <- op(in[0], in[1])")) << tree;
  EXPECT_TRUE(has(tree, "a - b breaks associativity: (a op b) op c = -1, a op (b op c) = 1 at a = 0, b = 0, c = 1"));
  EXPECT_TRUE(has(tree, "from the left gives 4 in out[0], where this run has 6: ")) << tree;
  std::string const loop = explained({"sequential-reduction", "--input", "10,3,2,1", "--op", "a - b"}).out;
  EXPECT_TRUE(has(loop, " *4\n")) << loop;
  EXPECT_TRUE(has(loop, "gives the same here")) << loop;
}

TEST(own_operator, operands_out_of_order_are_told_from_brackets)
{
  std::string const text = explained({"sequential-addressing-reduction", "--op", "b", "--n", "7"}).out;
  EXPECT_TRUE(has(text, "from the left gives 6 in out[0], where this run has 0: ")) << text;
  EXPECT_TRUE(has(text, "takes operands out of")) << text;
  EXPECT_FALSE(has(text, "breaks associativity"));
  std::string const ordered = explained({"in-order-reduction", "--op", "b"}).out;
  EXPECT_TRUE(has(ordered, "gives the same.\n")) << ordered;
}

TEST(own_operator, floats_may_round_otherwise)
{
  std::string const text = explained({"tree-reduction", "--input", "16777216.0,1,1,1", "--op", "a + b"}).out;
  EXPECT_TRUE(has(text, "a + b: no law broken among ")) << text;
  EXPECT_TRUE(has(text, "which round\notherwise.") || has(text, "which round otherwise.")) << text;
}

TEST(own_operator, of_integers_gives_integers)
{
  EXPECT_TRUE(has(explained({"sequential-scan", "--input", "7,2,2", "--op", "a / b"}).out, "out       *7 *3 *1\n"));
  EXPECT_TRUE(has(explained({"sequential-scan", "--input", "7.0,2,2", "--op", "a / b"}).out, "*3.5 "));
}

/// The built-in operators, written out, give the same of every kernel that takes them.
TEST(own_operator, of_every_kernel_is_the_built_in_one)
{
  for (textbook::kernel_entry const& kernel : textbook::catalogue(textbook::blocks::small)) {
    if (kernel.only) continue;
    for (auto const& [name, text] : {std::pair{"sum", "a + b"}, {"max", "a > b ? a : b"}}) {
      words const base = {std::string(kernel.name), "--n", "11", "--json"};
      words built_in = base, own = base;
      built_in.insert(built_in.end(), {"--op", name});
      own.insert(own.end(), {"--op", text});
      auto const expected = nlohmann::json::parse(explained(built_in).out),
                 got = nlohmann::json::parse(explained(own).out);
      EXPECT_EQ(got["out"], expected["out"]) << kernel.name;
      EXPECT_EQ(got["by_a_loop"], expected["out"]) << kernel.name;
      EXPECT_EQ(got["broken_laws"], nlohmann::json::array()) << kernel.name;
      EXPECT_EQ(got["op"], text);
      EXPECT_FALSE(expected.contains("broken_laws"));
    }
  }
}

TEST(own_operator, of_an_exclusive_scan_needs_an_identity)
{
  outcome const none = explained({"blelloch", "--op", "a - b"});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(has(none.err, "a - b has no identity that is known, and this kernel begins with one")) << none.err;
  std::string const given = explained({"blelloch", "--op", "a - b", "--identity", "0"}).out;
  EXPECT_TRUE(has(given, "a - b breaks identity: ")) << given;
  EXPECT_EQ(explained({"hillis-steele", "--op", "a - b"}).status, 0) << "an inclusive scan needs none";
  std::string const least = explained({"blelloch", "--op", "max(a,b)", "--input", "-5,-7,-3"}).out;
  EXPECT_TRUE(has(least, "*-2147483648          *-5          *-5")) << least;
}

TEST(own_operator, what_is_none_is_said)
{
  struct {
    words arguments;
    char const* message;
  } const all[] = {
      {{"blelloch", "--op", "a + c"},
       "--op 'a + c': Unexpected token \"c\" found at position 4; an operator of your own"},
      {{"blelloch", "--op", "a +"}, "--op 'a +': Unexpected end of expression at position "},
      {{"blelloch", "--op", "(a + b"}, "--op '(a + b': Missing parenthesis"},
      {{"blelloch", "--op", ""}, "--op '': Expression is empty; an operator"},
      {{"blelloch", "--op", "1 + 2"}, "--op '1 + 2' has neither a nor b in it"},
      {{"blelloch", "--op", "a, b"}, "--op 'a, b' has more than one result"},
      {{"blelloch", "--op", "a = b"}, "--op 'a = b' assigns; to compare write =="},
      {{"blelloch", "--op", "summ"}, "--op: there is no 'summ' (did you mean 'sum'?)"},
      {{"blelloch", "--op", "max", "--identity", "0"}, "--identity belongs to an operator of your own"},
      {{"blelloch", "--op", "a+b", "--identity", "none"}, "--identity"},
      {{"blelloch", "--op", "a+b", "--identity", "0.5"}, "the identity 0.5 is no integer of four bytes"},
      {{"tournament", "--op", "a + b"}, "tournament is by max alone"},
      {{"hillis-steele", "--op", "a*b", "--input", "100000,100000"},
       "a*b is 1e+10 for a = 100000 and b = 100000, and that is no integer of four bytes; give decimals"},
      {{"hillis-steele", "--op", "a/b", "--input", "1,0"}, "a/b is inf for a = 1 and b = 0"},
  };
  for (auto const& each : all) {
    outcome const result = explained(each.arguments);
    EXPECT_EQ(result.status, 2) << each.message;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(has(result.err, each.message)) << result.err;
  }
}

}  // namespace
}  // namespace tally::test
