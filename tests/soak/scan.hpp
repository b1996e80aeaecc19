#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "soak/documented_order.hpp"
#include "soak/elements.hpp"
#include "soak/family.hpp"
#include "soak/loops.hpp"
#include "soak/memory.hpp"
#include "soak/settings.hpp"
#include "support/iterators.hpp"
#include "tally/reduce.hpp"
#include "tally/running.hpp"
#include "tally/scan.hpp"

/// Tries of scans, reductions and `running` over one element type and operator, against a plain loop.
namespace tally::soak {

template <class T, class Op, class Values>
class plain_loop;

/// A type, an operator, inputs that suit them, and the check of their results.
template <class T, class Op, class Values, class Expected = plain_loop<T, Op, Values>>
struct combination {
  char const* type;  ///< as a program has it
  char const* op;
  using element = T;
  using operation = Op;
  using values = Values;
  using expected = Expected;
};

/// Whether calls with iterators and transformations are compiled. Of the operators with compiled kernels, these are a
/// sum and an extreme of each type.
template <class Op, class T>
inline constexpr bool in_every_form =
    !cpu_backend::has_kernels<Op, T> || std::is_same_v<Op, plus> || std::is_same_v<Op, maximum>;

/// The loop: results in the type in which they are combined, which for half and bfloat16 is float.
template <class T, class Op, class Values>
class plain_loop {
public:
  using accumulator = working_type<T>;

