#pragma once

#include <memory>
#include <utility>

#include "accumulators/accumulator.hpp"
#include "accumulators/windows/running_order.hpp"
#include "sorting/figures.hpp"

namespace tally::cli {

/// A figure of all values in order. Accumulators of the same values share them; the first one appends.
class sorted_accumulator final : public accumulator {
public:
  sorted_accumulator(std::shared_ptr<sorted_values> values, figure of, accumulation what)
      : values_(std::move(values)),
        appends_(values_->claim()),
        figure_(of),
        what_(std::move(what))
  {
  }

  void restart() override
  {
    running_.reset();
    if (appends_) values_->clear();
  }

  void reduce(io::values_view const& values) override
  {
    if (appends_) values_->append(values);
  }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    if (!running_) running_ = make_running_order(what_);
    running_->scan(values, kind, out);
  }

  result value() const override
  {
    bool const has_unit = what_.unit != io::number_unit::one;
    result const found =
        figure_(*values_, what_.op, has_unit ? between_integers::an_integer : between_integers::a_double);
    if (what_.type == io::element_type::float32)
      if (auto const* const rounded = std::get_if<double>(&found)) return static_cast<float>(*rounded);
    return found;
  }

private:
  std::shared_ptr<sorted_values> values_;
  bool appends_;
  figure figure_;
  accumulation what_;
  std::unique_ptr<accumulator> running_;  // for scans
};

}  // namespace tally::cli
