#include "src/c/cuda/logarithms.hpp"

#include <cstddef>
#include <cstdint>

#include "src/c/cuda/execution.hpp"
#include "src/c/ends.hpp"
#include "src/c/failure.hpp"
#include "src/c/logarithm.hpp"
#include "tally/cuda.hpp"
#include "tally/segments.hpp"

namespace tally::c {

namespace {

/// Copies values and converts them.
template <class From, class To>
struct copy_values {
  From const* from;
  To* to;

  TALLY_HD void operator()(std::size_t k) const { to[k] = static_cast<To>(from[k]); }
};

/// The offsets of rows of one length.
struct offsets_of_rows {
  std::int64_t* offsets;
  std::int64_t length;

  TALLY_HD void operator()(std::size_t k) const { offsets[k] = static_cast<std::int64_t>(k) * length; }
};

/// Sums of segments. Initial and last values are kept as sums of exponentials meanwhile.
template <class T>
void run(cuda const& on, segments_call const& call)
{
  using sum = logarithm<T>;
  bool const has_lasts = !call.reduces && call.last != nullptr;
  temporary<sum, cuda> const initials(on, call.initial_for_each ? call.segments : 0),
      lasts(on, has_lasts ? call.segments : 0);
  detail::batch::ends<sum> ends;
  auto const* const initial = reinterpret_cast<T const*>(call.initial);
  if (call.initial_for_each) {
    tally::for_each_index(on, call.segments, copy_values<T, sum>{initial, initials.data()});
    ends.initials = initials.data();
  } else if (initial != nullptr) {
    ends.initial = sum(*initial);
  }
  ends.lasts = lasts.data();
  auto const* const values = reinterpret_cast<T const*>(call.values);
  auto* const out = reinterpret_cast<T*>(call.out);
  detail::element_count const segments{call.segments};
  detail::batch::from_front const from{};
  add_exponentials op;
  if (call.reduces)
    backend_reduce_segments<sum>(on, values, call.offsets, segments, out,
                                 sum(*reinterpret_cast<T const*>(call.nothing)), ends, op, from, call.elements);
  else
    backend_scan_segments<sum>(on, values, call.offsets, segments, out, ends, op, shift_of(call), from, call.elements);
  if (has_lasts)
    tally::for_each_index(on, call.segments, copy_values<sum, T>{lasts.data(), reinterpret_cast<T*>(call.last)});
}

/// Whether sequences are rows without gaps, and so are what is read and written of each.
bool are_rows(sequences_call const& call)
{
  detail::batch::layout const& where = call.where;
  auto const length = static_cast<std::ptrdiff_t>(where.along.extent);
  if (length != 1 && (where.along.step.in != 1 || (!call.reduces && where.along.step.out != 1))) return false;
  if (where.dimensions == 0) return true;
  detail::batch::distances const& step = where.across[0].step;
  return where.dimensions == 1 && step.in == length && step.out == (call.reduces ? 1 : length) &&
         (!call.initial_for_each || step.initial == 1) && (call.reduces || call.last == nullptr || step.last == 1);
}

}  // namespace

void add_logarithms(cuda const& on, tally_type type, segments_call const& call)
{
  (type.bits == 32 ? run<float> : run<double>)(on, call);
}

void add_logarithms(tally_type type, sequences_call const& call)
{
  if (!are_rows(call))
    throw not_supported("sums of exponentials on a GPU take rows without gaps, and write such results");
  with_execution(call.gpu, [&](cuda const& on) {
    segments_call rows;
    rows.segments = call.where.sequences();
    temporary<std::int64_t, cuda> const offsets(on, rows.segments + 1);
    auto const length = static_cast<std::int64_t>(call.where.along.extent);
    tally::for_each_index(on, offsets.size(), offsets_of_rows{offsets.data(), length});
    double const nothing = 0;  // no row is empty
    rows.values = call.in;
    rows.out = call.out;
    rows.offsets = offsets.data();
    rows.initial = call.initial;
    rows.initial_for_each = call.initial_for_each;
    rows.last = call.last;
    rows.nothing = reinterpret_cast<std::byte const*>(&nothing);
    rows.reduces = call.reduces;
    rows.exclusive = call.exclusive;
    rows.elements = rows.segments * call.where.along.extent;
    add_logarithms(on, type, rows);
  });
}

}  // namespace tally::c
