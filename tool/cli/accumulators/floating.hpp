#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <tally/operators.hpp>
#include <tally/running.hpp>

#include "accumulators/accumulator.hpp"
#include "accumulators/reciprocal_sum.hpp"
#include "accumulators/scaled_product.hpp"
#include "accumulators/shape.hpp"
#include "operations/shown_identity.hpp"

/// Accumulators of floating-point values, combined in the order of docs/order.md: the bits are those of tally::reduce
/// and of the scans over all values at once.
namespace tally::cli {

template <class T, class Op>
running<T, Op> running_from(std::optional<T> const& init, cpu on)
{
  return init ? running<T, Op>(*init, Op{}, on) : running<T, Op>(Op{}, on);
}

/// Values and results of one type.
template <class T, class Op>
class floating_accumulator final : public accumulator {
public:
  floating_accumulator(std::optional<T> init, cpu on) : init_(init), on_(on), running_(running_from<T, Op>(init, on)) {}

  void restart() override
  {
    running_ = running_from<T, Op>(init_, on_);
    started_ = false;
  }

  void reduce(io::values_view const& values) override
  {
    std::span<T const> const in = view_of(values);
    running_.reduce(in.data(), in.size());
    started_ = started_ || !in.empty();
  }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    std::span<T const> const in = view_of(values);
    T* const to = out.resize<T>(in.size());
    if (in.empty()) return;
    if (kind == scan_kind::inclusive) {
      running_.inclusive_scan(in.data(), to, in.size());
    } else {
      if (!started_ && !init_) running_ = running<T, Op>(nothing_, Op{}, on_);
      running_.exclusive_scan(in.data(), to, in.size());
    }
    started_ = true;
  }

  result value() const override { return running_.value().value_or(nothing_); }

private:
  std::span<T const> view_of(io::values_view const& values)
  {
    if constexpr (std::is_same_v<T, double>)
      return as_doubles(values, scratch());
    else
      return std::get<std::span<T const>>(values);
  }

  std::optional<T> init_;
  T nothing_ = shown_identity<T, Op>();  // an exclusive scan begins with it
  cpu on_;
  running<T, Op> running_;
  bool started_ = false;
};

/// Doubles that are turned into states and combined by an operator on states; a result is `finish` of the state.
template <class State, class Op, class Finish>
class state_accumulator final : public accumulator {
public:
  state_accumulator(std::optional<State> const& init, cpu on)
      : init_(init ? init : std::optional<State>(identity_of<State>(Op{}))),
        on_(on),
        running_(running_from<State, Op>(init_, on))
  {
  }

  void restart() override { running_ = running_from<State, Op>(init_, on_); }

  void reduce(io::values_view const& values) override
  {
    for_blocks(values, [&](State* states, std::size_t n, std::size_t) { running_.reduce(states, n); });
  }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    double* const to = out.resize<double>(io::size_of(values));
    for_blocks(values, [&](State* states, std::size_t n, std::size_t first) {
      if (kind == scan_kind::inclusive)
        running_.inclusive_scan(states, states, n);
      else
        running_.exclusive_scan(states, states, n);
      std::transform(states, states + n, to + first, Finish{});
    });
  }

  result value() const override { return Finish{}(*running_.value()); }

private:
  template <class Use>
  void for_blocks(io::values_view const& values, Use use)
  {
    thread_local std::vector<State> states;  // shared like scratch()
    std::span<double const> const in = as_doubles(values, scratch());
    for (std::size_t first = 0; first < in.size(); first += block) {
      std::size_t const n = std::min(block, in.size() - first);
      states.clear();
      for (double const value : in.subspan(first, n)) states.emplace_back(value);
      use(states.data(), n, first);
    }
  }

  static constexpr std::size_t block = 8192;  // states stay in cache

  std::optional<State> init_;  // never empty: the identity if there is no other value
  cpu on_;
  running<State, Op> running_;
};

struct finish_variance {
  double operator()(moments<double> const& m) const { return m.sample_variance(); }
};
struct finish_deviation {
  double operator()(moments<double> const& m) const { return m.sample_standard_deviation(); }
};
struct finish_exponentials {
  double operator()(exponential_sum<double> const& e) const { return e.result(); }
};

using variance_accumulator = state_accumulator<moments<double>, mean_and_variance, finish_variance>;
using deviation_accumulator = state_accumulator<moments<double>, mean_and_variance, finish_deviation>;
using log_sum_exp_accumulator = state_accumulator<exponential_sum<double>, log_sum_exp, finish_exponentials>;
using skewness_accumulator = state_accumulator<shape_moments, combine_shape_moments, finish_skewness>;
using kurtosis_accumulator = state_accumulator<shape_moments, combine_shape_moments, finish_kurtosis>;
using harmonic_mean_accumulator = state_accumulator<reciprocal_sum, add_reciprocals, finish_harmonic_mean>;
using geometric_mean_accumulator = state_accumulator<scaled_product, multiply_scaled, finish_geometric_mean>;

}  // namespace tally::cli
