#pragma once

#include <memory>
#include <string>
#include <utility>

#include "accumulators/accumulator.hpp"
#include "io/numbers/number.hpp"

namespace tally::cli {

inline bool holds_integers(io::values_view const& values)
{
  return io::is_integer(io::type_of(values));
}

/// Numbers of text. Two results are computed from the start: an exact one, which holds up to the first value that is
/// not an integer, and a double, which holds from there on. So the result does not depend on where the input is cut.
class mixed_accumulator final : public accumulator {
public:
  /// Without `exact` the doubles hold from the start; without `floating` a value that is not an integer is an error.
  mixed_accumulator(std::unique_ptr<accumulator> exact, std::unique_ptr<accumulator> floating, operation op)
      : exact_(std::move(exact)),
        floating_(std::move(floating)),
        op_(op),
        counts_exactly_(exact_ != nullptr)
  {
  }

  void restart() override
  {
    counts_exactly_ = exact_ != nullptr;
    if (exact_) exact_->restart();
    if (floating_) floating_->restart();
  }

  void reduce(io::values_view const& values) override
  {
    choose(values);
    if (counts_exactly_) exact_->reduce(values);
    if (floating_) floating_->reduce(values);
  }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    choose(values);
    if (!counts_exactly_) return floating_->scan(values, kind, out);
    exact_->scan(values, kind, out);
    if (floating_) floating_->reduce(values);
  }

  result value() const override { return counts_exactly_ ? exact_->value() : floating_->value(); }

private:
  void choose(io::values_view const& values)
  {
    if (!counts_exactly_ || holds_integers(values) || io::size_of(values) == 0) return;
    if (!floating_) {
      std::string const found = std::visit([](auto in) { return "'" + io::to_text(in[0]) + "'"; }, values);
      throw value_problem(0, found, "an integer, since --op is " + name_of(op_));
    }
    counts_exactly_ = false;
  }

  std::unique_ptr<accumulator> exact_;
  std::unique_ptr<accumulator> floating_;
  operation op_;
  bool counts_exactly_;
};

}  // namespace tally::cli
