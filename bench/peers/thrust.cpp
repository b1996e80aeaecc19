#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/system/tbb/execution_policy.h>

#include "../enroll.hpp"
#include "peers.hpp"

/// Thrust with TBB as its device system. In CCCL 3.0 a scan by `thrust::device` or `thrust::tbb::par` runs serially:
/// the TBB system's scan takes the system's tag itself, to which a policy only converts, so the sequential one fits
/// better. By the tag it runs in parallel.
namespace tally::bench {
namespace {

template <class T, auto const& On>
struct thrust_on {
  static void inclusive_scan(T const* in, T* out, std::size_t n) { thrust::inclusive_scan(On, in, in + n, out); }
  static void exclusive_scan(T const* in, T* out, std::size_t n) { thrust::exclusive_scan(On, in, in + n, out, T{}); }
  static void reduce_sum(T const* in, T* out, std::size_t n) { *out = thrust::reduce(On, in, in + n, T{}); }
  static void reduce_max(T const* in, T* out, std::size_t n)
  {
    *out = thrust::reduce(On, in, in + n, in[0], thrust::maximum<T>{});
  }
};

template <class T>
using by_device = thrust_on<T, thrust::device>;
inline constexpr thrust::tbb::tag tag{};
template <class T>
using by_tag = thrust_on<T, tag>;

}  // namespace

void add_thrust(std::vector<contender>& to)
{
  enroll<by_device>(to, "thrust::device (TBB)", all_threads);
  enroll<by_tag>(to, "thrust::tbb::tag", all_threads);
}

}  // namespace tally::bench
