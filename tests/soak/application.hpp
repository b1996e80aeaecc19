#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "soak/elements.hpp"
#include "soak/family.hpp"
#include "soak/memory.hpp"
#include "soak/settings.hpp"

/// The common parts of the tries of applications: arrays of a given shape, threads and tuning, a comparison.
namespace tally::soak {

/// The choices and arrays of every application. The values of an array are a function of seed, shape and index.
class application {
public:
  application(choices& of, std::size_t bytes, std::size_t most)
      : n(of.size(bytes, most)),
        on(choose_threads(of)),
        shape(of.word("shape", {"equal", "random", "few", "sorted", "reversed", "long_runs", "short_runs", "mixed_runs",
                                "one_other"})),
        seed(static_cast<std::uint32_t>(of.number("values", 0, 0xffffffff))),
        in_phase(static_cast<std::size_t>(of.number("in", 0, 15))),
        out_phase(static_cast<std::size_t>(of.number("out", 0, 15))),
        at_end(of.word("at_end", {"no", "no", "yes"}) == "yes")
  {
    choose_tuning(of);
  }

  /// Element k of the shape.
  std::uint32_t value(std::size_t k) const
  {
    std::uint32_t const h = hashed(seed, k);
    if (shape == "equal") return seed;
    if (shape == "few") return h % 4;
    if (shape == "sorted") return static_cast<std::uint32_t>(k / (1 + seed % 5));
    if (shape == "reversed") return static_cast<std::uint32_t>((n - k) / (1 + seed % 5));
    if (shape == "long_runs") return hashed(seed, k / (1 + n / (1 + seed % 9)));
    if (shape == "short_runs") return hashed(seed, k / (1 + seed % 7));
    if (shape == "mixed_runs") return hashed(seed, k / (std::size_t{1} << (hashed(seed, k / 100000) % 18)));
    if (shape == "one_other") return k == n / 2 + seed % (n / 2 + 1) ? seed + 1 : seed;
    return h;
  }
  /// n values of the shape in region `number`. With `at_end`, no byte after the last value can be read.
  template <class T>
  T* values(int number, std::size_t count) const
  {
    T* const x = region_of(number).of<T>(count, in_phase * 4 / sizeof(T) % 16, at_end);
    for (std::size_t k = 0; k < count; ++k) x[k] = static_cast<T>(value(k));
    return x;
  }
  template <class T>
  T* values(int number) const
  {
    return values<T>(number, n);
  }
  /// Random values.
  template <class T>
  T* random(int number, std::size_t count) const
  {
    T* const x = region_of(number).of<T>(count, in_phase * 4 / sizeof(T) % 16, at_end);
    any_bits<T> const bits{{seed ^ 0x3c6ef372u, count}};
    for (std::size_t k = 0; k < count; ++k) x[k] = bits(k);
    return x;
  }
  /// Room for `count` results.
  template <class T>
  T* room(int number, std::size_t count) const
  {
    return region_of(number).of<T>(count, out_phase * 4 / sizeof(T) % 16, at_end);
  }

  std::size_t n;
  cpu on;
  std::string shape;
  std::uint32_t seed;
  std::size_t in_phase, out_phase;
  bool at_end;
};

/// Compares `count` results in region `number` with `expected`, and checks the memory after them. Returns a description
/// of the fault, or an empty string.
template <class T>
std::string compared(char const* what, int number, T const* got, std::size_t count, std::vector<T> const& expected)
{
  if (count != expected.size())
    return std::string(what) + ": " + std::to_string(count) + " results, expected " + std::to_string(expected.size());
  std::size_t wrong = 0, first = 0;
  for (std::size_t k = 0; k < count; ++k)
    if (!(got[k] == expected[k]) && wrong++ == 0) first = k;
  if (wrong > 0)
    return std::string(what) + "[" + std::to_string(first) + "] is " + shown(got[first]) + ", expected " +
           shown(expected[first]) + "; " + std::to_string(wrong) + " of " + std::to_string(count) + " are wrong";
  auto const beside = region_of(number).beside(count * sizeof(T));
  return beside ? std::string(what) + ": " + *beside : std::string();
}

/// The first message that is not empty.
template <class... Messages>
outcome first_wrong(Messages... messages)
{
  outcome result;
  auto const take = [&](std::string const& message) {
    if (result.wrong.empty()) result.wrong = message;
  };
  (take(messages), ...);
  return result;
}

outcome along_try(choices& of);
outcome compact_try(choices& of);
outcome run_lengths_try(choices& of);
outcome histogram_try(choices& of);
outcome by_key_try(choices& of);
outcome by_flag_try(choices& of);
outcome by_offset_try(choices& of);
outcome radix_sort_try(choices& of);
outcome quicksort_try(choices& of);
outcome compare_try(choices& of);
outcome allocate_try(choices& of);
outcome lexer_try(choices& of);
outcome tree_try(choices& of);
outcome recurrence_try(choices& of);
outcome recurrences_try(choices& of);
outcome recursive_filter_try(choices& of);
outcome polynomial_try(choices& of);
outcome integrate_try(choices& of);
outcome distribution_try(choices& of);

}  // namespace tally::soak
