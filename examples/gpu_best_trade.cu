/// The best trade, buy once and sell later, on a GPU: a user-defined operator, compiled by nvcc.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <tally/cuda.hpp>

/// The summary of a stretch of days.
struct days {
  float lowest, highest, best;
};

/// Joins two stretches, one after the other. The operator is not commutative.
struct then {
  TALLY_HD days operator()(days const& a, days const& b) const
  {
    float const across = b.highest - a.lowest;
    float const within = a.best > b.best ? a.best : b.best;
    return {a.lowest < b.lowest ? a.lowest : b.lowest, a.highest > b.highest ? a.highest : b.highest,
            across > within ? across : within};
  }
};

struct day {
  TALLY_HD days operator()(float price) const { return {price, price, 0.0f}; }
};

int main()
{
  std::vector<float> const prices = {20, 18, 23, 21, 15, 17, 24, 22};
  float* on_device = nullptr;
  cudaMalloc(&on_device, prices.size() * sizeof(float));
  cudaMemcpy(on_device, prices.data(), prices.size() * sizeof(float), cudaMemcpyDefault);

  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  tally::cuda::workspace space;
  days const nothing_yet = {prices[0], prices[0], 0.0f};
  days const all = tally::transform_reduce(tally::cuda{stream, space}, on_device, on_device + prices.size(),
                                           nothing_yet, then{}, day{});
  std::printf("bought and sold at the best time: %.0f gained\n", all.best);
  cudaFree(on_device);
  cudaStreamDestroy(stream);
}
