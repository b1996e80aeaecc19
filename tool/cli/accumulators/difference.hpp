#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "accumulators/accumulator.hpp"

namespace tally::cli {

/// Each value less the one before it: the inverse of a scan of sums. The first one is less `before`, or less itself if
/// there is none. T is int128, double or float.
template <class T>
class difference_accumulator final : public accumulator {
public:
  explicit difference_accumulator(std::optional<T> before) : before_(before), last_(before) {}

  void restart() override { last_ = before_; }

  void reduce(io::values_view const& values) override
  {
    std::visit(
        [&]<class U>(std::span<U const> in) {
          if constexpr (takes<U>)
            if (!in.empty()) last_ = static_cast<T>(in.back());
        },
        values);
  }

  void scan(io::values_view const& values, scan_kind, value_buffer& out) override
  {
    std::visit(
        [&]<class U>(std::span<U const> in) {
          if constexpr (takes<U>) {
            if (in.empty()) {
              out.resize<T>(0);
            } else if constexpr (std::is_floating_point_v<T>) {
              T* const to = out.resize<T>(in.size());
              to[0] = static_cast<T>(in[0]) - last_.value_or(static_cast<T>(in[0]));
              for (std::size_t k = 1; k < in.size(); ++k) to[k] = static_cast<T>(in[k]) - static_cast<T>(in[k - 1]);
            } else if (std::size_t const done = differences<std::int64_t>(in, out); done < in.size()) {
              if (std::size_t const wide = differences<int128>(in, out); wide < in.size())
                throw value_problem(wide, "a difference of integers that needs more than 128 bits",
                                    "one that fits (--type float64 rounds numbers of text instead)");
            }
          }
        },
        values);
    reduce(values);
  }

  result value() const override { throw error("a difference for every value, none of all"); }  // only scans use it

private:
  template <class U>
  static constexpr bool takes = !std::is_same_v<T, int128> || !std::is_floating_point_v<U>;

  /// Writes the differences as W, and returns how many of them fit.
  template <class W, class U>
  std::size_t differences(std::span<U const> in, value_buffer& out) const
  {
    W* const to = out.resize<W>(in.size());
    auto const first = static_cast<int128>(in[0]);
    if (__builtin_sub_overflow(first, static_cast<int128>(last_.value_or(static_cast<T>(in[0]))), &to[0])) return 0;
    for (std::size_t k = 1; k < in.size(); ++k)
      if (__builtin_sub_overflow(in[k], in[k - 1], &to[k])) return k;
    return in.size();
  }

  std::optional<T> before_;
  std::optional<T> last_;
};

}  // namespace tally::cli
