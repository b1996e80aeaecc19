// How many threads pay: scans and sums of floats of growing size on 1, 2, 4, ... threads that are taken however small
// the input is, and on as many as Tally takes by itself; in GB/s, medians of interleaved rounds.
//   build/bench/tally_bench_threads
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

/// An operator of the caller's: no kernel, one element after the other.
struct own_sum {
  float operator()(float a, float b) const { return a + b; }
};

/// Seconds of one call, measured over enough calls to take 200 us.
template <class Call>
double seconds(Call const& call, std::size_t bytes)
{
  std::size_t const calls = std::max<std::size_t>(1, (std::size_t{4} << 20) / bytes);
  auto const begin = clock_type::now();
  for (std::size_t k = 0; k < calls; ++k) call();
  return std::chrono::duration<double>(clock_type::now() - begin).count() / static_cast<double>(calls);
}

template <class Call>
void race(std::string const& what, Call const& call)
{
  namespace cpu = tally::cpu_backend;
  cpu::tuning const as_measured = cpu::tuning_in_use();
  std::vector<int> threads;
  for (int t = 1; t <= cpu::available_threads(); t *= 2) threads.push_back(t);
  fmt::print("{:<16}{:>10}", what, "elements");
  for (int const t : threads) fmt::print("{:>9}", t);
  fmt::print("{:>9}   threads taken\n", "chosen");
  for (std::size_t n = std::size_t{1} << 13; n <= std::size_t{1} << 24; n *= 2) {
    std::vector<float> const in(n, 0.5f);
    std::vector<float> out(n);
    std::vector<std::vector<double>> times(threads.size() + 1);
    for (int round = 0; round < 15; ++round)
      for (std::size_t c = 0; c <= threads.size(); ++c) {
        bool const chosen = c == threads.size();
        cpu::tuning_in_use() = as_measured;
        if (!chosen) cpu::tuning_in_use().serial_bytes = cpu::tuning_in_use().bytes_a_thread = 0;
        tally::cpu const on{.threads = chosen ? 0 : threads[c]};
        times[c].push_back(seconds([&] { call(on, in, out); }, n * sizeof(float)));
      }
    cpu::tuning_in_use() = as_measured;
    fmt::print("{:<16}{:>10}", "", n);
    for (auto& each : times) {
      std::nth_element(each.begin(), each.begin() + 7, each.end());
      fmt::print("{:>9.1f}", static_cast<double>(2 * n * sizeof(float)) / each[7] * 1e-9);
    }
    fmt::print("   {}\n", cpu::team_size(0, n * sizeof(float), n / 8192));
  }
}

}  // namespace

int main()
{
  float sink = 0;
  race("scan", [](tally::cpu on, auto const& in, auto& out) { tally::inclusive_scan(on, in, out); });
  race("sum (x 2)", [&](tally::cpu on, auto const& in, auto&) { sink += tally::reduce(on, in, 0.0f); });
  race("own scan", [](tally::cpu on, auto const& in, auto& out) { tally::inclusive_scan(on, in, out, own_sum{}); });
  return sink < 0;
}
