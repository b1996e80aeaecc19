#include "tally/detail/cpu/memory.hpp"

#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"

#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tally::cpu_backend {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

void* allocate(std::size_t bytes)
{
  bool const kept = bytes < tuning_in_use().kept_bytes;
  tally::detail::took(kept ? "temporary: memory that the library keeps" : "temporary: large pages");
  std::size_t const alignment = kept ? 64 : huge_page;
  if (bytes > static_cast<std::size_t>(-1) - alignment) throw std::bad_alloc();
  // aligned_alloc requires a multiple of the alignment.
  void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  // A hint: nothing is lost if the system has no such pages.
  if (alignment == huge_page) (void)::madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  return memory;
}

void release(void* memory) noexcept
{
  std::free(memory);
}

}  // namespace tally::cpu_backend
