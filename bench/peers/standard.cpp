#include <execution>
#include <numeric>

#include "../enroll.hpp"
#include "peers.hpp"

namespace tally::bench {
namespace {

struct greater_of {
  template <class T>
  T operator()(T a, T b) const
  {
    return a < b ? b : a;
  }
};

template <class T>
struct sequential {
  static void inclusive_scan(T const* in, T* out, std::size_t n) { std::inclusive_scan(in, in + n, out); }
  static void exclusive_scan(T const* in, T* out, std::size_t n) { std::exclusive_scan(in, in + n, out, T{}); }
  static void reduce_sum(T const* in, T* out, std::size_t n) { *out = std::reduce(in, in + n, T{}); }
  static void reduce_max(T const* in, T* out, std::size_t n) { *out = std::reduce(in, in + n, in[0], greater_of{}); }
};

/// Compiled with -fopenmp-simd, without which libstdc++ does not vectorise it.
template <class T>
struct parallel {
  static constexpr auto const& on = std::execution::par_unseq;
  static void inclusive_scan(T const* in, T* out, std::size_t n) { std::inclusive_scan(on, in, in + n, out); }
  static void exclusive_scan(T const* in, T* out, std::size_t n) { std::exclusive_scan(on, in, in + n, out, T{}); }
  static void reduce_sum(T const* in, T* out, std::size_t n) { *out = std::reduce(on, in, in + n, T{}); }
  static void reduce_max(T const* in, T* out, std::size_t n)
  {
    *out = std::reduce(on, in, in + n, in[0], greater_of{});
  }
};

}  // namespace

void add_standard(std::vector<contender>& to)
{
  enroll<sequential>(to, "std", 1);
  enroll<parallel>(to, "std par_unseq", all_threads);
}

}  // namespace tally::bench
