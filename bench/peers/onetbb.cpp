#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>

#include <algorithm>

#include "../enroll.hpp"
#include "log_step.hpp"
#include "openmp_simd.hpp"
#include "peers.hpp"

namespace tally::bench {
namespace {

using range = oneapi::tbb::blocked_range<std::size_t>;

/// The smallest piece of work, 64 KiB, as a user who has measured would choose it: smaller pieces cost more than they
/// balance.
template <class T>
inline constexpr std::size_t grain = 65536 / sizeof(T);

/// parallel_scan reads a piece twice if it does not know the sum before it, and scans it in one pass if it does.
template <bool Inclusive, class T>
class scan_body {
public:
  scan_body(T const* in, T* out) : in_(in), out_(out) {}
  scan_body(scan_body& other, oneapi::tbb::split) : in_(other.in_), out_(other.out_) {}

  template <class Tag>
  void operator()(range const& r, Tag)
  {
    if (Tag::is_final_scan())
      sum_ = log_step_scan<Inclusive, T>(in_ + r.begin(), out_ + r.begin(), r.size(), sum_);
    else
      sum_ = static_cast<T>(sum_ + simd_sum(in_ + r.begin(), r.size()));
  }
  void reverse_join(scan_body& before) { sum_ = static_cast<T>(before.sum_ + sum_); }
  void assign(scan_body& other) { sum_ = other.sum_; }

private:
  T const* in_;
  T* out_;
  T sum_{};
};

template <class T>
struct onetbb {
  static void inclusive_scan(T const* in, T* out, std::size_t n)
  {
    scan_body<true, T> body(in, out);
    oneapi::tbb::parallel_scan(range(0, n, grain<T>), body);
  }

  static void exclusive_scan(T const* in, T* out, std::size_t n)
  {
    scan_body<false, T> body(in, out);
    oneapi::tbb::parallel_scan(range(0, n, grain<T>), body);
  }

  static void reduce_sum(T const* in, T* out, std::size_t n)
  {
    *out = oneapi::tbb::parallel_reduce(
        range(0, n, grain<T>), T{},
        [in](range const& r, T before) { return static_cast<T>(before + simd_sum(in + r.begin(), r.size())); },
        [](T a, T b) { return static_cast<T>(a + b); });
  }

  static void reduce_max(T const* in, T* out, std::size_t n)
  {
    *out = oneapi::tbb::parallel_reduce(
        range(0, n, grain<T>), in[0],
        [in](range const& r, T before) { return std::max(before, simd_max(in + r.begin(), r.size())); },
        [](T a, T b) { return std::max(a, b); });
  }
};

}  // namespace

void add_onetbb(std::vector<contender>& to)
{
  enroll<onetbb>(to, "oneTBB, vectorised body", all_threads);
}

}  // namespace tally::bench
