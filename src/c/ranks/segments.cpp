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
  std::size_t entering = 0;        ///< elements of the part that belong to a segment of an earlier rank
  bool begins_with_first = false;  ///< whether it begins with the first of these
  array values, out, last;
  array elements, results, initial, lasts;  ///< in the type in which ranks combine
  segments_on_ranks call;

  prepared() = default;
  prepared(prepared const&) = delete;
  prepared& operator=(prepared const&) = delete;

  void prepare(call_kind kind, tally_array const* values_given, tally_array const* offsets_given,
               tally_array const* out_given, tally_operation const* op_given, tally_options const* options_given);
  ranks_backend::call_name name(char const* function, tally_operation const* op_given) const;
  void look_at(std::span<ranks_backend::pieces_of_part const> pieces, std::size_t rank);
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
  if ((options.flags & TALLY_REVERSE) != 0)
    throw not_supported("TALLY_REVERSE on ranks: it needs ranks in the other order, each with its part turned round");
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

  bool const own = !is_built_in(op_given), exclusive = (options.flags & TALLY_EXCLUSIVE) != 0;
  type = own ? out.type : accumulator_of(options, out.type, op_given);
  found = own ? of_caller(*op_given, values.bytes) : built_in(op_given, type);
  converter const check(found, type);
  check.check(values, "values", false);
  check.check(out, "out", true);
  op = on_ranks(op_given, type, found);
  if (op.segments == nullptr) throw not_supported("TALLY_EXACT_PLUS of segments, on ranks");
  converter const convert_to(op.op, op.type);
  has_initial = options.initial != nullptr;
  if (has_initial) {
    array const given = checked(options.initial, "options->initial");
    initial_for_each = given.shape.size() != 0;
    if (initial_for_each) check_same_shape(given, own_segments, "options->initial");
    check.check(given, "options->initial", false);
    initial = convert_to.input(given);
    if (initial_for_each) initial = packed(initial);
  } else if (!found.has_identity && (exclusive || reduces || options.last != nullptr)) {
    throw usage_error("op has no identity, so that empty segments and first results need options->initial");
  } else if (exclusive) {
    initial = convert_to.input(one_value(found.identity_bytes(), found, type));
  }
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
  call.exclusive = exclusive;
  if (segments == 0) return;
  auto const of_last_segment = (segments - 1) * op.op.bytes;
  call.initial = initial.data == nullptr ? nullptr : initial.data + (initial_for_each ? of_last_segment : 0);
  if (reduces) call.last = results.data + of_last_segment;
  if (lasts.data != nullptr) call.last = lasts.data + of_last_segment;
}

ranks_backend::call_name prepared::name(char const* function, tally_operation const* op_given) const
{
  return ranks_backend::call_name(function, " of ", std::string_view(described(found, op_given, type)),
                                  call.exclusive ? ", exclusive" : "", has_initial ? ", with an initial value" : "");
}

void prepared::look_at(std::span<ranks_backend::pieces_of_part const> pieces, std::size_t rank)
{
  entering = static_cast<std::size_t>(pieces[rank].entering);
  // A segment that an earlier rank gives at the end of its part has its first element here, or on a rank between.
  begins_with_first = entering > 0;
  for (std::size_t r = rank; begins_with_first && r-- > 0;) {
    if (pieces[r].behind > 0) return;
    begins_with_first = pieces[r].elements == 0;
  }
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
  if (call.exclusive && begins_with_first) put_nothing(found, type, part_of(out, 0, 1));
  array const& of_segments = reduces ? out : last;
  for (std::int64_t s = 0; s < count; ++s) {
    std::int64_t const begin = offsets[static_cast<std::size_t>(s)], end = offsets[static_cast<std::size_t>(s) + 1];
    if (begin == end && of_segments.data != nullptr) put_nothing(found, type, part_of(of_segments, s, s + 1));
    if (begin != end && begin < size && call.exclusive) put_nothing(found, type, part_of(out, begin, begin + 1));
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
          p.look_at(pieces, static_cast<std::size_t>(by.rank()));
          cross(pieces);
        },
        [&](std::uint64_t begin_of_part, std::size_t count) { p.run_own(begin_of_part, count); });
  });
  p.deliver();
}

}  // namespace tally::c
