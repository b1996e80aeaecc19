#pragma once

#include <cstddef>
#include <cstdint>

/// The compiled kernels of histograms: values of contiguous memory counted by bins of one width.
namespace tally::cpu_backend {

/// The bin of a value x is (x - lower) * scale, at most `last`. Values without a bin have the other three slots.
struct even_bin_numbers {
  double lower;
  double upper;
  double scale;
  double last;
  double below;
  double above;
  double not_a_number;
};

/// A kernel takes a multiple of this many values.
inline constexpr std::size_t bin_chunk = 64;
/// Counters of a slot. Values use them in turn, so that equal values in a row do not wait for one another.
inline constexpr std::size_t bin_turns = 4;

template <class T>
struct even_bins_job {
  T const* values;
  std::size_t size;  ///< a multiple of bin_chunk
  even_bin_numbers bins;
  std::uint64_t* counters[bin_turns];  ///< one for each slot; some may be the same
};

/// Adds 1 to a counter of each value's slot, the same slot that `even_bins` gives. T is an arithmetic type of
/// kernel_element.
template <class T>
void count_even_bins(even_bins_job<T> const& job);

}  // namespace tally::cpu_backend
