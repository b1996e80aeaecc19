#pragma once

/// All of Tally: reduce, scan, batches of them, running, maps, teams, operators, exact sums, the law checker.
#include "tally/along.hpp"
#include "tally/array_view.hpp"
#include "tally/batches.hpp"
#include "tally/config.hpp"
#include "tally/counted.hpp"
#include "tally/error.hpp"
#include "tally/exact.hpp"
#include "tally/exact_accumulator.hpp"
#include "tally/execution.hpp"
#include "tally/for_each.hpp"
#include "tally/half.hpp"
#include "tally/laws.hpp"
#include "tally/operators.hpp"
#include "tally/order.hpp"
#include "tally/prefix_sums.hpp"
#include "tally/reduce.hpp"
#include "tally/reversed.hpp"
#include "tally/running.hpp"
#include "tally/scan.hpp"
#include "tally/segments.hpp"
#include "tally/sequences.hpp"
#include "tally/teams.hpp"
#include "tally/temporary.hpp"
#ifdef TALLY_HEADER_ONLY  // the sources too: docs/install.md
#include "src/cpu/header_only.hpp"
#endif
