#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "paths.cuh"
#include "tally/operators.hpp"

/// The operators of paths_*_test.cu, and their kinds of problem. They are exact, and show swapped operands, lost
/// elements and ones taken twice.
namespace tally::test {

/// The maps t -> a t + b modulo 2^(half of the bits), a and b in one number: composed from the left to the right.
template <class U>
TALLY_HD constexpr U composed(U x, U y)
{
  constexpr int half = static_cast<int>(sizeof(U)) * 4;
  using wide = std::conditional_t<sizeof(U) == 8, std::uint64_t, std::uint32_t>;
  wide const mask = (wide(1) << half) - 1;
  wide const a = wide(x) & mask, b = wide(x) >> half, c = wide(y) & mask, d = wide(y) >> half;
  return static_cast<U>((a * c & mask) | ((b * c + d) & mask) << half);
}

/// The same of more bytes, with sums that fill them.
template <std::size_t Words>
struct wide_map {
  std::uint64_t words[Words];
};
template <std::size_t Words>
TALLY_HD constexpr wide_map<Words> composed(wide_map<Words> const& x, wide_map<Words> const& y)
{
  wide_map<Words> result{};
  result.words[0] = x.words[0] * y.words[0];
  result.words[1] = x.words[1] * y.words[0] + y.words[1];
  for (std::size_t k = 2; k < Words; ++k) result.words[k] = x.words[k] + y.words[k];
  return result;
}

/// Says nothing of itself.
struct composing {
  template <class U>
  TALLY_HD constexpr U operator()(U const& x, U const& y) const
  {
    return composed(x, y);
  }
};
/// Says that any brackets will do, and what its identity is.
struct exactly_composing : composing {
  static constexpr bool exactly_associative = true;
  template <class U>
  TALLY_HD static constexpr U identity()
  {
    U one{};
    if constexpr (std::is_integral_v<U>)
      one = 1;
    else
      one.words[0] = 1;
    return one;
  }
};

template <class U>
U map_at(std::size_t k)
{
  U value{};
  if constexpr (std::is_integral_v<U>) {
    value = static_cast<U>(mixed(k) | 1);
  } else {
    for (std::size_t w = 0; w < sizeof value.words / 8; ++w) value.words[w] = mixed(8 * k + w);
    value.words[0] |= 1;
  }
  return value;
}

/// The inclusive scan, by a loop.
template <class T, class R, class S, class Op>
std::vector<R> by_a_loop(std::vector<S> const& x, std::optional<T> const& init, Op op)
{
  std::vector<R> result;
  result.reserve(x.size());
  std::optional<T> sum = init;
  for (S const& each : x) {
    sum = sum ? static_cast<T>(op(*sum, static_cast<T>(each))) : static_cast<T>(each);
    result.push_back(static_cast<R>(*sum));
  }
  return result;
}

/// Elements from a function, which reads them.
template <class S>
struct reading {
  S const* from;
  TALLY_HD S operator()(std::size_t k) const { return from[k]; }
};
/// Results to a function, which writes them.
template <class R>
struct writing {
  R* to;
  TALLY_HD void operator()(std::size_t k, R const& value) const { to[k] = value; }
};

/// From memory to memory.
template <class T, class Op, class S = T, class R = T>
struct in_memory_kind {
  using element = T;
  using stored = S;
  using result = R;
  using operation = Op;
  static S const* input(S const* at) { return at; }
  static R* output(R* at) { return at; }
  static S value(std::size_t k) { return map_at<S>(k); }
  static T init() { return map_at<T>(12'345'678); }
  static std::vector<R> expected(std::vector<S> const& x, std::optional<T> const& init)
  {
    return by_a_loop<T, R>(x, init, Op{});
  }
};
/// From a function to memory.
template <class T, class Op, class S = T>
struct from_function_kind : in_memory_kind<T, Op, S, T> {
  static auto input(S const* at) { return elements_from(reading<S>{at}); }
};
/// From memory to a function.
template <class T, class Op>
struct to_function_kind : in_memory_kind<T, Op> {
  static auto output(T* at) { return results_to(writing<T>{at}); }
};

/// All ways of a kind. Reductions go in rounds of so many tiles (folds.cuh): two whole rounds are gone, and a third.
template <class Kind>
void expect_everywhere()
{
  using T = typename Kind::element;
  constexpr std::size_t words = (sizeof(working_type<T>) + 3) / 4;
  constexpr std::size_t round = 7 * 32 * (words == 3 || words == 4 ? 8 : 4);
  calls<Kind>(36 * order::tile<T>, (2 * round + 80) * order::tile<T>).everything();
}

}  // namespace tally::test
