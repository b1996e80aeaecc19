// Sequences along an axis: every verb on random shapes and places, and at every length around a unit of the order.
#include <cstdint>

#include <gtest/gtest.h>

#include "../support/tuning.hpp"
#include "along_suite.hpp"
#include "tally/half.hpp"

namespace tally::test {
namespace {

TEST(along, floats_anywhere)
{
  random_batches<cpu_backend, float>(plus{}, 40);
}
TEST(along, doubles_anywhere)
{
  random_batches<cpu_backend, double>(plus{}, 30);
}
TEST(along, small_integers_anywhere)
{
  random_batches<cpu_backend, std::int8_t>(plus{}, 30);
}
TEST(along, integers_anywhere)
{
  random_batches<cpu_backend, std::int32_t>(maximum{}, 30);
}
TEST(along, values_of_twelve_bytes_anywhere)
{
  random_batches<cpu_backend, twelve_bytes>(compose_twelve{}, 40);
}
TEST(along, brackets_of_an_operator_without_kernels_anywhere)
{
  random_batches<cpu_backend, float>(halve_and_add{}, 30);
}

TEST(along, floats_around_units)
{
  lengths_around_units<cpu_backend, float>(plus{});
}
TEST(along, doubles_around_units)
{
  lengths_around_units<cpu_backend, double>(plus{});
}
TEST(along, brackets_of_an_operator_without_kernels_around_units)
{
  lengths_around_units<cpu_backend, float>(halve_and_add{});
}
TEST(along, values_of_twelve_bytes_around_units)
{
  lengths_around_units<cpu_backend, twelve_bytes>(compose_twelve{});
}
TEST(along, halves_anywhere)
{
  random_batches<cpu_backend, half>(plus{}, 20);
}
/// Neighbours are gathered however near their elements lie.
class gathered : public testing::Test {
  tuned const tuned_{[](tally::cpu_backend::tuning& sizes) { sizes.gathered_distance = 0; }};
};
TEST_F(gathered, floats_anywhere)
{
  random_batches<cpu_backend, float>(plus{}, 40);
}
TEST_F(gathered, brackets_of_an_operator_without_kernels_anywhere)
{
  random_batches<cpu_backend, float>(halve_and_add{}, 30);
}
TEST_F(gathered, floats_around_units)
{
  lengths_around_units<cpu_backend, float>(plus{});
}
TEST_F(gathered, values_of_twelve_bytes_around_units)
{
  lengths_around_units<cpu_backend, twelve_bytes>(compose_twelve{});
}

TEST(reversed, floats_around_units)
{
  reversed_ranges<cpu_backend, float>(plus{});
}
TEST(reversed, values_of_twelve_bytes_around_units)
{
  reversed_ranges<cpu_backend, twelve_bytes>(compose_twelve{});
}

}  // namespace
}  // namespace tally::test
