// Paths of the lexer and of trees.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "paths.hpp"
#include "tally/algorithms/lexer.hpp"
#include "tally/algorithms/tree.hpp"

namespace tally::test {

namespace {

/// A quote opens and closes. No byte leads from inside and from outside of quotes to the same state.
struct quotes {
  enum state : int { outside, quoted, closing, states };
  static constexpr int kind(int s) { return s == outside ? outside_tokens : s; }
  static constexpr lexer_step step(int s, unsigned char c)
  {
    if (c == '"') return s == quoted ? lexer_step{closing, false} : lexer_step{quoted, true};
    return s == quoted ? lexer_step{quoted, false} : lexer_step{outside, false};
  }
};
/// Counts its bytes modulo 8: runs from two states never meet, and each eighth byte begins a token.
struct counter {
  static constexpr int states = 8;
  static constexpr int kind(int s) { return s == 0 ? outside_tokens : s; }
  static constexpr lexer_step step(int s, unsigned char c)
  {
    int const to = (s + (c == 'a' ? 1 : 3)) % 8;
    return {to, to != 0 && (s == 0 || to < s)};
  }
};

/// The tokens by the language itself, byte by byte, and not by its tables.
template <class Language>
std::vector<token> tokens_of(std::string const& text)
{
  std::vector<token> all;
  int state = 0;
  std::uint64_t begin = 0;
  auto const in_token = [](int s) { return static_cast<int>(Language::kind(s)) != outside_tokens; };
  auto const end = [&](std::size_t at) {
    if (in_token(state)) all.emplace_back(begin, at, static_cast<std::uint8_t>(Language::kind(state)));
  };
  for (std::size_t k = 0; k < text.size(); ++k) {
    lexer_step const to = Language::step(state, static_cast<unsigned char>(text[k]));
    if (to.begins || !in_token(to.state)) end(k);
    if (to.begins) begin = k;
    state = to.state;
  }
  end(text.size());
  return all;
}

template <class Language>
void lex_one(std::string const& text)
{
  static automaton const tables{Language{}};
  auto const expected = tokens_of<Language>(text);
  on_one_and_three([&](cpu on) {
    ASSERT_EQ(tally::count_tokens(on, tables, text), expected.size()) << text.size();
    auto const own = tally::lex(on, tables, text);
    ASSERT_TRUE(std::equal(own.begin(), own.end(), expected.begin(), expected.end()))
        << text.size() << " on " << on.threads;
  });
}

std::string random_text(std::string const& alphabet, std::size_t n, std::uint64_t seed)
{
  std::string text(n, ' ');
  for (std::size_t k = 0; k < n; ++k) text[k] = alphabet[random_bits(seed, k) % alphabet.size()];
  return text;
}

void texts()
{
  // Around vectors of states, rounds of steps, pieces, and the pieces that a thread takes together.
  std::string const json = random_text("{}[],:\"\\u0e+-.truefalsn \n", 99'000, 41);
  std::string const c = random_text("'\"\\/*\n xe.+-<>=&|:0", 99'000, 42);
  std::string const no_line_ends = random_text("\"aaaa, ", 99'000, 43);
  for (std::size_t const n : every_size(140, {512, 1024, 8192, 16'384, 24'576, 32'768, 65'536, 98'304}, 3)) {
    lex_one<json_language>(json.substr(n % 600, n));
    lex_one<c_language>(c.substr(n % 600, n));
    lex_one<quotes>(no_line_ends.substr(n % 600, n));
  }
  // A token a byte, one token that never ends, none, and texts that end in a token or behind it.
  for (std::size_t const n : every_size(70, {1024, 8192, 32'768}, 1))
    for (char const each : {',', 'a', ' ', '"'}) lex_one<json_language>(std::string(n, each));
  std::string const apart = random_text("ab", 70'000, 44);
  for (std::size_t const n : every_size(70, {1024, 8192, 32'768, 65'536}, 2)) lex_one<counter>(apart.substr(0, n));
}

using nodes = std::vector<std::uint32_t>;

struct walked {
  nodes depth, size, preorder, in_preorder;
};

walked walk(nodes const& parents)
{
  std::size_t const n = parents.size();
  std::vector<nodes> children(n);
  std::uint32_t root = 0;
  for (std::uint32_t v = 0; v < n; ++v)
    if (parents[v] == v)
      root = v;
    else
      children[parents[v]].push_back(v);
  walked all{nodes(n), nodes(n, 1), nodes(n), {}};
  nodes waiting{root};
  while (!waiting.empty()) {
    std::uint32_t const v = waiting.back();
    waiting.pop_back();
    all.preorder[v] = static_cast<std::uint32_t>(all.in_preorder.size());
    all.depth[v] = v == root ? 0 : all.depth[parents[v]] + 1;
    all.in_preorder.push_back(v);
    waiting.insert(waiting.end(), children[v].rbegin(), children[v].rend());
  }
  for (std::size_t k = n; k-- > 1;) all.size[parents[all.in_preorder[k]]] += all.size[all.in_preorder[k]];
  return all;
}

/// A tree whose parents come first: each is one of the `near` nodes before it.
nodes parents_of(std::size_t n, std::size_t near, std::uint64_t seed)
{
  nodes parents(n);
  for (std::size_t v = 1; v < n; ++v)
    parents[v] = static_cast<std::uint32_t>(v - 1 - random_bits(seed, v) % std::min(v, near));
  return parents;
}
nodes renamed(nodes const& parents, unsigned seed)
{
  nodes names(parents.size()), all(parents.size());
  std::iota(names.begin(), names.end(), 0u);
  std::shuffle(names.begin(), names.end(), std::mt19937(seed));
  for (std::size_t v = 0; v < parents.size(); ++v) all[names[v]] = names[parents[v]];
  return all;
}

void tree_one(nodes const& parents)
{
  std::size_t const n = parents.size();
  walked const expected = walk(parents);
  std::vector<std::uint64_t> values = random_values<std::uint64_t>(n, 45), sums = values, own(n + 1, 7);
  for (std::size_t k = n; k-- > 1;) sums[parents[expected.in_preorder[k]]] += sums[expected.in_preorder[k]];
  on_one_and_sometimes_three(n, [&](cpu on) {
    tally::tree const tree(on, parents);
    ASSERT_EQ(tree.root(), expected.in_preorder[0]);
    ASSERT_TRUE(std::ranges::equal(tree.in_preorder(), expected.in_preorder)) << n << " on " << on.threads;
    for (std::size_t v = 0; v < n; ++v)
      ASSERT_TRUE(tree.depth(v) == expected.depth[v] && tree.subtree_size(v) == expected.size[v] &&
                  tree.preorder(v) == expected.preorder[v])
          << n << " on " << on.threads << ", node " << v;
    tally::subtree_sums(on, tree, values.begin(), own.begin());
    ASSERT_TRUE(std::equal(sums.begin(), sums.end(), own.begin()) && own.back() == 7) << n;
    // Ancestors of all pairs in small trees, of some in others.
    tally::lowest_common_ancestors const lowest(on, tree, parents);
    std::size_t const pairs = n <= 40 ? n * n : 200;
    for (std::size_t p = 0; p < pairs; ++p) {
      std::size_t const a = n <= 40 ? p / n : random_bits(46, p) % n, b = n <= 40 ? p % n : random_bits(47, p) % n;
      std::uint32_t x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
      while (x != y)
        if (expected.depth[x] < expected.depth[y])
          y = parents[y];
        else
          x = parents[x];
      ASSERT_EQ(lowest(a, b), x) << n << ": of " << a << " and " << b;
    }
  });
}

void trees()
{
  auto& sizes = detail::tree::tuning_in_use;
  detail::tree::tuning const before = sizes;
  for (int const worth_a_tour : {1, 100}) {
    sizes.threads_worth_a_tour = worth_a_tour;
    // Around sections, ranges of parents, and the size from which ranges are larger, since there may not be more of
    // them.
    for (std::size_t const n : every_size(70, {100, 128, 256, 512, 1024, 1280, 2048, 3072, 20'480}, 1)) {
      if (n == 0) continue;
      if (n > 4000 && n % 4096 != 0) continue;
      for (std::size_t const near : {std::size_t{1}, std::size_t{3}, n}) {
        nodes const parents = parents_of(n, near, n);
        tree_one(parents);
        tree_one(renamed(parents, static_cast<unsigned>(n)));
      }
    }
  }
  // Around the blocks in which parents are checked.
  for (std::size_t const n : {16'383, 16'384, 16'385, 32'769}) tree_one(renamed(parents_of(n, 5, n), 1));
  sizes = before;
}

}  // namespace

TEST(paths_of_applications, texts)
{
  texts();
}

TEST(paths_of_applications, trees)
{
  trees();
}

}  // namespace tally::test
