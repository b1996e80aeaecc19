#pragma once

#include "tally/cuda_execution.hpp"
#include "tally/detail/batch/gradients.hpp"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/compiled.hpp"
#include "tally/detail/cuda/recurrence/recurrences.hpp"

namespace tally::cuda_backend {

/// Found by argument-dependent lookup on the execution argument, as the functions of backend.hpp.
template <class T>
  requires is_compiled_float<T>
bool backend_gradients(execution const& on, detail::batch::gradients<T> const& given)
{
  prepared_call call(on, "tally::linear_recurrence_gradient");
  call.check_pointer(given.a, "coefficients");
  call.check_pointer(given.y, "states");
  call.check_pointer(given.above, "derivatives");
  call.check_pointer(given.to_a, "output");
  call.check_pointer(given.to_b, "output");
  if (given.befores != nullptr) call.check_pointer(given.befores, "initial values");
  if (given.to_befores != nullptr) call.check_pointer(given.to_befores, "last values");
  return run_gradients(call, given);
}

}  // namespace tally::cuda_backend
