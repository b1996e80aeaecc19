#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ctime>

#include "../../tests/support/virtual_ranks.hpp"
#include "tally/order.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// A simulation of calls on many ranks. The protocol runs, between threads of this process, and its messages, rounds
/// and bytes are counted. Each rank has a clock: its own work is measured (the processor's time of its thread), and
/// messages take the time of a model. A float of the simulation stands for a tile of 8192, so passes over the data are
/// computed.
namespace tally::bench {
namespace {

/// Times between ranks.
struct model {
  double latency = 1.2e-6;  ///< seconds of a message from rank to rank
  double bandwidth = 10e9;  ///< bytes a second into a rank
  double memory = 10e9;     ///< bytes a second that a rank reads or writes of its part

  double message(std::size_t bytes) const { return latency + static_cast<double>(bytes) / bandwidth; }
  /// All ranks hear `bytes` in all: ceil(log2 R) steps, in which what a rank knows doubles.
  double allgather(std::size_t ranks, std::size_t bytes) const
  {
    return std::ceil(std::log2(static_cast<double>(ranks))) * latency + static_cast<double>(bytes) / bandwidth;
  }
};

/// The clocks of all ranks. A rank is at most one round ahead of another, so two sets suffice.
struct clocks {
  explicit clocks(std::size_t ranks) : of_round{std::vector<double>(ranks), std::vector<double>(ranks)} {}
  std::vector<double> of_round[2];
};

double seconds_of_this_thread()
{
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A transport between threads, with clocks.
class clocked_transport {
public:
  clocked_transport(test::world& all, int rank, model const& times, clocks& shared)
      : by_(all, rank),
        times_(&times),
        shared_(&shared),
        mark_(seconds_of_this_thread())
  {
  }

  int rank() const { return by_.rank(); }
  int size() const { return by_.size(); }

  void allgather(std::byte const* mine, std::byte* all, std::size_t bytes)
  {
    begin_round();
    by_.allgather(mine, all, bytes);
    end_round(bytes * static_cast<std::size_t>(size()));
  }
  void allgather(std::byte const* mine, std::byte* all, std::span<std::size_t const> counts, std::size_t bytes)
  {
    std::size_t sum = 0;
    for (std::size_t const each : counts) sum += each * bytes;
    begin_round();
    by_.allgather(mine, all, counts, bytes);
    end_round(sum);
  }
  void broadcast(std::byte* data, std::size_t bytes, int from)
  {
    begin_round();
    by_.broadcast(data, bytes, from);
    end_round(bytes);
  }
  void send(int to, std::byte const* data, std::size_t count, std::size_t bytes)
  {
    work();
    std::vector<std::byte> stamped(count * bytes + sizeof(double));
    std::memcpy(stamped.data(), &now_, sizeof(double));
    if (count > 0) std::memcpy(stamped.data() + sizeof(double), data, count * bytes);
    by_.send(to, stamped.data(), stamped.size(), 1);
    mark_ = seconds_of_this_thread();
  }
  void receive(int from, std::byte* data, std::size_t count, std::size_t bytes)
  {
    coming_.push_back({data, std::vector<std::byte>(count * bytes + sizeof(double))});
    by_.receive(from, coming_.back().bytes.data(), coming_.back().bytes.size(), 1);
  }
  bool wait()
  {
    work();
    bool const all = by_.wait();
    for (auto const& [to, bytes] : coming_) {
      double sent = 0;
      std::memcpy(&sent, bytes.data(), sizeof(double));
      now_ = std::max(now_, sent + times_->message(bytes.size() - sizeof(double)));
      std::memcpy(to, bytes.data() + sizeof(double), bytes.size() - sizeof(double));
    }
    coming_.clear();
    mark_ = seconds_of_this_thread();
    return all;
  }

  /// Adds the work since the last message to the clock.
  void work()
  {
    double const own = seconds_of_this_thread() - mark_;
    now_ += own;
    worked_ += own;
    mark_ = seconds_of_this_thread();
  }
  double now() const { return now_; }
  double worked() const { return worked_; }
  void restart()
  {
    now_ = worked_ = 0;
    mark_ = seconds_of_this_thread();
  }

private:
  struct coming {
    std::byte* to;
    std::vector<std::byte> bytes;
  };

  void begin_round()
  {
    work();
    shared_->of_round[round_ % 2][static_cast<std::size_t>(rank())] = now_;
  }
  void end_round(std::size_t bytes)
  {
    std::vector<double> const& all = shared_->of_round[round_++ % 2];
    now_ = *std::max_element(all.begin(), all.end()) + times_->allgather(all.size(), bytes);
    mark_ = seconds_of_this_thread();
  }

  test::virtual_transport by_;
  model const* times_;
  clocks* shared_;
  double now_ = 0, worked_ = 0, mark_;
  std::size_t round_ = 0;
  std::deque<coming> coming_;
};

using clocked_rank = ranks_backend::execution<clocked_transport>;

}  // namespace
}  // namespace tally::bench

template <>
inline constexpr bool tally::is_execution<tally::bench::clocked_rank> = true;

namespace tally::bench {
namespace {

struct counted {
  test::traffic crossed;
  double last = 0;    ///< the clock of the slowest rank
  double worked = 0;  ///< the most that a rank has worked, besides passes over its data
};

/// The quickest of some calls on `ranks` ranks: run(on, rank). Threads take turns on few processors, so a rank's own
/// work is now and then much longer.
template <class Run>
counted simulate(int ranks, model const& times, Run const& run)
{
  constexpr std::size_t calls = 9;
  test::world all(ranks);
  auto const size = static_cast<std::size_t>(ranks);
  clocks shared(size);
  std::vector<double> ends(calls * size), worked(calls * size);
  test::on_threads(all, [&](int rank) {
    clocked_rank const on(clocked_transport(all, rank, times, shared), cpu{1});
    clocked_transport& by = on.ranks().by;
    for (std::size_t call = 0; call < calls; ++call) {
      by.restart();
      run(on, rank);
      by.work();
      ends[call * size + static_cast<std::size_t>(rank)] = by.now();
      worked[call * size + static_cast<std::size_t>(rank)] = by.worked();
    }
  });
  counted result;
  result.crossed = all.counted();
  result.crossed.rounds /= calls;
  result.crossed.messages /= calls;
  result.crossed.round_bytes /= calls;
  result.crossed.message_bytes = result.crossed.message_bytes / calls - result.crossed.messages * sizeof(double);
  for (std::size_t call = 0; call < calls; ++call) {
    auto const slowest = [&](std::vector<double> const& of) {
      return *std::max_element(of.begin() + static_cast<std::ptrdiff_t>(call * size),
                               of.begin() + static_cast<std::ptrdiff_t>((call + 1) * size));
    };
    if (call > 0 && slowest(ends) >= result.last) continue;
    result.last = slowest(ends);
    result.worked = slowest(worked);
  }
  return result;
}

struct number_of_tile {
  float operator()(std::size_t k) const { return static_cast<float>(k % 1000) * 0.37f; }
};

/// `alone`: seconds of one rank that has the whole; 0 if that is not of interest.
void print(char const* call, int ranks, counted const& of, double passes, double alone)
{
  std::printf("%-16s %5d %7zu %9zu %11.1f %10.1f %10.1f", call, ranks, of.crossed.rounds, of.crossed.messages,
              static_cast<double>(of.crossed.round_bytes + of.crossed.message_bytes) / 1024.0, 1e6 * of.worked,
              1e6 * of.last);
  if (alone > 0) std::printf(" %11.1f %8.1f", 1e6 * passes, alone / (of.last + passes));
  std::printf("\n");
}

/// Calls with n floats a rank, which begin with a tile; and on few, which share tiles.
void tables(int most, std::size_t tiles, model const& times)
{
  double const n = static_cast<double>(tiles * order::tile<float>), pass = 4 * n / times.memory;
  std::printf("%zu floats a rank. A message takes %.1f us and 1 / (%.0f GB/s), a rank's memory is read at %.0f GB/s.\n",
              tiles * order::tile<float>, 1e6 * times.latency, 1e-9 * times.bandwidth, 1e-9 * times.memory);
  std::printf("%-16s %5s %7s %9s %11s %10s %10s %11s %8s\n", "call", "ranks", "rounds", "messages", "KiB in all",
              "work, us", "clock, us", "passes, us", "gain");
  for (int const ranks : {2, 8, 64, 256, 1024}) {
    if (ranks > most) break;
    auto const all = elements_from(number_of_tile{}, std::size_t{1} << 17);
    auto const first_of = [&](int rank) { return all + static_cast<std::ptrdiff_t>(tiles) * rank; };
    counted const reduction = simulate(
        ranks, times, [&](auto const& on, int rank) { (void)tally::reduce(on, first_of(rank), first_of(rank + 1)); });
    print("reduce", ranks, reduction, pass, ranks * pass);
    counted const scan = simulate(ranks, times, [&](auto const& on, int rank) {
      std::vector<float> out(tiles);
      tally::inclusive_scan(on, first_of(rank), first_of(rank + 1), out.begin());
    });
    print("inclusive_scan", ranks, scan, 3 * pass, ranks * 2 * pass);
  }
  std::printf("64 floats a rank\n");
  std::vector<float> const few(64, 0.37f);
  for (int const ranks : {2, 8, 64, 256, 1024}) {
    if (ranks > most) break;
    print("reduce", ranks, simulate(ranks, times, [&](auto const& on, int) { (void)tally::reduce(on, few); }), 0, 0);
    counted const scan = simulate(ranks, times, [&](auto const& on, int) {
      std::vector<float> out(few.size());
      tally::inclusive_scan(on, few, out);
    });
    print("inclusive_scan", ranks, scan, 0, 0);
  }
}

[[noreturn]] void usage()
{
  std::fprintf(stderr, "usage: tally_bench_ranks [--ranks N] [--tiles N] [--latency US] [--bandwidth GB/S] "
                       "[--memory GB/S]\n"
                       "Calls on 2 to N (1024) virtual ranks with that many tiles (2048) of 8192 floats each.\n");
  std::exit(2);
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv)
{
  using namespace tally::bench;
  int ranks = 1024;
  std::size_t tiles = 2048;
  model times;
  for (int k = 1; k < argc; k += 2) {
    std::string_view const option = argv[k];
    double const value = k + 1 < argc ? std::atof(argv[k + 1]) : 0;
    if (value <= 0) usage();
    if (option == "--ranks")
      ranks = static_cast<int>(value);
    else if (option == "--tiles")
      tiles = static_cast<std::size_t>(value);
    else if (option == "--latency")
      times.latency = 1e-6 * value;
    else if (option == "--bandwidth")
      times.bandwidth = 1e9 * value;
    else if (option == "--memory")
      times.memory = 1e9 * value;
    else
      usage();
  }
  try {
    tables(ranks, tiles, times);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
