#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "src/c/arrays.hpp"
#include "src/c/operation.hpp"
#include "tally.h"
#include "tally/detail/batch/sequences.hpp"
#include "tally/error.hpp"

/// The arguments of calls: shapes, types, and copies where an operation takes another type.
namespace tally::c {

/// Throws    usage_error if an array has not this shape.
inline void check_same_shape(array const& given, per_axis const& shape, char const* name)
{
  bool same = given.shape.size() == shape.size();
  for (std::size_t d = 0; same && d < shape.size(); ++d) same = given.shape[d] == shape[d];
  if (!same)
    throw usage_error(std::string(name) + " is " + detail::batch::shown(given.shape) + "; it should be " +
                      detail::batch::shown(shape));
}

/// The type in which a call combines.
inline tally_type accumulator_of(tally_options const& options, tally_type out)
{
  if (options.accumulator.bits != 0) return options.accumulator;
  bool const two_bytes = out.bits == 16 && out.lanes == 1 && (out.code == TALLY_FLOAT || out.code == TALLY_BFLOAT);
  return two_bytes ? tally_type TALLY_FLOAT32 : out;
}

/// Brings arrays into the form in which an operation takes them, and results back.
class converter {
public:
  converter(operation const& op, tally_type type) : op_(op), type_(type) {}

  /// Throws    usage_error if elements do not convert from the type `from` to the type `to`.
  void check(array const& given, char const* name, bool writes) const
  {
    if (op_.callers != nullptr) {
      if (given.bytes != op_.callers_bytes)
        throw usage_error(std::string(name) + " has elements of " + std::to_string(given.bytes) +
                          " bytes; those of "
                          "an operation of the caller's all have the size of in's, " +
                          std::to_string(op_.callers_bytes));
    } else if (!(writes ? converts(type_, given.type) : converts(given.type, type_))) {
      throw usage_error(std::string(name) + ": " + shown(writes ? type_ : given.type) + " does not convert to " +
                        shown(writes ? given.type : type_));
    }
  }

  /// Whether the operation can take the array as it is.
  bool fits(array const& given) const
  {
    if (given.bytes != op_.bytes || reinterpret_cast<std::uintptr_t>(given.data) % op_.alignment != 0) return false;
    return op_.callers != nullptr || same(given.type, type_);
  }
  array input(array const& given) const
  {
    if (fits(given)) return given;
    array const copy = place(given.shape);
    transfer(given, copy);
    return copy;
  }
  /// Memory for results of this shape.
  array place(per_axis const& shape) const
  {
    array const result = uninitialized(shape, type_, op_.bytes);
    // An element shorter than its slot leaves bytes that the operator does not write.
    if (op_.callers != nullptr && op_.callers_bytes != op_.bytes)
      std::memset(result.owned.get(), 0, array_view<char>(nullptr, shape).size() * op_.bytes);
    return result;
  }
  void transfer(array const& from, array const& to) const
  {
    if (op_.callers != nullptr)
      copy_bytes(from, to);
    else
      convert(from, to);
  }

private:
  operation const& op_;
  tally_type type_;
};

/// One value as an array of any shape.
inline array repeated(std::byte const* value, operation const& op, per_axis const& shape)
{
  array result;
  result.data = const_cast<std::byte*>(value);
  result.bytes = op.bytes;
  result.shape = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) result.strides.append(0);
  return result;
}

}  // namespace tally::c
