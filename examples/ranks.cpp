// mpirun -n 3 example_ranks: sums of a sequence whose parts lie on the ranks of MPI, with the bits of one machine.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>
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

    // Rank r has 3 + r columns of a matrix of 4 rows.
    std::size_t const columns = 3 + static_cast<std::size_t>(ranks.rank());
    std::vector<double> matrix(4 * columns, 0.1);
    tally::array_view<double> const view(matrix.data(), {4, columns});
    std::vector<double> sums_of_rows(4);
    tally::reduce(ranks, tally::along(1, view), sums_of_rows);                   // on every rank
    tally::inclusive_scan(ranks, tally::along(1, view), tally::along(1, view));  // along the rows of all ranks
    if (ranks.rank() == 0) std::printf("the sum of a row: %.9g\n", sums_of_rows[3]);
    tally::on_each_rank(ranks, [&](tally::cpu local) {
      tally::inclusive_scan(local, tally::along(0, view), tally::along(0, view));  // down the columns
    });

    // Keys 0 0 0 1 on rank 0, 1 1 1 2 on rank 1, and so on.
    int const rank = ranks.rank();
    std::vector<int> const keys{rank, rank, rank, rank + 1};
    std::vector<float> const values(4, 0.1f);
    std::vector<int> runs(4);
    std::vector<float> totals(4);
    std::size_t const count =
        tally::reduce_by_key(ranks, keys.begin(), keys.end(), values.begin(), runs.begin(), totals.begin());
    if (ranks.rank() == 0) std::printf("%zu runs begin on rank 0: %.9g, %.9g\n", count, totals[0], totals[1]);

    // Segments [0, 5), [5, 5) and [5, 8 R - 1) of 8 R values, of which each of R ranks has eight.
    std::vector<double> const eight(8, 0.1);
    std::vector<int> const ends{0, 5, 5, 8 * ranks.size() - 1};
    bool const first = ranks.rank() == 0;  // all segments begin in its part
    std::vector<double> sums_of_segments(first ? 3 : 0), running(8);
    auto const own = tally::segments(eight, std::span(ends).first(first ? 4 : 0));
    tally::reduce(ranks, own, sums_of_segments);
    tally::inclusive_scan(ranks, own, running);
    if (first) std::printf("the sum of the last segment: %.9g\n", sums_of_segments[2]);

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
