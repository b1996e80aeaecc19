// How long the model machine takes to record the textbook's kernels, each on as many elements as it takes, or on 2^20:
//   build/bench/tally_bench_model
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "textbook/catalogue.hpp"

int main(int count, char** arguments)
{
  using namespace tally;
  for (textbook::kernel_entry const& kernel : textbook::catalogue()) {
    int const n = kernel.most != 0 ? kernel.most : 1 << 20;
    benchmark::RegisterBenchmark((std::string("model/") + std::string(kernel.name) + "/" + std::to_string(n)).c_str(),
                                 [&kernel, n](benchmark::State& state) {
                                   std::vector<int> const in(static_cast<std::size_t>(n), 1);
                                   for (auto _ : state) {
                                     model::machine on;
                                     benchmark::DoNotOptimize(textbook::run(kernel, on, in));
                                   }
                                 })
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
