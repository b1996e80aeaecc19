#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/c/arguments.hpp"
#include "src/c/failure.hpp"
#include "src/c/options.hpp"
#include "src/c/ranks/arguments.hpp"
#include "src/c/ranks/calls.hpp"
#include "src/c/ranks/operators.hpp"
#include "tally/detail/ranks/segments_between.hpp"

namespace tally::c {

namespace {

/// A call whose arguments are checked. It holds addresses within itself.
struct prepared {
  tally_options options{};
  tally_type type{};
  operation found;
  ranks_operation op;
  bool reduces = false, has_initial = false, initial_for_each = false;
  std::vector<std::int64_t> offsets;  ///< places in the whole, and later in this part
  std::size_t segments = 0;
  std::size_t entering = 0;      ///< elements of the part that belong to a segment of an earlier rank
  bool has_first_of_it = false;  ///< whether the element with which that one begins is among them
  array values, out, last;
  array elements, results, initial, lasts;  ///< in the type in which ranks combine
  segments_on_ranks call;

  prepared() = default;
  prepared(prepared const&) = delete;
  prepared& operator=(prepared const&) = delete;

  void prepare(call_kind kind, tally_array const* values_given, tally_array const* offsets_given,
               tally_array const* out_given, tally_operation const* op_given, tally_options const* options_given);
  ranks_backend::call_name name(char const* function, tally_operation const* op_given) const;
  void look_at(std::span<ranks_backend::pieces_of_part const> pieces, int rank);
  void run_own(std::uint64_t begin_of_part, std::size_t count);
  void deliver() const;
};

array part_of(array const& whole, std::int64_t begin, std::int64_t end)
{
  array part = whole;
  part.shape = per_axis{end - begin};
  part.data += begin * whole.strides[0] * static_cast<std::ptrdiff_t>(whole.bytes);
  return part;
}

void prepared::prepare(call_kind kind, tally_array const* values_given, tally_array const* offsets_given,
                       tally_array const* out_given, tally_operation const* op_given,
                       tally_options const* options_given)
{
  reduces = kind == call_kind::reduce;
  options = options_of(options_given, reduces ? TALLY_REVERSE : TALLY_REVERSE | TALLY_EXCLUSIVE);
  if (reduces && options.last != nullptr)
    throw usage_error("options->last is for scans: the last value of a reduction is its result");
  values = checked(values_given, "values", devices::cpu_or_gpu);
  refuse_gpu(values);
  check_one_axis(values, "values");
  array const places = checked(offsets_given, "offsets");
  check_one_axis(places, "offsets");
  if (places.type.code != TALLY_INT && places.type.code != TALLY_UINT)
    throw usage_error("offsets has elements of type " + shown(places.type) + "; they are integers");
  offsets.resize(static_cast<std::size_t>(places.shape[0]));
  array as_numbers = places;
  as_numbers.type = TALLY_INT64;
  as_numbers.bytes = 8;
  as_numbers.data = reinterpret_cast<std::byte*>(offsets.data());
  as_numbers.strides = per_axis{1};
  convert(places, as_numbers);
  segments = offsets.empty() ? 0 : offsets.size() - 1;
  per_axis const own_segments{static_cast<std::ptrdiff_t>(segments)};
  out = checked(out_given, "out");
  check_same_shape(out, reduces ? own_segments : values.shape, "out");

  bool const own = !is_built_in(op_given);
  type = own ? out.type : accumulator_of(options, out.type, op_given);
  found = own ? of_caller(*op_given, values.bytes) : built_in(op_given, type);
  converter const check(found, type);
  check.check(values, "values", false);
  check.check(out, "out", true);
  op = on_ranks(op_given, type, found);
  converter const convert_to(op.op, op.type);
  has_initial = options.initial != nullptr;
  if (!has_initial && !found.has_identity && (reduces || options.last != nullptr))
    throw usage_error("op has no identity, so that empty segments need an initial value (options->initial)");
  initial = initial_of_segments(options, values, own_segments, found, type, convert_to);
  initial_for_each = initial.shape.size() != 0;
  if (options.last != nullptr) {
    last = checked(options.last, "options->last");
    check_same_shape(last, own_segments, "options->last");
    check.check(last, "options->last", true);
    lasts = convert_to.fits(last) && without_gaps(last) ? last : convert_to.place(last.shape);
  }
  elements = packed(convert_to.input(values));
  results = convert_to.fits(out) && without_gaps(out) ? out : convert_to.place(out.shape);
  call.values = elements.data;
  call.size = static_cast<std::size_t>(values.shape[0]);
  call.out = results.data;
  call.has_initial = initial.data != nullptr;
  call.reduces = reduces;
  call.exclusive = (options.flags & TALLY_EXCLUSIVE) != 0;
  call.from_back = (options.flags & TALLY_REVERSE) != 0;
  if (segments == 0) return;
  auto const of_last_segment = (segments - 1) * op.op.bytes;
  call.initial = initial.data == nullptr ? nullptr : initial.data + (initial_for_each ? of_last_segment : 0);
  if (reduces) call.last = results.data + of_last_segment;
  if (lasts.data != nullptr) call.last = lasts.data + of_last_segment;
}

ranks_backend::call_name prepared::name(char const* function, tally_operation const* op_given) const
{
  return ranks_backend::call_name(function, " of ", std::string_view(described(found, op_given, type)),
                                  call.exclusive ? ", exclusive" : "", call.from_back ? ", from the back" : "",
                                  has_initial ? ", with an initial value" : "");
}

void prepared::look_at(std::span<ranks_backend::pieces_of_part const> pieces, int rank)
{
  auto const part = [&](int r) { return pieces[static_cast<std::size_t>(r)]; };
  entering = static_cast<std::size_t>(part(rank).entering);
  ranks_backend::for_each_crossing(pieces, [&](int, int begins, int ends) {
    if (rank <= begins || ends < rank || entering == 0) return;
    // A segment at the end of its rank's part has its first element here, or on a rank between.
    int before = rank - 1;
    while (begins < before && part(before).elements == 0) --before;
    has_first_of_it = call.from_back ? rank == ends : before == begins && part(begins).leaving == 0;
  });
}

/// Does the first `count` segments, all of which lie in the part.
void prepared::run_own(std::uint64_t begin_of_part, std::size_t count)
{
  for (std::int64_t& each : offsets) each -= static_cast<std::int64_t>(begin_of_part);
  if (count == 0) return;
  segments_call inner;
  inner.values = elements.data;
  inner.out = results.data;
  inner.offsets = offsets.data();
  inner.segments = count;
  inner.initial = initial.data;
  inner.initial_for_each = initial_for_each;
  inner.last = lasts.data;
  inner.nothing = has_initial && !initial_for_each ? initial.data : op.op.nothing_bytes();
  inner.reduces = reduces;
  inner.exclusive = call.exclusive;
  inner.from_back = call.from_back;
  inner.threads = options.threads;
  op.op.segments(op.op, inner);
}

/// Brings results to where they belong. Places outside of all segments are not written.
void prepared::deliver() const
{
  converter const convert_to(op.op, op.type);
  auto const size = static_cast<std::int64_t>(call.size), count = static_cast<std::int64_t>(segments);
  auto const transfer = [&](std::int64_t begin, std::int64_t end) {
    if (results.data != out.data)
      convert_to.transfer(part_of(results, begin, end), as_stored(part_of(out, begin, end), op.type));
  };
  if (reduces) {
    transfer(0, count);
  } else {
    transfer(0, static_cast<std::int64_t>(entering));
    if (segments > 0) transfer(offsets[0], std::min(size, offsets[segments]));
    if (lasts.data != last.data) convert_to.transfer(lasts, as_stored(last, op.type));
  }
  if (has_initial) return;
  // The value of nothing is that of the caller's type: the least int8 is no int64 in which ranks combine. The sum of
  // nothing is +0.0, and its identity -0.0.
  auto const put_first = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t const place = call.from_back ? end - 1 : begin;
    put_nothing(found, type, part_of(out, place, place + 1));
  };
  if (call.exclusive && has_first_of_it) put_first(0, static_cast<std::int64_t>(entering));
  array const& of_segments = reduces ? out : last;
  for (std::int64_t s = 0; s < count; ++s) {
    std::int64_t const begin = offsets[static_cast<std::size_t>(s)], end = offsets[static_cast<std::size_t>(s) + 1];
    if (begin == end && of_segments.data != nullptr) put_nothing(found, type, part_of(of_segments, s, s + 1));
    bool const has_first = begin != end && (call.from_back ? end <= size : begin < size);
    if (call.exclusive && has_first) put_first(begin, end);
  }
}

}  // namespace

void run_segments_on_ranks(call_kind kind, char const* function, ranks const& on, tally_array const* values,
                           tally_array const* offsets, tally_array const* out, tally_operation const* op,
                           tally_options const* options)
{
  ranks_backend::call_name name(function);
  session by(on.ranks(), name);
  prepared p;
  by.attempt([&] {
    p.prepare(kind, values, offsets, out, op, options);
    name = p.name(function, op);
  });
  by.meet({});
  on.ranks().on = threads_of(p.found, p.options.threads);
  ranks_backend::offsets_of_rank<std::int64_t const*> const given{p.offsets.data(), p.segments, p.call.size};
  p.op.segments(by, p.op.op, p.call, [&](auto const& reserve, auto const& cross) {
    ranks_backend::with_segments_between(
        by, given, [] {}, reserve,
        [&](std::span<ranks_backend::pieces_of_part const> pieces) {
          p.look_at(pieces, by.rank());
          cross(pieces);
        },
        [&](std::uint64_t begin_of_part, std::size_t count) { p.run_own(begin_of_part, count); });
  });
  p.deliver();
}

}  // namespace tally::c
