#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "src/c/place_on_gpu.hpp"
#include "tally.h"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/results.hpp"

/// What a call computes with: compiled code for a type and an operator, behind pointers to bytes.
namespace tally::c {

/// The arguments of a call on sequences at regular distances. Elements, results, initial and last values have the
/// accumulator's type.
struct sequences_call {
  detail::batch::layout where;
  std::byte const* in = nullptr;
  std::byte* out = nullptr;
  std::byte const* initial = nullptr;  ///< null if there is none
  bool initial_for_each = false;       ///< there is one for each sequence, at `distances::initial`
  std::byte* last = nullptr;
  bool reduces = false;
  bool exclusive = false;
  int threads = 0;
  place_on_gpu gpu;
};

/// The arguments of a call on segments: segment s is [offsets[s], offsets[s + 1]). All arrays are without gaps. On a
/// GPU they lie in its memory, but for `nothing` and an initial value that is one for all.
struct segments_call {
  std::byte const* values = nullptr;
  std::byte* out = nullptr;
  std::int64_t const* offsets = nullptr;
  std::size_t segments = 0;
  std::byte const* initial = nullptr;  ///< null if there is none
  bool initial_for_each = false;
  std::byte* last = nullptr;
  std::byte const* nothing = nullptr;  ///< the reduction of an empty segment
  bool reduces = false;
  bool exclusive = false;
  bool from_back = false;
  bool copies_others = false;  ///< a scan on a GPU copies the elements of no segment
  int threads = 0;
  std::size_t elements = 0;          ///< of `values`
  bool begins_with_nothing = false;  ///< the first result of an exclusive scan on a GPU is `nothing`
  place_on_gpu gpu;
};

/// An operator on a type.
struct operation {
  using sequences = void (*)(operation const& self, sequences_call const& call);

  sequences run = nullptr;
  void (*segments)(operation const& self, segments_call const& call) = nullptr;
  std::size_t bytes = 0;  ///< of an element, as `run` takes them
  std::size_t alignment = 1;
  bool has_identity = false;
  alignas(16) std::byte identity[256]{};
  alignas(16) std::byte nothing[256]{};      ///< the reduction of no elements
  tally_operation const* callers = nullptr;  ///< the caller's own operator
  std::size_t callers_bytes = 0;             ///< of its elements, at most `bytes`
  std::size_t number = 0;                    ///< of an operator of the library, on a GPU
  tally_type type{};
  std::shared_ptr<std::byte[]> long_identity;  ///< of elements that do not fit in `identity`

  /// The identity and the reduction of no elements: `bytes` bytes, which are zeros if `has_identity` is false.
  std::byte const* identity_bytes() const { return bytes <= sizeof identity ? identity : long_identity.get(); }
  std::byte const* nothing_bytes() const { return bytes <= sizeof nothing ? nothing : long_identity.get(); }
};

/// Whether `op` is one of the library's operators and not the address of the caller's.
inline bool is_built_in(tally_operation const* op)
{
  return reinterpret_cast<std::size_t>(op) < 4096;
}

/// A built-in operator on a type.
/// Throws    usage_error: no such operator; not_supported: it does not take this type.
operation built_in(tally_operation const* op, tally_type type);

/// The compiled kernels of a built-in operator on a type; null if there are none.
using kernels = void (*)(sequences_call const& call);
kernels kernels_of(tally_operation const* op, tally_type type);

/// The caller's operator on elements of some bytes.
/// Throws    usage_error: a struct of another size, no function.
operation of_caller(tally_operation const& op, std::size_t bytes);

}  // namespace tally::c
