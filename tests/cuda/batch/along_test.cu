// The calls on sequences along an axis (tests/batch/along_suite.hpp), on a GPU.
#include <cstdint>

#include <gtest/gtest.h>

#include "../../batch/along_suite.hpp"
#include "../../contract/cuda_backend.hpp"
#include "tally/half.hpp"

namespace tally::test {
namespace {

using on_gpu = test::cuda_backend;

TEST(cuda_along, floats_anywhere)
{
  random_batches<on_gpu, float>(plus{}, 60);
}
TEST(cuda_along, small_integers_anywhere)
{
  random_batches<on_gpu, std::int8_t>(plus{}, 30);
}
TEST(cuda_along, values_of_twelve_bytes_anywhere)
{
  random_batches<on_gpu, twelve_bytes>(compose_twelve{}, 60);
}
TEST(cuda_along, brackets_of_an_operator_without_kernels_anywhere)
{
  random_batches<on_gpu, float>(halve_and_add{}, 40);
}
TEST(cuda_along, floats_around_units)
{
  lengths_around_units<on_gpu, float>(plus{});
}
TEST(cuda_along, doubles_around_units)
{
  lengths_around_units<on_gpu, double>(plus{});
}
TEST(cuda_along, values_of_twelve_bytes_around_units)
{
  lengths_around_units<on_gpu, twelve_bytes>(compose_twelve{});
}

}  // namespace
}  // namespace tally::test
