#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../support/generator.hpp"

#ifdef __CUDACC__
#error "fibers stand for a GPU, and nvcc compiles for a real one"
#endif

/// A grid of threads of a GPU on one thread of a processor: a fiber for each thread of each block, which all are under
/// way at a time. A source includes this file before the headers of kernels, and calls the kernels from `run_grid`.
///
/// Fibers take turns at barriers, shuffles, votes and atomics. Which one goes on is drawn at random, and some warps are
/// drawn less often than others, so a warp may be far ahead of its block, and a block of the grid. Shared memory is
/// poisoned first, and guarded behind.
///
/// Wrong results show a barrier that is missing, a hand-over that takes the wrong turn, or memory that is read before
/// it is written, if some such order makes them wrong. `run_grid` throws where threads wait for ever, where not all
/// threads reach a barrier, where lanes meet in different calls, and where a block has written behind its memory.
///
/// A `__shared__` variable is one of all blocks, and keeps its value: kernels with such run in grids of one block.
///
/// It cannot show races between two such places, where nothing else runs, nor what depends on the memory model: each
/// store is seen at once. It has no clusters and no PTX, and shuffles and votes are those of whole warps. A test brings
/// the barriers and copies that its kernels have by PTX.
#pragma GCC diagnostic ignored "-Wpedantic"  // kernels have integers of 128 bits
#define __device__
#define __host__
#define __global__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__

struct place_in_grid {
  unsigned x;
};
inline place_in_grid threadIdx, blockIdx, gridDim, blockDim;

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};

namespace tally::test {

/// A place where some threads of a block wait for each other.
struct barrier {
  char const* call = "";  ///< that the threads have come by
  unsigned arrived = 0;
  bool has_any = false;
  std::vector<unsigned> waiting;  ///< the numbers of their fibers
};

/// The number that begins the draws of a program, by --gtest_random_seed.
inline unsigned seed_of_draws()
{
  return static_cast<unsigned>(GTEST_FLAG_GET(random_seed));
}

class grid {
public:
  static constexpr unsigned warp = 32, most_warps = 32;

  grid(unsigned blocks, unsigned threads, std::size_t shared_bytes, std::uint64_t seed)
      : threads_(threads),
        shared_bytes_((shared_bytes + 15) / 16 * 16),
        seed_(seed),
        blocks_(blocks),
        fibers_(std::size_t{blocks} * threads),
        skips_(fibers_.size())
  {
    if (blocks == 0 || threads == 0 || threads % warp != 0 || threads > warp * most_warps)
      throw std::invalid_argument("a grid has blocks of whole warps");
    for (block& own : blocks_) {
      own.shared.resize((shared_bytes_ + guard) / sizeof(line) + 1);
      std::memset(static_cast<void*>(own.shared.data()), poison, shared_bytes_ + guard);
    }
    constexpr unsigned char paces[] = {0, 0, 3, 31};
    for (std::size_t f = 0; f < fibers_.size(); f += warp)
      std::fill_n(skips_.begin() + static_cast<std::ptrdiff_t>(f), warp, paces[random() % std::size(paces)]);
  }
  grid(grid const&) = delete;
  grid& operator=(grid const&) = delete;

  /// Runs `kernel` as each thread. Throws if some threads wait for ever, or do what threads of a GPU may not.
  void run(std::function<void()> const& kernel)
  {
    kernel_ = &kernel;
    current() = this;
    gridDim.x = static_cast<unsigned>(blocks_.size());
    blockDim.x = threads_;
    for (unsigned f = 0; f < fibers_.size(); ++f) {
      ucontext_t& begin = fibers_[f].begin;
      getcontext(&begin);
      begin.uc_stack.ss_sp = stack(f);
      begin.uc_stack.ss_size = stack_bytes;
      begin.uc_link = nullptr;
      makecontext(&begin, &grid::begin_fiber, 0);
      ready_.push_back(f);
    }
    run_fibers();
    current() = nullptr;
    if (!fault_.empty()) throw std::runtime_error(fault_);
    for (block const& own : blocks_) {
      auto const* const bytes = reinterpret_cast<unsigned char const*>(own.shared.data());
      if (!std::all_of(bytes + shared_bytes_, bytes + shared_bytes_ + guard, [](auto x) { return x == poison; }))
        throw std::runtime_error("a block has written beyond its shared memory");
    }
  }

