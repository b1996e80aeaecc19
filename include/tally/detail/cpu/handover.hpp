#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>

#include "tally/detail/cpu/held.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"
#include "tally/order.hpp"

namespace tally::cpu_backend {

/// A hint to the processor that this thread spins.
inline void spin_hint()
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits for another thread: spins first, since that thread is probably running, then yields the processor.
class backoff {
public:
  bool exhausted() const { return spun_ >= spins_; }
  void wait()
  {
    if (exhausted()) {
      std::this_thread::yield();
    } else {
      ++spun_;
      spin_hint();
    }
  }

private:
  int spins_ = tuning_in_use().spins;
  int spun_ = 0;
};

/// Gives the members of a team that scan one array the carries of their tiles.
///
/// Tiles are drawn in order. The owner of a tile publishes its total, and every member folds all totals for itself, in
/// order. So a carry has the same bits whichever member computes it, and a member waits only for totals, which never
/// wait for anything. A total that is late (its owner was descheduled) is computed again by the members that need it.
///
/// Invariants
///   - `floor` of a member is the first tile whose total it has not folded; it only grows.
///   - The slot of tile t is written once, by its owner, when every member's floor is beyond tile t - slots().
///   - A member that joins late begins at the checkpoint, which is never behind a slot that was written again.
///
/// Memory: `tuning::slots_a_member` slots a member, of 64 bytes, or more for totals beyond 40 bytes. A member may be
/// descheduled for as long as the others need for that many tiles each (some milliseconds) before they wait for it.
/// Large values (held.hpp) have 16 slots a member.
template <class T, class Op>
class handover {
  static_assert(std::is_trivially_copyable_v<unheld_t<working_type<T>>>);

public:
  using carry = order::carry<T, Op>;
  using working = typename carry::working;

  static constexpr std::size_t no_tile = std::numeric_limits<std::size_t>::max();

  /// `before` is the carry before tile 0. Tiles are drawn `run` at a time. `slots` is for tests; it must be a power of
  /// two and at least `run`.
  handover(std::size_t tiles, int members, carry const& before, std::size_t run = 1, std::size_t slots = 0)
      : tiles_(tiles),
        run_(run),
        members_(members),
        mask_((slots != 0 ? slots : default_slots(tiles, members)) - 1),
        slots_(std::make_unique<slot[]>(mask_ + 1)),
        floors_(std::make_unique<padded_floor[]>(static_cast<std::size_t>(members))),
        checkpoint_(before)
  {
  }

  std::size_t slots() const { return mask_ + 1; }

  /// Says that some member failed. It ends every wait: waiting calls return nothing. A member's call that throws leaves
  /// nothing behind for which others wait.
  void fail() { failed_.store(true, std::memory_order_release); }
  bool failed() const { return failed_.load(std::memory_order_acquire); }

  /// One member's view: its fold, and the tiles that it draws.
  class member {
  public:
    member(handover& team, int index) : team_(team), floor_(team.floors_[static_cast<std::size_t>(index)].value)
    {
      std::scoped_lock const lock(team_.mutex_);
      fold_ = team_.checkpoint_;
      folded_ = team_.checkpoint_tile_;
      if (folded_ > 0) detail::took("cpu: joined at a checkpoint");
      floor_.store(folded_, std::memory_order_release);
    }
    // A member that has left holds no other up.
    ~member() { floor_.store(no_tile, std::memory_order_release); }
    member(member const&) = delete;
    member& operator=(member const&) = delete;

    /// Draws the next run of tiles, which ends at the last tile at most. Returns its first tile, or `no_tile`. The
    /// slots of the run are free when this returns.
    std::size_t draw(Op& op)
    {
      // Relaxed: a ticket orders nothing by itself; totals are ordered by their stamps, floors by theirs.
      std::size_t const tile = team_.next_.fetch_add(team_.run_, std::memory_order_relaxed);
      if (tile >= team_.tiles_) return no_tile;
      backoff waiting;
      while (tile + team_.run_ > team_.writable_.load(std::memory_order_acquire)) {
        if (team_.failed()) return no_tile;
        // Folding goes on here, so waiting is safe: if all members waited, all would have folded up to the first
        // missing total, and its slot would be free.
        fold_published(tile, op);
        team_.advance(*this);
        waiting.wait();
      }
      return tile;
    }

    void publish(std::size_t tile, working const& total)
    {
      slot& s = team_.slots_[tile & team_.mask_];
      s.total.emplace(total);
      // seq_cst: in `wait_for_readers` the owner looks for readers after this store, and a reader looks for the stamp
      // after it has announced itself (Dekker). So one of the two sees the other.
      s.stamp.store(tile + 1, std::memory_order_seq_cst);
    }

