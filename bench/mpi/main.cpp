// mpirun -n R tally_bench_mpi [--most LOG2]: scans and reductions on ranks, beside what users write by hand. Contenders
// take turns; a time is that of the slowest rank, of rounds that begin with a barrier, and the median of these.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "tally/mpi.hpp"

namespace {

constexpr int rounds = 15;

template <class T>
MPI_Datatype const type_of = MPI_FLOAT;
template <>
MPI_Datatype const type_of<std::int32_t> = MPI_INT32_T;

/// One way to do the work of a cell. It leaves its results in `out`, or the sum of all in out[0].
struct contender {
  char const* name;
  std::function<void()> run;
  std::vector<double> seconds;
};

template <class T>
class part {
public:
  part(tally::mpi const& ranks, std::size_t n) : ranks_(&ranks), in_(n), out_(n), factors_(n, static_cast<T>(0.9))
  {
    for (std::size_t k = 0; k < n; ++k)
      in_[k] = static_cast<T>((k + static_cast<std::size_t>(ranks.rank()) * n) * 2654435761u % 1000);
  }

  void tally_scan() { tally::inclusive_scan(*ranks_, in_, out_); }
  void tally_recurrence()
  {
    tally::linear_recurrence(*ranks_, factors_.begin(), factors_.end(), in_.begin(), out_.begin(), T(1));
  }
  /// Each rank's steps as a recurrence of its own.
  void recurrences_of_parts()
  {
    tally::linear_recurrence(tally::cpu{1}, factors_.begin(), factors_.end(), in_.begin(), out_.begin(), T(1));
  }
  void tally_reduce() { out_[0] = tally::reduce(*ranks_, in_); }

  /// A local scan, MPI_Exscan of the last results, and an addition. Not the bits of one machine, for floats.
  template <class Scan>
  void scan_exscan_add(Scan const& scan)
  {
    scan();
    T before{};
    MPI_Exscan(&out_.back(), &before, 1, type_of<T>, MPI_SUM, MPI_COMM_WORLD);
    if (ranks_->rank() > 0)
      for (T& value : out_) value += before;
  }
  void by_hand_with_std()
  {
    scan_exscan_add([&] { std::inclusive_scan(in_.begin(), in_.end(), out_.begin()); });
  }
  void by_hand_with_tally()
  {
    scan_exscan_add([&] { tally::inclusive_scan(tally::cpu{1}, in_, out_); });
  }
  /// The messages of Tally's scan of floats, and nothing else: two rounds, and between them heads of up to a tile on
  /// their way there, behind them on their way back. Requires less than a tile in all parts together.
  void messages_of_a_scan()
  {
    auto const size = static_cast<std::size_t>(ranks_->size());
    std::vector<char> const mine(sizeof(tally::ranks_backend::report));
    std::vector<char> all(size * mine.size());
    auto const round = [&] {
      MPI_Allgather(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(), static_cast<int>(mine.size()),
                    MPI_BYTE, MPI_COMM_WORLD);
    };
    elsewhere_.resize(size * in_.size());
    std::vector<MPI_Request> requests;
    auto const cross = [&](bool back) {
      int const bytes = static_cast<int>(in_.size() * sizeof(T));
      auto const go = [&](T* at, int rank, bool sends) {
        requests.push_back(MPI_REQUEST_NULL);
        if (sends)
          MPI_Isend(at, bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &requests.back());
        else
          MPI_Irecv(at, bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &requests.back());
      };
      if (ranks_->rank() > 0) go(back ? out_.data() : in_.data(), 0, !back);
      for (int r = 1; ranks_->rank() == 0 && r < ranks_->size(); ++r)
        go(elsewhere_.data() + static_cast<std::size_t>(r) * in_.size(), r, back);
      std::vector<MPI_Status> ends(requests.size());
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), ends.data());
      requests.clear();
    };
    round();
    cross(false);
    round();
    cross(true);
  }
  void mpi_scan() { MPI_Scan(in_.data(), out_.data(), 1, type_of<T>, MPI_SUM, MPI_COMM_WORLD); }

  template <class Reduce>
  void reduce_allreduce(Reduce const& reduce)
  {
    T const own = reduce();
    MPI_Allreduce(&own, out_.data(), 1, type_of<T>, MPI_SUM, MPI_COMM_WORLD);
  }
  void by_hand_reduce_std()
  {
    reduce_allreduce([&] { return std::reduce(in_.begin(), in_.end()); });
  }
  void by_hand_reduce_tally()
  {
    reduce_allreduce([&] { return tally::reduce(tally::cpu{1}, in_); });
  }

