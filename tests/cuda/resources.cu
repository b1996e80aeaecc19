// The kernels whose registers and shared memory check_resources.py looks at: of each width one, a type of several
// words, and one with a count in memory.
#include "tally/detail/cuda/launch.cuh"
#include "tally/operators.hpp"

namespace tally::cuda_backend {

template <class T, class Op>
void instantiate(prepared_call& call, T const* in, T* out)
{
  run(call, work::inclusive_scan, in, 1, out, beginning<T>{}, Op{}, std::identity{});
}
template void instantiate<float, plus>(prepared_call&, float const*, float*);
template void instantiate<double, plus>(prepared_call&, double const*, double*);
template void instantiate<std::uint8_t, plus>(prepared_call&, std::uint8_t const*, std::uint8_t*);
template void instantiate<half, plus>(prepared_call&, half const*, half*);
template void instantiate<affine<float>, compose>(prepared_call&, affine<float> const*, affine<float>*);

/// The kernels whose number of elements lies in memory.
template void run<float>(prepared_call&, work, float const*, detail::element_count, float*, beginning<float> const&,
                         plus const&, std::identity const&);

}  // namespace tally::cuda_backend