    /// Folds all totals before `tile`, and waits for those that are not there yet. A total that is late is computed by
    /// `compute(tile)`. Returns nullptr if the team failed.
    /// Requires  `tile` was drawn by this member.
    template <class Compute>
    carry const* fold_to(std::size_t tile, Op& op, Compute&& compute)
    {
      for (; folded_ < tile; ++folded_) {
        std::optional<working> const total = await(folded_, compute);
        if (!total) return nullptr;
        fold_.push(*total, op);
      }
      floor_.store(folded_, std::memory_order_release);
      return &fold_;
    }

    /// Waits until no other member reads the input of `tile`, to compute its total again. The owner calls it before it
    /// overwrites the input. False if the team failed, and then the input may still be read.
    /// Requires  the total of `tile` is published.
    [[nodiscard]] bool wait_for_readers(std::size_t tile)
    {
      backoff waiting;
      while (team_.slots_[tile & team_.mask_].readers.load(std::memory_order_seq_cst) != 0) {
        if (team_.failed()) return false;
        waiting.wait();
      }
      return true;
    }

  private:
    friend handover;

    void fold_published(std::size_t tile, Op& op)
    {
      for (; folded_ < tile; ++folded_) {
        slot const& s = team_.slots_[folded_ & team_.mask_];
        if (s.stamp.load(std::memory_order_acquire) != folded_ + 1) break;
        fold_.push(*s.total, op);
      }
      floor_.store(folded_, std::memory_order_release);
    }

    template <class Compute>
    std::optional<working> await(std::size_t tile, Compute& compute)
    {
      slot& s = team_.slots_[tile & team_.mask_];
      for (backoff waiting; !waiting.exhausted(); waiting.wait()) {
        // Acquire pairs with the owner's store: the total is visible. The slot is not written again before this
        // member's floor passes it.
        if (s.stamp.load(std::memory_order_acquire) == tile + 1) return *s.total;
        if (team_.failed()) return std::nullopt;
      }
      detail::took("cpu: a late total computed again");
      reading const announced(s.readers);
      if (s.stamp.load(std::memory_order_seq_cst) == tile + 1) return *s.total;
      return compute(tile);
    }

    handover& team_;
    std::atomic<std::size_t>& floor_;
    carry fold_;
    std::size_t folded_ = 0;
  };

  /// The carry after the last tile. Folds the totals that `m` has not folded.
  /// Requires  every total is published: all members have returned and the team did not fail.
  carry const& finish(member& m, Op& op)
  {
    m.fold_published(tiles_, op);
    return m.fold_;
  }

private:
  // Applications to large values are slow: some tiles of theirs last as long as thousands of others.
  static constexpr std::size_t large_slots_a_member = 16;

  // Counts a reader of a tile's input until the scope ends, by an exception too.
  class reading {
  public:
    explicit reading(std::atomic<int>& readers) : readers_(readers)
    {
      readers_.fetch_add(1, std::memory_order_seq_cst);
    }
    ~reading() { readers_.fetch_sub(1, std::memory_order_seq_cst); }
    reading(reading const&) = delete;
    reading& operator=(reading const&) = delete;

  private:
    std::atomic<int>& readers_;
  };

  struct alignas(64) slot {
    std::atomic<std::size_t> stamp{0};  // tile + 1, once its total is there
    std::atomic<int> readers{0};        // members that compute this total again
    std::optional<working> total;
  };
  struct alignas(64) padded_floor {
    std::atomic<std::size_t> value{no_tile};
  };

  static std::size_t default_slots(std::size_t tiles, int members)
  {
    std::size_t const a_member = is_on_heap<T> ? large_slots_a_member : tuning_in_use().slots_a_member;
    std::size_t const wanted = a_member * static_cast<std::size_t>(members);
    return std::bit_ceil(std::max(most_in_run, std::min(tiles, wanted)));
  }

  // Frees the slots that every member has folded, and moves the checkpoint to the position of `m`, which is not behind
  // them. Rare: once in about slots() tiles. Floors only grow, so a floor read here is never too high.
  void advance(member const& m)
  {
    std::unique_lock const lock(mutex_, std::try_to_lock);
    if (!lock) return;
    detail::took("cpu: slots freed");
    std::size_t lowest = m.folded_;
    for (int i = 0; i < members_; ++i) {
      std::size_t const floor = floors_[static_cast<std::size_t>(i)].value.load(std::memory_order_acquire);
      if (floor < lowest) lowest = floor;
    }
    checkpoint_ = m.fold_;
    checkpoint_tile_ = m.folded_;
    writable_.store(lowest + slots(), std::memory_order_release);
  }

  std::size_t const tiles_;
  std::size_t const run_;
  int const members_;
  std::size_t const mask_;
  std::unique_ptr<slot[]> slots_;
  std::unique_ptr<padded_floor[]> floors_;
  std::mutex mutex_;  // joining and advancing
  carry checkpoint_;
  std::size_t checkpoint_tile_ = 0;
  alignas(64) std::atomic<std::size_t> next_{0};
  alignas(64) std::atomic<std::size_t> writable_{mask_ + 1};
  std::atomic<bool> failed_{false};
};

}  // namespace tally::cpu_backend
