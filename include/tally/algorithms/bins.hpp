#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tally/config.hpp"
#include "tally/detail/backends.hpp"
#include "tally/error.hpp"

/// The bins of a histogram: functions from a value to its slot. Slots 0 to count() - 1 are the bins; behind them are
/// three for the values that have none.
namespace tally {

namespace detail {

/// A number as an error message has it: the fewest digits that are it.
inline std::string shown(double value)
{
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// Where the values outside are counted, and how many bins there may be.
class bin_slots {
public:
  /// At most so many: a slot is a signed integer of 32 bits.
  static constexpr std::size_t most = (std::size_t{1} << 31) - 4;

  TALLY_HD std::size_t count() const { return count_; }
  TALLY_HD std::size_t below() const { return count_; }
  TALLY_HD std::size_t above() const { return count_ + 1; }
  TALLY_HD std::size_t not_a_number() const { return count_ + 2; }
  TALLY_HD std::size_t slots() const { return count_ + 3; }

protected:
  explicit bin_slots(std::size_t count) : count_(count)
  {
    if (count == 0 || count > most)
      throw usage_error("tally: a histogram of " + std::to_string(count) + " bins; it has 1 to " +
                        std::to_string(most));
  }

  std::size_t count_;
};

}  // namespace detail

/// `count` bins of one width from `lower` to `upper`.
///
/// Bin k has the values x with lower + k w <= x < lower + (k + 1) w, where w = (upper - lower) / count; the last has
/// `upper` too. A value on an edge is never below it; one that is less than an edge by at most 2^-49 of its distance
/// from `lower` may be above it. No integer within 2^49 of `lower` is. Values are compared as doubles.
///
/// Throws    usage_error: no bins, or not finite numbers lower < upper.
class even_bins : public detail::bin_slots {
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
    // Higher by more than all roundings are lower, so that what is on edge k is not put below it.
    scale_ = static_cast<double>(count) / (upper - lower) * (1 + 0x1p-50);
    if (!(lower < upper) || !std::isfinite(upper - lower) || !std::isfinite(scale_))
      throw usage_error("tally: bins from " + detail::shown(lower) + " to " + detail::shown(upper) +
                        "; the range must be finite, and begin below its end");
  }

  double lower() const { return lower_; }
  double upper() const { return upper_; }
  /// Where bin k begins, and for k = count() where the last one ends.
  double edge(std::size_t k) const
  {
    return k == count_ ? upper_ : lower_ + static_cast<double>(k) * ((upper_ - lower_) / static_cast<double>(count_));
  }

  /// Selections and no branches, on doubles until the end, so that a compiler takes several values at once.
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

  /// For the compiled kernel, which does the same.
  cpu_backend::even_bin_numbers numbers() const
  {
    return {lower_, upper_, scale_, last_, below_, above_, not_a_number_};
  }

private:
  double lower_;
  double upper_;
  double scale_;
  // Slots. As members, since the compiler adds nothing up for values that may not need it.
  double last_;
  double below_;
  double above_;
  double not_a_number_;
};

/// Bins between neighbours of a sorted array of edges: bin k has the values x with edges[k] <= x < edges[k + 1]; the
/// last has its upper edge too. An edge that stands there twice is an empty bin. log2(size) comparisons a value.
///
/// Requires  the edges outlive the bins, and are where a call runs: on a GPU in device memory. They are in ascending
///           order and no NaN.
/// Throws    usage_error if there are fewer than two edges.
template <class T>
class edge_bins : public detail::bin_slots {
public:
  edge_bins(T const* edges, std::size_t size) : bin_slots(size < 2 ? 0 : size - 1), edges_(edges) {}

  T const* edges() const { return edges_; }

  TALLY_HD std::int32_t operator()(T const& x) const
  {
    // The last edge that is at most x, by halves of [0, count_]: a selection a step.
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

namespace detail {

/// Bins of Tally's own, which may be called from several threads at once.
template <class Bins>
inline constexpr bool own_bins = false;
template <>
inline constexpr bool own_bins<even_bins> = true;
template <class T>
inline constexpr bool own_bins<edge_bins<T>> = true;

}  // namespace detail

}  // namespace tally
