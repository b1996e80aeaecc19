#include "src/c/runs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "src/c/arguments.hpp"
#include "src/c/by_type.hpp"
#include "src/c/options.hpp"
#include "src/c/ranks/arguments.hpp"
#include "src/c/ranks/calls.hpp"
#include "src/c/ranks/heads.hpp"
#include "src/c/ranks/operators.hpp"
#include "tally/detail/ranks/segments.hpp"

namespace tally::c {

namespace {

run_heads::equality equality_of(tally_type keys)
{
  run_heads::equality result = nullptr;
  with_compared_type<compared_by::equality>(keys, "keys", [&]<class K>(K) {
    result = [](void const* a, void const* b) {
      K x, y;
      std::memcpy(&x, a, sizeof(K));
      std::memcpy(&y, b, sizeof(K));
      return x == y;
    };
  });
  return result;
}

/// A call whose arguments are checked. It holds addresses within itself.
struct prepared {
  tally_options options{};
  array keys, values, out, keys_out, initial;
  run_heads heads;
  tally_type type{};
  operation found;
  ranks_operation op;
  array results;
  segments_on_ranks call;
  alignas(16) std::byte of_last[256]{};  ///< the reduction of the run that begins here and goes on
  std::size_t first_run = 0;             ///< of those that begin in the part and that the rank does or begins
  std::size_t count = 0;                 ///< and their number

  prepared() = default;
  prepared(prepared const&) = delete;
  prepared& operator=(prepared const&) = delete;

