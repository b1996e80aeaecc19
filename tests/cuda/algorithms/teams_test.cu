// Teams on a GPU: their threads, rows and memory, and that each block is done once.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "../../support/count_zeros.hpp"
#include "../../support/sizes.hpp"
#include "../device_array.hpp"
#include "tally/cuda.hpp"
#include "tally/teams.hpp"

namespace tally::test {
namespace {

/// The faults that a team found, a bit for each kind.
enum finding : unsigned {
  wrong_sizes = 1,
  missing_threads = 2,
  wrong_join = 4,
  wrong_lane = 8,
  wrong_sum = 16,
  wrong_row = 32,
  wrong_block = 64,
};

/// A value of three words, as wide as none of the GPU's own.
struct three_words {
  std::uint32_t a, b, c;
};

/// Each block's elements go out in reverse, through the team's memory. On the way a team looks at all that it has.
template <int Threads, std::size_t Bytes>
struct look_around {
  struct memory {
    std::uint32_t seen[Threads];
    std::uint32_t values[Threads];
    std::uint64_t large;
    std::uint32_t count;
    std::uint32_t joined[2];
    unsigned char others[Bytes - 8 * Threads - 24];
  };
  static_assert(sizeof(memory) == Bytes);
  static constexpr int team_size = Threads;

  std::uint32_t const* in;
  std::uint32_t* out;
  std::uint32_t* times;  ///< for each block
  std::size_t n;
  std::size_t block;  ///< at most as long as there are threads
  unsigned* findings;

