#pragma once

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/contract.hpp"

namespace tally::c {

/// The initial and last values of a call, whose struct has them as bytes.
template <class T, class Call>
detail::batch::ends<T> ends_of(Call const& call)
{
  detail::batch::ends<T> values;
  auto const* const initial = reinterpret_cast<T const*>(call.initial);
  if (call.initial_for_each)
    values.initials = initial;
  else if (initial != nullptr)
    values.initial = *initial;
  if (!call.reduces) values.lasts = reinterpret_cast<T*>(call.last);
  return values;
}

template <class Call>
detail::direction shift_of(Call const& call)
{
  return call.exclusive ? detail::direction::exclusive : detail::direction::inclusive;
}

}  // namespace tally::c