  void prepare(bool reduces, tally_array const* keys_given, tally_array const* values_given,
               tally_array const* keys_out_given, tally_array const* out_given, tally_operation const* op_given,
               tally_options const* options_given);
  ranks_backend::call_name name(char const* function, tally_operation const* op_given) const;
  void run_own(std::size_t begin, std::size_t end, bool writes_keys);
};

void prepared::prepare(bool reduces, tally_array const* keys_given, tally_array const* values_given,
                       tally_array const* keys_out_given, tally_array const* out_given, tally_operation const* op_given,
                       tally_options const* options_given)
{
  options = options_of(options_given, reduces ? 0 : TALLY_EXCLUSIVE);
  if (options.last != nullptr)
    throw usage_error("options->last is for scans of segments; the last values of runs are reductions by key");
  keys = checked_keys(keys_given, "keys");
  refuse_gpu(keys);
  array const elements = checked(values_given, "values");
  check_one_axis(elements, "values");
  check_same_shape(elements, keys.shape, "values");
  out = checked(out_given, "out");
  check_one_axis(out, "out");
  if (!reduces) check_same_shape(out, keys.shape, "out");
  if (keys_out_given != nullptr) {
    keys_out = checked(keys_out_given, "keys_out");
    check_one_axis(keys_out, "keys_out");
    check_type(keys_out, keys.type, "keys_out");
  }
  bool const own = !is_built_in(op_given);
  type = own ? out.type : accumulator_of(options, out.type, op_given);
  found = own ? of_caller(*op_given, elements.bytes) : built_in(op_given, type);
  converter const check(found, type);
  check.check(elements, "values", false);
  check.check(out, "out", true);
  op = on_ranks(op_given, type, found);
  converter const convert(op.op, op.type);
  initial = initial_of_segments(options, elements, {}, found, type, convert);
  heads.keys = packed(keys);
  heads.ends = ends_of_runs(heads.keys, "keys", options.threads);
  heads.equal = equality_of(keys.type);
  heads.size = static_cast<std::size_t>(keys.shape[0]);
  values = packed(convert.input(elements));
  // A scan may be in place. The number of reductions is not known yet.
  bool const direct = !reduces && convert.fits(out) && without_gaps(out);
  results =
      direct ? out : convert.place(reduces ? per_axis{static_cast<std::ptrdiff_t>(heads.ends.size())} : out.shape);
  call.values = values.data;
  call.out = results.data;
  call.size = heads.size;
  call.has_initial = initial.data != nullptr;
  call.initial = initial.data;
  call.reduces = reduces;
  call.exclusive = (options.flags & TALLY_EXCLUSIVE) != 0;
  if (reduces) call.last = of_last;
}

/// Does the runs that lie in the places [begin, end) of the part, and puts the reduction of one that goes on behind.
void prepared::run_own(std::size_t begin, std::size_t end, bool writes_keys)
{
  auto const run_at = [&](std::size_t place) {
    auto const first = heads.ends.begin();
    return static_cast<std::size_t>(std::lower_bound(first, heads.ends.end(), static_cast<std::int64_t>(place)) -
                                    first);
  };
  first_run = run_at(begin);
  segments_call inner;
  inner.segments = run_at(end) - first_run;
  count = inner.segments + (call.has_last ? 1 : 0);
  if (call.reduces) {
    check_room(out, static_cast<std::int64_t>(count), "out", " runs");
    if (writes_keys) check_room(keys_out, static_cast<std::int64_t>(count), "keys_out", " runs");
  }
  inner.values = call.values;
  inner.out = call.out;
  inner.offsets = heads.ends.data() + first_run;
  inner.initial = call.initial;
  inner.nothing = op.op.nothing_bytes();
  inner.reduces = call.reduces;
  inner.exclusive = call.exclusive;
  inner.threads = options.threads;
  if (inner.segments > 0) op.op.segments(op.op, inner);
  if (call.has_last) std::memcpy(call.out + inner.segments * op.op.bytes, of_last, op.op.bytes);
}

ranks_backend::call_name prepared::name(char const* function, tally_operation const* op_given) const
{
  return ranks_backend::call_name(function, " of ", std::string_view(described(found, op_given, type)), ", keys of ",
                                  std::string_view(shown(keys.type)), call.exclusive ? ", exclusive" : "",
                                  options.initial != nullptr ? ", with an initial value" : "");
}

/// Prepares a call, agrees on it, and runs it.
void run(prepared& p, bool reduces, char const* function, ranks const& on, tally_array const* keys,
         tally_array const* values, tally_array const* keys_out, tally_array const* out, std::int64_t* runs,
         tally_operation const* op, tally_options const* options)
{
  ranks_backend::call_name name(function);
  session by(on.ranks(), name);
  by.attempt([&] {
    if (reduces && runs == nullptr) throw usage_error("runs is a null pointer; it takes the number");
    p.prepare(reduces, keys, values, keys_out, out, op, options);
    name = p.name(function, op);
  });
  by.meet({});
  on.ranks().on = threads_of(p.found, p.options.threads);
  p.op.segments(by, p.op.op, p.call, [&](auto const& reserve, auto const& cross) {
    std::vector<ranks_backend::pieces_of_part> pieces;
    ranks_backend::share_pieces(by, p.heads, pieces, reserve);
    auto const own = ranks_backend::segments_of(pieces, by.rank());
    cross(pieces);
    by.attempt([&] { p.run_own(own.begin, own.end, keys_out != nullptr); });
    by.finish();
  });
}

}  // namespace

void reduce_by_key_on_ranks(char const* function, ranks const& on, tally_array const* keys, tally_array const* values,
                            tally_array const* keys_out, tally_array const* out, std::int64_t* runs,
                            tally_operation const* op, tally_options const* options)
{
  prepared p;
  run(p, true, function, on, keys, values, keys_out, out, runs, op, options);
  auto const count = static_cast<std::int64_t>(p.count);
  converter(p.op.op, p.op.type).transfer(front(p.results, count), as_stored(front(p.out, count), p.op.type));
  if (keys_out != nullptr) write_keys(p.keys, std::span(p.heads.ends).subspan(p.first_run, p.count), p.keys_out);
  *runs = count;
}

void scan_by_key_on_ranks(char const* function, ranks const& on, tally_array const* keys, tally_array const* values,
                          tally_array const* out, tally_operation const* op, tally_options const* options)
{
  prepared p;
  run(p, false, function, on, keys, values, nullptr, out, nullptr, op, options);
  if (p.results.data != p.out.data) converter(p.op.op, p.op.type).transfer(p.results, as_stored(p.out, p.op.type));
  if (!p.call.exclusive || p.options.initial != nullptr) return;
  // The sum of nothing is +0.0, and its identity -0.0.
  for (std::size_t r = p.heads.begins_a_run ? 0 : 1; r + 1 < p.heads.ends.size(); ++r) {
    array place = front(p.out, 1);
    place.data += p.heads.ends[r] * p.out.strides[0] * static_cast<std::ptrdiff_t>(p.out.bytes);
    put_nothing(p.found, p.type, place);
  }
}

}  // namespace tally::c