  /// The grid that runs. Fibers find it here, as their kernels know of none.
  static grid*& current()
  {
    static grid* running = nullptr;
    return running;
  }

  unsigned char* memory() { return reinterpret_cast<unsigned char*>(own_block().shared.data()); }

  /// Waits at barrier `number` of the block until `threads` threads are there. Returns whether any brought `it`.
  bool meet(unsigned number, unsigned threads, char const* call, bool it = false)
  {
    bool const any = wait_at(own_block().barriers[number], threads, call, it);
    turns_ = 0;
    return any;
  }

  /// Comes to barrier `number`, and does not wait. The last one of `threads` to come lets the others go on.
  void arrive(unsigned number, unsigned threads, char const* call)
  {
    barrier& place = own_block().barriers[number];
    come(place, call);
    if (place.arrived == threads) release(place);
    perhaps_wait();
  }

  /// Waits for the other lanes. Returns what each of them brought.
  std::array<std::uint64_t, warp> const& exchange(unsigned lanes, char const* call, std::uint64_t brought)
  {
    if (lanes != 0xffffffff) fail(std::string(call) + " of some lanes only");
    block& own = own_block();
    unsigned const w = threadIdx.x / warp;
    own.brought[w][threadIdx.x % warp] = brought;
    // The last lane to come keeps a copy: others may bring their next value before this one is read.
    barrier& place = own.warps[w];
    if (place.arrived + 1 == warp) own.seen[w] = own.brought[w];
    wait_at(place, warp, call, false);
    return own.seen[w];
  }

  /// Waits until another thread of the grid tells this place.
  void wait_for(void const* place)
  {
    told_[place].push_back(running_);
    go_on();
  }
  /// Lets all that wait for a place go on.
  void tell(void const* place)
  {
    turns_ = 0;
    auto& all = told_[place];
    ready_.insert(ready_.end(), all.begin(), all.end());
    all.clear();
  }

  /// Lets other threads go on first, sometimes.
  void perhaps_wait()
  {
    if (random() % 4 != 0) return;
    ready_.push_back(running_);
    go_on();
  }

private:
  static constexpr std::size_t stack_bytes = 1 << 16, guard = 1024;
  static constexpr unsigned char poison = 0xA5;
  /// The turns without a barrier of a block, a place that is told, or an end of a thread, after which threads are taken
  /// to wait for ever. The kernels tested take a million at most.
  static constexpr unsigned long most_turns = 4'000'000;

  struct fiber {
    ucontext_t begin;
    jmp_buf place;  ///< where it goes on, once it has begun: swapcontext would call the system each time
    bool has_begun = false;
    bool any;  ///< of the barrier that it has left
  };
  struct alignas(128) line {
    unsigned char bytes[128];
  };
  struct block {
    std::array<barrier, 16> barriers;
    std::array<barrier, most_warps> warps;
    std::array<std::array<std::uint64_t, warp>, most_warps> brought, seen;
    std::vector<line> shared;
  };

  block& own_block() { return blocks_[blockIdx.x]; }
  std::uint64_t random() { return random_bits(seed_, draws_++); }

  bool wait_at(barrier& place, unsigned threads, char const* call, bool it)
  {
    come(place, call);
    place.has_any = place.has_any || it;
    if (place.arrived < threads) {
      place.waiting.push_back(running_);
      go_on();
      return fibers_[running_].any;
    }
    bool const any = place.has_any;
    release(place);
    ready_.push_back(running_);
    go_on();
    return any;
  }
  void come(barrier& place, char const* call)
  {
    if (place.arrived == 0) place.call = call;
    if (std::strcmp(place.call, call) != 0) fail(std::string(call) + " meets " + place.call);
    ++place.arrived;
  }
  void release(barrier& place)
  {
    for (unsigned f : place.waiting) {
      fibers_[f].any = place.has_any;
      ready_.push_back(f);
    }
    place.waiting.clear();
    place.arrived = 0;
    place.has_any = false;
  }

