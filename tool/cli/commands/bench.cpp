#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <tally/reduce.hpp>
#include <tally/scan.hpp>

#include "bench/gpu.hpp"
#include "bench/limits.hpp"
#include "bench/speeds.hpp"
#include "bench/timing.hpp"
#include "commands/commands.hpp"
#include "io/files/output.hpp"

namespace tally::cli {

namespace {

int available_threads()
{
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

/// GB/s of each contender. Calls are timed in batches of a millisecond.
std::vector<double> speeds_of(std::vector<contender> const& all)
{
  return gigabytes_per_second(all,
                              timing::median_seconds(all.size(), 5, 1e-3, 1e5, [&](std::size_t k, std::size_t calls) {
                                return timing::seconds_of(all[k].run, calls);
                              }));
}

class machine {
public:
  /// `threads` is how many threads the limits use. Tally's calls are made with `on`, or without an execution argument.
  machine(int threads, std::optional<cpu> on) : on_(on), one_(1), all_(threads), in_(largest()), out_(largest()) {}

  std::vector<speed> measure()
  {
    std::vector<speed> cells;
    for (std::size_t const bytes : {std::size_t{1} << 16, std::size_t{1} << 22, largest()}) {
      measure<float>("float32", bytes, cells);
      measure<double>("float64", bytes, cells);
      measure<std::int32_t>("int32", bytes, cells);
      measure<std::int64_t>("int64", bytes, cells);
    }
    std::stable_sort(cells.begin(), cells.end(), [](speed const& a, speed const& b) { return a.call > b.call; });
    return cells;
  }

private:
  /// 256 MiB, or an eighth of the memory where that is less.
  static std::size_t largest()
  {
    auto const memory =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::size_t bytes = std::size_t{1} << 28;
    while (bytes > memory / 8 && bytes > std::size_t{1} << 24) bytes /= 2;
    return bytes;
  }

  struct memory {
    explicit memory(std::size_t bytes) : data(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{4096})))
    {
      std::fill(data.get(), data.get() + bytes, std::byte{0});
    }
    struct free {
      void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{4096}); }
    };
    std::unique_ptr<std::byte, free> data;
  };

  /// Values from 0 to 31 without a pattern, a generator's upper bits: their sum fits 31 bits, so no peer overflows.
  template <class T>
  static void fill(T* to, std::size_t n)
  {
    std::uint64_t state = 42;
    for (std::size_t k = 0; k < n; ++k) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      to[k] = static_cast<T>(std::is_floating_point_v<T> ? static_cast<double>(state >> 32) * 0x1p-27
                                                         : static_cast<double>(state >> 59));
    }
  }

  template <class T>
  void measure(std::string const& type, std::size_t bytes, std::vector<speed>& cells)
  {
    std::size_t const n = bytes / sizeof(T);
    T* const in = reinterpret_cast<T*>(in_.data.get());
    T* const out = reinterpret_cast<T*>(out_.data.get());
    fill(in, n);
    auto const scan = [&] { on_ ? inclusive_scan(*on_, in, in + n, out) : inclusive_scan(in, in + n, out); };
    auto const sum = [&] { return on_ ? reduce(*on_, in, in + n, T{}) : reduce(in, in + n, T{}); };
    auto const both = 2.0 * static_cast<double>(bytes);
    auto const once = static_cast<double>(bytes);
    std::vector<double> const gigabytes = speeds_of({
        {[&] { copy_ordinary(one_, in, out, bytes); }, both},
        {[&] { copy_ordinary(all_, in, out, bytes); }, both},
        {[&] { copy_streaming(all_, in, out, bytes); }, both},
        {scan, both},
        {[&] { std::inclusive_scan(in, in + n, out); }, both},
        {[&] { timing::keep(read_all(one_, in, bytes)); }, once},
        {[&] { timing::keep(read_all(all_, in, bytes)); }, once},
        {[&] { timing::keep(sum()); }, once},
        {[&] { timing::keep(std::reduce(in, in + n)); }, once},
    });
    cells.push_back(
        {"scan", type, bytes, n, std::max({gigabytes[0], gigabytes[1], gigabytes[2]}), gigabytes[3], gigabytes[4]});
    cells.push_back({"reduce", type, bytes, n, std::max(gigabytes[5], gigabytes[6]), gigabytes[7], gigabytes[8]});
  }

  std::optional<cpu> on_;
  crew one_;
  crew all_;
  memory in_;
  memory out_;
};

}  // namespace

void run_bench(std::vector<std::string> const& words)
{
  bench_settings const settings = parse_bench(words);
  bool const given = settings.threads > 0;
  int const threads = given ? settings.threads : available_threads();
  machine here(threads, given ? std::optional(cpu{.threads = threads}) : std::nullopt);
  speeds const measured = {.threads = threads, .plain = !given, .cells = here.measure(), .gpu = measure_gpu()};
  std::string const text = settings.json ? json_text(measured) : table(measured);
  io::write_whole(io::output::standard_output(), text);
}

}  // namespace tally::cli
