// How long the model machine takes to record the textbook's kernels, each on as many elements as it takes, or on 2^20:
//   build/bench/tally_bench_model
#include <cstddef>
#include <ctime>
#include <vector>

#include <fmt/format.h>

#include "textbook/catalogue.hpp"
#include "tool/cli/bench/timing.hpp"

int main()
{
  using namespace tally;
  std::vector<textbook::kernel_entry> const& kernels = textbook::catalogue();
  auto const size_of = [](textbook::kernel_entry const& kernel) { return kernel.most != 0 ? kernel.most : 1 << 20; };
  std::vector<std::vector<double>> processor_seconds(kernels.size());
  timing::interleaved_rounds all(kernels.size());
  all.run_rounds(3, [&](std::size_t k) {
    std::vector<int> const in(static_cast<std::size_t>(size_of(kernels[k])), 1);
    std::clock_t const processors = std::clock();
    double const seconds = timing::seconds_of([&] {
      model::machine on;
      timing::keep(textbook::run(kernels[k], on, in));
    });
    processor_seconds[k].push_back(static_cast<double>(std::clock() - processors) / CLOCKS_PER_SEC);
    return seconds;
  });
  for (std::size_t k = 0; k < kernels.size(); ++k)
    fmt::print("{:<46}{:>10.4g} ms {:>10.4g} ms of processors\n",
               fmt::format("model/{}/{}", kernels[k].name, size_of(kernels[k])), all.median(k) * 1e3,
               timing::median(processor_seconds[k]) * 1e3);
}