  /// Draws the fiber that runs next.
  void draw()
  {
    if (ready_.empty()) fail("all threads wait: " + waits());
    if (++turns_ > most_turns) fail("threads wait for ever; others wait: " + waits());
    std::size_t k;
    for (;;) {
      std::uint64_t const drawn = random();
      k = (drawn >> 32) * ready_.size() >> 32;
      if ((drawn & skips_[ready_[k]]) == 0) break;
    }
    running_ = ready_[k];
    ready_[k] = ready_.back();
    ready_.pop_back();
    threadIdx.x = running_ % threads_;
    blockIdx.x = running_ / threads_;
  }
  /// Returns when all have ended, or one has failed.
  [[gnu::noinline]] void run_fibers()
  {
    draw();
    if (_setjmp(outside_) == 0) enter_drawn();
  }
  /// Lets the next fiber run. Returns when this one is drawn again.
  void go_on()
  {
    unsigned const own = running_;
    draw();
    if (running_ != own && _setjmp(fibers_[own].place) == 0) enter_drawn();
  }
  /// Begins the fiber that was drawn, or goes on with it.
  [[noreturn]] void enter_drawn()
  {
    fiber& drawn = fibers_[running_];
    if (drawn.has_begun) _longjmp(drawn.place, 1);
    drawn.has_begun = true;
    setcontext(&drawn.begin);
    std::terminate();
  }

  static void begin_fiber()
  {
    grid& all = *current();
    try {
      (*all.kernel_)();
    } catch (std::exception const& thrown) {
      all.fail(thrown.what());
    }
    all.turns_ = 0;
    if (++all.ended_ == all.fibers_.size()) _longjmp(all.outside_, 1);
    all.draw();
    all.enter_drawn();
  }

  /// Ends the run. Fibers that have not ended are left as they are.
  [[noreturn]] void fail(std::string const& what)
  {
    fault_ = what;
    _longjmp(outside_, 1);
  }

  /// The threads that wait at barriers.
  std::string waits() const
  {
    std::string all;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      auto const add = [&](barrier const& place, std::string const& where) {
        if (place.arrived != 0)
          all += std::to_string(place.arrived) + " in " + place.call + " of " + where + " of block " +
                 std::to_string(b) + "; ";
      };
      for (std::size_t k = 0; k < blocks_[b].barriers.size(); ++k)
        add(blocks_[b].barriers[k], "barrier " + std::to_string(k));
      for (std::size_t w = 0; w < most_warps; ++w) add(blocks_[b].warps[w], "warp " + std::to_string(w));
    }
    std::size_t at_places = 0;
    for (auto const& [place, waiting] : told_) at_places += waiting.size();
    if (at_places != 0) all += std::to_string(at_places) + " to be told; ";
    return all + std::to_string(ended_) + " of " + std::to_string(fibers_.size()) + " have ended";
  }

  /// Stacks are kept for the next grid.
  static unsigned char* stack(std::size_t f)
  {
    static std::vector<std::unique_ptr<unsigned char[]>> all;
    while (all.size() <= f) all.emplace_back(new unsigned char[stack_bytes]);
    return all[f].get();
  }

  unsigned threads_;
  std::size_t shared_bytes_;
  std::uint64_t seed_, draws_ = 0;
  std::vector<block> blocks_;
  std::vector<fiber> fibers_;
  std::vector<unsigned char> skips_;                   ///< a fiber goes on once in `skips + 1` draws of it
  std::vector<unsigned> ready_;                        ///< the fibers that can go on
  std::map<void const*, std::vector<unsigned>> told_;  ///< those that wait to be told
  unsigned running_ = 0;
  std::size_t ended_ = 0;
  unsigned long turns_ = 0;
  std::function<void()> const* kernel_ = nullptr;
  jmp_buf outside_;
  std::string fault_;
};

