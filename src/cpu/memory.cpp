#include "tally/cpu/memory.hpp"

#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tally::cpu_backend {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
/// Up to here the C library keeps what is freed for the next who asks (glibc; its greatest threshold for mmap), and
/// pages that the program has already are better than huge ones that the system has to clear: a tree of 2^20 nodes took
/// twice the time. Beyond, pages are the system's each time, and huge ones took two thirds of it.
constexpr std::size_t kept = std::size_t{32} << 20;

}  // namespace

void* allocate(std::size_t bytes)
{
  std::size_t const alignment = bytes < kept ? 64 : huge_page;
  if (bytes > static_cast<std::size_t>(-1) - alignment) throw std::bad_alloc();
  // A whole number of alignments, as the function asks for.
  void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  // A wish: where the system has no such pages, nothing is lost.
  if (alignment == huge_page) (void)::madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  return memory;
}

void release(void* memory) noexcept
{
  std::free(memory);
}

}  // namespace tally::cpu_backend
