/// Recurrences of real series: exponential smoothing of the flow of the Nile, months until a loan is repaid, and a
/// ladder filter whose coefficients change.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <tally/algorithms/recurrence.hpp>

namespace {

/// The yearly flow of the Nile at Aswan, 1871 to 1970, in 10^8 cubic metres. G. W. Cobb: The problem of the Nile,
/// Biometrika 65 (1978), 243-251.
double const nile[] = {1120, 1160, 963, 1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935,  1110, 994,  1020,
                       960,  1180, 799, 958,  1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774,  840,
                       874,  694,  940, 833,  701,  916,  692,  1020, 1050, 969,  831,  726,  456,  824,  702,
                       1120, 1100, 832, 764,  821,  768,  845,  864,  862,  698,  845,  744,  796,  1040, 759,
                       781,  865,  845, 944,  984,  897,  822,  1010, 771,  676,  649,  846,  812,  742,  801,
                       1040, 860,  874, 848,  890,  744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,
                       1020, 906,  901, 1170, 912,  746,  919,  718,  714,  740};
constexpr std::size_t years = sizeof nile / sizeof nile[0];

/// 2x2 matrices, a ring. A state of two numbers is a first column.
struct matrix {
  double a = 0, b = 0, c = 0, d = 0;

  matrix() = default;
  explicit matrix(double one) : a(one), d(one) {}
  matrix(double p, double q, double r, double s) : a(p), b(q), c(r), d(s) {}
  friend matrix operator+(matrix const& x, matrix const& y) { return {x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d}; }
  friend matrix operator*(matrix const& x, matrix const& y)
  {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

}  // namespace

int main()
{
  // s[k] = (1 - weight) * s[k-1] + weight * x[k], for many weights at once: a row each. Each s is the forecast of the
  // next year. A stride of 0 repeats a row's coefficient along time.
  constexpr std::size_t weights = 19;
  std::vector<double> coefficients, terms, smooth(weights * years);
  for (std::size_t w = 0; w < weights; ++w) {
    double const weight = 0.05 * static_cast<double>(w + 1);
    coefficients.push_back(1 - weight);
    for (double const flow : nile) terms.push_back(weight * flow);
  }
  tally::array_view const repeated(coefficients.data(), {weights, years}, {1, 0});
  tally::array_view const in(terms.data(), {weights, years});
  tally::array_view const out(smooth.data(), {weights, years});
  tally::linear_recurrence(tally::along(1, repeated), tally::along(1, in), tally::along(1, out), nile[0]);
  std::size_t best = 0;
  double least = 0;
  for (std::size_t w = 0; w < weights; ++w) {
    double error = 0;
    for (std::size_t k = 1; k < years; ++k) error += std::pow(nile[k] - smooth[w * years + k - 1], 2);
    if (w == 0 || error < least) {
      best = w;
      least = error;
    }
  }
  std::printf("Nile: the weight %.2f forecasts best, off by %.1f a year\n", 0.05 * static_cast<double>(best + 1),
              std::sqrt(least / (years - 1)));
  for (std::size_t const year : {1897u, 1900u, 1913u, 1970u})
    std::printf("%zu: %.0f, smoothed %.1f\n", year, nile[year - 1871], smooth[best * years + year - 1871]);

  // A loan of 10000 at 0.4 % a month, of which 200 are paid each month.
  std::vector<double> const growth(60, 1.004), paid(60, -200);
  std::vector<double> balance(60);
  tally::linear_recurrence(growth.begin(), growth.end(), paid.begin(), balance.begin(), 10000.0);
  std::size_t months = 0;
  while (balance[months] > 0) ++months;
  std::printf("loan: repaid in month %zu, with %.2f at the end of the month before\n", months + 1, balance[months - 1]);

  // A ladder of two steps with the reflection coefficients p[k] and q[k], as of a vocal tract that moves. f goes down
  // the ladder and g comes back: f1 = x - q*g1, f0 = f1 - p*g0, then g1 = p*f0 + g0 and g0 = f0. Each step is a matrix
  // of the state (g0, g1).
  std::size_t const n = 48;
  std::vector<matrix> step, term, state(n);
  std::vector<double> loop;
  for (std::size_t k = 0; k < n; ++k) {
    double const p = -0.9 + 0.01 * static_cast<double>(k), q = 0.8, x = k % 12 == 0 ? 1 : 0;
    step.push_back({-p, -q, 1 - p * p, -p * q});
    term.push_back({x, 0, p * x, 0});
  }
  tally::linear_recurrence(step.begin(), step.end(), term.begin(), state.begin(), matrix());
  double g0 = 0, g1 = 0, largest = 0;
  for (std::size_t k = 0; k < n; ++k) {
    double const p = -0.9 + 0.01 * static_cast<double>(k), q = 0.8, x = k % 12 == 0 ? 1 : 0;
    double const f0 = x - q * g1 - p * g0;
    g1 = p * f0 + g0;
    g0 = f0;
    largest = std::fmax(largest, std::abs(f0 - state[k].a));
  }
  std::printf("ladder:");
  for (std::size_t k = 36; k < n; ++k) std::printf(" %.3f", state[k].a);
  std::printf("\n%s\n", largest < 1e-13 ? "the same as the loop, but for rounding" : "not the same as the loop");
}