  plain_loop(Values const& values, std::optional<T> const& init) : values_(values)
  {
    if (init) sum_ = static_cast<accumulator>(*init);
    some_ = init.has_value();
  }
  /// Takes element k. A result before it exists if there was an element or an initial value.
  void take(std::size_t k)
  {
    auto const x = static_cast<accumulator>(values_(k));
    before_ = sum_;
    sum_ = some_ ? op_(sum_, x) : x;
    some_ = true;
  }
  T inclusive() const { return static_cast<T>(sum_); }
  T exclusive() const { return static_cast<T>(before_); }

private:
  Values values_;
  loop<Op> op_;
  accumulator sum_{}, before_{};
  bool some_ = false;
};

template <class T>
bool equal(T const& a, T const& b)
{
  if constexpr (is_float<T>)
    return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
  else
    return a == b;
}

/// The differences of an output, for a message.
class differences {
public:
  template <class T>
  void add(std::size_t k, T const& got, T const& expected)
  {
    if (count_++ == 0) first_ = "out[" + std::to_string(k) + "] is " + shown(got) + ", expected " + shown(expected);
    last_ = k;
  }
  std::string text(std::size_t n) const
  {
    if (count_ == 0) return {};
    return first_ + "; " + std::to_string(count_) + " of " + std::to_string(n) + " are wrong, the last of them at " +
           std::to_string(last_);
  }
  bool none() const { return count_ == 0; }

private:
  std::size_t count_ = 0, last_ = 0;
  std::string first_;
};

/// Input k of a transformation: its index.
template <class T, class Values>
struct value_of_index {
  Values values;
  T operator()(std::uint32_t k) const { return values(k); }
};
template <class T, class Values>
struct value_of_two {
  Values values;
  T operator()(std::uint32_t k, std::uint32_t zero) const { return values(k + zero); }
};

/// The parts of the call as they are written in a program.
inline std::string program_of(std::string const& type, char const* element, std::uint32_t seed, std::size_t n,
                              std::size_t in_phase, std::size_t out_phase, std::string const& tuning,
                              std::string const& op, std::string const& form, std::string const& on, bool in_place)
{
  std::string hash = hashed_text;
  hash.replace(hash.find("SEED"), 4, std::to_string(seed));
  std::string const first = form.find("exclusive") != std::string::npos || form.find("init") != std::string::npos
                                ? "T a = init; "
                                : "T a{}; ";
  bool const with_init = form.find("init") != std::string::npos || form.find("exclusive") != std::string::npos;
  std::string const call =
      form == "exclusive" ? "tally::exclusive_scan(" + on + "x, x + n, y, init, op); "
                          : "tally::inclusive_scan(" + on + "x, x + n, y, op" + (with_init ? ", init" : "") + "); ";
  std::string const step = std::string(with_init ? "" : "k == 0 ? e(k) : ");
  std::string const body =
      "int main() { using T = " + type + "; std::size_t n = " + std::to_string(n) + "; " + hash +
      "auto e = [&](std::size_t k) { return " + element + "; }; auto op = tally::" + op + "{}; T init = e(n); " +
      tuning +
      "std::vector<T> u(n + 256), v(n + 256); auto line = [](T* p) { return (T*)(((std::size_t)p + 63) / 64 * 64); }; "
      "T *y = line(v.data()) + " +
      std::to_string(out_phase) + ", *x = " + (in_place ? "y" : "line(u.data()) + " + std::to_string(in_phase)) +
      "; for (std::size_t k = 0; k < n; ++k) x[k] = e(k); " + call + first +
      "for (std::size_t k = 0; k < n; ++k) { T b = a; a = " + step + "op(a, e(k)); if (" +
      (form == "exclusive" ? "b" : "a") + " != y[k]) return std::printf(\"out[%zu] is wrong\\n\", k), 1; " +
      (form == "exclusive" ? "" : "(void)b; ") + "} }";
  return "  echo '" + body +
         "' | g++ -std=c++20 -O2 -Iinclude -include tally/tally.hpp -include tally/detail/cpu/tuning.hpp -include "
         "cstdio "
         "-include cmath -include vector -x c++ - -x none "
         "build/src/cpu/libtally_cpp.a $(pkg-config --libs tbb libhwy) -o fault && ./fault";
}

template <class Combination>
outcome scan_try(choices& of, Combination const& with)
{
  using T = typename Combination::element;
  using Op = typename Combination::operation;
  using Values = typename Combination::values;
  constexpr bool compiled = cpu_backend::has_kernels<Op, T>;
  constexpr bool everywhere = in_every_form<Op, T>;
  std::size_t const n = of.size(sizeof(T), std::size_t{1} << 26);
  std::string const form =
      everywhere ? of.word("form", {"inclusive", "inclusive", "inclusive_init", "exclusive", "exclusive",
                                    "transform_inclusive", "transform_inclusive_init", "transform_exclusive"})
                 : of.word("form", {"inclusive", "inclusive_init", "exclusive"});
  bool const transforms = form.starts_with("transform");
  // The compiled kernels take contiguous memory; elements of other iterators are gathered.
  std::string const through = transforms    ? "indices"
                              : !everywhere ? "pointers"
                                            : of.word("through", {"pointers", "pointers", "pointers", "iterators"});
  bool const plain = of.word("on", {"plain", "cpu", "cpu", "cpu"}) == "plain";
  cpu const on = plain ? cpu{} : choose_threads(of);
  bool const in_place = !transforms && of.word("place", {"another", "another", "same"}) == "same";
  std::size_t const lanes = 64 / sizeof(T) > 0 ? 64 / sizeof(T) : 1;
  auto const in_phase = static_cast<std::size_t>(of.number("in", 0, lanes - 1));
  auto const out_phase = static_cast<std::size_t>(of.number("out", 0, lanes - 1));
  bool const in_at_end = of.word("in_end", {"no", "no", "no", "yes"}) == "yes";
  bool const out_at_end = of.word("out_end", {"no", "no", "no", "yes"}) == "yes";
  auto const seed = static_cast<std::uint32_t>(of.number("values", 0, 0xffffffff));
  std::string const tuning = choose_tuning(of);

  Values const values{{seed, n}};
  T const init = values(n);
  bool const with_init = form.find("init") != std::string::npos || form.find("exclusive") != std::string::npos;
  region& out_memory = region_of(0);
  T* const out = out_memory.of<T>(n, out_phase, out_at_end);
  region& in_memory = region_of(1);
  Op op{};
  std::size_t written = 0;
  auto const scan = [&](auto const& where, auto first, auto result) {
    auto const last = first + static_cast<std::ptrdiff_t>(n);
    auto const end = form == "inclusive"        ? tally::inclusive_scan(where, first, last, result, op)
                     : form == "inclusive_init" ? tally::inclusive_scan(where, first, last, result, op, init)
                                                : tally::exclusive_scan(where, first, last, result, init, op);
    written = static_cast<std::size_t>(end - result);
  };
  T* in = out;
  if (transforms) {
    if constexpr (everywhere) {
      auto* const indices = in_memory.of<std::uint32_t>(n, in_phase % 16, in_at_end);
      std::iota(indices, indices + n, 0u);
      value_of_index<T, Values> const value{values};
      T* const end = form == "transform_inclusive"
                         ? tally::transform_inclusive_scan(on, indices, indices + n, out, op, value)
                     : form == "transform_inclusive_init"
                         ? tally::transform_inclusive_scan(on, indices, indices + n, out, op, value, init)
                         : tally::transform_exclusive_scan(on, indices, indices + n, out, init, op, value);
      written = static_cast<std::size_t>(end - out);
      for (std::size_t k = 0; k < n; ++k)
        if (indices[k] != k) return {"the input was changed at " + std::to_string(k), ""};
    }
  } else {
    if (!in_place) in = in_memory.of<T>(n, in_phase, in_at_end);
    for (std::size_t k = 0; k < n; ++k) in[k] = values(k);
    if (through == "iterators") {
      if constexpr (everywhere) scan(on, test::random_access_iterator<T>(in), test::random_access_iterator<T>(out));
    } else if (plain)
      scan(detail::automatic{}, static_cast<T const*>(in), out);
    else
      scan(on, static_cast<T const*>(in), out);
  }

  outcome result;
  bool const exclusive = form.ends_with("exclusive");
  typename Combination::expected expected(values, with_init ? std::optional<T>(init) : std::nullopt);
  differences wrong;
  for (std::size_t k = 0; k < n; ++k) {
    expected.take(k);
    T const right = exclusive ? expected.exclusive() : expected.inclusive();
    if (!equal(out[k], right)) [[unlikely]]
      wrong.add(k, out[k], right);
  }
  result.wrong = wrong.text(n);
  if (result.wrong.empty() && written != n)
    result.wrong = "the end of " + std::to_string(written) + " results, expected " + std::to_string(n);
  if (result.wrong.empty()) result.wrong = out_memory.beside(n * sizeof(T)).value_or("");
  if (seed % 8 == 0 && result.wrong.empty() && !in_place && !transforms)
    for (std::size_t k = 0; k < n; ++k)
      if (!equal(in[k], values(k))) return {"the input was changed at " + std::to_string(k), ""};
  if constexpr (compiled) {
    if (!result.wrong.empty() && Values::text != nullptr && !transforms && through == "pointers" && !in_at_end &&
        !out_at_end)
      result.program = program_of(with.type, Values::text, seed, n, in_phase, out_phase, tuning, with.op, form,
                                  plain ? "" : "tally::cpu{.threads = " + std::to_string(on.threads) + "}, ", in_place);
  }
  return result;
}

template <class Combination>
outcome reduce_try(choices& of, Combination const&)
{
  using T = typename Combination::element;
  using Op = typename Combination::operation;
  using Values = typename Combination::values;
  std::size_t const n = of.size(sizeof(T), std::size_t{1} << 26);
  constexpr bool everywhere = in_every_form<Op, T>;
  std::string const form =
      everywhere ? of.word("form", {"reduce", "reduce", "reduce", "iterators", "transform", "transform_two"})
                 : "reduce";
  cpu const on = choose_threads(of);
  std::size_t const lanes = 64 / sizeof(T) > 0 ? 64 / sizeof(T) : 1;
  auto const in_phase = static_cast<std::size_t>(of.number("in", 0, lanes - 1));
  bool const in_at_end = of.word("in_end", {"no", "no", "no", "yes"}) == "yes";
  auto const seed = static_cast<std::uint32_t>(of.number("values", 0, 0xffffffff));
  choose_tuning(of);

  Values const values{{seed, n}};
  T const init = values(n);
  Op op{};
  region& memory = region_of(1);
  T got = init;
  if (form.starts_with("transform")) {
    if constexpr (everywhere) {
      auto* const indices = memory.of<std::uint32_t>(n, in_phase % 16, in_at_end);
      std::iota(indices, indices + n, 0u);
      if (form == "transform") {
        got = tally::transform_reduce(on, indices, indices + n, init, op, value_of_index<T, Values>{values});
      } else {
        auto* const zeros = region_of(2).of<std::uint32_t>(n, in_phase / 2 % 16, in_at_end);
        std::fill(zeros, zeros + n, 0u);
        got = tally::transform_reduce(on, indices, indices + n, zeros, init, op, value_of_two<T, Values>{values});
      }
    }
  } else {
    T* const in = memory.of<T>(n, in_phase, in_at_end);
    for (std::size_t k = 0; k < n; ++k) in[k] = values(k);
    if (form == "iterators") {
      using iterator = test::random_access_iterator<T>;
      if constexpr (everywhere) got = tally::reduce(on, iterator(in), iterator(in + n), init, op);
    } else
      got = tally::reduce(on, in, in + n, init, op);
  }
  typename Combination::expected expected(values, init);
  for (std::size_t k = 0; k < n; ++k) expected.take(k);
  if (equal(got, expected.inclusive())) return {};
  return {"the result is " + shown(got) + ", expected " + shown(expected.inclusive()), ""};
}

/// A sequence that arrives in pieces, each of which is reduced or scanned.
template <class Combination>
outcome running_try(choices& of, Combination const&)
{
  using T = typename Combination::element;
  using Op = typename Combination::operation;
  using Values = typename Combination::values;
  std::size_t const n = of.size(sizeof(T), std::size_t{1} << 24);
  bool const with_init = of.word("init", {"no", "yes"}) == "yes";
  cpu const on = choose_threads(of);
  bool const in_place = of.word("place", {"another", "another", "same"}) == "same";
  std::string const pieces = of.word("pieces", {"one", "few", "few", "some", "tiles", "beside_tiles"});
  std::string const ways = of.word("ways", {"inclusive", "mixed", "mixed"});
  std::size_t const lanes = 64 / sizeof(T) > 0 ? 64 / sizeof(T) : 1;
  auto const in_phase = static_cast<std::size_t>(of.number("in", 0, lanes - 1));
  auto const out_phase = static_cast<std::size_t>(of.number("out", 0, lanes - 1));
  auto const seed = static_cast<std::uint32_t>(of.number("values", 0, 0xffffffff));
  choose_tuning(of);

  Values const values{{seed, n}};
  T const init = values(n);
  region& out_memory = region_of(0);
  T* const out = out_memory.of<T>(n, out_phase, false);
  T* in = out;
  if (!in_place) in = region_of(1).of<T>(n, in_phase, false);
  for (std::size_t k = 0; k < n; ++k) in[k] = values(k);

  auto all = with_init ? running<T, Op>(init, Op{}, on) : running<T, Op>(Op{}, on);
  typename Combination::expected expected(values, with_init ? std::optional<T>(init) : std::nullopt);
  differences wrong;
  std::size_t const tile = std::max<std::size_t>(1, order::tile<T>);
  std::uint32_t piece = 0;
  for (std::size_t at = 0; at < n; ++piece) {
    std::uint64_t const random = hashed(seed ^ 0x55555555u, piece);
    std::size_t size = n - at;
    if (pieces == "few") size = random % (n / 2 + 2);
    if (pieces == "some") size = random % (n / 50 + 2);
    if (pieces == "tiles") size = tile * (random % 9);
    if (pieces == "beside_tiles") size = tile * (random % 4) + random / 64 % 5;
    size = std::min(size, n - at);
    std::uint32_t way = ways == "inclusive" ? 0 : hashed(seed, piece) % 3;
    if (way == 2 && at == 0 && !with_init) way = 0;  // not every operator has an identity
    if (way == 0) all.inclusive_scan(in + at, out + at, size);
    if (way == 1) all.reduce(in + at, size);
    if (way == 2) all.exclusive_scan(in + at, out + at, size);
    for (std::size_t k = at; k < at + size; ++k) {
      expected.take(k);
      if (way == 1) continue;
      T const right = way == 0 ? expected.inclusive() : expected.exclusive();
      if (!equal(out[k], right)) [[unlikely]]
        wrong.add(k, out[k], right);
    }
    at += size;
  }
  outcome result{wrong.text(n), ""};
  std::optional<T> const last = all.value();
  if (result.wrong.empty() && (n > 0 || with_init) && (!last || !equal(*last, n == 0 ? init : expected.inclusive())))
    result.wrong = "value() is not the last result";
  if (result.wrong.empty()) result.wrong = out_memory.beside(n * sizeof(T)).value_or("");
  return result;
}

/// The tries of a list of combinations; `type` and `op` select one.
template <class... Combinations>
outcome one_of(choices& of, std::string const& family, std::uint64_t which, Combinations const&... all)
{
  outcome result;
  std::uint64_t at = 0;
  auto const attempt = [&](auto const& one) {
    if (at++ != which) return;
    result = family == "scan" ? scan_try(of, one) : family == "reduce" ? reduce_try(of, one) : running_try(of, one);
  };
  (attempt(all), ...);
  return result;
}

template <class T>
outcome integer_try(choices& of, std::string const& family, char const* type)
{
  std::string const op =
      of.word("op", {"plus", "plus", "plus", "multiplies", "minimum", "maximum", "bit_and", "bit_or", "bit_xor"});
  std::array<char const*, 7> const names{"plus", "multiplies", "minimum", "maximum", "bit_and", "bit_or", "bit_xor"};
  std::uint64_t which = 0;
  while (op != names[which]) ++which;
  return one_of(
      of, family, which, combination<T, plus, any_bits<T>>{type, "plus"},
      combination<T, multiplies, odd_numbers<T>>{type, "multiplies"},
      combination<T, minimum, falling<T>>{type, "minimum"}, combination<T, maximum, rising<T>>{type, "maximum"},
      combination<T, bit_and, rare_gaps<T>>{type, "bit_and"}, combination<T, bit_or, rare_bits<T>>{type, "bit_or"},
      combination<T, bit_xor, any_bits<T>>{type, "bit_xor"});
}

/// Results of exact numbers are compared with loops; others, in bits, with the documented order.
template <class T>
outcome float_try(choices& of, std::string const& family, char const* type)
{
  std::string const op = of.word(
      "op", {"plus", "plus", "multiplies", "minimum", "maximum", "plus_rounded", "plus_rounded", "multiplies_rounded"});
  std::array<char const*, 6> const names{"plus",    "multiplies",   "minimum",
                                         "maximum", "plus_rounded", "multiplies_rounded"};
  using sums = documented_order<T, plus, fractions<T>>;
  using products = documented_order<T, multiplies, near_one<T>>;
  std::uint64_t which = 0;
  while (op != names[which]) ++which;
  return one_of(of, family, which, combination<T, plus, small_numbers<T>>{type, "plus"},
                combination<T, multiplies, powers_of_two<T>>{type, "multiplies"},
                combination<T, minimum, falling<T>>{type, "minimum"},
                combination<T, maximum, rising<T>>{type, "maximum"},
                combination<T, plus, fractions<T>, sums>{type, "plus"},
                combination<T, multiplies, near_one<T>, products>{type, "multiplies"});
}

outcome bytes_try(choices& of, std::string const& family);
outcome words_try(choices& of, std::string const& family);
outcome floats_try(choices& of, std::string const& family);
outcome own_operators_try(choices& of, std::string const& family);

}  // namespace tally::soak
