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

namespace {

/// What a recurrence takes, with elements of the type of its states.
struct coefficients {
  array a, b, out, before;
  bool before_for_each = false;
  array last;  ///< without memory if it is not wanted
};

template <class T>
void run(coefficients const& c, detail::batch::layout const& where, int threads)
{
  detail::batch::ends<T> ends;
  auto const* const before = reinterpret_cast<T const*>(c.before.data);
  if (c.before_for_each)
    ends.initials = before;
  else
    ends.initial = before != nullptr ? *before : T{};
  ends.lasts = reinterpret_cast<T*>(c.last.data);
  detail::backend_recur_sequences<T>(cpu{threads}, where, reinterpret_cast<T const*>(c.a.data),
                                     reinterpret_cast<T const*>(c.b.data), reinterpret_cast<T*>(c.out.data), ends);
}

}  // namespace

void run_recurrence(tally_array const* a_given, tally_array const* b_given, std::int32_t axis_given,
                    tally_array const* out_given, tally_options const* options_given)
{
  tally_options const options = options_of(options_given, TALLY_REVERSE);
  array a = checked(a_given, "a", devices::cpu_or_gpu);
  array const b = checked(b_given, "b", devices::cpu_or_gpu), out = checked(out_given, "out", devices::cpu_or_gpu);
  check_same_device(a, b, "a");
  check_same_device(out, b, "out");
  bool const on_a_gpu = b.device.type == TALLY_CUDA;
  place_on_gpu const gpu = place_of(b.device, options);
  std::size_t const axis = detail::batch::axis_of(axis_given, b.shape);
  if (a.shape.size() == 0) {
    a.shape = b.shape;
    for (std::size_t d = 0; d < b.shape.size(); ++d) a.strides.append(0);
  }
  check_same_shape(a, b.shape, "a");
  check_same_shape(out, b.shape, "out");
  detail::batch::check_distinct("out", "an output", out.shape, out.strides);
  per_axis const across = b.without(axis).shape;

  // Of integers the sums and products modulo 2^64 are, cut off, those of every narrower type.
  tally_type const wanted = accumulator_of(options, out.type);
  bool const integers = wanted.code == TALLY_INT || wanted.code == TALLY_UINT;
  tally_type const type = integers ? tally_type TALLY_UINT64 : wanted;
  bool const narrow = wanted.code == TALLY_FLOAT && wanted.bits == 32,
             wide = wanted.code == TALLY_FLOAT && wanted.bits == 64;
  if (wanted.lanes != 1 || !(integers || narrow || wide))
    throw not_supported("states of type " + shown(wanted) + "; they are integers, float32 or float64");
  if (on_a_gpu && integers)
    throw not_supported("states of type " + shown(wanted) + " on a GPU; they are float32 or float64");
  operation form;
  form.bytes = form.alignment = bytes_of(type);
  converter const convert(form, type, on_a_gpu);
  convert.check(a, "a", false);
  convert.check(b, "b", false);
  convert.check(out, "out", true);
  std::optional<array> before, last;
  coefficients c;
  if (options.initial != nullptr) {
    before = checked_initial(options.initial, b, across);
    c.before_for_each = before->shape.size() != 0 || before->device.type != TALLY_CPU;
    convert.check(*before, "options->initial", false);
  }
  if (options.last != nullptr) {
    last = checked(options.last, "options->last", devices::cpu_or_gpu);
    check_same_device(*last, b, "options->last");
    check_same_shape(*last, across, "options->last");
    detail::batch::check_distinct("options->last", "an output", last->shape, last->strides);
    convert.check(*last, "options->last", true);
  }
  if (detail::batch::any_empty(across)) return;

  c.a = convert.input(a);
  c.b = convert.input(b);
  c.out = convert.fits(out) ? out : convert.place(out.shape);
  if (before) c.before = convert.input(*before);
  if (last) c.last = convert.fits(*last) ? *last : convert.place(last->shape);
  array const results = c.out;
  if (auto const n = static_cast<std::size_t>(b.shape[axis]); n != 0) {
    if ((options.flags & TALLY_REVERSE) != 0) {
      c.a = c.a.flipped(axis);
      c.b = c.b.flipped(axis);
      c.out = c.out.flipped(axis);
    }
    detail::batch::layout const where = detail::batch::layout_of(
        "tally_linear_recurrence", {n, {c.b.strides[axis], c.out.strides[axis], 0, 0, c.a.strides[axis]}}, across,
        {c.b.without(axis).strides, c.out.without(axis).strides, c.before_for_each ? c.before.strides : per_axis{},
         last ? c.last.strides : per_axis{}, c.a.without(axis).strides});
    if (on_a_gpu)
      return recur_on_gpu(
          type, {where, c.a.data, c.b.data, c.out.data, c.before.data, c.before_for_each, c.last.data, false, gpu});
    (integers ? run<std::uint64_t> : narrow ? run<float> : run<double>)(c, where, options.threads);
  } else if (last && on_a_gpu) {
    throw not_supported("the last states of no steps on a GPU");
  } else if (last) {
    std::uint64_t const zero = 0;
    std::byte const* const one = before ? c.before.data : reinterpret_cast<std::byte const*>(&zero);
    copy_bytes(c.before_for_each ? c.before : repeated(one, form, across), c.last);
  }
  if (results.data != out.data) convert.transfer(results, out);
  if (last && c.last.data != last->data) convert.transfer(c.last, *last);
}

}  // namespace tally::c
