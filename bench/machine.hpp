#pragma once

#include <cstddef>
#include <string>

namespace tally::bench {

/// The machine, compiler and date of a measurement.
struct machine {
  std::string processor;     ///< the model's name
  std::string architecture;  ///< with the system's kernel
  int threads;
  std::size_t l2_bytes;  ///< of one core
  std::size_t l3_bytes;  ///< of all, 0 if there is none
  std::size_t memory_bytes;
  std::string compiler;
  std::string onetbb;
  std::string date;  ///< UTC, ISO 8601
};
machine this_machine();

/// Bytes of memory that can be allocated without swapping.
std::size_t available_memory();

}  // namespace tally::bench
