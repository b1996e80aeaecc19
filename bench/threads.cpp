// How many threads pay: scans and sums of floats of growing size on exactly 1, 2, 4, ... threads, however small the
// input is, and on as many as Tally chooses; in GB/s, medians of interleaved rounds.
//   build/bench/tally_bench_threads
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tool/cli/bench/timing.hpp"

namespace {

/// An operator of the caller's, for which there is no compiled kernel: elements are combined one by one.
struct own_sum {
  float operator()(float a, float b) const { return a + b; }
};

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
    std::size_t const bytes = n * sizeof(float);
    std::size_t const calls = std::max<std::size_t>(1, (std::size_t{4} << 20) / bytes);  // about 200 us
    tally::timing::interleaved_rounds all(threads.size() + 1);
    all.run_rounds(15, [&](std::size_t k) {
      bool const as_chosen = k == threads.size();
      cpu::tuning_in_use() = as_measured;
      if (!as_chosen) cpu::tuning_in_use().serial_bytes = cpu::tuning_in_use().bytes_a_thread = 0;
      tally::cpu const on{.threads = as_chosen ? 0 : threads[k]};
      return tally::timing::seconds_of([&] { call(on, in, out); }, calls);
    });
    cpu::tuning_in_use() = as_measured;
    fmt::print("{:<16}{:>10}", "", n);
    for (std::size_t k = 0; k <= threads.size(); ++k)
      fmt::print("{:>9.1f}", static_cast<double>(2 * bytes) / all.median(k) * 1e-9);
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
