// Passes over shared memory, by hand.
#include <cstdint>

#include <gtest/gtest.h>

#include "kernel_of.hpp"
#include "shared_step.hpp"

namespace tally::model {
namespace {

/// Every lane reads x[stride * t + first].
template <class E>
shared_counts strided(int stride, int first = 0)
{
  return shared_step<E>([=](block const&, view<E> x, int t) { look(x[stride * t + first]); }).shared;
}

TEST(wavefronts, of_four_bytes)
{
  for (int const odd : {1, 3, 7, 33, 63}) {
    EXPECT_EQ(strided<int>(odd).wavefronts, 1u) << odd;
    EXPECT_EQ(strided<int>(odd, 5).worst_degree, 1) << odd;
  }
  for (int const power : {2, 4, 8, 16, 32}) {
    EXPECT_EQ(strided<int>(power).wavefronts, static_cast<std::size_t>(power));
    EXPECT_EQ(strided<int>(power).worst_degree, power);
    EXPECT_EQ(strided<int>(power).ideal, 1u);
    EXPECT_EQ(strided<float>(power, 17).wavefronts, static_cast<std::size_t>(power));
  }
  EXPECT_EQ(strided<int>(6).wavefronts, 2u) << "banks 0, 6 .. 30, 4 .. : 16 of them";
  EXPECT_EQ(strided<int>(12).wavefronts, 4u);
  EXPECT_EQ(strided<int>(48).wavefronts, 16u);
  EXPECT_EQ(strided<traced<int>>(32).wavefronts, 32u) << "what is traced is as large as on a GPU";
  EXPECT_EQ(strided<int>(1).reads, 32u);
  EXPECT_EQ(strided<int>(1).writes, 0u);
  EXPECT_EQ(strided<int>(1).requests, 1u);
}

TEST(wavefronts, of_a_broadcast)
{
  EXPECT_EQ(strided<int>(0, 77).wavefronts, 1u);
  shared_counts const halves =
      shared_step<int>([](block const&, view<int> x, int t) { look(x[t < 16 ? 0 : 32]); }).shared;
  EXPECT_EQ(halves.wavefronts, 2u) << "two words in one bank";
  shared_counts const pairs = shared_step<int>([](block const&, view<int> x, int t) { look(x[t / 2]); }).shared;
  EXPECT_EQ(pairs.wavefronts, 1u);
}

TEST(wavefronts, of_eight_bytes)
{
  EXPECT_EQ(strided<eight_bytes>(1).wavefronts, 2u) << "half a warp at a time";
  EXPECT_EQ(strided<double>(1).ideal, 2u);
  EXPECT_EQ(strided<double>(1).worst_degree, 1);
  EXPECT_EQ(strided<double>(2).wavefronts, 4u);
  EXPECT_EQ(strided<double>(2).ideal, 2u);
  EXPECT_EQ(strided<double>(2).worst_degree, 2);
  EXPECT_EQ(strided<double>(16).wavefronts, 32u);
  EXPECT_EQ(strided<double>(17).wavefronts, 2u);
  EXPECT_EQ(strided<double>(0).wavefronts, 2u);
  shared_counts const halves =
      shared_step<double>([](block const&, view<double> x, int t) { look(x[t < 16 ? 2 * t : 64 + t]); }).shared;
  EXPECT_EQ(halves.wavefronts, 2u + 1u);
  EXPECT_EQ(halves.worst_degree, 2);
}

TEST(wavefronts, of_sixteen_bytes)
{
  EXPECT_EQ(strided<sixteen_bytes>(1).wavefronts, 4u) << "a quarter of a warp at a time";
  EXPECT_EQ(strided<sixteen_bytes>(1).ideal, 4u);
  EXPECT_EQ(strided<sixteen_bytes>(2).wavefronts, 8u);
  EXPECT_EQ(strided<sixteen_bytes>(8).wavefronts, 32u);
  EXPECT_EQ(strided<sixteen_bytes>(8).worst_degree, 8);
  EXPECT_EQ(strided<sixteen_bytes>(9).wavefronts, 4u);
}

TEST(wavefronts, of_elements_that_share_banks_in_part)
{
  EXPECT_EQ(strided<twelve_bytes>(1).wavefronts, 4u);
  EXPECT_EQ(strided<twelve_bytes>(11).wavefronts, 12u) << "33 words on, a bank on: three lanes meet in each";
  EXPECT_EQ(strided<twelve_bytes>(11).ideal, 4u);
}

TEST(wavefronts, of_several_requests)
{
  shared_counts const both = shared_step<int>([](block const&, view<int> x, int t) {
                               look(x[4 * t]);
                               look(x[t]);
                             }).shared;
  EXPECT_EQ(both.wavefronts, 4u + 1u);
  EXPECT_EQ(both.worst_degree, 4) << "of all";
}

TEST(wavefronts, of_one_byte)
{
  EXPECT_EQ(strided<std::int8_t>(1).wavefronts, 1u) << "four of them in a word";
  EXPECT_EQ(strided<std::int8_t>(4).wavefronts, 1u);
  EXPECT_EQ(strided<std::int8_t>(8).wavefronts, 2u);
  EXPECT_EQ(strided<bool>(1).wavefronts, 1u);
  shared_counts const written =
      shared_step<std::int8_t>([](block const&, view<std::int8_t> x, int t) { x[t] = 1; }).shared;
  EXPECT_EQ(written.wavefronts, 1u) << "bytes of one word are written together";
  EXPECT_EQ(written.writes, 32u);
}

TEST(wavefronts, of_some_lanes)
{
  shared_counts const some = shared_step<int>([](block const&, view<int> x, int t) {
                               if (t % 4 == 0) look(x[32 * t]);
                             }).shared;
  EXPECT_EQ(some.reads, 8u);
  EXPECT_EQ(some.wavefronts, 8u);
  EXPECT_EQ(some.ideal, 1u);
  shared_counts const none = shared_step<int>([](block const&, view<int>, int) {}).shared;
  EXPECT_EQ(none.requests, 0u);
  EXPECT_EQ(none.wavefronts, 0u);
}

TEST(wavefronts, of_atomic_additions)
{
  shared_counts const same = shared_step<int>([](block const& b, view<int> x, int) { b.atomic_add(x, 3, 1); }).shared;
  EXPECT_EQ(same.wavefronts, 32u) << "one after the other";
  EXPECT_EQ(same.worst_degree, 32);
  EXPECT_EQ(same.requests, 1u);
  EXPECT_EQ(same.reads, 32u);
  EXPECT_EQ(same.writes, 32u);
  shared_counts const apart =
      shared_step<int>([](block const& b, view<int> x, int t) { b.atomic_add(x, t, 1); }).shared;
  EXPECT_EQ(apart.wavefronts, 1u);
  shared_counts const eight =
      shared_step<int>([](block const& b, view<int> x, int t) { b.atomic_add(x, t % 8, 1); }).shared;
  EXPECT_EQ(eight.wavefronts, 4u);
}

TEST(wavefronts, of_two_arrays_at_one_place)
{
  machine on;
  auto const kernel = [](block const& b) {
    auto x = b.shared<int>(8, "x"), y = b.shared<int>(64, "y");
    b.step([&](int t) { (t < 8 ? x : y)[t] = t; });
  };
  on.launch(1, 32, kernel_of{kernel});
  EXPECT_EQ(on.counts().shared.requests, 2u);
  EXPECT_EQ(on.counts().shared.wavefronts, 2u);
  EXPECT_EQ(on.counts().shared.writes, 32u);
  EXPECT_EQ(on.counts().warps.divergent, 0u) << "the choice of an array is no branch";
}

}  // namespace
}  // namespace tally::model
