// Linear recurrences on a GPU (tests/algorithms/recurrence_suite.hpp).
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "../../algorithms/recurrence_suite.hpp"
#include "../../contract/cuda_backend.hpp"
#include "tally/algorithms/recurrence.hpp"

namespace tally::test {
namespace {

template <class T>
void everything(std::size_t tries)
{
  constexpr std::size_t tile = order::tile<affine<T>>;
  recurrences::ranges<cuda_backend, T>(ways::few_threads, tidy({0, 1, 31, 32, 65, 1025, tile - 1, tile + 1, 70'001}));
  recurrences::anywhere_along<cuda_backend, T>(tries, ways::few_threads);
  std::vector<std::size_t> many;
  for (std::size_t k = 0; k < 300; ++k) many.push_back(k * 7 % 93);
  recurrences::segments_of_many_lengths<cuda_backend, T>(
      ways::few_threads, {{}, {0}, {0, 1, 5, 64, 65, 0, 4097, 100, 2, 0}, many, {40'000, 3, 0, 20'001}});
}
TEST(gpu_recurrence, of_floats)
{
  everything<float>(100);
}
TEST(gpu_recurrence, gradients_of_floats)
{
  recurrences::gradients<cuda_backend, float>(ways::one_thread);
}
TEST(gpu_recurrence, of_matrices)
{
  everything<recurrences::matrix>(30);
}

}  // namespace
}  // namespace tally::test
