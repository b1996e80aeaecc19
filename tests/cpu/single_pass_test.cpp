// scan_tiles and reduce_tiles over an engine of plain numbers, so that arrays of very many tiles are quick.
#include "tally/detail/cpu/single_pass.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tally/operators/arithmetic.hpp"

namespace {

using tally::plus;
using carry = tally::order::carry<double, plus>;

/// Tiles of one number each.
struct number_engine {
  static constexpr bool concurrent = true;
  std::vector<double> const& in;
  std::vector<double>& out;
  std::size_t fails_at = static_cast<std::size_t>(-1);

  double total(std::size_t tile) const
  {
    if (tile == fails_at) throw std::runtime_error("tile");
    return in[tile];
  }
  void scan(std::size_t tile, carry& before) const
  {
    plus op;
    before.push(total(tile), op);
    out[tile] = *before.last();
  }
  double scan(std::size_t tile, carry const& before, std::size_t next) const
  {
    carry own = before;
    scan(tile, own);
    return total(next);
  }
  bool in_place() const { return false; }
  void finish() const {}
};

std::vector<double> numbers(std::size_t n)
{
  std::vector<double> values(n);
  double x = 0.1;
  for (double& value : values) value = x = 3.99 * x * (1 - x);
  return values;
}

TEST(SinglePass, ScansTheSameForAnyTeam)
{
  for (std::size_t tiles : {0u, 1u, 2u, 33u, 5000u, 70001u}) {
    std::vector<double> const in = numbers(tiles);
    std::vector<double> serial(tiles), out(tiles);
    plus op;
    carry expected(0.25);
    tally::cpu_backend::scan_tiles(number_engine{in, serial}, tiles, expected, op, 1);
    for (int members : {2, 3, 16}) {
      out.assign(tiles, -1.0);
      carry before(0.25);
      tally::cpu_backend::scan_tiles(number_engine{in, out}, tiles, before, op, members);
      EXPECT_EQ(out, serial) << tiles << " tiles, " << members << " members";
      EXPECT_EQ(before.last(), expected.last());
      EXPECT_EQ(before.next(op), expected.next(op));
    }
  }
}

TEST(SinglePass, ReducesTheSameForAnyTeam)
{
  // 70001 tiles are more than the array of totals holds at a time.
  for (std::size_t tiles : {0u, 1u, 2u, 33u, 5000u, 32768u, 32769u, 70001u}) {
    std::vector<double> const in = numbers(tiles);
    std::vector<double> unused;
    plus op;
    carry expected(0.25);
    for (double const value : in) expected.push(value, op);
    for (int members : {1, 2, 3, 16}) {
      carry before(0.25);
      tally::cpu_backend::reduce_tiles(number_engine{in, unused}, tiles, before, op, members);
      EXPECT_EQ(before.last(), expected.last()) << tiles << " tiles, " << members << " members";
      EXPECT_EQ(before.next(op), expected.next(op));
    }
  }
}

TEST(SinglePass, AnExceptionEndsEveryMember)
{
  std::size_t const tiles = 2000;
  std::vector<double> const in = numbers(tiles);
  std::vector<double> out(tiles);
  plus op;
  for (std::size_t fails_at : {std::size_t{0}, std::size_t{1}, std::size_t{777}, tiles - 1}) {
    for (int members : {1, 2, 5}) {
      carry before;
      EXPECT_THROW(tally::cpu_backend::scan_tiles(number_engine{in, out, fails_at}, tiles, before, op, members),
                   std::runtime_error);
      EXPECT_THROW(tally::cpu_backend::reduce_tiles(number_engine{in, out, fails_at}, tiles, before, op, members),
                   std::runtime_error);
    }
  }
}

/// Tiles of one number each, which the results replace. The total of tile 0 is late: its owner waits until another
/// member has begun to compute it too. That computation takes longer than the owner needs to scan the tile.
struct late_engine {
  static constexpr bool concurrent = true;
  std::vector<double>& values;
  std::atomic<int>& calls;

  double total(std::size_t tile) const
  {
    if (tile == 0 && calls.fetch_add(1) == 0) {
      auto const enough = std::chrono::steady_clock::now() + std::chrono::seconds(2);
      while (calls.load() == 1 && std::chrono::steady_clock::now() < enough) std::this_thread::yield();
    } else if (tile == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return values[tile];
  }
  void scan(std::size_t tile, carry& before) const
  {
    plus op;
    before.push(values[tile], op);
    values[tile] = *before.last();
  }
  double scan(std::size_t tile, carry const& before, std::size_t next) const
  {
    carry own = before;
    scan(tile, own);
    return total(next);
  }
  bool in_place() const { return true; }
  void finish() const {}
};

TEST(SinglePass, AnInputThatIsStillReadIsNotOverwritten)
{
  std::vector<double> const in = numbers(40);
  std::vector<double> values = in;
  std::atomic<int> calls{0};
  plus op;
  carry before(0.25);
  tally::cpu_backend::scan_tiles(late_engine{values, calls}, in.size(), before, op, 2);
  carry expected(0.25);
  for (std::size_t tile = 0; tile < in.size(); ++tile) {
    expected.push(in[tile], op);
    ASSERT_EQ(values[tile], *expected.last()) << "tile " << tile;
  }
}

}  // namespace
