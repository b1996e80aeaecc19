#include "tally_contenders.hpp"

#include <tally/reduce.hpp>
#include <tally/scan.hpp>

#include "enroll.hpp"

namespace tally::bench {
namespace {

template <class T, int Threads>
struct calls {
  static constexpr cpu on{.threads = Threads};
  static void inclusive_scan(T const* in, T* out, std::size_t n) { tally::inclusive_scan(on, in, in + n, out); }
  static void exclusive_scan(T const* in, T* out, std::size_t n) { tally::exclusive_scan(on, in, in + n, out, T{}); }
  static void reduce_sum(T const* in, T* out, std::size_t n) { *out = tally::reduce(on, in, in + n, T{}); }
  static void reduce_max(T const* in, T* out, std::size_t n) { *out = tally::reduce(on, in, in + n, in[0], maximum{}); }
};

template <class T>
using on_one_thread = calls<T, 1>;
template <class T>
using on_all_threads = calls<T, 0>;

}  // namespace

void add_tally(std::vector<contender>& to)
{
  enroll<on_one_thread>(to, "cpu", 1, role::tally);
  enroll<on_all_threads>(to, "cpu", all_threads, role::tally);
}

}  // namespace tally::bench
