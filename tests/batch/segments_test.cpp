// Segments of any lengths: every verb on random lengths, and at every length around a unit of the order.
#include <cstdint>

#include <gtest/gtest.h>

#include "segments_suite.hpp"
#include "tally/half.hpp"

namespace tally::test {
namespace {

TEST(segments, floats_of_any_length)
{
  random_segments<cpu_backend, float, std::uint32_t>(plus{}, 30);
}
TEST(segments, integers_of_any_length)
{
  random_segments<cpu_backend, std::int8_t, std::size_t>(plus{}, 20);
}
TEST(segments, values_of_twelve_bytes_of_any_length)
{
  random_segments<cpu_backend, twelve_bytes, std::int32_t>(compose_twelve{}, 30);
}
TEST(segments, halves_of_any_length)
{
  random_segments<cpu_backend, half, std::int64_t>(plus{}, 10);
}
TEST(segments, floats_around_units)
{
  segments_around_units<cpu_backend, float, std::uint32_t>(plus{});
}
TEST(segments, brackets_of_an_operator_without_kernels_around_units)
{
  segments_around_units<cpu_backend, float, std::int64_t>(halve_and_add{});
}
TEST(segments, values_of_twelve_bytes_around_units)
{
  segments_around_units<cpu_backend, twelve_bytes, std::size_t>(compose_twelve{});
}

}  // namespace
}  // namespace tally::test
