// The hand-over of carries under schedules that are rare in practice: members that join late, owners that stop, rings
// so small that every slot is reused again and again. It runs under the thread sanitizer too.
#include "tally/detail/cpu/handover.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <latch>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../support/watchdog.hpp"
#include "tally/operators/arithmetic.hpp"

namespace {

using tally::plus;
using tally::test::watchdog;
using team = tally::cpu_backend::handover<double, plus>;
using carry = tally::order::carry<double, plus>;

// The last bits of sums of these depend on their order.
std::vector<double> totals_of(std::size_t tiles, unsigned seed)
{
  std::mt19937_64 bits(seed);
  std::vector<double> totals(tiles);
  for (double& total : totals) total = std::ldexp(static_cast<double>(bits() >> 11), static_cast<int>(bits() % 30));
  return totals;
}

std::vector<double> expected_carries(std::vector<double> const& totals, double init)
{
  plus op;
  carry before(init);
  std::vector<double> carries;
  for (double const total : totals) {
    carries.push_back(*before.next(op));
    before.push(total, op);
  }
  return carries;
}

// Processes the tiles of a member; `pause(member, tile)` is the schedule.
template <class Pause>
void work(team& shared, int index, std::vector<double> const& totals, std::vector<std::uint64_t>& carries,
          Pause const& pause)
{
  plus op;
  team::member self(shared, index);
  auto const compute = [&](std::size_t tile) { return totals[tile]; };
  for (;;) {
    std::size_t const tile = self.draw(op);
    if (tile == team::no_tile) return;
    pause(index, tile);
    self.publish(tile, totals[tile]);
    carry const* const before = self.fold_to(tile, op, compute);
    if (before == nullptr) return;
    double const value = *before->next(op);
    std::memcpy(&carries[tile], &value, sizeof value);
  }
}

template <class Pause>
void expect_carries(std::size_t tiles, int members, std::size_t slots, Pause const& pause)
{
  SCOPED_TRACE(testing::Message() << tiles << " tiles, " << members << " members, " << slots << " slots");
  std::vector<double> const totals = totals_of(tiles, static_cast<unsigned>(tiles + slots));
  std::vector<double> const expected = expected_carries(totals, 0.5);
  std::vector<std::uint64_t> carries(tiles, 0x7b7b7b7b7b7b7b7bu);
  team shared(tiles, members, carry(0.5), 1, slots);
  std::vector<std::thread> threads;
  for (int index = 0; index < members; ++index)
    threads.emplace_back([&, index] { work(shared, index, totals, carries, pause); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    std::uint64_t bits;
    std::memcpy(&bits, &expected[tile], sizeof bits);
    ASSERT_EQ(carries[tile], bits) << "tile " << tile;
  }
  plus op;
  team::member last(shared, 0);
  double const all = *shared.finish(last, op).last();
  carry in_order(0.5);
  for (double const total : totals) in_order.push(total, op);
  EXPECT_EQ(all, *in_order.last());
}

auto const no_pause = [](int, std::size_t) {};

TEST(Handover, GivesTheSerialCarries)
{
  for (int members : {1, 2, 3, 8})
    for (std::size_t tiles : {1u, 2u, 31u, 32u, 33u, 100u, 1000u}) expect_carries(tiles, members, 0, no_pause);
}

TEST(Handover, UsesItsSlotsAgain)
{
  for (int members : {1, 2, 3, 5})
    for (std::size_t slots : {1u, 2u, 4u, 16u}) expect_carries(500, members, slots, no_pause);
}

TEST(Handover, TakesAnySchedule)
{
  for (unsigned seed = 0; seed < 10; ++seed) {
    auto const jitter = [seed](int index, std::size_t tile) {
      std::mt19937 random(seed * 7919 + static_cast<unsigned>(index) * 131 + static_cast<unsigned>(tile));
      auto const dice = random() % 100;
      if (dice < 3) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
      if (dice < 20) std::this_thread::yield();
    };
    expect_carries(400, 4, 8, jitter);
    expect_carries(400, 3, 64, jitter);
  }
}

TEST(Handover, LateMembersBeginAtTheCheckpoint)
{
  // The second member joins after the first has gone through the ring several times.
  std::size_t const tiles = 300;
  std::vector<double> const totals = totals_of(tiles, 3);
  std::vector<double> const expected = expected_carries(totals, 0.5);
  std::vector<std::uint64_t> carries(tiles);
  team shared(tiles, 2, carry(0.5), 1, 4);
  std::latch half_way(1);
  std::latch joined(1);
  std::thread late([&] {
    half_way.wait();
    work(shared, 1, totals, carries, [&](int, std::size_t) {
      if (!joined.try_wait()) joined.count_down();
    });
    if (!joined.try_wait()) joined.count_down();
  });
  work(shared, 0, totals, carries, [&](int, std::size_t tile) {
    if (tile == 150) {
      half_way.count_down();
      joined.wait();
    }
  });
  late.join();
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    std::uint64_t bits;
    std::memcpy(&bits, &expected[tile], sizeof bits);
    ASSERT_EQ(carries[tile], bits) << "tile " << tile;
  }
}

TEST(Handover, AStoppedOwnerDoesNotStopTheOthers)
{
  // One member stops before it has published its tile. The other one goes on without it, as far as the ring allows.
  std::size_t const tiles = 200;
  std::vector<double> const totals = totals_of(tiles, 5);
  std::vector<std::uint64_t> carries(tiles);
  team shared(tiles, 2, carry(0.5), 1, 256);
  std::atomic<bool> stopped{false};
  std::atomic<bool> others_done{false};
  std::thread owner([&] {
    work(shared, 0, totals, carries, [&](int, std::size_t) {
      stopped.store(true);
      while (!others_done.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
  while (!stopped.load()) std::this_thread::yield();
  work(shared, 1, totals, carries, no_pause);
  others_done.store(true);
  owner.join();
  std::vector<double> const expected = expected_carries(totals, 0.5);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    std::uint64_t bits;
    std::memcpy(&bits, &expected[tile], sizeof bits);
    ASSERT_EQ(carries[tile], bits) << "tile " << tile;
  }
}

TEST(Handover, AnOwnerLeavesTheInputToItsReaders)
{
  // A reader computes the total of a tile that its owner is about to overwrite; the owner waits for the reader.
  for (int round = 0; round < 20; ++round) {
    plus op;
    team shared(2, 2, carry(0.5), 1, 4);
    double input = 3.25;  // the first tile: plain memory, so that the thread sanitizer sees an overlap
    std::latch drawn(1);
    std::latch reading(1);
    std::thread owner([&] {
      team::member self(shared, 0);
      std::size_t const tile = self.draw(op);
      drawn.count_down();
      reading.wait();
      self.publish(tile, 3.25);
      ASSERT_TRUE(self.wait_for_readers(tile));
      input = -1;
    });
    team::member reader(shared, 1);
    drawn.wait();
    ASSERT_EQ(reader.draw(op), 1u);
    reader.publish(1, 1.0);
    auto const compute = [&](std::size_t) {
      double const first = input;
      reading.count_down();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      EXPECT_EQ(first, input);
      return input;
    };
    carry const* const before = reader.fold_to(1, op, compute);
    ASSERT_NE(before, nullptr);
    EXPECT_EQ(*before->next(op), 3.75);
    owner.join();
  }
}

TEST(Handover, AMemberThatHasLeftHoldsNobodyUp)
{
  // One slot: tile 1 can be drawn only after every member that has joined has folded tile 0.
  watchdog const ends;
  team shared(2, 2, carry(0.5), 1, 1);
  plus op;
  {
    team::member first(shared, 0);
    first.publish(first.draw(op), 1.0);
  }
  team::member second(shared, 1);
  EXPECT_EQ(second.draw(op), 1u);
}

TEST(Handover, ATotalThatIsThereIsNotComputedAgain)
{
  // Without spins a member looks for a total only once, after it has announced itself as a reader. By then the owner
  // may have begun to overwrite the input.
  tally::cpu_backend::tuning const before_test = tally::cpu_backend::tuning_in_use();
  tally::cpu_backend::tuning_in_use().spins = 0;
  team shared(2, 2, carry(0.5), 1, 4);
  plus op;
  team::member owner(shared, 0);
  team::member reader(shared, 1);
  owner.publish(owner.draw(op), 1.0);
  ASSERT_EQ(reader.draw(op), 1u);
  auto const compute = [](std::size_t) {
    ADD_FAILURE() << "the total is published";
    return 0.0;
  };
  carry const* const before = reader.fold_to(1, op, compute);
  ASSERT_NE(before, nullptr);
  EXPECT_EQ(*before->next(op), 1.5);
  tally::cpu_backend::tuning_in_use() = before_test;
}

TEST(Handover, AFailureEndsTheWaitForTotals)
{
  watchdog const ends;
  team shared(10, 2, carry(0.5), 1, 16);
  plus op;
  team::member first(shared, 0);
  ASSERT_EQ(first.draw(op), 0u);
  std::thread other([&] {
    team::member self(shared, 1);
    std::size_t const tile = self.draw(op);
    self.publish(tile, 1.0);
    // No member publishes tile 0, and computing its total takes until the failure.
    auto const compute = [&](std::size_t) {
      while (!shared.failed()) std::this_thread::yield();
      return 0.0;
    };
    self.fold_to(tile, op, compute);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  shared.fail();
  other.join();
}

TEST(Handover, AReaderThatThrowsIsNotWaitedFor)
{
  watchdog const ends;
  team shared(2, 2, carry(0.5), 1, 4);
  plus op;
  team::member owner(shared, 0);
  team::member reader(shared, 1);
  std::size_t const tile = owner.draw(op);
  ASSERT_EQ(reader.draw(op), 1u);
  auto const compute = [](std::size_t) -> double { throw std::runtime_error("late total"); };
  EXPECT_THROW(reader.fold_to(1, op, compute), std::runtime_error);
  owner.publish(tile, 1.0);
  EXPECT_TRUE(owner.wait_for_readers(tile));
}

TEST(Handover, AFailureEndsTheWaitForReaders)
{
  // The reader does not stop before the owner has left.
  watchdog const ends;
  team shared(2, 2, carry(0.5), 1, 4);
  plus op;
  team::member owner(shared, 0);
  std::size_t const tile = owner.draw(op);
  std::latch reading(1);
  std::latch left(1);
  std::thread other([&] {
    team::member reader(shared, 1);
    auto const compute = [&](std::size_t) {
      reading.count_down();
      left.wait();
      return 1.0;
    };
    (void)reader.fold_to(1, op, compute);
  });
  reading.wait();
  owner.publish(tile, 1.0);
  std::thread third([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    shared.fail();
  });
  EXPECT_FALSE(owner.wait_for_readers(tile)) << "the input is still read";
  left.count_down();
  other.join();
  third.join();
}

TEST(Handover, AFailureEndsTheWaitForSlots)
{
  // Two members share one slot, and neither publishes tile 0. The failure may also come before any member has joined.
  for (bool const early : {false, true}) {
    watchdog const ends;
    team shared(10, 2, carry(0.5), 1, 1);
    plus op;
    if (early) shared.fail();
    team::member first(shared, 0);
    team::member second(shared, 1);
    EXPECT_EQ(first.draw(op), 0u);
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      shared.fail();
    });
    EXPECT_EQ(second.draw(op), team::no_tile);
    other.join();
  }
}

}  // namespace
