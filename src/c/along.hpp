#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "src/c/arrays.hpp"
#include "src/c/operation.hpp"
#include "src/c/place_on_gpu.hpp"
#include "tally.h"

namespace tally::c {

enum class call_kind { reduce, scan };

/// The checked arguments of tally_reduce and tally_scan.
struct along_arguments {
  tally_options options{};
  array in, out;
  std::size_t axis = 0;
  per_axis across;    ///< the shape without the axis
  tally_type type{};  ///< in which elements are combined
  operation op;
  std::optional<array> initial, last;
  bool initial_for_each = false;
  bool includes_initial = false;
  bool exclusive = false;
  place_on_gpu gpu;
};

/// The calls that combine elements on a GPU: this GPU's own, or those of ranks, which have exact sums too.
enum class combined_by { one_gpu, ranks };

/// Throws    usage_error, not_supported, std::bad_alloc.
along_arguments checked_along(call_kind kind, tally_array const* in, std::int32_t axis, tally_array const* out,
                              tally_operation const* op, tally_options const* options,
                              combined_by by = combined_by::one_gpu);

/// tally_reduce and tally_scan.
/// Throws    usage_error, not_supported, std::bad_alloc.
void run_along(call_kind kind, tally_array const* in, std::int32_t axis, tally_array const* out,
               tally_operation const* op, tally_options const* options);

}  // namespace tally::c
