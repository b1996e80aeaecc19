#pragma once

#include <cstddef>
#include <cstdint>

#include <functional>
#include <span>

#include "src/c/operation.hpp"
#include "src/c/ranks/transport.hpp"
#include "tally.h"
#include "tally/detail/ranks/segments.hpp"

namespace tally::c {

/// The part of a call on segments that crosses borders, with elements in the type in which ranks combine, without gaps.
struct segments_on_ranks {
  std::byte const* values = nullptr;
  std::byte* out = nullptr;  ///< of scans
  std::size_t size = 0;      ///< of this rank's part
  bool has_initial = false;
  std::byte const* initial = nullptr;  ///< of the segment that crosses the end of the part
  bool reduces = false;
  bool exclusive = false;
  bool from_back = false;
  std::byte* last = nullptr;  ///< takes the value of that segment, unless null
  bool has_last = false;      ///< whether it has
};

/// All of a call on segments. It calls `reserve`, which takes memory, before a round. With the pieces of all parts it
/// calls `cross`, which does the segments that cross borders.
using call_on_segments =
    std::function<void(std::function<void()> const& reserve,
                       std::function<void(std::span<ranks_backend::pieces_of_part const>)> const& cross)>;

/// An operator on a type, for calls on ranks.
struct ranks_operation {
  operation op;       ///< on elements of `type`; the identity is that of this type
  tally_type type{};  ///< in which ranks combine: one that holds all values, where that changes no bit
  /// The reductions or scans of a numbered layout; the rank gets no reductions if `call.out` is null.
  void (*along)(session& by, operation const& op, sequences_call const& call, std::size_t sequences) = nullptr;
  void (*segments)(session& by, operation const& op, segments_on_ranks& call, call_on_segments const& all) = nullptr;
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
