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

/// Elements at regular distances in a GPU's memory.
struct row_on_gpu {
  std::byte* data = nullptr;  ///< null: there are none
  std::ptrdiff_t step = 0;    ///< in bytes
};

/// Elements of any type that are copied: `count` words of `bytes` bytes each, which lie at multiples of their size.
struct words_of_element {
  std::size_t bytes = 1;
  std::size_t count = 1;
};

/// The arguments of a selection on a GPU.
struct selection_call {
  row_on_gpu flags;
  tally_type type_of_flags;
  std::size_t size = 0;
  row_on_gpu in, out;
  words_of_element words;
  std::size_t room = 0;  ///< of `out`; no elements are written behind it
  place_on_gpu gpu;
};

/// The arguments of calls on runs of equal keys on a GPU. `values` has no offsets and no number of segments: the runs
/// are found first.
struct runs_call {
  row_on_gpu keys;
  tally_type type;
  std::size_t size = 0;
  row_on_gpu keys_out;  ///< null if they are not wanted
  words_of_element words;
  row_on_gpu lengths;    ///< of int64; null if they are not wanted
  std::size_t room = 0;  ///< of all outputs that have an element for each run
  std::size_t op = 0;    ///< the operator on the values
  tally_type type_of_values;
  segments_call const* values = nullptr;  ///< null: keys alone
  place_on_gpu gpu;
};

/// The arguments of sorts of sequences on a GPU. Of `where`, distances are in bytes: `in` and `out` are those of the
/// keys, `initial` those of the places, `coefficients` and `last` those of the values and the sorted values.
struct sorts_call {
  detail::batch::layout where;
  tally_type type;
  std::byte const* in = nullptr;
  std::byte* out = nullptr;     ///< null: sorted keys are not wanted
  std::byte* places = nullptr;  ///< of int64; null: they are not wanted
  words_of_element words;       ///< of a key
  std::byte const* values = nullptr;
  std::byte* values_out = nullptr;
  words_of_element words_of_value;
  bool descends = false;
  place_on_gpu gpu;
};

/// The arguments of histograms on a GPU: of values side by side, of float32, float64 or int64.
struct histograms_call {
  std::byte const* values = nullptr;
  tally_type type;
  std::size_t size = 0;
  double lower = 0, upper = 0;       ///< of bins of one width
  std::byte const* edges = nullptr;  ///< of the CPU, one more than bins, of the type of the values; null: one width
  std::size_t bins = 0;
  std::int64_t* counts = nullptr;
  place_on_gpu gpu;
};

/// The functions of libtally_cuda.so.1. Each returns a tally_status, and writes the message of a failure to `message`.
/// Both libraries are of one version: the struct may change with it.
struct gpu_functions {
  std::int32_t version;
  std::int32_t (*run)(std::size_t op, tally_type type, sequences_call const& call, char* message);
  std::int32_t (*segments)(std::size_t op, tally_type type, segments_call const& call, char* message);
  std::int32_t (*select)(selection_call const& call, std::size_t* selected, char* message);
  std::int32_t (*find_runs)(runs_call const& call, std::size_t* runs, char* message);
  std::int32_t (*sort)(sorts_call const& call, char* message);
  std::int32_t (*count)(histograms_call const& call, char* message);
  std::int32_t (*recur)(tally_type type, recurrences_call const& call, char* message);
  std::int32_t (*clear)(places_call const& call, char* message);  ///< writes zeros
  std::int32_t (*synchronize)(std::int32_t device, void* stream, char* message);
};
inline constexpr std::size_t message_size = 1024;
/// The function of libtally_cuda.so.1 that gives them.
inline constexpr char const* name_of_gpu_functions = "tally_cuda_functions";

/// A struct of functions of libtally_cuda.so.1, which the function of this name gives. It begins with the version.
/// Throws    not_supported: the library cannot be loaded, or is of another version.
void const* functions_of_gpu_library(char const* name);

/// The operation of the CPU, run on a GPU.
/// Throws    not_supported: libtally_cuda.so.1 cannot be loaded; exact sums, sums of exponentials, complex numbers.
operation on_gpu(operation op, tally_operation const* number, tally_type type);
/// Throws    what a call on a GPU throws.
std::size_t select_on_gpu(selection_call const& call);
/// Returns the number of runs. Nothing is written if there is no room for them.
std::size_t find_runs_on_gpu(runs_call const& call);
void sort_on_gpu(sorts_call const& call);
void count_on_gpu(histograms_call const& call);
void recur_on_gpu(tally_type type, recurrences_call const& call);
/// tally_workspace_bytes.
std::size_t workspace_bytes(tally_array const* in, std::int32_t axis);
/// tally_synchronize.
void synchronize(std::int32_t device, void* stream);
/// Writes zeros to all places of an array.
void clear_on_gpu(array const& to, place_on_gpu const& gpu);

/// The elements of an array of one axis.
inline row_on_gpu row_of(array const& given)
{
  return {given.data, given.shape.size() == 0 ? 0 : given.strides[0] * static_cast<std::ptrdiff_t>(given.bytes)};
}
/// Words in which the elements of two arrays can be copied.
words_of_element words_of(array const& from, array const& to);

/// Where a call with these options runs, on arrays of this device.
place_on_gpu place_of(tally_device device, tally_options const& options);

}  // namespace tally::c
