#pragma once

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "../support/sizes.hpp"
#include "scan_oracle.hpp"
#include "textbook/catalogue.hpp"

/// Runs for the tests of reductions, and results to compare with.
namespace tally::textbook {

inline constexpr operation operations[] = {operation::sum, operation::product, operation::minimum, operation::maximum};

inline kernel_entry const& named(std::string_view name)
{
  kernel_entry const* const found = find_kernel(name);
  if (found == nullptr) throw std::logic_error("no kernel " + std::string(name));
  return *found;
}

inline std::vector<kernel_entry const*> all_reductions(blocks size = blocks::full)
{
  std::vector<kernel_entry const*> all;
  for (kernel_entry const& each : catalogue(size))
    if (each.result == result_kind::reduction) all.push_back(&each);
  return all;
}

inline bool takes(kernel_entry const& kernel, int n)
{
  return kernel.most == 0 || n <= kernel.most;
}
inline bool takes(kernel_entry const& kernel, operation op)
{
  return !kernel.only || *kernel.only == op;
}

/// All sizes up to 300, and sizes around powers of two up to 2^16.
inline std::vector<int> sizes()
{
  std::vector<int> all = test::every_size_to(300);
  for (int p = 512; p <= 1 << 16; p *= 2) all.insert(all.end(), {p - 1, p, p + 1});
  return all;
}

/// Distinct elements of both signs, and odd, so that no product of them is zero.
inline std::vector<int> distinct(int n)
{
  std::vector<int> elements;
  for (int k = 0; k < n; ++k) elements.push_back((k * 7919 % 1000003) * 2 - 700001);
  return elements;
}

template <class T, class Op>
T folded(std::vector<T> const& elements, Op const& op)
{
  T sum = elements.front();
  for (std::size_t k = 1; k < elements.size(); ++k) sum = op(sum, elements[k]);
  return sum;
}

inline std::size_t log2_up(int n)
{
  std::size_t steps = 0;
  while ((1 << steps) < n) ++steps;
  return steps;
}

template <class T>
T only(outcome const& result)
{
  auto const& elements = std::get<std::vector<T>>(result.result);
  EXPECT_EQ(elements.size(), 1u);
  return elements.at(0);
}

/// The counts of a run on 0, 1, .. n - 1.
struct counted {
  counted(std::string_view kernel, int n) : counted(named(kernel), n) {}
  counted(kernel_entry const& kernel, int n)
  {
    std::vector<int> in(static_cast<std::size_t>(n));
    std::iota(in.begin(), in.end(), 0);
    run(kernel, on, in);
  }
  model::machine on;
  model::report const& counts = on.counts();
};

}  // namespace tally::textbook
