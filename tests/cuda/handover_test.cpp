#include "tally/detail/cuda/handover.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

/// The hand-over between the blocks of a launch, with threads for blocks. What a block does between its steps takes
/// anything from nothing to long enough for all others to overtake it.
namespace tally::cuda_backend {
namespace {

/// A total of five words: a reader that took some of them from an older call, or before they were there, would see it.
struct total {
  std::uint32_t parts[5];

  static total of(std::uint32_t call, std::uint32_t tile)
  {
    total result{};
    for (std::uint32_t k = 0; k < 5; ++k) result.parts[k] = (call * 2654435761u) ^ (tile * 40503u + k * 0x9e3779b9u);
    return result;
  }
  friend bool operator==(total const&, total const&) = default;
};

struct space {
  control shared{};
  std::vector<std::uint64_t> words;
  explicit space(std::size_t tiles) : words(tiles * words_of<total>) {}
};

/// Lets the others run, for a time that nobody foresees.
class disturbance {
public:
  explicit disturbance(unsigned seed) : random_(seed) {}
  void operator()()
  {
    switch (random_() % 8) {
      case 0: std::this_thread::yield(); break;
      case 1: std::this_thread::sleep_for(std::chrono::microseconds(random_() % 50)); break;
      default: break;
    }
  }

private:
  std::minstd_rand random_;
};

bool look_at(space& s, std::uint32_t tile, std::uint32_t epoch, total& value)
{
  read_words<total> read;
  read.load(&s.words[tile * words_of<total>]);
  return read.decode(value, epoch);
}
void wait_for(space& s, std::uint32_t tile, std::uint32_t epoch, total& value)
{
  while (!look_at(s, tile, epoch, value)) std::this_thread::yield();
}

/// One call of a scan: every worker draws, publishes, and looks at all totals before its tile. Returns how many were
/// wrong.
std::size_t scan_call(space& s, std::uint32_t call, std::uint32_t tiles, std::uint32_t workers)
{
  std::vector<std::size_t> wrong(workers);
  std::vector<std::thread> threads;
  for (std::uint32_t w = 0; w < workers; ++w) {
    threads.emplace_back([&, w] {
      disturbance disturb(call * 131 + w);
      std::uint32_t checked = 0;
      drawing drawn{};
      for (;;) {
        disturb();
        drawn = resolve(s.shared, draw_unseen(s.shared), tickets_of_scan(tiles, workers));
        if (drawn.tile >= tiles) break;
        disturb();
        publish(&s.words[drawn.tile * words_of<total>], total::of(call, drawn.tile), drawn.epoch);
        for (; checked < drawn.tile; ++checked) {
          total seen{};
          wait_for(s, checked, drawn.epoch, seen);
          if (!(seen == total::of(call, checked))) ++wrong[w];
        }
      }
      finish(s.shared, drawn.epoch, workers, s.words.data(), s.words.size());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::size_t all = 0;
  for (std::size_t const each : wrong) all += each;
  return all;
}

/// One call of a reduction: worker 0 looks at all totals; the others begin with the tile of their number.
std::size_t reduce_call(space& s, std::uint32_t call, std::uint32_t tiles, std::uint32_t workers)
{
  std::size_t wrong = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t w = 0; w <= workers; ++w) {
    threads.emplace_back([&, w] {
      disturbance disturb(call * 137 + w);
      disturb();
      std::uint32_t const tickets = tickets_of_reduction(tiles);
      drawing known{};
      if (w == 0) {
        // The last of all to know the epoch, in every other call.
        while (call % 2 == 0 && static_cast<std::uint32_t>(load_relaxed(&s.shared.next)) != tiles)
          std::this_thread::yield();
        known = resolve(s.shared, draw_unseen(s.shared, folder_ticket), tickets, folder_ticket);
        for (std::uint32_t tile = 0; tile < tiles; ++tile) {
          total seen{};
          wait_for(s, tile, known.epoch, seen);
          if (!(seen == total::of(call, tile))) ++wrong;
        }
      }
      for (std::uint32_t tile = w - 1; w > 0 && tile < tiles; tile = workers + (known.tile & ~folder_ticket)) {
        disturb();
        known = resolve(s.shared, draw_unseen(s.shared), tickets);
        publish(&s.words[tile * words_of<total>], total::of(call, tile), known.epoch);
      }
      finish(s.shared, known.epoch, workers + 1, s.words.data(), s.words.size());
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

/// One call of a scan whose workers each have the tile of their own number, of which no more than `running` run at a
/// time, the last ones first: what they wait for will not come unless they see to it.
std::size_t own_tiles_call(space& s, std::uint32_t call, std::uint32_t tiles, std::uint32_t running)
{
  std::atomic<std::size_t> wrong = 0;
  std::atomic<std::uint32_t> begun = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < running; ++thread) {
    threads.emplace_back([&, thread] {
      disturbance disturb(call * 139 + thread);
      for (std::uint32_t next = begun++; next < tiles; next = begun++) {
        std::uint32_t const mine = tiles - 1 - next;
        drawing const known = resolve(s.shared, draw_unseen(s.shared), tiles);
        disturb();
        publish(&s.words[mine * words_of<total>], total::of(call, mine), known.epoch);
        for (std::uint32_t tile = 0; tile < mine; ++tile) {
          total seen{};
          for (int polls = 0; !look_at(s, tile, known.epoch, seen); ++polls)
            if (polls == 3) publish(&s.words[tile * words_of<total>], total::of(call, tile), known.epoch);
          if (!(seen == total::of(call, tile))) ++wrong;
        }
        finish(s.shared, known.epoch, tiles, s.words.data(), s.words.size());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

/// One call of a reduction whose tiles have epochs of their own. No more than `running` workers run at a time, the last
/// ones first, and perhaps only when the call has its result: whoever folds does not wait long.
std::size_t own_reduction_call(own_totals<words_of<total>>& own, std::uint32_t call, std::uint32_t tiles,
                               std::uint32_t running)
{
  std::size_t wrong = 0;
  std::atomic<std::uint32_t> begun = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < running; ++thread) {
    threads.emplace_back([&, thread] {
      disturbance disturb(call * 139 + thread);
      for (std::uint32_t next = begun++; next < tiles; next = begun++) {
        std::uint32_t const mine = tiles - 1 - next;
        std::uint64_t* const words = &own.words[mine * words_of<total>];
        auto const before = static_cast<std::uint32_t>(load_relaxed(words) >> 32);
        disturb();
        publish(words, total::of(call, mine), before + 1);
      }
    });
  }
  disturbance disturb(call);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    std::uint32_t const epoch = own.taken[tile] + 1;
    for (int polls = 0; polls < 3; ++polls) {
      read_words<total> read;
      read.load(&own.words[tile * words_of<total>]);
      total seen{};
      if (!read.decode(seen, epoch)) continue;
      if (!(seen == total::of(call, tile))) ++wrong;
      break;
    }
    own.taken[tile] = epoch;
    disturb();
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

TEST(cuda_handover, a_total_that_comes_too_late_is_not_taken_by_the_next_call)
{
  auto const own = std::make_unique<own_totals<words_of<total>>>();
  std::mt19937 random(11);
  // Epochs that begin again at 0 are as good as any.
  for (std::uint32_t tile = 0; tile < own->most_tiles; ++tile) {
    std::uint32_t const epoch = 0xffffffff - tile % 20;
    own->taken[tile] = epoch;
    publish(&own->words[tile * words_of<total>], total::of(99, tile), epoch);
  }
  for (std::uint32_t call = 100; call < 160; ++call) {
    std::uint32_t const tiles = 1 + static_cast<std::uint32_t>(random() % own->most_tiles);
    ASSERT_EQ(own_reduction_call(*own, call, tiles, 1 + call % 3), 0u) << "call " << call << ", " << tiles << " tiles";
    for (std::uint32_t tile = 0; tile < tiles; ++tile)
      ASSERT_EQ(own->words[tile * words_of<total>] >> 32, own->taken[tile]) << "tile " << tile;
  }
}

TEST(cuda_handover, totals_arrive_whole_and_are_those_of_the_call)
{
  space s(300);
  std::mt19937 random(7);
  for (std::uint32_t call = 0; call < 40; ++call) {
    std::uint32_t const tiles = 1 + static_cast<std::uint32_t>(random() % 300);
    std::uint32_t const workers = 1 + static_cast<std::uint32_t>(random() % 7);
    std::uint32_t const fewer = std::min(workers, tiles);
    std::size_t const wrong = call % 3 == 0   ? scan_call(s, call, tiles, workers)
                              : call % 3 == 1 ? reduce_call(s, call, tiles, fewer)
                                              : own_tiles_call(s, call, tiles, workers);
    ASSERT_EQ(wrong, 0u) << "call " << call << ", " << tiles << " tiles, " << workers << " workers";
    ASSERT_EQ(s.shared.next, std::uint64_t(call + 1) << 32);
  }
}

TEST(cuda_handover, epochs_begin_again_after_the_last)
{
  for (auto const last : {scan_call, reduce_call, own_tiles_call}) {
    space s(50);
    // Words as calls of the first epochs would have left them.
    for (std::size_t k = 0; k < s.words.size(); ++k) s.words[k] = std::uint64_t(1 + k % 3) << 32 | k;
    s.shared.next = std::uint64_t(last_epoch - 2) << 32;  // so the next call has the last epoch but one
    ASSERT_EQ(scan_call(s, 1, 40, 4), 0u);
    ASSERT_EQ(s.shared.next, std::uint64_t(last_epoch - 1) << 32);
    ASSERT_EQ(last(s, 2, 30, 4), 0u);
    ASSERT_EQ(s.shared.next, 0u);
    ASSERT_EQ(s.shared.finished, 0u);
    for (std::uint64_t const word : s.words) ASSERT_EQ(word, 0u);
    ASSERT_EQ(scan_call(s, 3, 50, 4), 0u);
    ASSERT_EQ(s.shared.next, std::uint64_t(1) << 32);
  }
}

TEST(cuda_handover, one_worker_counts_the_last_tile)
{
  for (std::uint64_t const left :
       {std::uint64_t(0), std::uint64_t(3) << 32 | 77, std::uint64_t(4) << 32 | 0xffffffff}) {
    std::uint64_t word = left;  // of an earlier call: a count, or a part of a total
    for (std::uint32_t epoch = 5; epoch < 105; ++epoch) {
      constexpr std::uint32_t tiles = 12;
      std::atomic<int> last = 0;
      std::vector<std::thread> workers;
      for (int w = 0; w < 4; ++w)
        workers.emplace_back([&] {
          for (std::uint32_t k = 0; k < tiles / 4; ++k)
            if (count_at(&word, epoch) == tiles) ++last;
        });
      for (std::thread& worker : workers) worker.join();
      ASSERT_EQ(last, 1) << epoch;
    }
  }
}

TEST(cuda_handover, a_value_is_there_when_all_its_words_are)
{
  std::vector<std::uint64_t> words(words_of<total>);
  total const value = total::of(1, 2);
  publish(words.data(), value, 9);
  for (std::size_t late = 0; late < words.size(); ++late) {
    std::vector<std::uint64_t> partly = words;
    partly[late] = (partly[late] & 0xffffffff) | std::uint64_t(8) << 32;
    read_words<total> read;
    read.load(partly.data());
    total seen = total::of(3, 4);
    EXPECT_FALSE(read.decode(seen, 9));
    EXPECT_EQ(seen, total::of(3, 4));
  }
  read_words<total> read;
  read.load(words.data());
  total seen{};
  EXPECT_TRUE(read.decode(seen, 9));
  EXPECT_EQ(seen, value);
}

}  // namespace
}  // namespace tally::cuda_backend
