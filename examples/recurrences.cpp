/// Recurrences: a loan, a filter, Fibonacci's numbers. Each step needs the one before, so the loops look serial; they
/// are scans.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <tally/algorithms/linear_sequence.hpp>
#include <tally/algorithms/recurrence.hpp>
#include <tally/algorithms/recursive_filter.hpp>

int main()
{
  // A balance with changing interest and payments: balance[k] = (1 + rate[k]) * balance[k-1] - payment[k].
  std::vector<double> const growth = {1.010, 1.010, 1.012, 1.012, 1.008, 1.008};
  std::vector<double> const change = {-180, -180, -180, 500, -180, -180};
  std::vector<double> balance(growth.size());
  tally::linear_recurrence(growth.begin(), growth.end(), change.begin(), balance.begin(), 1000.0);
  std::printf("balance:");
  for (double each : balance) std::printf(" %.2f", each);

  // Backward in time: the present value of the payments, with 200 at the end.
  std::vector<double> const discount(4, 0.9), coming(4, 10.0);
  std::vector<double> worth(4);
  tally::linear_recurrence_backward(discount.begin(), discount.end(), coming.begin(), worth.begin(), 200.0);
  std::printf("\nworth:");
  for (double each : worth) std::printf(" %.3f", each);

  // Three channels, time slowest: y[t][c] = decay[c] * y[t-1][c] + x[t][c]. A stride of 0 repeats the decays along
  // time.
  std::vector<float> const decay = {0.5f, 0.9f, 1.0f}, x = {1, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
  std::vector<float> y(x.size()), last(3);
  tally::array_view const of_channels(decay.data(), {4, 3}, {0, 1});
  tally::array_view const in(x.data(), {4, 3});
  tally::array_view const out(y.data(), {4, 3});
  tally::linear_recurrence(tally::along(0, of_channels), tally::along(0, in), tally::along(0, out),
                           tally::last_to(last));
  std::printf("\nchannels:");
  for (float each : last) std::printf(" %g", static_cast<double>(each));

  // A filter that rings: it feeds back its last two outputs.
  std::vector<double> signal(12);
  signal[0] = 1;
  tally::recursive_filter(std::array{1.0, -0.5}, signal.begin(), signal.end(), signal.begin());
  std::printf("\nring:");
  for (double each : signal) std::printf(" %g", each);

  // Two channels of a stream that comes in pieces: each goes on from the last outputs of the piece before.
  std::array const feedback{1.0, -0.5};
  std::vector<double> first = {1, 0, 0, 2, 0, 0}, second = {0, 0, 0, 0};  // [time][channel]
  std::vector<std::array<double, 2>> states(2);
  auto const channels = [](std::vector<double>& piece) {
    return tally::along(0, tally::array_view(piece.data(), {piece.size() / 2, 2}));
  };
  tally::recursive_filter(feedback, channels(first), channels(first), tally::last_to(states));
  tally::recursive_filter(feedback, channels(second), channels(second), tally::each(states));
  std::printf("\nstereo:");
  for (double each : second) std::printf(" %g", each);

  std::vector<std::uint64_t> fibonacci(1'000'001);
  using terms = std::array<std::uint64_t, 2>;
  tally::linear_sequence_modulo(tally::cpu{}, terms{1, 1}, terms{0, 1}, 1'000'000'007, fibonacci.size(),
                                fibonacci.begin());
  std::printf("\nFibonacci: %d %d %d ... F(1000000) = %d modulo 1000000007\n", static_cast<int>(fibonacci[10]),
              static_cast<int>(fibonacci[11]), static_cast<int>(fibonacci[12]), static_cast<int>(fibonacci.back()));
}
