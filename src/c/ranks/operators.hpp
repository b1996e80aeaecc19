#pragma once

#include <cstddef>
#include <cstdint>

#include "src/c/operation.hpp"
#include "src/c/ranks/heads.hpp"
#include "src/c/ranks/transport.hpp"
#include "tally.h"

namespace tally::c {

/// The arguments of a call on runs of equal keys, with elements in the type in which ranks combine, without gaps.
struct runs_on_ranks {
  run_heads* heads = nullptr;
  std::byte const* values = nullptr;
  std::byte* out = nullptr;
  std::byte const* initial = nullptr;  ///< null if there is none
  bool reduces = false;
  bool exclusive = false;
  int threads = 0;
  array const* results = nullptr;   ///< whose room is checked
  array const* keys_out = nullptr;  ///< likewise, or null
  std::size_t first_run = 0;        ///< of a reduction: the first run that begins in the part, of those at its ends
  std::size_t count = 0;            ///< and their number
};

/// An operator on a type, for calls on ranks.
struct ranks_operation {
  operation op;       ///< on elements of `type`; the identity is that of this type
  tally_type type{};  ///< in which ranks combine: one that holds all values, where that changes no bit
  /// The reductions or scans of a numbered layout; the rank gets no reductions if `call.out` is null.
  void (*along)(session& by, operation const& op, sequences_call const& call, std::size_t sequences) = nullptr;
  void (*runs)(ranks const& on, operation const& op, runs_on_ranks& call) = nullptr;
};

/// The operator on the accumulator's type. `found` is what calls on one machine take.
/// Throws    not_supported.
ranks_operation on_ranks(tally_operation const* op, tally_type type, operation const& found);

/// Those of a type, by the operator's number; without code if there are none.
ranks_operation on_ranks_of_integers(std::size_t op, tally_type type);
ranks_operation on_ranks_of_floats(std::size_t op, tally_type type);
ranks_operation on_ranks_of_others(std::size_t op, tally_type type);
ranks_operation on_ranks_of_caller(operation const& found);

}  // namespace tally::c