  template <class Team>
  TALLY_HD void operator()(Team team, memory& own, std::size_t begin, std::size_t end) const
  {
    auto const rank = static_cast<unsigned>(team.rank()), lane = static_cast<unsigned>(team.lane());
    auto const row = static_cast<unsigned>(team.row()), lanes = static_cast<unsigned>(team.lanes());
    auto const size = static_cast<unsigned>(team.size());
    unsigned found = 0;
    if (team.size() != Threads || team.rows() * team.lanes() != Threads || rank >= size || lane >= lanes)
      found |= wrong_sizes;
    if (begin % block != 0 || end > n || end <= begin || end - begin > block || (end < n && end - begin != block))
      found |= wrong_block;

    // Every thread is one of a row, and has a rank of its own.
    own.seen[rank] = 0;
    if (rank == 0) {
      own.count = 0xfffffff0u;
      own.large = std::uint64_t{1} << 40;
      own.joined[0] = 0x10u;
      own.joined[1] = 0;
    }
    team.wait();
    team.add(own.seen[row * lanes + lane], rank + 1);
    team.add(own.count, std::uint32_t{3});
    team.add(own.large, static_cast<std::uint64_t>(rank) << 33);
    if (rank % 3 == 0) team.join(own.joined[row % 2], std::uint32_t{1} << lane);
    team.wait();
    if (own.seen[rank] != rank + 1) found |= missing_threads;
    if (own.count != 0xfffffff0u + 3 * size) found |= wrong_sum;
    if (own.large != (std::uint64_t{1} << 40) + (static_cast<std::uint64_t>(size) * (size - 1) / 2 << 33))
      found |= wrong_sum;

    // Of every second row: those of rank % 3 == 0, and what was there before.
    std::uint32_t expected[2] = {0x10u, 0};
    for (unsigned r = 0; r < size; r += 3) expected[r / lanes % 2] |= std::uint32_t{1} << r % lanes;
    if (own.joined[0] != expected[0] || own.joined[1] != expected[1]) found |= wrong_join;

    // Of one lane to all, and of each to another.
    unsigned const next = (lane + 5) % lanes;
    if (team.from_lane(rank, 7) != row * lanes + 7) found |= wrong_lane;
    three_words const other = team.from_lane(three_words{rank, 2 * rank, ~rank}, static_cast<int>(next));
    unsigned const other_rank = row * lanes + next;
    if (other.a != other_rank || other.b != 2 * other_rank || other.c != ~other_rank) found |= wrong_lane;

    // The votes of lanes whose rank is a multiple of three.
    std::uint32_t votes = 0;
    for (unsigned l = 0; l < lanes; ++l) votes |= static_cast<std::uint32_t>((row * lanes + l) % 3 == 0) << l;
    if (team.vote(rank % 3 == 0) != votes) found |= wrong_lane;

    // Within the row, then within the team.
    own.seen[rank] = rank * 9;
    team.wait_for_row();
    if (own.seen[row * lanes + (lanes - 1 - lane)] != (row * lanes + (lanes - 1 - lane)) * 9) found |= wrong_row;
    auto const count = static_cast<unsigned>(end - begin);
    if (rank < count) own.values[rank] = in[begin + rank];
    team.wait();
    if (rank < count) out[begin + rank] = own.values[count - 1 - rank];

    if (rank == 0) detail::add_atomically(times + begin / block, std::uint32_t{1});
    if (found != 0) note(found);
  }

private:
  TALLY_HD void note(unsigned found) const
  {
#ifdef __CUDA_ARCH__
    atomicOr(findings, found);
#else
    *findings |= found;
#endif
  }
};

template <int Threads, std::size_t Bytes = 12 * 1024>
void expect_teams()
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  // Ten times as many blocks as such teams run at a time on the largest GPUs.
  std::size_t const many = std::min<std::size_t>(3'000'011, largest_size());
  for (std::size_t const block : {std::size_t{Threads}, std::size_t{Threads - 5}, std::size_t{1}})
    for (std::size_t const n : {std::size_t{0}, std::size_t{1}, block - 1, block, block + 1, 3 * block + 2, many}) {
      if (block == 1 && n == many) continue;
      std::vector<std::uint32_t> values(n), expected(n);
      for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<std::uint32_t>(mixed(k));
      for (std::size_t begin = 0; begin < n; begin += block) {
        std::size_t const end = std::min(n, begin + block);
        for (std::size_t k = begin; k < end; ++k) expected[k] = values[end - 1 - (k - begin)];
      }
      std::size_t const blocks = n / block + (n % block != 0);
      device_array<std::uint32_t> const in(values), out(n), times(std::vector<std::uint32_t>(blocks, 0));
      device_array<unsigned> const findings(std::vector<unsigned>(1, 0));
      for_each_block_by_team(
          on, n, block,
          look_around<Threads, Bytes>{in.begin(), out.begin(), times.begin(), n, block, findings.begin()});
      EXPECT_EQ(findings.values()[0], 0u) << n << " by " << block;
      EXPECT_TRUE(same_bytes(out.values(), expected)) << n << " by " << block;
      EXPECT_TRUE(same_bytes(times.values(), std::vector<std::uint32_t>(blocks, 1))) << n << " by " << block;
    }
}

TEST(cuda_teams, of_one_row)
{
  expect_teams<32>();
}
TEST(cuda_teams, of_two_rows)
{
  expect_teams<64>();
}
TEST(cuda_teams, of_sixteen_rows)
{
  expect_teams<512>();
}
/// As many threads and as much memory as a team may have.
TEST(cuda_teams, of_thirty_two_rows)
{
  expect_teams<1024, 48 * 1024>();
}

/// On a stream that has set the counts to something else just before.
TEST(cuda_teams, keep_the_order_of_the_stream)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  for (std::size_t const n : tidy({1, 4095, 4096, 4097, 20'000'003})) {
    std::vector<float> values(n);
    std::vector<std::uint32_t> expected((n + 4095) / 4096);
    for (std::size_t k = 0; k < n; ++k) {
      values[k] = static_cast<float>(mixed(k) % 7);
      if (mixed(k) % 7 == 0) ++expected[k / 4096];
    }
    device_array<float> const in(values);
    device_array<std::uint32_t> const counts(expected.size()), upto(expected.size());
    check_cuda(cudaMemsetAsync(counts.begin(), 0x11, counts.size() * sizeof(std::uint32_t), on_stream));
    for_each_block_by_team(on, n, 4096, count_zeros{in.begin(), counts.begin()});
    inclusive_scan(on, counts.begin(), counts.end(), upto.begin());
    EXPECT_TRUE(same_bytes(counts.values(), expected)) << n;
    for (std::size_t b = 1; b < expected.size(); ++b) expected[b] += expected[b - 1];
    EXPECT_TRUE(same_bytes(upto.values(), expected)) << n;
  }
}

}  // namespace
}  // namespace tally::test
