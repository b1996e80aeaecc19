#pragma once

/// Every operator that Tally brings, and what an operator of your own may say about itself (traits.hpp).
#include "tally/operators/affine.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/operators/extremes.hpp"
#include "tally/operators/log_sum_exp.hpp"
#include "tally/operators/mean_and_variance.hpp"
#include "tally/operators/numbered.hpp"
#include "tally/operators/segmented.hpp"
#include "tally/operators/traits.hpp"
