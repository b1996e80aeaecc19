#include "accumulators/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "settings/parser.hpp"

namespace tally::cli {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

running<pair_moments, combine_pair_moments> running_from_nothing(cpu on)
{
  return {pair_moments(), combine_pair_moments{}, on};
}

/// Calls `use` with the moments of each pair, a block at a time, and the block's first pair.
template <class Use>
void for_blocks(io::values_view const& values, Use use)
{
  constexpr std::size_t block = 4096;  // states stay in cache
  thread_local std::vector<pair_moments> states;
  std::span<double const> const in = as_doubles(values, scratch());
  std::size_t const pairs = in.size() / 2;
  for (std::size_t first = 0; first < pairs; first += block) {
    states.clear();
    for (std::size_t k = first; k < std::min(first + block, pairs); ++k) states.emplace_back(in[2 * k], in[2 * k + 1]);
    use(std::span(states), first);
  }
}

}  // namespace

double covariance_of(pair_moments const& of)
{
  return of.count < 2 ? not_a_number : of.products / (of.count - 1);
}

double correlation_of(pair_moments const& of)
{
  if (of.count < 2) return not_a_number;
  // The root of the product of the squares, which as it stands may be too large or too small for a double.
  int exponent_x = 0;
  int exponent_y = 0;
  double part_x = std::frexp(of.squares_x, &exponent_x);
  double const part_y = std::frexp(of.squares_y, &exponent_y);
  if (!std::isfinite(part_x) || !std::isfinite(part_y)) return not_a_number;
  if ((exponent_x + exponent_y) % 2 != 0) {
    part_x *= 2;
    --exponent_x;
  }
  double const root = std::ldexp(std::sqrt(part_x * part_y), (exponent_x + exponent_y) / 2);
  double const found = of.products / root;
  return std::isnan(found) ? found : std::clamp(found, -1.0, 1.0);
}

pair_accumulator::pair_accumulator(double (*finish)(pair_moments const&), std::size_t window, cpu on)
    : finish_(finish),
      on_(on),
      running_(running_from_nothing(on))
{
  if (window > 0) window_.emplace(window);
}

void pair_accumulator::restart()
{
  running_ = running_from_nothing(on_);
  if (window_) window_->clear();
}

void pair_accumulator::reduce(io::values_view const& values)
{
  for_blocks(values, [this](std::span<pair_moments> states, std::size_t) {
    if (!window_) return running_.reduce(states.data(), states.size());
    for (pair_moments const& each : states) window_->next(each);
  });
}

void pair_accumulator::scan(io::values_view const& values, scan_kind, value_buffer& out)
{
  double* const to = out.resize<double>(io::size_of(values));
  for_blocks(values, [&](std::span<pair_moments> states, std::size_t first) {
    if (window_)
      for (pair_moments& each : states) each = window_->next(each);
    else
      running_.inclusive_scan(states.data(), states.data(), states.size());
    for (std::size_t k = 0; k < states.size(); ++k) to[2 * (first + k)] = to[2 * (first + k) + 1] = finish_(states[k]);
  });
}

result pair_accumulator::value() const
{
  return finish_(*running_.value());
}

