#pragma once

#include <cstddef>

namespace tally::cpu_backend {

/// Memory that is not set, for intermediate values. Where there is much of it the system is asked for large pages: it
/// clears a page when it is first written to, and 4 MiB in pages of 4 KiB take it several times as long as in two of 2
/// MiB (docs/measurements/cpu_notes.md).
///
/// Throws    std::bad_alloc.
void* allocate(std::size_t bytes);
void release(void* memory) noexcept;

}  // namespace tally::cpu_backend
