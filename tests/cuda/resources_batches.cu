// The kernels of batches whose registers and shared memory check_resources.py looks at: those for floats.
#include <cstddef>

#include "tally/detail/cuda/batch/segments.hpp"
#include "tally/detail/cuda/batch/sequences_launch.cuh"
#include "tally/detail/cuda/batch/short_runs.hpp"
#include "tally/detail/cuda/launch.cuh"
#include "tally/operators.hpp"

namespace tally::cuda_backend {

void instantiate(prepared_call& call, detail::batch::layout const& where, float const* in, float* out)
{
  run(call, work::inclusive_scan, where, in, out, detail::batch::ends<float>{}, plus{});
}

void instantiate(execution const& on, float const* in, unsigned const* offsets, float* out)
{
  detail::batch::ends<float> const ends;
  plus op;
  backend_reduce_segments<float>(on, in, offsets, {1}, out, 0.0f, ends, op);
  backend_scan_segments<float>(on, in, offsets, {1}, out, ends, op, detail::direction::inclusive);
}

/// A scan does nothing at heads.
struct no_head {};

void instantiate(execution const& on, detail::batch::marked_heads const& heads, float const* in, float* out)
{
  backend_scan_short_runs<float>(on, heads, in, out, no_head{}, static_cast<float const*>(nullptr), plus{},
                                 detail::direction::inclusive);
}

}  // namespace tally::cuda_backend
