// Texts, trees, recurrences, filters, polynomials, integrals, distributions.
#include <array>
#include <string_view>
#include <utility>

#include "soak/application.hpp"
#include "tally/algorithms/distribution.hpp"
#include "tally/algorithms/integrate.hpp"
#include "tally/algorithms/lexer.hpp"
#include "tally/algorithms/linear_sequence.hpp"
#include "tally/algorithms/polynomial.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/algorithms/recursive_filter.hpp"
#include "tally/algorithms/tree.hpp"

namespace tally::soak {

namespace {

/// The tokens of a text, by a loop over its bytes.
template <class Language>
std::vector<token> tokens_of(std::string_view text)
{
  std::vector<token> tokens;
  int state = 0;
  std::size_t begin = 0;
  auto const finish = [&](std::size_t end) {
    if (Language::kind(state) != outside_tokens)
      tokens.emplace_back(begin, end, static_cast<std::uint8_t>(Language::kind(state)));
  };
  for (std::size_t k = 0; k < text.size(); ++k) {
    auto const [to, begins] = Language::step(state, static_cast<unsigned char>(text[k]));
    if (begins || Language::kind(to) == outside_tokens) finish(k);
    if (begins) begin = k;
    state = to;
  }
  finish(text.size());
  return tokens;
}

template <class Language>
outcome lexed(cpu on, automaton const& language, std::string_view text)
{
  std::vector<token> const right = tokens_of<Language>(text);
  token_list const got = tally::lex(on, language, text);
  if (got.size() != right.size())
    return {std::to_string(got.size()) + " tokens, expected " + std::to_string(right.size()), ""};
  for (std::size_t k = 0; k < right.size(); ++k)
    if (!(got[k] == right[k])) return {"token " + std::to_string(k) + " is wrong", ""};
  if (tally::count_tokens(on, language, text) != right.size()) return {"the count of tokens is wrong", ""};
  return {};
}

}  // namespace

outcome lexer_try(choices& of)
{
  bool const json = of.word("language", {"json", "c"}) == "json";
  application const with(of, 1, std::size_t{1} << 22);
  // Pieces of text, selected by seed and shape. Some leave a string or a comment open.
  constexpr std::array<std::string_view, 20> words{"{\"key\": [1, -2.5e+10, true]}, ",
                                                   "\"",
                                                   "\\",
                                                   "\\\"",
                                                   "/*",
                                                   "*/",
                                                   "//",
                                                   "\n",
                                                   " ",
                                                   "        ",
                                                   "identifier",
                                                   "0x1F",
                                                   "1e",
                                                   "'a'",
                                                   "<<=",
                                                   "->*",
                                                   "\"a \\u00e9 string\"",
                                                   "null",
                                                   "@#",
                                                   "..."};
  std::string text;
  text.reserve(with.n + 64);
  for (std::size_t k = 0; text.size() < with.n; ++k) text += words[with.value(k) % words.size()];
  text.resize(with.n);
  return json ? lexed<json_language>(with.on, json_automaton(), text) : lexed<c_language>(with.on, c_automaton(), text);
}

outcome tree_try(choices& of)
{
  std::string const form = of.word("form", {"path", "star", "binary", "random", "deep", "comb"});
  bool const renamed = of.word("names", {"in_order", "shuffled"}) == "shuffled";
  application const with(of, 4, std::size_t{1} << 20);
  std::size_t const n = std::max<std::size_t>(1, with.n);
  std::vector<std::uint32_t> names(n), parents(n), of_node(n);
  for (std::size_t v = 0; v < n; ++v) names[v] = static_cast<std::uint32_t>(v);
  if (renamed)
    for (std::size_t v = n; v-- > 1;) std::swap(names[v], names[hashed(with.seed, v) % (v + 1)]);
  for (std::size_t v = 1; v < n; ++v) {
    std::uint32_t const h = hashed(with.seed ^ 77, v);
    std::size_t const parent = form == "path"     ? v - 1
                               : form == "star"   ? 0
                               : form == "binary" ? (v - 1) / 2
                               : form == "random" ? h % v
                               : form == "deep"   ? v - 1 - h % std::min<std::size_t>(v, 3)
                               : v % 2 == 1       ? v - 1
                                                  : v - 2;
    parents[names[v]] = names[parent];
  }
  parents[names[0]] = names[0];
  tree const got(with.on, parents);

  // Children in ascending order, by a walk.
  std::vector<std::uint32_t> first(n + 1), children(n), next;
  for (std::size_t v = 0; v < n; ++v)
    if (parents[v] != v) ++first[parents[v] + 1];
  for (std::size_t v = 0; v < n; ++v) first[v + 1] += first[v];
  next.assign(first.begin(), first.end() - 1);
  for (std::size_t v = 0; v < n; ++v)
    if (parents[v] != v) children[next[parents[v]]++] = static_cast<std::uint32_t>(v);
  next.assign(first.begin(), first.end() - 1);
  std::vector<std::uint32_t> depth(n), pre(n), post(n), size(n, 1), in_preorder;
  std::uint32_t done = 0;
  std::vector<std::uint32_t> stack{names[0]};
  in_preorder.push_back(names[0]);
  while (!stack.empty()) {
    std::uint32_t const v = stack.back();
    if (next[v] < first[v + 1]) {
      std::uint32_t const child = children[next[v]++];
      pre[child] = static_cast<std::uint32_t>(in_preorder.size());
      depth[child] = static_cast<std::uint32_t>(stack.size());
      in_preorder.push_back(child);
      stack.push_back(child);
    } else {
      stack.pop_back();
      post[v] = done++;
      if (!stack.empty()) size[stack.back()] += size[v];
    }
  }
  if (got.root() != names[0]) return {"the root is wrong", ""};
  for (std::size_t v = 0; v < n; ++v)
    if (got.depth(v) != depth[v] || got.preorder(v) != pre[v] || got.postorder(v) != post[v] ||
        got.subtree_size(v) != size[v] || got.in_preorder()[v] != in_preorder[v])
      return {"the numbers of node " + std::to_string(v) + " are wrong", ""};
  auto const* const values = with.random<std::uint64_t>(0, n);
  auto* const sums = with.room<std::uint64_t>(1, n);
  auto* const end = tally::subtree_sums(with.on, got, values, sums);
  std::vector<std::uint64_t> right(values, values + n);
  for (std::size_t k = n; k-- > 1;) right[parents[in_preorder[k]]] += right[in_preorder[k]];
  return first_wrong(compared("sums", 1, sums, static_cast<std::size_t>(end - sums), right));
}

outcome recurrence_try(choices& of)
{
  std::string const form = of.word("form", {"forward", "backward", "modulo"});
  std::string const place = of.word("place", {"another", "a", "b"});
  application const with(of, 4, std::size_t{1} << 23);
  std::size_t const n = with.n;
  if (form == "modulo") {
    std::uint64_t const modulus = 1 + (with.seed | 1u);
    std::array<std::uint64_t, 2> const coefficients{hashed(with.seed, 1), hashed(with.seed, 2)},
        terms{hashed(with.seed, 3), hashed(with.seed, 4)};
    auto* const out = with.room<std::uint64_t>(1, n);
    auto* const end = tally::linear_sequence_modulo(with.on, coefficients, terms, modulus, n, out);
    std::vector<std::uint64_t> right(n);
    for (std::size_t k = 0; k < n; ++k)
      right[k] = k < 2 ? terms[k] % modulus
                       : (coefficients[0] % modulus * right[k - 1] % modulus +
                          coefficients[1] % modulus * right[k - 2] % modulus) %
                             modulus;
    return first_wrong(compared("terms", 1, out, static_cast<std::size_t>(end - out), right));
  }
  auto* const a = with.values<std::uint32_t>(0);
  auto* const b = with.random<std::uint32_t>(1, n);
  int const memory = place == "a" ? 0 : place == "b" ? 1 : 2;
  auto* const out = place == "a" ? a : place == "b" ? b : with.room<std::uint32_t>(2, n);
  std::vector<std::uint32_t> right(n);
  std::uint32_t y = with.seed;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t const at = form == "forward" ? k : n - 1 - k;
    right[at] = y = a[at] * y + b[at];
  }
  auto* const end = form == "forward" ? tally::linear_recurrence(with.on, a, a + n, b, out, with.seed)
                                      : tally::linear_recurrence_backward(with.on, a, a + n, b, out, with.seed);
  return first_wrong(compared("out", memory, out, static_cast<std::size_t>(end - out), right));
}

