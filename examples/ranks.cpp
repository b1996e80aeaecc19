// mpirun -n 3 example_ranks: sums of a sequence whose parts lie on the ranks of MPI, with the bits of one machine.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "tally/mpi.hpp"

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

    // A value that goes to one rank alone.
    float sum_of_all = 0;
    tally::reduce_into(ranks, part, ranks.rank() == 0 ? &sum_of_all : nullptr);
    if (ranks.rank() == 0) std::printf("rank 0 has it too: %s\n", sum_of_all == sum ? "yes" : "no");

    // The histogram of all parts.
    tally::even_bins const bins(0.0, 0.8, 4);
    std::vector<int> counts(bins.slots());
    tally::histogram(ranks, part, bins, counts.begin());
    if (ranks.rank() == 0) std::printf("%d %d %d %d\n", counts[0], counts[1], counts[2], counts[3]);

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
