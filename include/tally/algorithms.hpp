#pragma once

#include "tally/algorithms/automaton.hpp"
#include "tally/algorithms/bins.hpp"
#include "tally/algorithms/by_flag.hpp"
#include "tally/algorithms/by_key.hpp"
#include "tally/algorithms/by_offset.hpp"
#include "tally/algorithms/compact.hpp"
#include "tally/algorithms/compare.hpp"
#include "tally/algorithms/distribution.hpp"
#include "tally/algorithms/histogram.hpp"
#include "tally/algorithms/integrate.hpp"
#include "tally/algorithms/lexer.hpp"
#include "tally/algorithms/lexical_languages.hpp"
#include "tally/algorithms/linear_sequence.hpp"
#include "tally/algorithms/polynomial.hpp"
#include "tally/algorithms/quicksort.hpp"
#include "tally/algorithms/radix_sort.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/algorithms/recursive_filter.hpp"
#include "tally/algorithms/run_lengths.hpp"

/// What reduce and scan are for: algorithms written on Tally's public calls.
