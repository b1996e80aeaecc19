#include "src/c/short_call.hpp"

#include <cstddef>
#include <cstdint>

#include "src/c/arrays.hpp"
#include "src/c/operation.hpp"

namespace tally::c {

namespace {

/// Whether the elements are the CPU's and lie at `data`, aligned.
bool is_plain(tally_array const& given)
{
  return given.device.type == TALLY_CPU && given.data != nullptr && given.byte_offset == 0 &&
         reinterpret_cast<std::uintptr_t>(given.data) % bytes_of(given.dtype) == 0;
}

bool is_row(tally_array const& given)
{
  return given.ndim == 1 && given.shape != nullptr && (given.strides == nullptr || given.strides[0] == 1);
}

}  // namespace

bool run_short(call_kind kind, tally_array const* in, std::int32_t axis, tally_array const* out,
               tally_operation const* op, tally_options const* options)
{
  bool const reduces = kind == call_kind::reduce;
  if (options != nullptr || in == nullptr || out == nullptr || axis != 0 || !is_built_in(op)) return false;
  if (!same(in->dtype, out->dtype)) return false;
  auto const code = kernels_of(op, in->dtype);
  if (code == nullptr || !is_plain(*in) || !is_plain(*out) || !is_row(*in) || in->shape[0] <= 0) return false;
  if (reduces ? out->ndim != 0 : !is_row(*out) || out->shape[0] != in->shape[0]) return false;
  sequences_call call;
  call.where.along = {static_cast<std::size_t>(in->shape[0]), {1, reduces ? 0 : 1}};
  call.in = static_cast<std::byte const*>(in->data);
  call.out = static_cast<std::byte*>(out->data);
  call.reduces = reduces;
  code(call);
  return true;
}

}  // namespace tally::c
