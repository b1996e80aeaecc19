#pragma once

#include <cstddef>
#include <cstdint>

#include "src/c/arrays.hpp"
#include "src/c/operation.hpp"
#include "src/c/place_on_gpu.hpp"
#include "tally.h"
#include "tally/detail/batch/layout.hpp"

/// Calls on arrays in a GPU's memory, by libtally_cuda.so.1, which is loaded when the first of them is made.
namespace tally::c {

/// The arguments of recurrences on a GPU. Arrays have the type of the states.
struct recurrences_call {
  detail::batch::layout where;
  std::byte const* a = nullptr;
  std::byte const* b = nullptr;
  std::byte* out = nullptr;
  std::byte const* initial = nullptr;  ///< of the host, if it is one for all
  bool initial_for_each = false;
  std::byte* last = nullptr;
  bool reduces = false;
  place_on_gpu gpu;
};

/// Places of elements in a GPU's memory.
struct places_call {
  std::byte* first = nullptr;
  std::size_t bytes = 0;  ///< of an element
  int dimensions = 0;
  std::size_t extents[16]{};
  std::ptrdiff_t steps[16]{};  ///< in bytes
  place_on_gpu gpu;
};

/// The functions of libtally_cuda.so.1. Each returns a tally_status, and writes the message of a failure to `message`.
/// Both libraries are of one version: the struct may change with it.
struct gpu_functions {
  std::int32_t version;
  std::int32_t (*run)(std::size_t op, tally_type type, sequences_call const& call, char* message);
  std::int32_t (*segments)(std::size_t op, tally_type type, segments_call const& call, char* message);
  std::int32_t (*recur)(tally_type type, recurrences_call const& call, char* message);
  std::int32_t (*clear)(places_call const& call, char* message);  ///< writes zeros
  std::int32_t (*synchronize)(std::int32_t device, void* stream, char* message);
};
inline constexpr std::size_t message_size = 1024;
/// The function of libtally_cuda.so.1 that gives them.
inline constexpr char const* name_of_gpu_functions = "tally_cuda_functions";

/// The operation of the CPU, run on a GPU.
/// Throws    not_supported: libtally_cuda.so.1 cannot be loaded; exact sums, sums of exponentials, complex numbers.
operation on_gpu(operation op, tally_operation const* number, tally_type type);
/// Throws    what a call on a GPU throws.
void recur_on_gpu(tally_type type, recurrences_call const& call);
/// tally_workspace_bytes.
std::size_t workspace_bytes(tally_array const* in, std::int32_t axis);
/// tally_synchronize.
void synchronize(std::int32_t device, void* stream);
/// Writes zeros to all places of an array.
void clear_on_gpu(array const& to, place_on_gpu const& gpu);

/// Where a call with these options runs, on arrays of this device.
place_on_gpu place_of(tally_device device, tally_options const& options);

}  // namespace tally::c
