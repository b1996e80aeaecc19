#pragma once

#include <cstddef>

#include "src/c/operation.hpp"
#include "tally.h"
#include "tally/execution.hpp"

namespace tally::c {

/// An element of an operator of the caller's.
template <std::size_t Bytes>
struct alignas(Bytes < 16 ? Bytes : 16) slot {
  std::byte bytes[Bytes];
};

/// The caller's operator on slots.
template <std::size_t Bytes>
struct combine {
  tally_operation const* callers;

  slot<Bytes> operator()(slot<Bytes> const& a, slot<Bytes> const& b) const
  {
    slot<Bytes> result{};
    callers->combine(callers->context, &a, &b, &result);
    return result;
  }
};

/// The threads of a call with an operator, of which `threads` are allowed.
inline cpu threads_of(operation const& op, int threads)
{
  return {op.callers != nullptr && (op.callers->flags & TALLY_ON_THREADS) == 0 ? 1 : threads};
}

}  // namespace tally::c
