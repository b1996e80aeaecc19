#include "../enroll.hpp"
#include "peers.hpp"

namespace tally::bench {
namespace {

/// The plain loop, as the compiler makes it.
template <class T>
struct serial {
  static void inclusive_scan(T const* in, T* out, std::size_t n)
  {
    T sum{};
    for (std::size_t k = 0; k < n; ++k) {
      sum = static_cast<T>(sum + in[k]);
      out[k] = sum;
    }
  }

  static void exclusive_scan(T const* in, T* out, std::size_t n)
  {
    T sum{};
    for (std::size_t k = 0; k < n; ++k) {
      out[k] = sum;
      sum = static_cast<T>(sum + in[k]);
    }
  }

  static void reduce_sum(T const* in, T* out, std::size_t n)
  {
    T sum{};
    for (std::size_t k = 0; k < n; ++k) sum = static_cast<T>(sum + in[k]);
    *out = sum;
  }

  static void reduce_max(T const* in, T* out, std::size_t n)
  {
    T most = in[0];
    for (std::size_t k = 1; k < n; ++k) most = most < in[k] ? in[k] : most;
    *out = most;
  }
};

}  // namespace

void add_serial(std::vector<contender>& to)
{
  enroll<serial>(to, "serial loop", 1);
}

}  // namespace tally::bench