/// Runs `kernel` as each thread of a grid. Each call has an order of its own.
inline void run_grid(unsigned blocks, unsigned threads, std::size_t shared_bytes, std::function<void()> const& kernel)
{
  static std::uint64_t calls = 0;
  grid(blocks, threads, shared_bytes, random_bits(seed_of_draws(), calls++)).run(kernel);
}

/// Each lane's value in place of its own, from the lane of the same warp that it names.
template <class T>
T value_of_lane(unsigned lanes, char const* call, T x, unsigned lane)
{
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  std::uint64_t word = 0;
  std::memcpy(&word, &x, sizeof(T));
  word = grid::current()->exchange(lanes, call, word)[lane % grid::warp];
  std::memcpy(&x, &word, sizeof(T));
  return x;
}
/// Joins the values of all lanes.
template <class T, class Join>
T joined(unsigned lanes, char const* call, T x, Join join)
{
  auto const& all = grid::current()->exchange(lanes, call, x);
  T sum = static_cast<T>(all[0]);
  for (unsigned k = 1; k < grid::warp; ++k) sum = join(sum, static_cast<T>(all[k]));
  return sum;
}

/// Changes a word as no other thread does.
template <class T, class Change>
T changed(T* word, Change change)
{
  grid::current()->perhaps_wait();
  T const before = *word;
  *word = static_cast<T>(change(before));
  return before;
}

}  // namespace tally::test

