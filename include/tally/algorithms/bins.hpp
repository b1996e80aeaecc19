#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tally/config.hpp"
#include "tally/detail/histogram/bin_slots.hpp"
#include "tally/error.hpp"

/// The bins of a histogram: functions from a value to its slot. Slots 0 to count() - 1 are the bins. The three slots
/// behind them count the values that belong to no bin: below(), above() and not_a_number().
namespace tally {

/// `count` bins of one width from `lower` to `upper`.
///
/// Bin k has the values x with lower + k w <= x < lower + (k + 1) w, where w = (upper - lower) / count; the last bin
/// has `upper` too. Values are compared as doubles. A value on an edge is never counted below it. A value below an
/// edge, by at most 2^-49 of the edge's distance from `lower`, may be counted above it; no integer within 2^49 of
/// `lower` is.
///
/// Throws    usage_error: no bins, or not finite numbers lower < upper.
class even_bins : public detail::histogram::bin_slots {
public:
  even_bins(double lower, double upper, std::size_t count)
      : bin_slots(count),
        lower_(lower),
        upper_(upper),
        last_(static_cast<double>(count - 1)),
        below_(static_cast<double>(below())),
        above_(static_cast<double>(above())),
        not_a_number_(static_cast<double>(not_a_number()))
  {
    // The factor exceeds the loss of all roundings, so that a value on edge k is not put below it.
    scale_ = static_cast<double>(count) / (upper - lower) * (1 + 0x1p-50);
    if (!(lower < upper) || !std::isfinite(upper - lower) || !std::isfinite(scale_))
      throw usage_error("tally: bins from " + detail::histogram::shortest_text(lower) + " to " +
                        detail::histogram::shortest_text(upper) +
                        "; the range must be finite, and begin below its end");
  }

  double lower() const { return lower_; }
  double upper() const { return upper_; }
  /// The lower edge of bin k; for k = count() the upper edge of the last one.
  double edge(std::size_t k) const
  {
    return k == count_ ? upper_ : lower_ + static_cast<double>(k) * ((upper_ - lower_) / static_cast<double>(count_));
  }

  /// The slot of a value, by selections on doubles without a branch, so that a compiler can take several values at
  /// once.
  template <class T>
  TALLY_HD std::int32_t operator()(T const& value) const
  {
    auto const x = static_cast<double>(value);
    double k = (x - lower_) * scale_;
    k = k > 0 ? k : 0;
    k = k < last_ ? k : last_;
    k = x < lower_ ? below_ : k;
    k = x > upper_ ? above_ : k;
    k = x != x ? not_a_number_ : k;
    return static_cast<std::int32_t>(k);
  }

private:
  friend detail::histogram::even_bins_access;

  double lower_;
  double upper_;
  double scale_;
  // Slots, as members: a compiler computes no sum that only some values need.
  double last_;
  double below_;
  double above_;
  double not_a_number_;
};

/// Bins between neighbours in a sorted array of edges. Bin k has the values x with edges[k] <= x < edges[k + 1]; the
/// last bin has its upper edge too. An edge that is repeated makes an empty bin. log2(size) comparisons a value.
///
/// Requires  the edges are in ascending order, none is a NaN, and they outlive the bins. They are in memory that the
///           call can read: on a GPU in device memory.
/// Throws    usage_error if there are fewer than two edges.
template <class T>
class edge_bins : public detail::histogram::bin_slots {
public:
  edge_bins(T const* edges, std::size_t size) : bin_slots(size < 2 ? 0 : size - 1), edges_(edges) {}

  T const* edges() const { return edges_; }

  TALLY_HD std::int32_t operator()(T const& x) const
  {
    // Binary search in [0, count_] for the last edge that is at most x, with one selection a step.
    T const* from = edges_;
    for (std::size_t left = count_ + 1; left > 1;) {
      std::size_t const step = left / 2;
      from = x < from[step] ? from : from + step;
      left -= step;
    }
    auto k = static_cast<std::size_t>(from - edges_);
    k = k == count_ ? (edges_[count_] < x ? above() : count_ - 1) : k;
    k = x < edges_[0] ? below() : k;
    k = x != x ? not_a_number() : k;
    return static_cast<std::int32_t>(k);
  }

private:
  T const* edges_;
};
template <class T>
edge_bins(T const*, std::size_t) -> edge_bins<T>;

}  // namespace tally
