#include "src/c/arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "src/c/failure.hpp"
#include "src/c/steps.hpp"

namespace tally::c {

std::string shown(tally_type type)
{
  static constexpr char const* names[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  std::string text = type.code < std::size(names) ? names[type.code] : "code " + std::to_string(type.code) + " of ";
  if (type.code != TALLY_BOOL || type.bits != 8) text += std::to_string(type.bits);
  if (type.lanes != 1) text += " x " + std::to_string(type.lanes);
  return text;
}

array array::without(std::size_t axis) const
{
  array rest = *this;
  rest.shape = rest.strides = {};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d == axis) continue;
    rest.shape.append(shape[d]);
    rest.strides.append(strides[d]);
  }
  return rest;
}

array array::flipped(std::size_t axis) const
{
  array turned = *this;
  turned.strides = {};
  for (std::size_t d = 0; d < shape.size(); ++d) turned.strides.append(d == axis ? -strides[d] : strides[d]);
  if (shape[axis] > 1) turned.data += (shape[axis] - 1) * strides[axis] * static_cast<std::ptrdiff_t>(bytes);
  return turned;
}

array checked(tally_array const* given, char const* name, devices allowed)
{
  auto const wrong = [&](std::string const& what) { throw usage_error(std::string(name) + what); };
  if (given == nullptr) wrong(" is a null pointer; it is the address of a tally_array");
  bool const is_allowed =
      given->device.type == TALLY_CPU || (given->device.type == TALLY_CUDA && allowed == devices::cpu_or_gpu);
  if (!is_allowed)
    throw not_supported(std::string(name) + " lies on a device of type " + std::to_string(given->device.type) +
                        "; this call has code for the CPU, type 1" +
                        (allowed == devices::cpu ? "" : ", and for CUDA, type 2"));
  if (given->ndim < 0 || static_cast<std::size_t>(given->ndim) > most_axes)
    wrong(" has " + std::to_string(given->ndim) + " axes; there may be 0 to " + std::to_string(most_axes));
  if (given->ndim > 0 && given->shape == nullptr) wrong(".shape is a null pointer, and ndim is not 0");
  array result;
  result.device = given->device;
  result.type = given->dtype;
  result.bytes = bytes_of(given->dtype);
  if (result.bytes == 0) wrong(" has elements of no bytes: its dtype is " + shown(given->dtype));
  bool empty = false;
  for (int d = 0; d < given->ndim; ++d) {
    if (given->shape[d] < 0)
      wrong(" has a negative extent: axis " + std::to_string(d) + " has " + std::to_string(given->shape[d]));
    empty = empty || given->shape[d] == 0;
    result.shape.append(given->shape[d]);
  }
  if (given->strides != nullptr)
    for (int d = 0; d < given->ndim; ++d) result.strides.append(given->strides[d]);
  else
    result.strides = array_view<char>(nullptr, result.shape).strides();
  if (given->data == nullptr && !empty) wrong(".data is a null pointer, and the array is not empty");
  if (given->data != nullptr) result.data = static_cast<std::byte*>(given->data) + given->byte_offset;
  unsigned const bits = given->dtype.code == TALLY_COMPLEX ? given->dtype.bits / 2u : given->dtype.bits;
  std::size_t const value = given->dtype.code == TALLY_OPAQUE ? 1 : std::min<std::size_t>((bits + 7) / 8, 8);
  if (value != 0 && reinterpret_cast<std::uintptr_t>(result.data) % value != 0)
    wrong(" is not aligned: its elements are " + shown(given->dtype) + ", and its address is no multiple of " +
          std::to_string(value));
  return result;
}

array uninitialized(per_axis const& shape, tally_type type, std::size_t bytes)
{
  array result;
  result.type = type;
  result.bytes = bytes;
  result.shape = shape;
  array_view<char> const rows(nullptr, shape);
  result.strides = rows.strides();
  result.owned = std::make_shared_for_overwrite<std::byte[]>(std::max<std::size_t>(rows.size(), 1) * bytes);
  result.data = result.owned.get();
  return result;
}

void copy_bytes(array const& from, array const& to)
{
  std::size_t const bytes = std::min(from.bytes, to.bytes);
  for_each_run(
      from, to,
      [&](std::byte const* in, std::ptrdiff_t in_step, std::byte* out, std::ptrdiff_t out_step, std::size_t n) {
        for (; n > 0; --n, in += in_step, out += out_step) std::memmove(out, in, bytes);
      });
}

}  // namespace tally::c