private:
  tally::mpi const* ranks_;
  std::vector<T> in_, out_, factors_, elsewhere_;
};

/// Runs all contenders in turns and prints their medians on rank 0.
void race(tally::mpi const& ranks, std::string const& cell, std::vector<contender> contenders, std::size_t repeat)
{
  for (int round = -1; round < rounds; ++round)
    for (contender& each : contenders) {
      MPI_Barrier(MPI_COMM_WORLD);
      double const begin = MPI_Wtime();
      for (std::size_t k = 0; k < repeat; ++k) each.run();
      double own = (MPI_Wtime() - begin) / static_cast<double>(repeat), slowest = 0;
      MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (round >= 0) each.seconds.push_back(slowest);
    }
  if (ranks.rank() != 0) return;
  std::printf("%-26s", cell.c_str());
  for (contender& each : contenders) {
    std::nth_element(each.seconds.begin(), each.seconds.begin() + rounds / 2, each.seconds.end());
    std::printf("  %s %.2f us", each.name, 1e6 * each.seconds[rounds / 2]);
  }
  std::printf("\n");
}

template <class T>
void cells(tally::mpi const& ranks, std::string const& type, int most)
{
  for (int log = 0; log <= most; log += log < 12 ? 6 : 4) {
    std::size_t const n = std::size_t{1} << log;
    part<T> own(ranks, n);
    std::size_t const repeat = log < 16 ? 100 : 1;
    std::string const size = "/" + type + "/2^" + std::to_string(log) + " a rank";
    std::vector<contender> scans{{"tally", [&] { own.tally_scan(); }, {}},
                                 {"| std, MPI_Exscan, add", [&] { own.by_hand_with_std(); }, {}},
                                 {"| tally, MPI_Exscan, add", [&] { own.by_hand_with_tally(); }, {}}};
    if (n == 1) scans.push_back({"| MPI_Scan", [&] { own.mpi_scan(); }, {}});
    if (std::is_same_v<T, float> && n * static_cast<std::size_t>(ranks.size()) <= tally::order::tile<T>)
      scans.push_back({"| its messages alone", [&] { own.messages_of_a_scan(); }, {}});
    race(ranks, "scan" + size, scans, repeat);
    race(ranks, "reduce" + size,
         {{"tally", [&] { own.tally_reduce(); }, {}},
          {"| std, MPI_Allreduce", [&] { own.by_hand_reduce_std(); }, {}},
          {"| tally, MPI_Allreduce", [&] { own.by_hand_reduce_tally(); }, {}}},
         repeat);
    if constexpr (std::is_floating_point_v<T>)
      race(ranks, "recurrence" + size,
           {{"tally", [&] { own.tally_recurrence(); }, {}},
            {"| tally, each part alone", [&] { own.recurrences_of_parts(); }, {}}},
           repeat);
  }
}

}  // namespace

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int const most = argc == 3 && std::string(argv[1]) == "--most" ? std::atoi(argv[2]) : 24;
  {
    tally::mpi const ranks{MPI_COMM_WORLD, tally::cpu{.threads = 1}};
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int size = 0;
    MPI_Get_library_version(library, &size);
    if (ranks.rank() == 0)
      std::printf("%d ranks of one thread, %.*s; medians of %d rounds of the slowest rank\n", ranks.size(),
                  static_cast<int>(std::string(library).find_first_of(",\n")), library, rounds);
    cells<float>(ranks, "f32", most);
    cells<std::int32_t>(ranks, "i32", most);
  }
  MPI_Finalize();
}
