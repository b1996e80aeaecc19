#pragma once

#include <vector>

#include "textbook/catalogue.hpp"

namespace tally::textbook {

/// The letters a, b, c ..: every sum of them shows its operands.
inline std::vector<letters> alphabet(int n)
{
  std::vector<letters> result;
  for (short k = 0; k < n; ++k) result.push_back({k, k});
  return result;
}

/// The scan of `in`, by a plain loop.
template <class T, class Op>
std::vector<T> scanned(std::vector<T> const& in, Op const& op, result_kind kind)
{
  std::vector<T> result;
  T sum = op.identity();
  for (T const& each : in) {
    T const before = sum;
    sum = op(sum, each);
    result.push_back(kind == result_kind::exclusive_scan ? before : sum);
  }
  return result;
}

}  // namespace tally::textbook
