#pragma once

#include <cstddef>

#include "tally/detail/cpu/execution.hpp"

namespace tally::cpu_backend {

/// Allocates uninitialised memory for intermediate values. Large amounts come from the system each time, in large
/// pages: the system clears a page when it is first written to, and takes several times as long for pages of 4 KiB as
/// for those of 2 MiB (docs/measurements/cpu_notes.md).
///
/// Throws    std::bad_alloc.
void* allocate(std::size_t bytes);
void release(void* memory) noexcept;

}  // namespace tally::cpu_backend

namespace tally::detail {

template <cpu_backend::cpu_execution P>
void* backend_allocate(P const&, std::size_t bytes)
{
  return cpu_backend::allocate(bytes);
}
template <cpu_backend::cpu_execution P>
void backend_free(P const&, void* memory) noexcept
{
  cpu_backend::release(memory);
}
template <cpu_backend::cpu_execution P, class T>
T backend_value(P const&, T const* at)
{
  return *at;
}

}  // namespace tally::detail
