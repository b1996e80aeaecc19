#pragma once

/// The model machine, complete: the machine itself, the blocks that its kernels are written against, and the operators
/// whose applications it counts.
#include "tally/model/block.hpp"
#include "tally/model/machine.hpp"
#include "tally/model/watched.hpp"
