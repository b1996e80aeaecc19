#include "log_step.hpp"

#include "../enroll.hpp"
#include "peers.hpp"

namespace tally::bench {
namespace {

template <class T>
struct log_step {
  static void inclusive_scan(T const* in, T* out, std::size_t n) { log_step_scan<true, T>(in, out, n, T{}); }
  static void exclusive_scan(T const* in, T* out, std::size_t n) { log_step_scan<false, T>(in, out, n, T{}); }
};

}  // namespace

void add_log_step(std::vector<contender>& to)
{
  enroll<log_step>(to, "log-step vector loop", 1);
}

}  // namespace tally::bench
