#include "soak/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace tally::soak {

namespace {

constexpr std::size_t guard = 4096;
constexpr auto poison = std::byte{0xA5};

}  // namespace

void region::grow(std::size_t bytes)
{
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (memory_ != nullptr) munmap(memory_, capacity_ + page);
  capacity_ = std::max(bytes + bytes / 2, std::size_t{1} << 20) / page * page + page;
  void* const place = mmap(nullptr, capacity_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(place);
  if (mprotect(memory_ + capacity_, page, PROT_NONE) != 0) throw std::bad_alloc();
}

std::byte* region::poisoned(std::size_t bytes, std::size_t phase, bool at_end)
{
  std::size_t const all = bytes + phase + 2 * guard;
  if (all > capacity_) grow(all);
  begin_ = at_end ? memory_ + capacity_ - bytes : memory_ + guard + phase;
  first_ = begin_ - guard;
  last_ = std::min(begin_ + bytes + guard, memory_ + capacity_);
  std::memset(first_, static_cast<int>(poison), static_cast<std::size_t>(last_ - first_));
  return begin_;
}

std::optional<std::string> region::beside(std::size_t used) const
{
  for (std::byte const* at = begin_; at-- > first_;)
    if (*at != poison) return "a byte was written " + std::to_string(begin_ - at) + " before the first element";
  for (std::byte const* at = begin_ + used; at < last_; ++at)
    if (*at != poison) return "a byte was written " + std::to_string(at - (begin_ + used)) + " behind the last element";
  return std::nullopt;
}

region& region_of(int number)
{
  static std::array<region, 8> all;
  return all.at(static_cast<std::size_t>(number));
}

}  // namespace tally::soak
