#pragma once

#include <cstddef>

namespace tally::cpu_backend {

/// Memory that is not set, for intermediate values. Where there is so much of it that it comes from the system each
/// time, large pages are asked for: the system clears a page when it is first written to, and takes several times as
/// long for pages of 4 KiB as for those of 2 MiB (docs/measurements/cpu_notes.md).
///
/// Throws    std::bad_alloc.
void* allocate(std::size_t bytes);
void release(void* memory) noexcept;

}  // namespace tally::cpu_backend
