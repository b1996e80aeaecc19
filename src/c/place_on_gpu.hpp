#pragma once

#include <cstddef>
#include <cstdint>

namespace tally::c {

/// Where a call on a GPU runs.
struct place_on_gpu {
  bool is_used = false;  ///< false: the call runs on the CPU
  std::int32_t device = 0;
  void* stream = nullptr;
  void* workspace = nullptr;  ///< null: the library's own for the stream
  std::size_t workspace_bytes = 0;
};

}  // namespace tally::c
