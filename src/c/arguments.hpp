#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"
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

/// Throws    usage_error if an array lies on another device than the elements.
inline void check_same_device(array const& given, array const& elements, char const* name)
{
  auto const shown = [](tally_device device) {
    return device.type == TALLY_CPU ? std::string("the CPU") : "GPU " + std::to_string(device.number);
  };
  bool const both_cpu = given.device.type == TALLY_CPU && elements.device.type == TALLY_CPU;
  if (given.device.type != elements.device.type || (!both_cpu && given.device.number != elements.device.number))
    throw usage_error(std::string(name) + " lies in the memory of " + shown(given.device) +
                      ", the elements in that of " + shown(elements.device));
}

/// The initial values of a call on sequences in the shape `across`: one of the CPU's for all of them, without axes, or
/// one for each beside the elements. One of a GPU's is repeated.
inline array checked_initial(tally_array const* given, array const& elements, per_axis const& across)
{
  array initial = checked(given, "options->initial", devices::cpu_or_gpu);
  if (initial.shape.size() == 0 && initial.device.type == TALLY_CPU) return initial;
  check_same_device(initial, elements, "options->initial");
  if (initial.shape.size() == 0) {
    initial.shape = across;
    for (std::size_t d = 0; d < across.size(); ++d) initial.strides.append(0);
  }
  check_same_shape(initial, across, "options->initial");
  return initial;
}

/// Throws    usage_error if an array has not one axis.
inline void check_one_axis(array const& given, char const* name)
{
  if (given.shape.size() != 1)
    throw usage_error(std::string(name) + " has " + std::to_string(given.shape.size()) + " axes; it should have one");
}

/// Throws    usage_error if an array has not elements of this type.
inline void check_type(array const& given, tally_type type, char const* name)
{
  if (!same(given.type, type))
    throw usage_error(std::string(name) + " has elements of type " + shown(given.type) + "; they should be " +
                      shown(type));
}

/// Whether the elements of an array of one axis are side by side.
inline bool without_gaps(array const& given)
{
  return given.shape[0] <= 1 || given.strides[0] == 1;
}

/// An array of one axis, or a copy, without gaps.
inline array packed(array const& given)
{
  if (without_gaps(given)) return given;
  array const copy = uninitialized(given.shape, given.type, given.bytes);
  copy_bytes(given, copy);
  return copy;
}

/// The first `count` elements of an array of one axis.
inline array front(array const& given, std::int64_t count)
{
  array part = given;
  part.shape = per_axis{count};
  return part;
}

/// Throws    usage_error if an output of one axis is too short; `what` says of what there are `count`.
inline void check_room(array const& out, std::int64_t count, char const* name, char const* what = "")
{
  if (out.shape[0] < count)
    throw usage_error(std::string(name) + " has room for " + std::to_string(out.shape[0]) + " elements; there are " +
                      std::to_string(count) + what);
}

/// An output of one axis of which a call writes as many elements as it finds: it has room for `most` without gaps.
/// `deliver` then brings them to their places.
class growing_output {
public:
  growing_output(array const& out, std::int64_t most) : out_(out)
  {
    direct_ = without_gaps(out) && out.shape[0] >= most;
    memory_ = direct_ ? out : uninitialized({most}, out.type, out.bytes);
  }
  std::byte* data() const { return memory_.data; }

  /// Throws    usage_error if there is no room; nothing is written then.
  void deliver(std::int64_t count, char const* name) const
  {
    check_room(out_, count, name);
    if (!direct_) copy_bytes(front(memory_, count), front(out_, count));
  }

private:
  array out_, memory_;
  bool direct_;
};

/// The type in which a call combines. Exact sums of two-byte floats are rounded once, from the sum to them.
inline tally_type accumulator_of(tally_options const& options, tally_type out, tally_operation const* op = nullptr)
{
  if (options.accumulator.bits != 0) return options.accumulator;
  if (op == TALLY_EXACT_PLUS) return out;
  bool const two_bytes = out.bits == 16 && out.lanes == 1 && (out.code == TALLY_FLOAT || out.code == TALLY_BFLOAT);
  return two_bytes ? tally_type TALLY_FLOAT32 : out;
}

/// Brings arrays into the form in which an operation takes them, and results back.
class converter {
public:
  converter(operation const& op, tally_type type, bool on_gpu = false) : op_(op), type_(type), on_gpu_(on_gpu) {}

  /// Throws    usage_error if elements do not convert from the type `from` to the type `to`.
  void check(array const& given, char const* name, bool writes) const
  {
    if (on_gpu_ && given.device.type == TALLY_CUDA) {
      if (!fits(given))
        throw not_supported(std::string(name) + " has elements of type " + shown(given.type) +
                            "; on a GPU they have the type in which elements are combined, " + shown(type_));
    } else if (op_.callers != nullptr) {
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
  bool on_gpu_;
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