namespace {

template <std::size_t Order>
outcome filtered(choices& of)
{
  bool const in_place = of.word("place", {"another", "same"}) == "same";
  application const with(of, 4, std::size_t{1} << 23);
  std::size_t const n = with.n;
  auto* const in = with.random<std::uint32_t>(0, n);
  std::array<std::uint32_t, Order> feedback, before, last;
  for (std::size_t j = 0; j < Order; ++j) {
    feedback[j] = hashed(with.seed, j);
    before[j] = last[j] = hashed(with.seed, j + 9);
  }
  std::vector<std::uint32_t> right(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::uint32_t y = in[k];
    for (std::size_t j = 0; j < Order; ++j) y += feedback[j] * last[j];
    for (std::size_t j = Order - 1; j > 0; --j) last[j] = last[j - 1];
    right[k] = last[0] = y;
  }
  auto* const out = in_place ? in : with.room<std::uint32_t>(1, n);
  auto* const end = tally::recursive_filter(with.on, feedback, in, in + n, out, before);
  return first_wrong(compared("out", in_place ? 0 : 1, out, static_cast<std::size_t>(end - out), right));
}

}  // namespace

outcome recursive_filter_try(choices& of)
{
  auto const order = of.number("order", 1, 3);
  return order == 1 ? filtered<1>(of) : order == 2 ? filtered<2>(of) : filtered<3>(of);
}

