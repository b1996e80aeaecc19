/// Layers of neural networks that are linear recurrences: a selective state space, forward and backward, and a minimal
/// gated recurrent layer. Each is compared with its plain loop.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <tally/algorithms/recurrence.hpp>

namespace {

constexpr std::size_t times = 200, channels = 3, states = 16, all = channels * states;

/// Numbers in [-1, 1) that need no library.
std::vector<double> numbers(std::size_t n, unsigned seed)
{
  std::vector<double> values(n);
  for (double& each : values) {
    seed = seed * 1664525u + 1013904223u;
    each = (seed >> 8) * 0x1p-23 - 1;
  }
  return values;
}

double largest_difference(std::vector<double> const& a, std::vector<double> const& b)
{
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

auto along_time(std::vector<double>& values)
{
  return tally::along(0, tally::array_view(values.data(), {times, all}));
}

/// The input of the layer: signals x, step sizes, and what is written to the states (b) and read from them (c).
struct layer {
  std::vector<double> x = numbers(times * channels, 1), step = numbers(times * channels, 2),
                      b = numbers(times * states, 3), c = numbers(times * states, 4), rates;

  layer()
  {
    for (double& each : step) each = std::log1p(std::exp(each - 2));  // positive
    for (std::size_t s = 0; s < all; ++s) rates.push_back(-1.0 - static_cast<double>(s % states));
  }
};

/// h[t] = exp(step[t]*rate) * h[t-1] + step[t]*b[t]*x[t] for each channel and state, and y[t] = the sum of c[t]*h[t]
/// over the states. The gradients are those of the sum of all y.
struct result {
  std::vector<double> y, by_x, by_rates;
  result() : y(times * channels), by_x(times * channels), by_rates(all) {}
};

result by_recurrences(layer const& of)
{
  std::vector<double> a(times * all), terms(times * all), h(times * all), above(times * all), by_a(times * all),
      by_terms(times * all);
  for (std::size_t k = 0; k < times * all; ++k) {
    std::size_t const t = k / all, s = k % all, channel = t * channels + s / states, state = t * states + s % states;
    a[k] = std::exp(of.step[channel] * of.rates[s]);
    terms[k] = of.step[channel] * of.b[state] * of.x[channel];
    above[k] = of.c[state];
  }
  tally::linear_recurrence(along_time(a), along_time(terms), along_time(h));
  tally::linear_recurrence_gradient(along_time(a), along_time(h), along_time(above), along_time(by_a),
                                    along_time(by_terms));
  result r;
  for (std::size_t k = 0; k < times * all; ++k) {
    std::size_t const t = k / all, s = k % all, channel = t * channels + s / states, state = t * states + s % states;
    r.y[channel] += of.c[state] * h[k];
    r.by_x[channel] += by_terms[k] * of.step[channel] * of.b[state];
    r.by_rates[s] += by_a[k] * a[k] * of.step[channel];
  }
  return r;
}

result by_loops(layer const& of)
{
  result r;
  for (std::size_t s = 0; s < all; ++s) {
    std::vector<double> h(times + 1);
    auto const channel = [&](std::size_t t) { return t * channels + s / states; };
    auto const state = [&](std::size_t t) { return t * states + s % states; };
    for (std::size_t t = 0; t < times; ++t) {
      double const step = of.step[channel(t)];
      h[t + 1] = std::exp(step * of.rates[s]) * h[t] + step * of.b[state(t)] * of.x[channel(t)];
      r.y[channel(t)] += of.c[state(t)] * h[t + 1];
    }
    double above = 0;
    for (std::size_t t = times; t-- > 0;) {
      double const step = of.step[channel(t)], a = std::exp(step * of.rates[s]);
      above += of.c[state(t)];
      r.by_x[channel(t)] += above * step * of.b[state(t)];
      r.by_rates[s] += above * h[t] * a * step;
      above *= a;
    }
  }
  return r;
}

}  // namespace

int main()
{
  layer const of;
  result const own = by_recurrences(of), loops = by_loops(of);
  std::printf("selective state space: y of the last time %.6f %.6f %.6f\n", own.y[(times - 1) * channels],
              own.y[(times - 1) * channels + 1], own.y[(times - 1) * channels + 2]);
  std::printf("gradients by the first x %.6f, by the first rate %.6f\n", own.by_x[0], own.by_rates[0]);
  bool const near = largest_difference(own.y, loops.y) < 1e-12 && largest_difference(own.by_x, loops.by_x) < 1e-12 &&
                    largest_difference(own.by_rates, loops.by_rates) < 1e-12;
  std::printf("%s\n", near ? "the same as the loops, but for rounding" : "not the same as the loops");

  // A minimal gated recurrent layer: h[t] = (1 - gate[t]) * h[t-1] + gate[t] * candidate[t], where gates and candidates
  // depend on the input alone. This one keeps the value that came with its last open gate.
  std::vector<double> const value = {3, 7, 1, 8, 2, 9}, open = {-30, 30, -30, -30, 30, -30};
  std::vector<double> keep, write, kept(value.size());
  for (std::size_t t = 0; t < value.size(); ++t) {
    double const gate = 1 / (1 + std::exp(-open[t]));
    keep.push_back(1 - gate);
    write.push_back(gate * value[t]);
  }
  tally::linear_recurrence(keep.begin(), keep.end(), write.begin(), kept.begin(), 0.0);
  std::printf("gated layer:");
  for (double const each : kept) std::printf(" %.3f", std::abs(each));
  std::printf("\n");
}
