// mpirun -n 3 example_ranks: sums of a sequence whose parts lie on the ranks of MPI, with the bits of one machine.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tally/mpi.hpp"

/// Adds counts place by place. Whole numbers need no order, and the operator says so.
struct add_counts {
  static constexpr bool exactly_associative = true;
  template <class Counts>
  Counts operator()(Counts a, Counts const& b) const
  {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] += b[k];
    return a;
  }
};

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  {
    tally::mpi const ranks{MPI_COMM_WORLD, tally::cpu{.threads = 1}};

    // Rank r has 1000 + r numbers: parts may have any length.
    std::vector<float> part(1000 + static_cast<std::size_t>(ranks.rank()));
    for (std::size_t k = 0; k < part.size(); ++k) part[k] = 0.1f * static_cast<float>(k % 7);

    std::vector<float> sums(part.size());
    tally::inclusive_scan(ranks, part, sums);      // this rank's part of the running sums of all
    float const sum = tally::reduce(ranks, part);  // the same value on every rank
    if (ranks.rank() == 0) std::printf("%.9g, and the first running sum is %.9g\n", sum, sums[0]);

    // The same on one machine, with all that the ranks have.
    std::vector<float> whole;
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks.size()); ++rank)
      for (std::size_t k = 0; k < 1000 + rank; ++k) whole.push_back(0.1f * static_cast<float>(k % 7));
    if (ranks.rank() == 0) std::printf("the bits of one machine: %s\n", tally::reduce(whole) == sum ? "yes" : "no");

    // The histogram of all parts: each rank counts its own, and the counts are one value.
    using counts = std::array<std::uint64_t, 4>;
    counts own{};
    for (float const x : part) ++own[static_cast<std::size_t>(x / 0.2f)];
    counts const all = tally::reduce(ranks, &own, &own + 1, counts{}, add_counts{});
    if (ranks.rank() == 0)
      std::printf("%llu %llu %llu %llu\n", static_cast<unsigned long long>(all[0]),
                  static_cast<unsigned long long>(all[1]), static_cast<unsigned long long>(all[2]),
                  static_cast<unsigned long long>(all[3]));

    // A rank that fails ends the call on all ranks, and says why.
    if (ranks.rank() == 1) part[5] = -1;
    try {
      tally::transform_inclusive_scan(ranks, part, sums, tally::plus{}, [](float x) {
        if (x < 0) throw tally::error("the square root of " + std::to_string(x));
        return std::sqrt(x);
      });
    } catch (tally::rank_error const& failure) {
      if (ranks.rank() == 0) std::printf("%s\n", failure.what());
    }
  }  // `ranks` ends before MPI does
  MPI_Finalize();
}
