#include "src/c/cuda/histograms.hpp"

#include <cstddef>
#include <cstring>

#include "src/c/cuda/execution.hpp"
#include "src/c/cuda/selection.hpp"
#include "src/c/failure.hpp"
#include "tally/algorithms/bins.hpp"
#include "tally/cuda.hpp"
#include "tally/detail/histogram/device.hpp"

namespace tally::c {

namespace {

/// Writes the counts of the bins without those of values in no bin.
struct copy_counts {
  std::int64_t const* slots;
  std::int64_t* counts;

  TALLY_HD void operator()(std::size_t k) const { counts[k] = slots[k]; }
};

template <class T, class Bins>
void count(cuda const& on, histograms_call const& call, Bins const& bins)
{
  namespace impl = detail::histogram;
  temporary<std::int64_t, cuda> const slots(on, bins.slots());
  impl::with_bins_for_device<T>(bins, [&](auto const& own) {
    impl::sum_in_any_order<std::uint32_t>(on, reinterpret_cast<T const*>(call.values), call.size, impl::ones{}, own,
                                          slots.data());
  });
  tally::for_each_index(on, call.bins, copy_counts{slots.data(), call.counts});
}

template <class T>
void run(cuda const& on, histograms_call const& call)
{
  if (call.edges == nullptr) return count<T>(on, call, even_bins(call.lower, call.upper, call.bins));
  check_may_wait(call.gpu);
  temporary<T, cuda> const edges(on, call.bins + 1);
  cuda_backend::check_cuda(
      cudaMemcpyAsync(edges.data(), call.edges, (call.bins + 1) * sizeof(T), cudaMemcpyHostToDevice, on.stream()),
      "copying the edges of a histogram");
  count<T>(on, call, edge_bins<T>(edges.data(), call.bins + 1));
}

}  // namespace

std::int32_t run_histograms(histograms_call const& call, char* message)
{
  return guarded(message, [&]() -> std::int32_t {
    with_execution(call.gpu, [&](cuda const& on) {
      check_counts(call.size);
      if (call.type.code == TALLY_INT)
        run<std::int64_t>(on, call);
      else if (call.type.bits == 32)
        run<float>(on, call);
      else
        run<double>(on, call);
    });
    return TALLY_OK;
  });
}

}  // namespace tally::c
