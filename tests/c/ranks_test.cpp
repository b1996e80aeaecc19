#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ranks_parts.hpp"
#include "tally.h"

/// Histograms on ranks, ranks that fail, and wrong arguments.
namespace tally_c_test {
namespace {

TEST(c_ranks, histograms)
{
  std::mt19937 random(10);
  std::vector<std::int64_t> const shape{5000};
  whole_array values(TALLY_FLOAT32, shape, false);
  for (std::size_t k = 0; k < 5000; ++k) {
    auto const value = static_cast<float>(random() % 1000) / 1000;
    std::memcpy(values.data() + k * 4, &value, 4);
  }
  std::vector<std::int64_t> counts(10), of_edges(3);
  double const edges[] = {0, 0.25, 0.5, 1};
  std::int64_t const ten = 10, three = 3, four = 4;
  tally_array const vv = values.view(), cv{counts.data(), {TALLY_CPU, 0}, 1, TALLY_INT64, &ten, nullptr, 0},
                    ecv{of_edges.data(), {TALLY_CPU, 0}, 1, TALLY_INT64, &three, nullptr, 0},
                    ev{const_cast<double*>(edges), {TALLY_CPU, 0}, 1, TALLY_FLOAT64, &four, nullptr, 0};
  ASSERT_EQ(tally_histogram(&vv, nullptr, 0, 1, &cv, nullptr), TALLY_OK);
  ASSERT_EQ(tally_histogram_of_edges(&vv, nullptr, &ev, &ecv, nullptr), TALLY_OK);
  std::vector<std::int64_t> const offsets = division(5000, 3, random);
  on_ranks(3, [&](tally_ranks* ranks, int r) {
    auto const at = static_cast<std::size_t>(r);
    part own(values, 0, offsets[at], offsets[at + 1]);
    std::vector<std::int64_t> mine(10), mine_of_edges(3);
    tally_array to = cv, to_of_edges = ecv;
    to.data = mine.data();
    to_of_edges.data = mine_of_edges.data();
    ASSERT_EQ(tally_ranks_histogram(ranks, &own.array, 0, 1, &to, nullptr), TALLY_OK) << tally_last_message();
    ASSERT_EQ(tally_ranks_histogram_of_edges(ranks, &own.array, &ev, &to_of_edges, nullptr), TALLY_OK)
        << tally_last_message();
    EXPECT_EQ(mine, counts);
    EXPECT_EQ(mine_of_edges, of_edges);
    // Other bins are another call.
    EXPECT_EQ(tally_ranks_histogram(ranks, &own.array, 0, r == 1 ? 2 : 1, &to, nullptr), TALLY_RANK_FAILED);
    EXPECT_EQ(tally_last_failed_rank(), 1);
  });
}

TEST(c_ranks, one_fails_and_all_hear_of_it)
{
  on_ranks(3, [](tally_ranks* ranks, int r) {
    float value = 1, result = 0;
    std::int64_t const one = 1;
    tally_array in{&value, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, &one, nullptr, 0};
    tally_array const out{&result, {TALLY_CPU, 0}, 0, TALLY_FLOAT32, nullptr, nullptr, 0};
    auto const expect = [&](std::int32_t status, std::string const& message) {
      EXPECT_EQ(status, TALLY_RANK_FAILED);
      EXPECT_NE(std::string(tally_last_message()).find(message), std::string::npos) << tally_last_message();
    };
    // Arguments that are wrong on one rank.
    expect(tally_ranks_reduce(ranks, &in, r == 1 ? 7 : 0, &out, TALLY_PLUS, nullptr),
           "tally_ranks_reduce: rank 1 of 3 failed: ");
    EXPECT_EQ(tally_last_failed_rank(), 1);
    expect(tally_ranks_scan(ranks, r == 2 ? nullptr : &in, 0, &in, TALLY_PLUS, nullptr),
           "rank 2 of 3 failed: in is a null pointer");
    // Calls that differ.
    expect(tally_ranks_reduce(ranks, &in, 0, &out, r == 1 ? TALLY_TIMES : TALLY_PLUS, nullptr),
           "the ranks make different calls");
    expect(r == 0 ? tally_ranks_scan(ranks, &in, 0, &in, TALLY_PLUS, nullptr)
                  : tally_ranks_reduce(ranks, &in, 0, &out, TALLY_PLUS, nullptr),
           "the ranks make different calls");
    // A rank that makes no call.
    expect(r == 1 ? tally_ranks_agree(ranks, "the disk is full")
                  : tally_ranks_reduce(ranks, &in, 0, &out, TALLY_PLUS, nullptr),
           "rank 1 of 3 failed: the disk is full");
    EXPECT_EQ(tally_ranks_agree(ranks, nullptr), TALLY_OK);
    // Calls without code for ranks are refused.
    tally_options options{};
    options.size = sizeof options;
    options.flags = TALLY_REVERSE;
    expect(tally_ranks_scan(ranks, &in, 0, &in, TALLY_PLUS, &options), "rank 0 of 3 failed: TALLY_REVERSE on ranks");
    // Then the next call is right.
    ASSERT_EQ(tally_ranks_reduce(ranks, &in, 0, &out, TALLY_PLUS, nullptr), TALLY_OK) << tally_last_message();
    EXPECT_EQ(result, 3);
  });
}

TEST(c_ranks, wrong_arguments)
{
  EXPECT_EQ(tally_ranks_agree(nullptr, nullptr), TALLY_WRONG_ARGUMENT);
  world all(1);
  virtual_transport by(all, 0);
  tally_transport functions = functions_of(by);
  tally_ranks* ranks = nullptr;
  EXPECT_EQ(tally_ranks_create(nullptr, &ranks), TALLY_WRONG_ARGUMENT);
  EXPECT_EQ(tally_ranks_create(&functions, nullptr), TALLY_WRONG_ARGUMENT);
  for (auto const& spoil : std::vector<std::function<void(tally_transport&)>>{
           [](tally_transport& t) { t.size = 8; }, [](tally_transport& t) { t.rank = 1; },
           [](tally_transport& t) { t.ranks = 0; }, [](tally_transport& t) { t.allgather = nullptr; },
           [](tally_transport& t) { t.wait = nullptr; }}) {
    tally_transport wrong = functions;
    spoil(wrong);
    EXPECT_EQ(tally_ranks_create(&wrong, &ranks), TALLY_WRONG_ARGUMENT);
  }
  // A transport that fails.
  functions.allgather = [](void*, void const*, void*, std::size_t) { return std::int32_t{9}; };
  ASSERT_EQ(tally_ranks_create(&functions, &ranks), TALLY_OK);
  EXPECT_EQ(tally_ranks_agree(ranks, nullptr), TALLY_FAILED);
  EXPECT_STREQ(tally_last_message(), "tally_ranks_agree: the transport's allgather returned 9");
  tally_ranks_destroy(ranks);
}

}  // namespace
}  // namespace tally_c_test
