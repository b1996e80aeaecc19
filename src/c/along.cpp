#include "src/c/along.hpp"

#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "src/c/arguments.hpp"
#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"
#include "src/c/gpu.hpp"
#include "src/c/operation.hpp"
#include "src/c/options.hpp"
#include "src/c/short_call.hpp"
#include "tally/along.hpp"
#include "tally/detail/batch/along_calls.hpp"

namespace tally::c {

namespace {

using detail::batch::any_empty;
using detail::batch::check_distinct;
using detail::batch::layout_of;

/// The elements of an array at one place of an axis.
array at_place(array const& whole, std::size_t axis, std::ptrdiff_t place)
{
  array result = whole.without(axis);
  result.data += place * whole.strides[axis] * static_cast<std::ptrdiff_t>(whole.bytes);
  return result;
}

/// Writes a value to places of the output without a run.
/// Throws    not_supported on a GPU, unless the value is 0.
void put(array const& value, array const& to, place_on_gpu const& gpu)
{
  if (!gpu.is_used) return copy_bytes(value, to);
  bool is_zero = value.device.type == TALLY_CPU;
  for (std::size_t b = 0; is_zero && b < value.bytes; ++b) is_zero = value.data[b] == std::byte{0};
  if (!is_zero)
    throw not_supported(
        "a result of no elements that is not 0, on a GPU: an initial value with TALLY_INCLUDE_INITIAL or "
        "an empty sequence, or an operator whose identity is not 0");
  clear_on_gpu(to, gpu);
}

/// A call whose arguments are checked and have the accumulator's type.
struct prepared {
  array in, out;
  std::size_t axis = 0;
  std::optional<array> initial;  ///< in the shape of the batch; strides of 0 if it is one for all
  bool initial_for_each = false;
  std::optional<array> last;
  bool includes_initial = false;  ///< `out` has one place more
};

void run_scan(operation const& op, prepared p, sequences_call call)
{
  auto const n = p.in.shape[p.axis];
  per_axis const shape = p.in.without(p.axis).shape;
  bool const needs_initial = call.exclusive || p.includes_initial;
  bool const implied = needs_initial && !p.initial;
  if (implied) {
    if (!op.has_identity)
      throw usage_error("op has no identity, so that the first result needs an initial value (options->initial)");
    p.initial = repeated(op.identity_bytes(), op, shape);
  }
  if (p.last && !p.initial && n == 0 && !op.has_identity)
    throw usage_error("an empty sequence has no last value without options->initial, nor an identity of op");
  array const nothing = repeated(op.nothing_bytes(), op, shape);
  std::optional<array> last = p.last;
  if (p.includes_initial) {
    call.exclusive = true;
    last = at_place(p.out, p.axis, n);
  }
  if (n != 0) {
    call.where =
        layout_of("tally_scan", {static_cast<std::size_t>(n), {p.in.strides[p.axis], p.out.strides[p.axis]}}, shape,
                  {p.in.without(p.axis).strides,
                   p.out.without(p.axis).strides,
                   p.initial_for_each ? p.initial->strides : per_axis{},
                   last ? last->strides : per_axis{},
                   {}});
    call.in = p.in.data;
    call.out = p.out.data;
    call.initial = p.initial ? p.initial->data : nullptr;
    call.initial_for_each = p.initial_for_each;
    call.last = last ? last->data : nullptr;
    op.run(op, call);
  }
  // The sum of nothing is +0.0, and its identity -0.0.
  array const before_all = implied || !p.initial ? nothing : *p.initial;
  // On a GPU a scan of integers or extremes has written it already.
  bool const is_written =
      call.gpu.is_used && n != 0 && std::memcmp(op.nothing_bytes(), op.identity_bytes(), op.bytes) == 0;
  if ((p.includes_initial ? n == 0 || implied : implied && n != 0) && !is_written)
    put(before_all, at_place(p.out, p.axis, 0), call.gpu);
  if (p.last && n == 0) put(before_all, *p.last, call.gpu);
  if (p.last && n != 0 && p.includes_initial) copy_bytes(*last, *p.last);
}

void run_reduction(operation const& op, prepared const& p, sequences_call call)
{
  auto const n = p.in.shape[p.axis];
  if (n == 0) {
    if (!p.initial && !op.has_identity)
      throw usage_error("an empty sequence has no reduction without options->initial, nor an identity of op");
    put(p.initial ? *p.initial : repeated(op.nothing_bytes(), op, p.out.shape), p.out, call.gpu);
    return;
  }
  call.where = layout_of(
      "tally_reduce", {static_cast<std::size_t>(n), {p.in.strides[p.axis]}}, p.out.shape,
      {p.in.without(p.axis).strides, p.out.strides, p.initial_for_each ? p.initial->strides : per_axis{}, {}, {}});
  call.reduces = true;
  call.in = p.in.data;
  call.out = p.out.data;
  call.initial = p.initial ? p.initial->data : nullptr;
  call.initial_for_each = p.initial_for_each;
  op.run(op, call);
}

}  // namespace

along_arguments checked_along(call_kind kind, tally_array const* in_given, std::int32_t axis,
                              tally_array const* out_given, tally_operation const* op_given,
                              tally_options const* options_given, combined_by by)
{
  bool const reduces = kind == call_kind::reduce;
  along_arguments a;
  a.options =
      options_of(options_given, reduces ? TALLY_REVERSE : TALLY_REVERSE | TALLY_EXCLUSIVE | TALLY_INCLUDE_INITIAL);
  a.in = checked(in_given, "in", devices::cpu_or_gpu);
  a.out = checked(out_given, "out", devices::cpu_or_gpu);
  check_same_device(a.out, a.in, "out");
  bool const on_a_gpu = a.in.device.type == TALLY_CUDA;
  a.axis = detail::batch::axis_of(axis, a.in.shape);
  a.includes_initial = (a.options.flags & TALLY_INCLUDE_INITIAL) != 0;
  a.exclusive = (a.options.flags & TALLY_EXCLUSIVE) != 0;
  a.gpu = place_of(a.in.device, a.options);
  if (a.exclusive && a.includes_initial)
    throw usage_error("options->flags has TALLY_EXCLUSIVE and TALLY_INCLUDE_INITIAL; a scan is one of them");
  if (reduces && a.options.last != nullptr)
    throw usage_error("options->last is for scans: the last value of a reduction is its result");

  a.across = a.in.without(a.axis).shape;
  if (reduces) {
    check_same_shape(a.out, a.across, "out");
  } else {
    per_axis results;
    for (std::size_t d = 0; d < a.in.shape.size(); ++d)
      results.append(a.in.shape[d] + (d == a.axis && a.includes_initial ? 1 : 0));
    check_same_shape(a.out, results, "out");
  }
  check_distinct("out", "an output", a.out.shape, a.out.strides);

  bool const own = !is_built_in(op_given);
  a.type = own ? a.out.type : accumulator_of(a.options, a.out.type, op_given);
  if (own && on_a_gpu)
    throw not_supported(
        "an operation of the caller's on a GPU: it is the CPU's code; nvcc compiles the C++ library's calls");
  a.op = own ? of_caller(*op_given, a.in.bytes) : built_in(op_given, a.type);
  if (on_a_gpu && by == combined_by::one_gpu) a.op = on_gpu(a.op, op_given, a.type);
  converter const convert(a.op, a.type, on_a_gpu);
  convert.check(a.in, "in", false);
  convert.check(a.out, "out", true);
  if (a.options.initial != nullptr) {
    a.initial = checked_initial(a.options.initial, a.in, a.across);
    a.initial_for_each = a.initial->shape.size() != 0 || a.initial->device.type != TALLY_CPU;
    convert.check(*a.initial, "options->initial", false);
  }
  if (a.options.last != nullptr) {
    a.last = checked(a.options.last, "options->last", devices::cpu_or_gpu);
    check_same_device(*a.last, a.in, "options->last");
    if (on_a_gpu && a.includes_initial)
      throw not_supported(
          "options->last with TALLY_INCLUDE_INITIAL on a GPU: it is the last place of out along the axis");
    check_same_shape(*a.last, a.across, "options->last");
    check_distinct("options->last", "an output", a.last->shape, a.last->strides);
    convert.check(*a.last, "options->last", true);
  }
  return a;
}

void run_along(call_kind kind, tally_array const* in_given, std::int32_t axis, tally_array const* out_given,
               tally_operation const* op_given, tally_options const* options_given)
{
  if (run_short(kind, in_given, axis, out_given, op_given, options_given)) return;
  bool const reduces = kind == call_kind::reduce;
  along_arguments const a = checked_along(kind, in_given, axis, out_given, op_given, options_given);
  if (any_empty(a.across)) return;

  converter const convert(a.op, a.type, a.gpu.is_used);
  sequences_call call;
  call.exclusive = a.exclusive;
  call.threads = a.options.threads;
  call.gpu = a.gpu;
  prepared p;
  p.axis = a.axis;
  p.includes_initial = a.includes_initial;
  p.initial_for_each = a.initial_for_each;
  p.in = convert.input(a.in);
  // In place the results of one pass replace its elements, if they can stay where they are.
  p.out = convert.fits(a.out) ? a.out : convert.place(a.out.shape);
  if (a.initial) {
    p.initial = convert.input(*a.initial);
    if (!p.initial_for_each) {
      array one = *p.initial;
      p.initial = repeated(one.data, a.op, a.across);
      p.initial->owned = one.owned;
    }
  }
  if (a.last) p.last = convert.fits(*a.last) ? *a.last : convert.place(a.last->shape);
  array const results = p.out, lasts = p.last ? *p.last : array{};
  if ((a.options.flags & TALLY_REVERSE) != 0) {
    p.in = p.in.flipped(p.axis);
    if (!reduces) p.out = p.out.flipped(p.axis);
  }
  if (reduces)
    run_reduction(a.op, p, call);
  else
    run_scan(a.op, p, call);
  if (!convert.fits(a.out)) convert.transfer(results, a.out);
  if (a.last && !convert.fits(*a.last)) convert.transfer(lasts, *a.last);
}

}  // namespace tally::c