// The functions of CUDA's that kernels call.
inline void __syncthreads()
{
  tally::test::grid::current()->meet(0, blockDim.x, "__syncthreads");
}
inline int __syncthreads_or(int x)
{
  return tally::test::grid::current()->meet(0, blockDim.x, "__syncthreads_or", x != 0) ? 1 : 0;
}
inline void __syncwarp(unsigned lanes = 0xffffffff)
{
  tally::test::grid::current()->exchange(lanes, "__syncwarp", 0);
}
template <class T>
T __shfl_sync(unsigned lanes, T x, int lane)
{
  return tally::test::value_of_lane(lanes, "__shfl_sync", x, static_cast<unsigned>(lane));
}
template <class T>
T __shfl_sync(unsigned lanes, T x, int lane, int width)
{
  unsigned const first = threadIdx.x % 32 / static_cast<unsigned>(width) * static_cast<unsigned>(width);
  return tally::test::value_of_lane(lanes, "__shfl_sync", x, first + static_cast<unsigned>(lane % width));
}
template <class T>
T __shfl_up_sync(unsigned lanes, T x, unsigned by)
{
  unsigned const own = threadIdx.x % 32;
  return tally::test::value_of_lane(lanes, "__shfl_up_sync", x, own >= by ? own - by : own);
}
template <class T>
T __shfl_down_sync(unsigned lanes, T x, unsigned by)
{
  unsigned const own = threadIdx.x % 32;
  return tally::test::value_of_lane(lanes, "__shfl_down_sync", x, own + by < 32 ? own + by : own);
}
template <class T>
T __shfl_xor_sync(unsigned lanes, T x, int mask)
{
  return tally::test::value_of_lane(lanes, "__shfl_xor_sync", x, threadIdx.x ^ static_cast<unsigned>(mask));
}
inline unsigned __ballot_sync(unsigned lanes, bool it)
{
  unsigned const own = it ? 1u << threadIdx.x % 32 : 0;
  return tally::test::joined(lanes, "__ballot_sync", own, [](unsigned a, unsigned b) { return a | b; });
}
inline int __any_sync(unsigned lanes, bool it)
{
  return tally::test::joined(lanes, "__any_sync", it ? 1u : 0u, [](unsigned a, unsigned b) { return a | b; }) != 0;
}
inline int __all_sync(unsigned lanes, bool it)
{
  return tally::test::joined(lanes, "__all_sync", it ? 1u : 0u, [](unsigned a, unsigned b) { return a & b; }) != 0;
}
inline unsigned __reduce_max_sync(unsigned lanes, unsigned x)
{
  return tally::test::joined(lanes, "__reduce_max_sync", x, [](unsigned a, unsigned b) { return std::max(a, b); });
}
inline unsigned __reduce_min_sync(unsigned lanes, unsigned x)
{
  return tally::test::joined(lanes, "__reduce_min_sync", x, [](unsigned a, unsigned b) { return std::min(a, b); });
}
inline unsigned __reduce_or_sync(unsigned lanes, unsigned x)
{
  return tally::test::joined(lanes, "__reduce_or_sync", x, [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned __reduce_and_sync(unsigned lanes, unsigned x)
{
  return tally::test::joined(lanes, "__reduce_and_sync", x, [](unsigned a, unsigned b) { return a & b; });
}

template <class T>
T atomicAdd(T* word, T x)
{
  return tally::test::changed(word, [x](T before) { return before + x; });
}
template <class T>
T atomicSub(T* word, T x)
{
  return tally::test::changed(word, [x](T before) { return before - x; });
}
template <class T>
T atomicMax(T* word, T x)
{
  return tally::test::changed(word, [x](T before) { return std::max(before, x); });
}
template <class T>
T atomicOr(T* word, T x)
{
  return tally::test::changed(word, [x](T before) { return before | x; });
}
template <class T>
T atomicMin(T* word, T x)
{
  return tally::test::changed(word, [x](T before) { return std::min(before, x); });
}

template <class T>
T __ldcg(T const* word)
{
  return *word;
}
inline void __threadfence() {}
inline void __nanosleep(unsigned)
{
  tally::test::grid::current()->perhaps_wait();
}

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> by % 32);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by)
{
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) << by % 32 >> 32);
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
  std::uint64_t const bytes = std::uint64_t{high} << 32 | low;
  unsigned all = 0;
  for (unsigned k = 0; k < 4; ++k) all |= static_cast<unsigned>(bytes >> (selector >> 4 * k & 7) * 8 & 0xff) << 8 * k;
  return all;
}
/// c and the products of the bytes of a and b.
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
  for (unsigned k = 0; k < 32; k += 8) c += (a >> k & 0xff) * (b >> k & 0xff);
  return c;
}
/// The sums of bytes, each for itself.
inline unsigned __vadd4(unsigned a, unsigned b)
{
  unsigned all = 0;
  for (unsigned k = 0; k < 32; k += 8) all |= (((a >> k) + (b >> k)) & 0xff) << k;
  return all;
}
inline int min(int a, int b)
{
  return std::min(a, b);
}
inline int max(int a, int b)
{
  return std::max(a, b);
}
inline float rsqrtf(float x)
{
  return 1 / std::sqrt(x);
}
inline int __popc(unsigned x)
{
  return std::popcount(x);
}
inline int __clz(int x)
{
  return std::countl_zero(static_cast<unsigned>(x));
}
inline int __clzll(long long x)
{
  return std::countl_zero(static_cast<unsigned long long>(x));
}
inline int __ffs(int x)
{
  return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1;
}
inline float __fmaf_rn(float x, float y, float z)
{
  return std::fma(x, y, z);
}
inline double __fma_rn(double x, double y, double z)
{
  return std::fma(x, y, z);
}
inline int __double2hiint(double x)
{
  return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 32);
}
inline int __double2loint(double x)
{
  return static_cast<int>(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x)));
}
inline long long __double_as_longlong(double x)
{
  return std::bit_cast<long long>(x);
}
inline double __longlong_as_double(long long x)
{
  return std::bit_cast<double>(x);
}
inline double __hiloint2double(int high, int low)
{
  return std::bit_cast<double>(std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low));
}

namespace tally::cuda_backend {

inline void check_word(void const* place, std::size_t bytes)
{
  if (reinterpret_cast<std::uintptr_t>(place) % bytes != 0) throw std::runtime_error("a word is not aligned");
}

}  // namespace tally::cuda_backend
