#pragma once

#include "draw/circuit.hpp"

namespace tally::draw {

/// Numbers and names the rows of a circuit whose nodes and arrows are complete: "step 2", "stride 4".
void name_rows(circuit& of);

}  // namespace tally::draw
