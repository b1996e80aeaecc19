#pragma once

/// All of Tally: reduce, scan, batches of them, running, maps, teams, operators, the law checker.
#include "tally/batches.hpp"
#include "tally/config.hpp"
#include "tally/error.hpp"
#include "tally/execution.hpp"
#include "tally/for_each.hpp"
#include "tally/half.hpp"
#include "tally/laws.hpp"
#include "tally/operators.hpp"
#include "tally/order.hpp"
#include "tally/reduce.hpp"
#include "tally/running.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/teams.hpp"
#include "tally/temporary.hpp"
