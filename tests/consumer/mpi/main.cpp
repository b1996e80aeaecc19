#include <cstdio>
#include <vector>

#include "tally/mpi.hpp"

// Links Tally with an MPI of its own, as a program would. It does not begin MPI, so Tally must say that.
int main()
{
  try {
    tally::mpi const ranks{MPI_COMM_WORLD, tally::cpu{}};
    return tally::reduce(ranks, std::vector<float>(3, 1.0f)) > 0 ? 1 : 2;
  } catch (tally::usage_error const& e) {
    std::puts(e.what());
    return 0;
  }
}
