#pragma once

#include <cmath>
#include <cstddef>

#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/steps.hpp"

/// The steps of a recurrence one after the other: what it is from the first result on that is not finite.
namespace tally::cpu_backend {

/// Element k of those at `first`, `step` from each other.
template <class T>
T& at(T* first, std::size_t k, std::ptrdiff_t step)
{
  return first[static_cast<std::ptrdiff_t>(k) * step];
}

/// The plain loop from step k on.
template <class T>
T go_on(recurrence_in_memory<T> const& given, std::size_t k)
{
  detail::took("cpu: a recurrence goes on as the plain loop", "a result is not finite");
  T y = k == 0 ? given.before : at(given.out, k - 1, given.out_step);
  for (; k < given.size && !std::isnan(static_cast<working_type<T>>(y)); ++k) {
    y = detail::recurrence::step(given.coefficient(k), y, at(given.b, k, given.b_step));
    given.put(k, y);
  }
  for (; k < given.size; ++k) given.put(k, y);
  return y;
}

}  // namespace tally::cpu_backend
