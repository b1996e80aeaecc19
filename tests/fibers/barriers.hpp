#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <vector>

#include "fibers.hpp"
#include "tally/detail/cuda/asynchronous.cuh"

/// The barriers and bulk copies that kernels have by PTX, for fibers. A copy arrives when it is waited for; until then
/// its place is poisoned. One source of a test includes this file.
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

/// Before each grid.
inline void forget_barriers()
{
  all_phases.clear();
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
inline void prefetch(void const*) {}
inline void fence_asynchronous() {}

}  // namespace tally::cuda_backend
