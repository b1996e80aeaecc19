#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/system/tbb/execution_policy.h>

#include "../enroll.hpp"
#include "peers.hpp"

/// Thrust with TBB as its device system, both as `thrust::device` and by the name of the system.
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
template <class T>
using by_system = thrust_on<T, thrust::tbb::par>;

}  // namespace

void add_thrust(std::vector<contender>& to)
{
  enroll<by_device>(to, "thrust::device (TBB)", all_threads);
  enroll<by_system>(to, "thrust::tbb::par", all_threads);
}

}  // namespace tally::bench
