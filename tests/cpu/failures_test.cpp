// Calls on several threads in which the caller's code throws. Every wait ends, and the call throws the exception.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <new>
#include <ostream>
#include <thread>
#include <utility>
#include <vector>

#include "../support/operators.hpp"
#include "../support/watchdog.hpp"
#include "tally/tally.hpp"

namespace {

/// The number of allocations before the one that fails; none fails while this is negative.
std::atomic<long> allocations_left{-1};

void* allocate_or_fail(std::size_t bytes)
{
  if (allocations_left.load() >= 0 && allocations_left.fetch_sub(1) == 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes)
{
  return allocate_or_fail(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment)
{
  auto const to = static_cast<std::size_t>(alignment);
  if (allocations_left.load() >= 0 && allocations_left.fetch_sub(1) == 0) throw std::bad_alloc();
  if (void* const memory = std::aligned_alloc(to, (bytes + to - 1) / to * to)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept
{
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
  std::free(memory);
}

namespace {

using tally::test::operator_failed;
using tally::test::watchdog;

/// The places at which a call runs the caller's code.
enum class place { operation, transformation, dereference, step, conversion, assignment };
constexpr place places[] = {place::operation, place::transformation, place::dereference,
                            place::step,      place::conversion,     place::assignment};

std::ostream& operator<<(std::ostream& out, place at)
{
  constexpr char const* names[] = {"operator",   "transformation", "dereference", "step of an iterator",
                                   "conversion", "assignment"};
  return out << names[static_cast<int>(at)];
}

enum class thrower { second_reader_of_tile_0, owner_of_tile_0, whoever_comes };

/// Throws at one visit of one place. The owner of tile 0 sleeps for a given time.
struct trap {
  place at = place::operation;
  thrower by = thrower::whoever_comes;
  long visits_left = 0;  ///< this many visits that could throw do not
  std::chrono::milliseconds sleep{0};

  std::atomic<long> visits{0};
  std::atomic<bool> sprung{false};
  std::atomic<int> reads_of_0{0};
  std::atomic<std::thread::id> reader[2]{};  ///< the threads that read element 0 first and second

  void visit(place here)
  {
    if (here != at) return;
    auto const is = [](std::atomic<std::thread::id> const& who) { return who.load() == std::this_thread::get_id(); };
    if (by == thrower::owner_of_tile_0 && !is(reader[0])) return;
    if (by == thrower::second_reader_of_tile_0 && (is(reader[0]) || !is(reader[1]))) return;
    if (visits.fetch_add(1) < visits_left) return;
    sprung.store(true);
    throw operator_failed();
  }
  void read(long k)
  {
    if (k != 0) return;
    int const before = reads_of_0.fetch_add(1);
    if (before < 2) reader[before].store(std::this_thread::get_id());
    if (before == 0) std::this_thread::sleep_for(sleep);
  }
};

trap* the_trap = nullptr;

/// An element of the input: an index, whose conversion to a value may throw.
struct raw {
  long k;
};
struct value {
  double sum;
  value() = default;
  value(raw x) : sum(static_cast<double>(x.k)) { the_trap->visit(place::conversion); }
};

struct add {
  value operator()(value const& a, value const& b) const
  {
    the_trap->visit(place::operation);
    value c = a;
    c.sum += b.sum;
    return c;
  }
};
struct same {
  raw operator()(raw x) const
  {
    the_trap->visit(place::transformation);
    return x;
  }
};

struct reference_to_result {
  value* to;
  operator value&() const { return *to; }
  reference_to_result const& operator=(value const& x) const
  {
    the_trap->visit(place::assignment);
    *to = x;
    return *this;
  }
};

/// Reads the index at `at`. Its output counterpart writes the result there, in place or not.
class trapped_iterator {
public:
  using value_type = raw;
  using difference_type = std::ptrdiff_t;
  using reference = raw;
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::input_iterator_tag;

  trapped_iterator() = default;
  explicit trapped_iterator(long k) : k_(k) {}

  raw operator*() const
  {
    the_trap->read(k_);
    the_trap->visit(place::dereference);
    return raw{k_};
  }
  raw operator[](difference_type d) const { return *(trapped_iterator(k_ + d)); }
  trapped_iterator& operator+=(difference_type d)
  {
    the_trap->visit(place::step);
    k_ += d;
    return *this;
  }
  trapped_iterator& operator-=(difference_type d) { return *this += -d; }
  trapped_iterator& operator++() { return *this += 1; }
  trapped_iterator& operator--() { return *this += -1; }
  trapped_iterator operator++(int)
  {
    trapped_iterator const before = *this;
    ++*this;
    return before;
  }
  trapped_iterator operator--(int)
  {
    trapped_iterator const before = *this;
    --*this;
    return before;
  }
  [[maybe_unused]] friend trapped_iterator operator+(trapped_iterator a, difference_type d) { return a += d; }
  [[maybe_unused]] friend trapped_iterator operator+(difference_type d, trapped_iterator a) { return a += d; }
  [[maybe_unused]] friend trapped_iterator operator-(trapped_iterator a, difference_type d) { return a -= d; }
  [[maybe_unused]] friend difference_type operator-(trapped_iterator const& a, trapped_iterator const& b)
  {
    return a.k_ - b.k_;
  }
  [[maybe_unused]] friend auto operator<=>(trapped_iterator const&, trapped_iterator const&) = default;

private:
  long k_ = 0;
};

class trapped_output {
public:
  using value_type = value;
  using difference_type = std::ptrdiff_t;
  using reference = reference_to_result;
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::input_iterator_tag;

  trapped_output() = default;
  explicit trapped_output(value* at) : at_(at) {}

  reference operator*() const { return {at_}; }
  reference operator[](difference_type d) const { return {at_ + d}; }
  trapped_output& operator+=(difference_type d)
  {
    at_ += d;
    return *this;
  }
  trapped_output& operator-=(difference_type d) { return *this += -d; }
  trapped_output& operator++() { return *this += 1; }
  trapped_output& operator--() { return *this += -1; }
  trapped_output operator++(int)
  {
    trapped_output const before = *this;
    ++*this;
    return before;
  }
  trapped_output operator--(int)
  {
    trapped_output const before = *this;
    --*this;
    return before;
  }
  [[maybe_unused]] friend trapped_output operator+(trapped_output a, difference_type d) { return a += d; }
  [[maybe_unused]] friend trapped_output operator+(difference_type d, trapped_output a) { return a += d; }
  [[maybe_unused]] friend trapped_output operator-(trapped_output a, difference_type d) { return a -= d; }
  [[maybe_unused]] friend difference_type operator-(trapped_output const& a, trapped_output const& b)
  {
    return a.at_ - b.at_;
  }
  [[maybe_unused]] friend auto operator<=>(trapped_output const&, trapped_output const&) = default;

private:
  value* at_ = nullptr;
};

// With other iterators a call would stay on one thread.
static_assert(std::random_access_iterator<trapped_iterator> && std::random_access_iterator<trapped_output>);

constexpr std::size_t tile = tally::order::tile<value>;

enum class call { reduce, inclusive, exclusive };

/// Makes the call on `tiles` tiles, and expects that it ends, and throws if and only if the caller's code threw.
void expect_end(call which, std::size_t tiles, int threads, trap& set)
{
  the_trap = &set;
  std::size_t const n = tiles * tile;
  std::vector<value> out(n);
  trapped_iterator const first(0);
  trapped_iterator const last(static_cast<long>(n));
  value zero{};
  zero.sum = 0;
  tally::cpu const on{.threads = threads};
  bool thrown = false;
  watchdog const ends;
  try {
    if (which == call::reduce)
      (void)tally::transform_reduce(on, first, last, zero, add{}, same{});
    else if (which == call::inclusive)
      tally::transform_inclusive_scan(on, first, last, trapped_output(out.data()), add{}, same{}, zero);
    else
      tally::transform_exclusive_scan(on, first, last, trapped_output(out.data()), zero, add{}, same{});
  } catch (operator_failed const&) {
    thrown = true;
  }
  EXPECT_EQ(thrown, set.sprung.load()) << set.at << " after " << set.visits_left << " visits on " << threads
                                       << " threads";
}

TEST(Failures, OfWhoeverComputesALateTotalEndTheCall)
{
  // The owner of tile 0 sleeps; the other thread needs its total, computes it and throws.
  for (call const which : {call::inclusive, call::exclusive, call::reduce})
    for (place const at : places) {
      trap set{.at = at, .by = thrower::second_reader_of_tile_0, .sleep = std::chrono::milliseconds(100)};
      expect_end(which, 4, 2, set);
    }
}

TEST(Failures, OfTheOwnerEndTheCall)
{
  for (call const which : {call::inclusive, call::exclusive, call::reduce})
    for (place const at : places)
      for (long const visits : {0, 1, 5000}) {
        trap set{
            .at = at, .by = thrower::owner_of_tile_0, .visits_left = visits, .sleep = std::chrono::milliseconds(10)};
        expect_end(which, 4, 2, set);
      }
}

TEST(Failures, AnywhereEndTheCall)
{
  for (call const which : {call::inclusive, call::exclusive, call::reduce})
    for (place const at : places)
      for (int const threads : {1, 2, 5})
        for (long const visits : {0, 1, 2, 100, 4095, 4096, 9000, 30000}) {
          trap set{.at = at, .visits_left = visits};
          expect_end(which, 9, threads, set);
        }
}

TEST(Failures, InARingThatIsFullEndTheCall)
{
  // Members wait for free slots while another one sleeps, and then fails.
  std::size_t const slots = std::exchange(tally::cpu_backend::tuning_in_use().slots_a_member, 1);
  for (place const at : places)
    for (int const threads : {2, 4}) {
      trap set{.at = at, .by = thrower::owner_of_tile_0, .visits_left = 3000, .sleep = std::chrono::milliseconds(20)};
      expect_end(call::inclusive, 40, threads, set);
    }
  tally::cpu_backend::tuning_in_use().slots_a_member = slots;
}

TEST(Failures, OfAllocationsEndTheCall)
{
  trap none{.visits_left = 1L << 60};
  the_trap = &none;
  std::size_t const n = 9 * tile;
  std::vector<value> in(n, value(raw{1})), out(n);
  tally::inclusive_scan(tally::cpu{.threads = 2}, in, out, add{});  // starts the threads: later allocations are Tally's
  for (int const threads : {1, 2, 3}) {
    tally::cpu const on{.threads = threads};
    for (int const which : {0, 1}) {
      long failed = 0;
      for (bool all = false; !all; ++failed) {
        ASSERT_LT(failed, 1000);
        watchdog const ends;
        allocations_left.store(failed);
        try {
          if (which == 0)
            EXPECT_EQ(tally::reduce(on, in, value(raw{0}), add{}).sum, static_cast<double>(n));
          else
            tally::inclusive_scan(on, in, out, add{});
          all = allocations_left.exchange(-1) >= 0;
        } catch (std::bad_alloc const&) {
          allocations_left.store(-1);
        }
      }
      if (which == 1) {
        EXPECT_EQ(out.back().sum, static_cast<double>(n));
      }
      EXPECT_EQ(failed > 1, threads > 1) << "memory is asked for by teams only";
    }
  }
}

}  // namespace
