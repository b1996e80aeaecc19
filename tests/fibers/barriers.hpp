#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fibers.hpp"
#include "tally/detail/cuda/asynchronous.cuh"

/// The barriers and copies that kernels have by PTX, for fibers. A copy arrives when it is waited for; until then its
/// place is poisoned. One source of a test includes this file.
namespace tally::test {

struct bulk_copy {
  void* to;
  void const* from;
  std::uint32_t bytes;
};
/// The state of an `arrival`.
struct phases {
  int count = 0, missing = 0;
  long bytes = 0;  ///< announced, less those that have arrived
  std::uint32_t parity = 0;
  std::vector<bulk_copy> copies;
};
inline std::map<void const*, phases> all_phases;

/// A copy of some bytes of a word, and zeros for the others.
struct word_copy {
  unsigned char* to;
  void const* from;
  int bytes, word_bytes;
};
inline std::map<std::pair<unsigned, unsigned>, std::vector<word_copy>> word_copies;  ///< of a block's thread

/// Before each grid.
inline void forget_barriers()
{
  all_phases.clear();
  word_copies.clear();
}

inline void start_word_copy(word_copy const& copy)
{
  auto const is_aligned = [&](void const* at) {
    return reinterpret_cast<std::uintptr_t>(at) % static_cast<unsigned>(copy.word_bytes) == 0;
  };
  if (!is_aligned(copy.to) || (copy.bytes != 0 && !is_aligned(copy.from)))
    throw std::runtime_error("a copy is not of a word");
  std::memset(copy.to, 0xA5, static_cast<std::size_t>(copy.word_bytes));
  word_copies[{blockIdx.x, threadIdx.x}].push_back(copy);
}

inline void perhaps_end_phase(void const* place)
{
  phases& own = all_phases.at(place);
  if (own.missing != 0 || own.bytes != 0) return;
  own.parity ^= 1;
  own.missing = own.count;
  grid::current()->tell(place);
}

}  // namespace tally::test

namespace tally::cuda_backend {

inline void arrival::begin(int count)
{
  state_ = 0;
  test::phases own;
  own.count = own.missing = count;
  test::all_phases[this] = own;
}
inline void arrival::arrive()
{
  arrive_and_expect(0);
}
inline void arrival::arrive_and_expect(std::uint32_t bytes)
{
  test::phases& own = test::all_phases.at(this);
  if (own.missing == 0) throw std::runtime_error("more threads arrive than a barrier waits for");
  --own.missing;
  own.bytes += bytes;
  test::perhaps_end_phase(this);
  test::grid::current()->perhaps_wait();
}
inline void arrival::wait(std::uint32_t parity)
{
  while (test::all_phases.at(this).parity == parity) {
    test::phases& own = test::all_phases.at(this);
    if (own.copies.empty()) {
      test::grid::current()->wait_for(this);
      continue;
    }
    for (test::bulk_copy const& each : own.copies) {
      std::memcpy(each.to, each.from, each.bytes);
      own.bytes -= each.bytes;
    }
    own.copies.clear();
    test::perhaps_end_phase(this);
  }
  test::grid::current()->perhaps_wait();
}
inline void arrival::bulk_load(void* to, void const* from, std::uint32_t bytes)
{
  auto const is_word = [](void const* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 == 0; };
  if (!is_word(to) || !is_word(from) || bytes % 16 != 0) throw std::runtime_error("a bulk copy is not of whole words");
  std::memset(to, 0xA5, bytes);
  test::all_phases.at(this).copies.push_back({to, from, bytes});
  test::grid::current()->tell(this);  // those that wait already let it arrive
}
inline shared_location shared_address(void* p)
{
  return static_cast<shared_location>(p);
}
template <int Bytes>
void copy_or_clear(shared_location to, void const* from, bool copies)
{
  test::start_word_copy({to, from, copies ? Bytes : 0, Bytes});
}
inline void copy_some_of_4(shared_location to, void const* from, int bytes)
{
  test::start_word_copy({to, from, bytes, 4});
}
inline void await_copies()
{
  auto& own = test::word_copies[{blockIdx.x, threadIdx.x}];
  for (test::word_copy const& each : own) {
    std::memset(each.to, 0, static_cast<std::size_t>(each.word_bytes));
    if (each.bytes != 0) std::memcpy(each.to, each.from, static_cast<std::size_t>(each.bytes));
  }
  own.clear();
}
inline void prefetch(void const*) {}
inline void fence_asynchronous() {}

}  // namespace tally::cuda_backend
