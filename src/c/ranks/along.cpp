#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "src/c/along.hpp"
#include "src/c/arguments.hpp"
#include "src/c/failure.hpp"
#include "src/c/ranks/arguments.hpp"
#include "src/c/ranks/calls.hpp"
#include "src/c/ranks/operators.hpp"
#include "tally/detail/ranks/batches.hpp"

namespace tally::c {

namespace {

/// The place of a reduction on a rank that wants none.
alignas(16) std::byte nowhere[16];

/// A checked call, with arrays in the type in which ranks combine. It holds addresses within itself.
struct prepared {
  along_arguments given;
  ranks_operation op;
  bool wanted = true;
  std::size_t sequences = 1;
  array in, out, initial, last;
  bool has_initial = false;  ///< the caller's
  sequences_call call;

  prepared() = default;
  prepared(prepared const&) = delete;
  prepared& operator=(prepared const&) = delete;

  void prepare(call_kind kind, tally_array const* in_given, std::int32_t axis, tally_array const* out_given,
               tally_operation const* op_given, tally_options const* options);
  ranks_backend::call_name name(char const* function, tally_operation const* op_given) const;
  void deliver(bool of_first_rank);
  void deliver_nothing();

private:
  array rows(converter const& convert, per_axis const& shape) const;
};

/// Memory in which sequences lie without gaps.
array prepared::rows(converter const& convert, per_axis const& shape) const
{
  per_axis turned;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (d != given.axis) turned.append(shape[d]);
  turned.append(shape[given.axis]);
  array result = convert.place(turned);
  per_axis const strides = result.strides;
  result.shape = shape;
  result.strides = {};
  for (std::size_t d = 0, other = 0; d < shape.size(); ++d)
    result.strides.append(d == given.axis ? strides[shape.size() - 1] : strides[other++]);
  return result;
}

void prepared::prepare(call_kind kind, tally_array const* in_given, std::int32_t axis, tally_array const* out_given,
                       tally_operation const* op_given, tally_options const* options)
{
  bool const reduces = kind == call_kind::reduce;
  tally_array somewhere{};
  if (reduces && out_given != nullptr && out_given->data == nullptr) {
    somewhere = *out_given;
    somewhere.data = nowhere;
    out_given = &somewhere;
    wanted = false;
  }
  given = checked_along(kind, in_given, axis, out_given, op_given, options);
  refuse_gpu(given.in);
  if ((given.options.flags & TALLY_REVERSE) != 0)
    throw not_supported("TALLY_REVERSE on ranks: it needs ranks in the other order, each with its part turned round");
  if (given.includes_initial)
    throw not_supported("TALLY_INCLUDE_INITIAL on ranks: the initial value has its place on one rank only");
  for (std::size_t d = 0; d < given.across.size(); ++d) sequences *= static_cast<std::size_t>(given.across[d]);
  op = on_ranks(op_given, given.type, given.op);
  converter const convert(op.op, op.type);
  bool const one = given.in.shape[given.axis] <= 1;
  auto const in_rows = [&](array const& whole) {
    return convert.fits(whole) && (one || whole.strides[given.axis] == 1);
  };
  in = given.in;
  if (!in_rows(in)) {
    in = rows(convert, given.in.shape);
    convert.transfer(given.in, in);
  }
  out = reduces ? results_of(convert, given.out) : in_rows(given.out) ? given.out : rows(convert, given.out.shape);
  if (given.last) last = results_of(convert, *given.last);
  has_initial = given.initial.has_value();
  if (has_initial) {
    initial = convert.input(*given.initial);
  } else if (given.exclusive) {
    if (!given.op.has_identity)
      throw usage_error("op has no identity, so that the first result needs an initial value (options->initial)");
    initial = convert.input(one_value(given.op.identity_bytes(), given.op, given.type));
  }
  call.reduces = reduces;
  call.exclusive = given.exclusive;
  call.threads = given.options.threads;
  call.in = in.data;
  call.out = wanted ? out.data : nullptr;
  call.initial = initial.data;
  call.initial_for_each = given.initial_for_each;
  call.last = last.data;
  per_axis const none;
  call.where = ranks_backend::numbered_layout(
      "tally_ranks",
      {static_cast<std::size_t>(in.shape[given.axis]), {in.strides[given.axis], reduces ? 1 : out.strides[given.axis]}},
      given.across,
      {in.without(given.axis).strides, reduces ? out.strides : out.without(given.axis).strides,
       given.initial_for_each ? initial.strides : none, given.last ? last.strides : none, none});
}

ranks_backend::call_name prepared::name(char const* function, tally_operation const* op_given) const
{
  return ranks_backend::call_name(function, " of ", sequences, " sequences of ",
                                  std::string_view(described(given.op, op_given, given.type)),
                                  given.exclusive ? ", exclusive" : "", has_initial ? ", with an initial value" : "");
}

/// Brings results to where they belong.
void prepared::deliver(bool of_first_rank)
{
  converter const convert(op.op, op.type);
  if (wanted && out.data != given.out.data) convert.transfer(out, as_stored(given.out, op.type));
  if (given.last && last.data != given.last->data) convert.transfer(last, as_stored(*given.last, op.type));
  // The sum of nothing is +0.0, and its identity -0.0.
  if (of_first_rank && given.exclusive && !has_initial && given.in.shape[given.axis] > 0)
    put_nothing(given.op, given.type, given.out.without(given.axis));
}

/// The results of sequences that have no elements on any rank, nor an initial value.
void prepared::deliver_nothing()
{
  if (!call.reduces && !given.last) return;
  if (!given.op.has_identity)
    throw usage_error(call.reduces
                          ? "an empty sequence has no reduction without options->initial, nor an identity of op"
                          : "an empty sequence has no last value without options->initial, nor an identity of op");
  if (wanted) put_nothing(given.op, given.type, call.reduces ? given.out : *given.last);
}

}  // namespace

void run_along_on_ranks(call_kind kind, char const* function, ranks const& on, tally_array const* in, std::int32_t axis,
                        tally_array const* out, tally_operation const* op, tally_options const* options)
{
  ranks_backend::call_name name(function);
  session by(on.ranks(), name);
  prepared p;
  by.attempt([&] {
    p.prepare(kind, in, axis, out, op, options);
    name = p.name(function, op);
  });
  std::uint64_t const size = by.failed() ? 0 : p.call.where.along.extent;
  std::uint64_t before = 0, all = 0;
  for (std::size_t r = 0; auto const& each : by.meet({.elements = size})) {
    if (r++ < static_cast<std::size_t>(by.rank())) before += each.elements;
    all += each.elements;
  }
  if (p.sequences == 0) return;
  if (all == 0 && !p.has_initial) return p.deliver_nothing();
  on.ranks().on = threads_of(p.given.op, p.call.threads);
  p.op.along(by, p.op.op, p.call, p.sequences);
  p.deliver(before == 0);
}

}  // namespace tally::c
