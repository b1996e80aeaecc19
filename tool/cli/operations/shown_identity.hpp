#pragma once

#include <type_traits>

#include <tally/operators.hpp>

namespace tally::cli {

/// The result of no floating-point values. The sum of no values is 0.0 here, not the identity -0.0, because people read
/// it.
template <class T, class Op>
T shown_identity()
{
  return std::is_same_v<Op, plus> ? T{} : identity_of<T>(Op{});
}

}  // namespace tally::cli