namespace {

/// The products of the pairs. Those of integers are exact: int64 if all fit that, else int128.
io::values_view products_of(io::values_view const& pairs, value_buffer& room)
{
  return std::visit(
      [&]<class T>(std::span<T const> in) -> io::values_view {
        std::size_t const n = in.size() / 2;
        if constexpr (std::is_floating_point_v<T>) {
          double* const to = room.resize<double>(n);
          for (std::size_t k = 0; k < n; ++k)
            to[k] = static_cast<double>(in[2 * k]) * static_cast<double>(in[2 * k + 1]);
        } else {
          bool fits = true;
          std::int64_t* const narrow = room.resize<std::int64_t>(n);
          for (std::size_t k = 0; k < n; ++k) fits &= !__builtin_mul_overflow(in[2 * k], in[2 * k + 1], &narrow[k]);
          if (fits) return room.view();
          int128* const wide = room.resize<int128>(n);
          for (std::size_t k = 0; k < n; ++k)
            if (__builtin_mul_overflow(in[2 * k], in[2 * k + 1], &wide[k]))
              throw value_problem(2 * k, "a product of a value and its weight that needs more than 128 bits",
                                  "one that fits (--type float64 rounds numbers of text instead)");
        }
        return room.view();
      },
      pairs);
}

/// The second values of the pairs; floats as doubles.
io::values_view weights_of(io::values_view const& pairs, value_buffer& room)
{
  return std::visit(
      [&]<class T>(std::span<T const> in) -> io::values_view {
        using kept = std::conditional_t<std::is_floating_point_v<T>, double, T>;
        kept* const to = room.resize<kept>(in.size() / 2);
        for (std::size_t k = 0; k < in.size() / 2; ++k) to[k] = static_cast<kept>(in[2 * k + 1]);
        return room.view();
      },
      pairs);
}

/// Calls `use`, and turns the index of a pair in its problem into that of the pair's first value.
template <class Use>
void by_pairs(Use use)
{
  try {
    use();
  } catch (value_problem const& problem) {
    throw value_problem(2 * problem.index(), problem.found(), problem.expected());
  }
}

class weighted_sum_accumulator final : public accumulator {
public:
  explicit weighted_sum_accumulator(std::unique_ptr<accumulator> sum) : sum_(std::move(sum)) {}

  void restart() override { sum_->restart(); }

  void reduce(io::values_view const& values) override
  {
    io::values_view const products = products_of(values, products_);
    by_pairs([&] { sum_->reduce(products); });
  }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    io::values_view const products = products_of(values, products_);
    by_pairs([&] { sum_->scan(products, kind, sums_); });
    std::visit(
        [&]<class T>(std::span<T const> sums) {
          T* const to = out.resize<T>(2 * sums.size());
          for (std::size_t k = 0; k < sums.size(); ++k) to[2 * k] = to[2 * k + 1] = sums[k];
        },
        sums_.view());
  }

  result value() const override { return sum_->value(); }

private:
  std::unique_ptr<accumulator> sum_;
  value_buffer products_;
  value_buffer sums_;
};

double as_double(result const& value)
{
  return std::visit([](auto x) { return static_cast<double>(x); }, value);
}

class weighted_mean_accumulator final : public accumulator {
public:
  /// Of a sum of products and one of weights.
  weighted_mean_accumulator(std::unique_ptr<accumulator> products, std::unique_ptr<accumulator> weights)
      : products_(std::move(products)),
        weights_(std::move(weights))
  {
  }

  void restart() override
  {
    products_->restart();
    weights_->restart();
  }

  void reduce(io::values_view const& values) override
  {
    products_->reduce(values);
    io::values_view const weights = weights_of(values, room_);
    by_pairs([&] { weights_->reduce(weights); });
  }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    products_->scan(values, kind, products_so_far_);
    io::values_view const weights = weights_of(values, room_);
    by_pairs([&] { weights_->scan(weights, kind, weights_so_far_); });
    std::size_t const pairs = io::size_of(weights);
    std::span<double const> const sums = as_doubles(weights_so_far_.view(), scratch());
    double* const to = out.resize<double>(2 * pairs);
    std::visit(
        [&](auto products) {
          for (std::size_t k = 0; k < pairs; ++k)
            to[2 * k] = to[2 * k + 1] = static_cast<double>(products[2 * k]) / sums[k];
        },
        products_so_far_.view());
  }

  result value() const override { return as_double(products_->value()) / as_double(weights_->value()); }

private:
  std::unique_ptr<accumulator> products_;
  std::unique_ptr<accumulator> weights_;
  value_buffer room_;
  value_buffer products_so_far_;
  value_buffer weights_so_far_;
};

}  // namespace

std::unique_ptr<accumulator> make_weighted(accumulation const& what)
{
  if (what.op != operation::sum && what.op != operation::mean)
    throw command_line_error("--weights is for the operations sum and mean, not for " + name_of(what.op));
  accumulation sum{
      .op = operation::sum, .type = what.type, .init = what.init, .threads = what.threads, .window = what.window};
  if (sum.type == io::element_type::float32) sum.type = io::element_type::float64;
  auto products = std::make_unique<weighted_sum_accumulator>(make_accumulator(sum));
  if (what.op == operation::sum) return products;
  return std::make_unique<weighted_mean_accumulator>(std::move(products), make_accumulator(sum));
}

}  // namespace tally::cli
