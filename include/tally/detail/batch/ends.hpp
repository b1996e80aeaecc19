#pragma once

#include <optional>

namespace tally::detail::batch {

/// The values before the first and after the last element of each sequence, in the accumulator's type T.
template <class T>
struct ends {
  std::optional<T> initial;     ///< the initial value of all sequences, if there is one
  T const* initials = nullptr;  ///< or one a sequence, at `distances::initial`; then `initial` is absent
  T* lasts = nullptr;           ///< takes the inclusive value of each last element, at `distances::last`, if not null

  bool has_initial() const { return initial.has_value() || initials != nullptr; }
};

/// The end of a segment at which its sequence begins.
struct from_front {};
struct from_back {};

}  // namespace tally::detail::batch
