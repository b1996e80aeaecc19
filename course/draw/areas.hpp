#pragma once

#include <vector>

#include "draw/circuit.hpp"

namespace tally::draw {

/// The areas of the blocks of a circuit whose rows are complete. The area of a block in a launch has the columns of its
/// nodes and of their operands; if areas overlap then, only of the operands that are inputs; else of the nodes alone. A
/// launch whose areas overlap even so has none, and there are none at all if no launch has several blocks.
std::vector<circuit::area> areas_of(circuit const& of);

}  // namespace tally::draw