outcome polynomial_try(choices& of)
{
  std::string const form = of.word("form", {"value", "values", "powers"});
  application const with(of, 4, form == "values" ? std::size_t{1} << 12 : std::size_t{1} << 23);
  std::size_t const n = with.n;
  std::uint32_t const x = with.seed | 1;
  if (form == "powers") {
    auto* const out = with.room<std::uint32_t>(1, n);
    auto* const end = tally::powers(with.on, x, n, out);
    std::vector<std::uint32_t> right(n);
    std::uint32_t power = 1;
    for (std::size_t k = 0; k < n; ++k, power *= x) right[k] = power;
    return first_wrong(compared("powers", 1, out, static_cast<std::size_t>(end - out), right));
  }
  auto const* const c = with.values<std::uint32_t>(0);
  auto const value = [&](std::uint32_t at) {
    std::uint32_t y = 0;
    for (std::size_t k = n; k-- > 0;) y = y * at + c[k];
    return y;
  };
  if (form == "value") {
    std::uint32_t const got = tally::polynomial_value(with.on, c, c + n, x), right = value(x);
    return got == right ? outcome{}
                        : outcome{"the value is " + std::to_string(got) + ", expected " + std::to_string(right), ""};
  }
  auto const points = static_cast<std::size_t>(of.number("points", 0, 1000));
  auto const* const at = with.random<std::uint32_t>(2, points);
  auto* const out = with.room<std::uint32_t>(1, points);
  auto* const end = tally::polynomial_values(with.on, c, c + n, at, at + points, out);
  std::vector<std::uint32_t> right(points);
  for (std::size_t p = 0; p < points; ++p) right[p] = value(at[p]);
  return first_wrong(compared("values", 1, out, static_cast<std::size_t>(end - out), right));
}

/// Functions whose values are whole numbers, over intervals of width 1, so that no operation rounds.
outcome integrate_try(choices& of)
{
  std::string const form = of.word("form", {"midpoint", "trapezoidal", "cumulative", "samples"});
  application const with(of, 8, std::size_t{1} << 23);
  std::size_t const n = std::max<std::size_t>(1, with.n);
  std::uint32_t const seed = with.seed;
  auto const f = [seed](double x) { return static_cast<double>(hashed(seed, static_cast<std::size_t>(x)) % 1000); };
  auto const b = static_cast<double>(n);
  std::vector<double> areas(n);
  double right = 0;
  for (std::size_t k = 0; k < n; ++k) {
    auto const x = static_cast<double>(k);
    right += form == "midpoint" ? f(x) : (f(x) + f(x + 1)) / 2;
    areas[k] = right;
  }
  if (form == "cumulative") {
    double* const out = with.room<double>(1, n);
    double* const end = tally::cumulative_integral(with.on, f, 0.0, b, n, out);
    return first_wrong(compared("areas", 1, out, static_cast<std::size_t>(end - out), areas));
  }
  double got = 0;
  if (form == "samples") {
    double* const samples = with.room<double>(1, n + 1);
    for (std::size_t k = 0; k <= n; ++k) samples[k] = f(static_cast<double>(k));
    got = tally::integrate_samples(with.on, samples, samples + n + 1, 1.0, trapezoidal{});
  } else {
    got = form == "midpoint" ? tally::integrate(with.on, f, 0.0, b, n, midpoint{})
                             : tally::integrate(with.on, f, 0.0, b, n, trapezoidal{});
  }
  return got == right ? outcome{}
                      : outcome{"the integral is " + std::to_string(got) + ", expected " + std::to_string(right), ""};
}

outcome distribution_try(choices& of)
{
  application const with(of, 4, std::size_t{1} << 23);
  std::size_t const n = with.n;
  auto* const data = with.values<std::uint32_t>(0);
  std::sort(data, data + n);
  using step = distribution_step<std::uint32_t>;
  std::vector<step> right;
  for (std::size_t k = 0; k < n; ++k) {
    if (k == 0 || data[k] != data[k - 1]) right.push_back({data[k], 0});
    right.back().count = k + 1;
  }
  step* const out = with.room<step>(1, n);
  step* const end = tally::empirical_distribution(with.on, data, data + n, out);
  return first_wrong(compared("steps", 1, out, static_cast<std::size_t>(end - out), right));
}

}  // namespace tally::soak
