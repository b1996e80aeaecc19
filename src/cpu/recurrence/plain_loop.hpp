#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "tally/detail/batch/layout.hpp"
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

/// No step: that of the first result that is not finite, where all are.
inline constexpr std::size_t finite = std::numeric_limits<std::size_t>::max();

/// The recurrence at a place of a call.
template <class T>
class recurrence_of_call {
public:
  recurrence_of_call(recurrences_in_memory<T> const& call, detail::batch::distances const& where)
      : call_(call),
        where_(where)
  {
  }

  /// The state before its first step.
  T before() const
  {
    return call_.given.initials != nullptr ? call_.given.initials[where_.initial] : *call_.given.initial;
  }
  /// Goes on with the plain loop from step `bad` on, unless that is `finite`, and puts the last state.
  void end(std::size_t bad) const
  {
    detail::batch::distances const& along = call_.where.along.step;
    std::size_t const size = call_.where.along.extent;
    recurrence_in_memory<T> own{};
    own.a = call_.a + where_.coefficients;
    own.a_step = along.coefficients;
    own.b = call_.b + where_.in;
    own.b_step = along.in;
    own.out = call_.out + where_.out;
    own.out_step = along.out;
    own.size = size;
    own.before = before();
    own.follows = call_.follows;
    T const last = bad == finite ? at(own.out, size - 1, along.out) : go_on(own, bad);
    if (call_.given.lasts != nullptr) call_.given.lasts[where_.last] = last;
  }

private:
  recurrences_in_memory<T> const& call_;
  detail::batch::distances where_;
};

}  // namespace tally::cpu_backend
