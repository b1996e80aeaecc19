#pragma once

#include <string>
#include <vector>

#include "ranks/network.hpp"

namespace tally::cli {

/// Runs the tool on ranks, with the output of the tool on one machine, byte for byte. Every rank calls it with the
/// words of the command line. Scans and reductions of a regular file by an operator are divided among the ranks. Rank 0
/// does all else alone, and prints a line that says why if that is a scan or a reduction. Returns the exit status, the
/// same on every rank.
///
/// Cost      a rank holds its part of the values, 8 to 24 bytes each, and the results as they are written.
/// Throws    the errors of the network, on the ranks to which it reports them.
int run_on_ranks(std::vector<std::string> const& words, network& by);

}  // namespace tally::cli
