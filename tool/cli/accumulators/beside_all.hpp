#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "accumulators/accumulator.hpp"
#include "accumulators/derived.hpp"
#include "sorting/figures.hpp"

/// Accumulators that set each value beside all of them, which `prepare` is given before. For scans alone.
namespace tally::cli {

/// Each value as a share of the sum of all, times `whole`: 1 for fractions, 100 for percentages.
class share_accumulator final : public accumulator {
public:
  share_accumulator(std::unique_ptr<accumulator> sum, double whole) : sum_(std::move(sum)), whole_(whole) {}

  void restart() override { sum_->restart(); }
  void prepare(io::values_view const& values) override { sum_->reduce(widened(values)); }
  void reduce(io::values_view const&) override {}

  void scan(io::values_view const& values, scan_kind, value_buffer& out) override
  {
    double const total = nearest_double(sum_->value());
    std::span<double const> const in = as_doubles(values, scratch());
    double* const to = out.resize<double>(in.size());
    for (std::size_t k = 0; k < in.size(); ++k) to[k] = whole_ * in[k] / total;
  }

  result value() const override { throw error("a share for every value, none of all"); }

private:
  std::unique_ptr<accumulator> sum_;
  double whole_;
};

/// 1 + the number of values that are less: equal values share the least of their places. NaNs are last.
class rank_accumulator final : public accumulator {
public:
  explicit rank_accumulator(std::shared_ptr<sorted_values> values)
      : values_(std::move(values)),
        appends_(values_->claim())
  {
  }

  void restart() override
  {
    if (appends_) values_->clear();
  }
  void prepare(io::values_view const& values) override
  {
    if (appends_) values_->append(values);
  }
  void reduce(io::values_view const&) override {}

  void scan(io::values_view const& values, scan_kind, value_buffer& out) override
  {
    std::int64_t* const to = out.resize<std::int64_t>(io::size_of(values));
    ranks_of(values, *values_, to);
  }

  result value() const override { throw error("a rank for every value, none of all"); }

private:
  std::shared_ptr<sorted_values> values_;
  bool appends_;
};

}  // namespace tally::cli
