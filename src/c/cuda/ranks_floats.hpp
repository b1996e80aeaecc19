#pragma once

#include "src/c/cuda/chosen_operator.hpp"
#include "src/c/cuda/ranks.hpp"
#include "src/c/cuda/ranks_along.hpp"
#include "src/c/logarithm.hpp"
#include "tally/operators/arithmetic.hpp"

namespace tally::c {

/// The calls on floats of type E.
template <class E>
void along_of(execution_of_rank const& on, along_on_gpus const& call, bool& has_met)
{
  switch (call.op) {
    case 1: return run_along<E, E>(on, call, has_met, plus{});
    case exact_plus_number: return run_exact<E>(on, call, has_met);
    case log_sum_exp_number: return run_along<logarithm<E>, E>(on, call, has_met, add_exponentials{});
    default: return run_along<E, E>(on, call, has_met, chosen_operator<E>::of(call.op, true));
  }
}

}  // namespace tally::c
