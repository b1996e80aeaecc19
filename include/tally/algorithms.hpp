#pragma once

#include "tally/algorithms/compare.hpp"

/// What reduce and scan are for: algorithms written on Tally's public calls.
