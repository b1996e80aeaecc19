#include "src/c/recurrence.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "src/c/arguments.hpp"
#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"
#include "src/c/gpu.hpp"
#include "src/c/options.hpp"
#include "tally/along.hpp"
#include "tally/detail/batch/along_calls.hpp"
#include "tally/detail/batch/host_recurrences.hpp"

namespace tally::c {

detail::batch::dimension coefficients::along(std::size_t axis) const
{
  return {static_cast<std::size_t>(b.shape[axis]), {b.strides[axis], out.strides[axis], 0, 0, a.strides[axis]}};
}

detail::batch::across_strides coefficients::across(std::size_t axis) const
{
  return {b.without(axis).strides, out.without(axis).strides, before_for_each ? before.strides : per_axis{},
          last.strides, a.without(axis).strides};
}

recurrence_arguments checked_recurrence(tally_array const* a_given, tally_array const* b_given, std::int32_t axis,
                                        tally_array const* out_given, tally_options const* options_given)
{
  recurrence_arguments call;
  call.options = options_of(options_given, TALLY_REVERSE);
  call.a = checked(a_given, "a", devices::cpu_or_gpu);
  call.b = checked(b_given, "b", devices::cpu_or_gpu);
  call.out = checked(out_given, "out", devices::cpu_or_gpu);
  array& a = call.a;
  array const &b = call.b, &out = call.out;
  check_same_device(a, b, "a");
  check_same_device(out, b, "out");
  bool const on_a_gpu = b.device.type == TALLY_CUDA;
  call.gpu = place_of(b.device, call.options);
  call.axis = detail::batch::axis_of(axis, b.shape);
  if (a.shape.size() == 0) {
    a.shape = b.shape;
    for (std::size_t d = 0; d < b.shape.size(); ++d) a.strides.append(0);
  }
  check_same_shape(a, b.shape, "a");
  check_same_shape(out, b.shape, "out");
  detail::batch::check_distinct("out", "an output", out.shape, out.strides);
  call.across = b.without(call.axis).shape;

  // Of integers the sums and products modulo 2^64 are, cut off, those of every narrower type.
  tally_type const wanted = accumulator_of(call.options, out.type);
  bool const integers = wanted.code == TALLY_INT || wanted.code == TALLY_UINT;
  bool const floats = wanted.code == TALLY_FLOAT && (wanted.bits == 32 || wanted.bits == 64);
  if (wanted.lanes != 1 || !(integers || floats))
    throw not_supported("states of type " + shown(wanted) + "; they are integers, float32 or float64");
  if (on_a_gpu && integers)
    throw not_supported("states of type " + shown(wanted) + " on a GPU; they are float32 or float64");
  call.type = integers ? tally_type TALLY_UINT64 : wanted;
  call.form.bytes = call.form.alignment = bytes_of(call.type);
  converter const convert(call.form, call.type, on_a_gpu);
  convert.check(a, "a", false);
  convert.check(b, "b", false);
  convert.check(out, "out", true);
  if (call.options.initial != nullptr) {
    call.before = checked_initial(call.options.initial, b, call.across);
    call.before_for_each = call.before->shape.size() != 0 || call.before->device.type != TALLY_CPU;
    convert.check(*call.before, "options->initial", false);
  }
  if (call.options.last != nullptr) {
    call.last = checked(call.options.last, "options->last", devices::cpu_or_gpu);
    check_same_device(*call.last, b, "options->last");
    check_same_shape(*call.last, call.across, "options->last");
    detail::batch::check_distinct("options->last", "an output", call.last->shape, call.last->strides);
    convert.check(*call.last, "options->last", true);
  }
  return call;
}

coefficients in_type_of_states(recurrence_arguments const& call)
{
  converter const convert(call.form, call.type, call.gpu.is_used);
  coefficients c;
  c.a = convert.input(call.a);
  c.b = convert.input(call.b);
  c.out = convert.fits(call.out) ? call.out : convert.place(call.out.shape);
  if (call.before) c.before = convert.input(*call.before);
  c.before_for_each = call.before_for_each;
  if (call.last) c.last = convert.fits(*call.last) ? *call.last : convert.place(call.last->shape);
  return c;
}

void deliver(coefficients const& results, recurrence_arguments const& call)
{
  converter const convert(call.form, call.type);
  if (results.out.data != call.out.data) convert.transfer(results.out, call.out);
  if (call.last && results.last.data != call.last->data) convert.transfer(results.last, *call.last);
}

namespace {

template <class T>
void run(coefficients const& c, detail::batch::layout const& where, int threads)
{
  detail::backend_recur_sequences<T>(cpu{threads}, where, reinterpret_cast<T const*>(c.a.data),
                                     reinterpret_cast<T const*>(c.b.data), reinterpret_cast<T*>(c.out.data),
                                     c.ends<T>());
}

}  // namespace

void run_recurrence(tally_array const* a, tally_array const* b, std::int32_t axis_given, tally_array const* out,
                    tally_options const* options)
{
  recurrence_arguments const call = checked_recurrence(a, b, axis_given, out, options);
  if (detail::batch::any_empty(call.across)) return;
  coefficients const results = in_type_of_states(call);
  bool const on_a_gpu = call.gpu.is_used;
  std::size_t const axis = call.axis;
  if (call.b.shape[axis] != 0) {
    coefficients c = results;
    if ((call.options.flags & TALLY_REVERSE) != 0) {
      c.a = c.a.flipped(axis);
      c.b = c.b.flipped(axis);
      c.out = c.out.flipped(axis);
    }
    detail::batch::layout const where =
        detail::batch::layout_of("tally_linear_recurrence", c.along(axis), call.across, c.across(axis));
    if (on_a_gpu)
      return recur_on_gpu(call.type, {where, c.a.data, c.b.data, c.out.data, c.before.data, c.before_for_each,
                                      c.last.data, false, call.gpu});
    auto const work = call.type.code == TALLY_UINT ? run<std::uint64_t>
                      : call.type.bits == 32       ? run<float>
                                                   : run<double>;
    work(c, where, call.options.threads);
  } else if (call.last && on_a_gpu) {
    throw not_supported("the last states of no steps on a GPU");
  } else if (call.last) {
    std::uint64_t const zero = 0;
    std::byte const* const one = call.before ? results.before.data : reinterpret_cast<std::byte const*>(&zero);
    copy_bytes(results.before_for_each ? results.before : repeated(one, call.form, call.across), results.last);
  }
  deliver(results, call);
}

}  // namespace tally::c
