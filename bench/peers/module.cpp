#include "peers.hpp"

/// The one symbol that a module exports.
extern "C" __attribute__((visibility("default"))) tally::bench::contender const* tally_bench_contenders(
    std::size_t* count)
{
  static std::vector<tally::bench::contender> const all = [] {
    std::vector<tally::bench::contender> list;
    tally::bench::add_copy_limits(list);
    tally::bench::add_read_limits(list);
    tally::bench::add_serial(list);
    tally::bench::add_standard(list);
    tally::bench::add_openmp_simd(list);
    tally::bench::add_log_step(list);
    tally::bench::add_onetbb(list);
#ifdef TALLY_BENCH_HAS_THRUST
    tally::bench::add_thrust(list);
#endif
    return list;
  }();
  *count = all.size();
  return all.data();
}
