#include "openmp_simd.hpp"

#include "../enroll.hpp"
#include "peers.hpp"

namespace tally::bench {
namespace {

/// The compiler's own vectorised scan (OpenMP 5.0, `inscan`) and reduction.
template <class T>
struct openmp_simd {
  static void inclusive_scan(T const* __restrict in, T* __restrict out, std::size_t n)
  {
    T sum{};
#pragma omp simd reduction(inscan, + : sum)
    for (std::size_t k = 0; k < n; ++k) {
      sum = static_cast<T>(sum + in[k]);
#pragma omp scan inclusive(sum)
      out[k] = sum;
    }
  }

  static void exclusive_scan(T const* __restrict in, T* __restrict out, std::size_t n)
  {
    T sum{};
#pragma omp simd reduction(inscan, + : sum)
    for (std::size_t k = 0; k < n; ++k) {
      out[k] = sum;
#pragma omp scan exclusive(sum)
      sum = static_cast<T>(sum + in[k]);
    }
  }

  static void reduce_sum(T const* in, T* out, std::size_t n) { *out = simd_sum(in, n); }
  static void reduce_max(T const* in, T* out, std::size_t n) { *out = simd_max(in, n); }
};

}  // namespace

void add_openmp_simd(std::vector<contender>& to)
{
  enroll<openmp_simd>(to, "omp simd", 1);
}

}  // namespace tally::bench
