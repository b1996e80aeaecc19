#pragma once

#include <cstddef>
#include <vector>

#include "src/c/operation.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"

namespace tally::c {

/// The initial and last values of the sequences of a call on elements of type E, as values of type T in a row.
template <class E, class T>
struct dense_ends {
  detail::batch::layout where;
  detail::batch::ends<T> values;
  std::vector<T> initials, lasts;

  explicit dense_ends(sequences_call const& call) : where(call.where)
  {
    std::ptrdiff_t step = 1;
    for (int d = where.dimensions; d-- > 0;) {
      if (call.initial_for_each) where.across[d].step.initial = step;
      if (call.last != nullptr) where.across[d].step.last = step;
      step *= static_cast<std::ptrdiff_t>(where.across[d].extent);
    }
    auto const count = static_cast<std::size_t>(step);
    auto const* const given = reinterpret_cast<E const*>(call.initial);
    if (call.initial_for_each) {
      initials.resize(count);
      for (std::size_t s = 0; s < count; ++s) initials[s] = given[call.where.place(s).initial];
      values.initials = initials.data();
    } else if (given != nullptr) {
      values.initial = T(*given);
    }
    if (call.last != nullptr) {
      lasts.resize(count);
      values.lasts = lasts.data();
    }
  }

  /// Converts the last values to where the call wants them.
  void write_lasts(sequences_call const& call) const
  {
    auto* const to = reinterpret_cast<E*>(call.last);
    for (std::size_t s = 0; s < lasts.size(); ++s) to[call.where.place(s).last] = lasts[s];
  }
};

}  // namespace tally::c
