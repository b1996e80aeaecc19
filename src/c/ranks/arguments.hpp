#pragma once

#include <cstddef>
#include <string>

#include "src/c/arguments.hpp"
#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"
#include "src/c/operation.hpp"
#include "src/c/slot.hpp"
#include "tally.h"

/// The arguments of calls on ranks.
namespace tally::c {

/// Throws    not_supported if an array lies on a GPU.
inline void refuse_gpu(array const& given)
{
  if (given.device.type != TALLY_CPU)
    throw not_supported("arrays on a GPU, on ranks: this call computes on the CPU; the C++ library's tally::nccl has "
                        "parts in the memory of GPUs");
}

/// The operator and the type of a call, as ranks compare them.
inline std::string described(operation const& op, tally_operation const* given, tally_type type)
{
  if (op.callers != nullptr)
    return "elements of " + std::to_string(op.callers_bytes) + " bytes, an operation of the caller's" +
           (op.has_identity ? " with an identity" : "");
  return shown(type) + ", operator " + std::to_string(given == nullptr ? 1 : reinterpret_cast<std::size_t>(given));
}

/// Ranks combine bools as the numbers 0 and 1, which convert to bytes.
inline array as_stored(array const& given, tally_type combined)
{
  array result = given;
  if (given.type.code == TALLY_BOOL && combined.code != TALLY_BOOL) result.type = TALLY_UINT8;
  return result;
}

/// An output, or memory for its results in the type in which ranks combine.
inline array results_of(converter const& convert, array const& given)
{
  return convert.fits(given) ? given : convert.place(given.shape);
}

/// One value as an array without axes.
inline array one_value(std::byte const* value, operation const& op, tally_type type)
{
  array result = repeated(value, op, {});
  result.type = type;
  return result;
}

/// The initial values of a call on segments, in the type in which ranks combine: those of the caller, one or one for
/// each in the shape `each`; else, for an exclusive scan, the identity. Without data if there are none.
/// Throws    usage_error.
inline array initial_of_segments(tally_options const& options, array const& elements, per_axis const& each,
                                 operation const& found, tally_type type, converter const& combined)
{
  if (options.initial != nullptr) {
    array const given = checked_initial(options.initial, elements, each);
    converter(found, type).check(given, "options->initial", false);
    array const result = combined.input(given);
    return result.shape.size() == 0 ? result : packed(result);
  }
  if ((options.flags & TALLY_EXCLUSIVE) == 0) return {};
  if (!found.has_identity)
    throw usage_error("op has no identity, so that first results need an initial value (options->initial)");
  return combined.input(one_value(found.identity_bytes(), found, type));
}

/// Writes the reduction of no elements to all places of an array.
inline void put_nothing(operation const& op, tally_type type, array const& to)
{
  array value = repeated(op.nothing_bytes(), op, to.shape);
  value.type = type;
  if (op.callers != nullptr)
    copy_bytes(value, to);
  else
    convert(value, to);
}

}  // namespace tally::c
