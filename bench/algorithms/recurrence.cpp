/// Linear recurrences beside the plain loop, each step of which waits for a product and a sum.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/algorithms/linear_sequence.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/algorithms/recursive_filter.hpp"

namespace {

/// In (-1, 1).
template <class T>
std::vector<T> fractions(std::size_t n, std::uint64_t state)
{
  std::vector<T> all(n);
  for (T& each : all) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    each = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63);
  }
  return all;
}

template <class T>
void first_order(std::string const& type, std::size_t n)
{
  auto const a = fractions<T>(n, 1), b = fractions<T>(n, 2);
  std::vector<T> y(n);
  tally::bench::rounds rounds("y[k] = a[k] y[k-1] + b[k], " + type, n, 3 * n * sizeof(T));
  rounds.add("plain loop", [&] {
    T last = 1;
    for (std::size_t k = 0; k < n; ++k) y[k] = last = a[k] * last + b[k];
  });
  rounds.add("tally, all threads",
             [&] { tally::linear_recurrence(tally::cpu{}, a.begin(), a.end(), b.begin(), y.begin(), T(1)); });
  rounds.add("tally, one thread",
             [&] { tally::linear_recurrence(tally::cpu{1}, a.begin(), a.end(), b.begin(), y.begin(), T(1)); });
  rounds.add("tally, backward, all threads",
             [&] { tally::linear_recurrence_backward(tally::cpu{}, a.begin(), a.end(), b.begin(), y.begin(), T(1)); });
  rounds.add("a + b, two reads and a write", [&] {
    for (std::size_t k = 0; k < n; ++k) y[k] = a[k] + b[k];
  });
  rounds.run();
}

template <class T>
void second_order(std::string const& type, std::size_t n)
{
  auto const x = fractions<T>(n, 3);
  std::vector<T> y(n);
  std::array<T, 2> const feedback = {T(1.8), T(-0.9)};
  tally::bench::rounds rounds("y[k] = x[k] + 1.8 y[k-1] - 0.9 y[k-2], " + type, n, 2 * n * sizeof(T));
  rounds.add("plain loop", [&] {
    T last = 0, before = 0;
    for (std::size_t k = 0; k < n; ++k) {
      T const now = x[k] + feedback[1] * before + feedback[0] * last;
      before = last;
      y[k] = last = now;
    }
  });
  rounds.add("tally, all threads",
             [&] { tally::recursive_filter(tally::cpu{}, feedback, x.begin(), x.end(), y.begin()); });
  rounds.add("tally, one thread",
             [&] { tally::recursive_filter(tally::cpu{1}, feedback, x.begin(), x.end(), y.begin()); });
  rounds.add("copy", [&] { std::copy(x.begin(), x.end(), y.begin()); });
  rounds.run();
}

void fibonacci(std::size_t n)
{
  using residues = std::array<std::uint64_t, 2>;
  std::vector<std::uint64_t> out(n);
  std::uint64_t const volatile given = 1'000'000'007;
  std::uint64_t const modulus = given;
  tally::bench::rounds rounds("Fibonacci's numbers modulo 1000000007", n, n * sizeof(std::uint64_t));
  rounds.add("plain loop, coefficients not known", [&] {
    std::uint64_t const volatile one = 1;
    std::uint64_t const c = one, d = one;
    std::uint64_t before = 0, last = 1;
    for (std::size_t k = 0; k < n; ++k) {
      out[k] = before;
      std::uint64_t const next = (c * last % modulus + d * before % modulus) % modulus;
      before = last;
      last = next;
    }
  });
  rounds.add("plain loop, a sum and a comparison", [&] {
    std::uint64_t before = 0, last = 1;
    for (std::size_t k = 0; k < n; ++k) {
      out[k] = before;
      std::uint64_t const sum = before + last;
      before = last;
      last = sum < modulus ? sum : sum - modulus;
    }
  });
  rounds.add("tally, all threads", [&] {
    tally::linear_sequence_modulo(tally::cpu{}, residues{1, 1}, residues{0, 1}, modulus, n, out.begin());
  });
  rounds.run();
}

}  // namespace

int main()
{
  for (int const bits : {16, 20, 22, 24}) {
    std::size_t const n = std::size_t{1} << bits;
    first_order<double>("double", n);
    first_order<float>("float", n);
    second_order<double>("double", n);
    second_order<float>("float", n);
    fibonacci(n);
  }
}
