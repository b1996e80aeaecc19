#pragma once

#include <algorithm>
#include <cstddef>

#include "tally/detail/exact/fixed_point.hpp"
#include "tally/half.hpp"

/// Exact sums of arrays on one thread.
namespace tally::detail::exact {

/// Adds x[0, n) to `sum`, by the instruction set of this machine.
///
/// Blocks of 2048 doubles or 4096 floats are added in registers, to numbers so large that all terms are whole multiples
/// of one unit there, or leave a rest that is added likewise to smaller numbers. A block whose terms differ by more
/// than the sizes below is added again, with more rests, and then number by number.
/// Source    Rump, Ogita and Oishi, Accurate floating-point summation (2008), for the extraction of leading bits; Demmel
///           and Nguyen, Parallel reproducible summation (2015), for sums of it without a pass of its own.
void add_all(float const* x, std::size_t n, sum_of<float>& sum);
void add_all(double const* x, std::size_t n, sum_of<double>& sum);

/// The same of half and bfloat16, which become floats.
template <class T>
void add_all(T const* x, std::size_t n, sum_of<float>& sum)
{
  constexpr std::size_t most = 1024;
  float block[most];
  for (std::size_t first = 0; first < n; first += most) {
    std::size_t const size = std::min(most, n - first);
    for (std::size_t k = 0; k < size; ++k) block[k] = static_cast<float>(x[first + k]);
    add_all(block, size, sum);
  }
}

}  // namespace tally::detail::exact
