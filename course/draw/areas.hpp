#pragma once

#include <vector>

#include "draw/circuit.hpp"

namespace tally::draw {

/// The areas of the blocks of a circuit whose rows are made: of each block in each launch the columns of its nodes, and
/// of what these take in, or at least of the inputs among that, where no two blocks overlap then. None of a launch
/// where they overlap all the same; none at all where no launch has several blocks.
std::vector<circuit::area> areas_of(circuit const& of);

}  // namespace tally::draw
