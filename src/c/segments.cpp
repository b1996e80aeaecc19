#include "src/c/segments.hpp"

#include <optional>
#include <string>
#include <utility>

#include "src/c/arguments.hpp"
#include "src/c/arrays.hpp"
#include "src/c/failure.hpp"
#include "src/c/gpu.hpp"
#include "src/c/operation.hpp"
#include "src/c/options.hpp"

namespace tally::c {

namespace {

/// Throws    usage_error if offsets decrease, or end behind the values.
void check_offsets(array const& offsets, std::ptrdiff_t values)
{
  auto const* const at = reinterpret_cast<std::int64_t const*>(offsets.data);
  auto const count = offsets.shape[0];
  if (at[0] < 0) throw usage_error("offsets begin with " + std::to_string(at[0]) + "; they are places in the values");
  for (std::ptrdiff_t s = 0; s + 1 < count; ++s)
    if (at[s + 1] < at[s])
      throw usage_error("offsets decrease: segment " + std::to_string(s) + " is from " + std::to_string(at[s]) +
                        " to " + std::to_string(at[s + 1]));
  if (at[count - 1] > values)
    throw usage_error("the last offset is " + std::to_string(at[count - 1]) + ", and there are " +
                      std::to_string(values) + " values");
}

/// Throws    not_supported if a call on a GPU would need a copy.
void check_fits_gpu(array const& given, tally_type type, char const* name)
{
  if (!same(given.type, type))
    throw not_supported(std::string(name) + " has elements of type " + shown(given.type) + "; on a GPU they are " +
                        shown(type));
  if (given.shape.size() == 1 && !without_gaps(given))
    throw not_supported(std::string(name) + " has gaps between its elements; on a GPU they lie side by side");
}

}  // namespace

segments_call gpus_call_on_segments(operation& op, call_kind kind, array const& values, array const& out,
                                    tally_operation const* op_given, tally_options const& options,
                                    per_axis const& segments)
{
  if ((options.flags & TALLY_REVERSE) != 0) throw not_supported("TALLY_REVERSE for segments on a GPU");
  if (!is_built_in(op_given)) throw not_supported("an operation of the caller's on a GPU: it is the CPU's code");
  tally_type const type = accumulator_of(options, out.type, op_given);
  op = on_gpu(built_in(op_given, type), op_given, type);
  segments_call call;
  check_fits_gpu(values, type, "values");
  check_fits_gpu(out, type, "out");
  bool const are_known = segments.size() != 0;
  if (options.initial != nullptr) {
    array const initial = checked(options.initial, "options->initial", devices::cpu_or_gpu);
    call.initial_for_each = initial.shape.size() != 0;
    check_fits_gpu(initial, type, "options->initial");
    if (call.initial_for_each) {
      if (!are_known) throw not_supported("an initial value for each run of keys on a GPU; it is one for all");
      check_same_shape(initial, segments, "options->initial");
      check_same_device(initial, values, "options->initial");
    } else if (initial.device.type != TALLY_CPU) {
      throw not_supported("options->initial of one value in a GPU's memory: it is the CPU's, or one for each segment");
    }
    call.initial = initial.data;
  }
  if (options.last != nullptr) {
    array const last = checked(options.last, "options->last", devices::cpu_or_gpu);
    check_same_shape(last, segments, "options->last");
    check_same_device(last, values, "options->last");
    check_fits_gpu(last, type, "options->last");
    call.last = last.data;
  }
  call.reduces = kind == call_kind::reduce;
  call.exclusive = (options.flags & TALLY_EXCLUSIVE) != 0;
  call.copies_others = (options.flags & TALLY_COPY_OTHERS) != 0 && values.data != out.data;
  // The sum of nothing is +0.0, and its identity -0.0.
  call.begins_with_nothing = call.exclusive && call.initial == nullptr;
  call.nothing = call.initial != nullptr && !call.initial_for_each ? call.initial : op.nothing_bytes();
  if (call.begins_with_nothing) call.initial = op.identity_bytes();
  call.values = values.data;
  call.elements = static_cast<std::size_t>(values.shape[0]);
  call.out = out.data;
  call.gpu = place_of(values.device, options);
  return call;
}

void run_on_segments(call_kind kind, tally_array const* values_given, tally_array const* offsets_given,
                     tally_array const* out_given, tally_operation const* op_given, tally_options const* options_given,
                     lengths are)
{
  bool const reduces = kind == call_kind::reduce;
  tally_options const options =
      options_of(options_given, reduces ? TALLY_REVERSE : TALLY_REVERSE | TALLY_EXCLUSIVE | TALLY_COPY_OTHERS);
  array const values = checked(values_given, "values", devices::cpu_or_gpu),
              out = checked(out_given, "out", devices::cpu_or_gpu);
  array offsets = checked(offsets_given, "offsets", devices::cpu_or_gpu);
  check_one_axis(values, "values");
  check_one_axis(offsets, "offsets");
  if (offsets.shape[0] == 0) throw usage_error("offsets is empty; there is one offset more than segments");
  if (offsets.type.code != TALLY_INT && offsets.type.code != TALLY_UINT)
    throw usage_error("offsets has elements of type " + shown(offsets.type) + "; they are integers");
  if (reduces && options.last != nullptr)
    throw usage_error("options->last is for scans: the last value of a reduction is its result");
  if (values.device.type == TALLY_CUDA) {
    // Nothing on the GPU is read before the call runs, so that the values of offsets are not checked.
    per_axis const segments{offsets.shape[0] - 1};
    check_same_shape(out, reduces ? segments : values.shape, "out");
    check_same_device(offsets, values, "offsets");
    check_same_device(out, values, "out");
    check_fits_gpu(offsets, TALLY_INT64, "offsets");
    operation op;
    segments_call call = gpus_call_on_segments(op, kind, values, out, op_given, options, segments);
    if (segments[0] == 0 && !call.copies_others) return;
    call.offsets = reinterpret_cast<std::int64_t const*>(offsets.data);
    call.segments = static_cast<std::size_t>(segments[0]);
    op.segments(op, call);
    return;
  }
  check_same_device(offsets, values, "offsets");
  check_same_device(out, values, "out");
  place_of(values.device, options);
  tally_type const places = TALLY_INT64;
  if (!same(offsets.type, places) || !without_gaps(offsets)) {
    array const copy = uninitialized(offsets.shape, places, 8);
    convert(offsets, copy);
    offsets = copy;
  }
  per_axis const segments{offsets.shape[0] - 1};
  check_offsets(offsets, values.shape[0]);
  check_same_shape(out, reduces ? segments : values.shape, "out");

  bool const own = !is_built_in(op_given);
  tally_type const type = own ? out.type : accumulator_of(options, out.type, op_given);
  operation const op = own ? of_caller(*op_given, values.bytes) : built_in(op_given, type);
  converter const convert_to(op, type);
  convert_to.check(values, "values", false);
  convert_to.check(out, "out", true);
  segments_call call;
  std::optional<array> initial, last;
  if (options.initial != nullptr) {
    initial = checked(options.initial, "options->initial");
    call.initial_for_each = initial->shape.size() != 0;
    if (call.initial_for_each) check_same_shape(*initial, segments, "options->initial");
    convert_to.check(*initial, "options->initial", false);
  }
  if (options.last != nullptr) {
    last = checked(options.last, "options->last");
    check_same_shape(*last, segments, "options->last");
    convert_to.check(*last, "options->last", true);
  }
  bool const exclusive = (options.flags & TALLY_EXCLUSIVE) != 0;
  if (!initial && !op.has_identity && (exclusive || (reduces && are == lengths::any) || last))
    throw usage_error("op has no identity, so that empty segments and first results need options->initial");
  if (op.segments == nullptr)
    throw not_supported("elements of " + std::to_string(op.bytes) + " bytes; those of segments have at most 256");
  bool const from_back = (options.flags & TALLY_REVERSE) != 0;
  auto const elements_of = [](array const& whole, std::int64_t begin, std::int64_t end) {
    array part = whole;
    part.shape = per_axis{end - begin};
    part.data += begin * whole.strides[0] * static_cast<std::ptrdiff_t>(whole.bytes);
    return part;
  };
  if ((options.flags & TALLY_COPY_OTHERS) != 0 && values.data != out.data) {
    auto const* const ends = reinterpret_cast<std::int64_t const*>(offsets.data);
    auto const copy = [&](std::int64_t begin, std::int64_t end) {
      (own ? copy_bytes : convert)(elements_of(values, begin, end), elements_of(out, begin, end));
    };
    copy(0, ends[0]);
    copy(ends[segments[0]], values.shape[0]);
  }
  if (segments[0] == 0) return;

  auto const input = [&](array const& given) {
    if (convert_to.fits(given) && (given.shape.size() == 0 || without_gaps(given))) return given;
    array const copy = convert_to.place(given.shape);
    convert_to.transfer(given, copy);
    return copy;
  };
  auto const output = [&](array const& given) {
    return convert_to.fits(given) && without_gaps(given) ? given : convert_to.place(given.shape);
  };
  array const from = input(values), results = output(out);
  array const before = initial ? input(*initial) : array{}, lasts = last ? output(*last) : array{};
  call.values = from.data;
  call.out = results.data;
  call.offsets = reinterpret_cast<std::int64_t const*>(offsets.data);
  call.segments = static_cast<std::size_t>(segments[0]);
  call.initial = initial ? before.data : exclusive ? op.identity_bytes() : nullptr;
  call.last = last ? lasts.data : nullptr;
  call.nothing = initial && !call.initial_for_each ? before.data : op.nothing_bytes();
  call.reduces = reduces;
  call.exclusive = exclusive;
  call.from_back = from_back;
  call.threads = options.threads;
  op.segments(op, call);

  array const repeated_nothing = repeated(op.nothing_bytes(), op, {1});
  auto const place_of = [&](array const& whole, std::int64_t k) {
    array one = whole;
    one.shape = one.strides = per_axis{1};
    one.data += k * whole.strides[0] * static_cast<std::ptrdiff_t>(whole.bytes);
    return one;
  };
  // The sum of nothing is +0.0, and its identity -0.0; an empty segment's last value is that of nothing.
  if (!initial)
    for (std::int64_t s = 0; s < segments[0]; ++s) {
      std::int64_t const begin = call.offsets[s], end = call.offsets[s + 1];
      if (begin == end && last) copy_bytes(repeated_nothing, place_of(lasts, s));
      if (begin != end && exclusive) copy_bytes(repeated_nothing, place_of(results, from_back ? end - 1 : begin));
    }
  if (results.data != out.data) {
    // Places outside all segments are not written.
    std::int64_t const begin = reduces ? 0 : call.offsets[0], end = reduces ? segments[0] : call.offsets[segments[0]];
    convert_to.transfer(elements_of(results, begin, end), elements_of(out, begin, end));
  }
  if (last && lasts.data != last->data) convert_to.transfer(lasts, *last);
}

}  // namespace tally::c
