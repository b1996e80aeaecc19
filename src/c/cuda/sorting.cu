#include "src/c/cuda/sorting.hpp"

#include "src/c/cuda/execution.hpp"
#include "src/c/cuda/selection.hpp"
#include "src/c/cuda/sort_by_places.hpp"
#include "tally/cuda.hpp"

namespace tally::c {

std::int32_t run_sorts(sorts_call const& call, char* message)
{
  return guarded(message, [&]() -> std::int32_t {
    with_execution(call.gpu, [&](cuda const& on) {
      check_may_wait(call.gpu);
      check_counts(call.where.sequences() * call.where.along.extent);
      if (call.type.bits > 32)
        sort_by_places<std::uint64_t>(on, call);
      else
        sort_by_places<std::uint32_t>(on, call);
    });
    return TALLY_OK;
  });
}

}  // namespace tally::c
