#pragma once

#include <type_traits>
#include <utility>

#include "tally/along.hpp"
#include "tally/array_view.hpp"
#include "tally/detail/batch/along_calls.hpp"
#include "tally/detail/batch/arguments.hpp"
#include "tally/detail/batch/segments_calls.hpp"
#include "tally/detail/contract.hpp"
#include "tally/reduce.hpp"
#include "tally/reversed.hpp"
#include "tally/scan.hpp"
#include "tally/segments.hpp"

/// Reductions and scans of many sequences in one call: rows, columns, any axis of an array, segments of any lengths.
///
/// Each sequence has the bits of the call on it alone (docs/order.md begins anew at its first element), wherever it
/// lies, however many sequences share the call, on every backend and for every number of threads.
namespace tally {

/// An initial value for each sequence, in place of one for all: `exclusive_scan(along(1, in), along(1, out),
/// each(starts))`.
///
/// `values` is an array of the shape of the batch without its axis; or a pointer or a contiguous range, which has that
/// shape in row-major order. For segments they lie one after the other. They have the accumulator's type, which is
/// theirs unless the call names one.
template <detail::batch::places_argument A>
auto each(A&& values)
{
  auto const at = detail::batch::places_of(values);
  using element = typename std::remove_const_t<decltype(at.array)>::element_type;
  return detail::batch::initial_values<element>{at};
}

/// An option of scans: the inclusive result of each sequence's last element is written to `out` too, as one would need
/// it to go on. Of an empty sequence it is the initial value, or without one the reduction of nothing.
///
/// `out` is given as the values of `each` are, and has the accumulator's type.
template <detail::batch::places_argument A>
auto last_to(A&& out)
{
  auto const at = detail::batch::places_of(out);
  using element = typename std::remove_const_t<decltype(at.array)>::element_type;
  return detail::batch::last_values<element>{at};
}

/// An option of inclusive scans along an axis: n elements have n + 1 results, the first of which is the initial value,
/// or without one the reduction of nothing. The results after it have the bits that they have without the option.
inline constexpr detail::batch::initial_included include_initial{};

/// Writes the reduction of each sequence to its place in `out`.
///
///     reduce([on,] along(axis, in), out [, init [, op]])           reduce([on,] along(axis, in), out, op)
///     reduce([on,] along({axis, ...}, in), out [, ...])            several axes at once
///     reduce([on,] segments(values, offsets), out [, ...])         segments of any lengths
///
/// `init` is a value, or `each(values)`.
///
/// Requires  as `reduce` of a range. The accumulator's type can be copied, and elements convert to it. `out` has the
///           shape of `in` without the axis or axes; or it is a pointer or a contiguous range, which has that shape in
///           row-major order. For segments it is an iterator or a range. It overlaps nothing else.
/// Result    for each sequence the bits of `reduce` of it alone. Of several axes a sequence has the elements of all
///           combinations of their indices, in the order in which the axes are named, the last one running fastest.
/// Cost      each element is read once. Several axes that do not lie as one are copied first.
/// Memory    as `reduce`; besides, for each thread up to 512 KiB where sequences lie like columns, and a copy of `in` for
///           several axes that do not lie as one.
/// Blocks    until all results are written; on a GPU it returns at once.
/// Throws    usage_error: `out` of another shape, or with a stride of 0; more than 8 axes besides, no two of which lie
///           as one; offsets that decrease or end behind the values, as far as a CPU sees them. Otherwise as `reduce`.
template <class Acc = void, execution P, class In, class Out, class... InitOp>
void reduce(P const& on, detail::batch::sequences<In> const& in, Out&& out, InitOp... init_op)
{
  static_assert(detail::batch::places_argument<Out>,
                "tally: reduce(along(axis, in), out): out is an array, a contiguous range or a pointer");
  detail::batch::combined_sequences<In> const all{in.array, {in.axis}};
  detail::batch::reduce_along<false, Acc>(on, all, detail::batch::places_of(out), std::move(init_op)...);
}

template <class Acc = void, execution P, class In, class Out, class... InitOp>
void reduce(P const& on, detail::batch::combined_sequences<In> const& in, Out&& out, InitOp... init_op)
{
  static_assert(detail::batch::places_argument<Out>,
                "tally: reduce(along({axis, ...}, in), out): out is an array, a contiguous range or a pointer");
  detail::batch::reduce_along<true, Acc>(on, in, detail::batch::places_of(out), std::move(init_op)...);
}

template <class Acc = void, execution P, class Values, class Offsets, class From, class Out, class... InitOp>
void reduce(P const& on, detail::batch::segments_between<Values, Offsets, From> const& in, Out&& out, InitOp... init_op)
{
  detail::batch::reduce_segments<Acc>(on, in, out, std::move(init_op)...);
}

/// Writes the running results of each sequence.
///
///     inclusive_scan([on,] along(axis, in), along(axis, out) [, op [, init]] [, last_to(lasts) or include_initial])
///     inclusive_scan([on,] segments(values, offsets), out [, op [, init]] [, last_to(lasts)])
///
/// `init` is a value, or `each(values)`.
///
/// Requires  as `inclusive_scan` of a range. The accumulator's type can be copied, and elements convert to it. `out`
///           has the shape of `in`, and one more place along its axis with `include_initial`. The two axes may be
///           different ones; the other axes correspond in their order. `out` may be `in` (in place: every result has
///           the place of its element); otherwise nothing overlaps. Results of segments have the places of their
///           elements in `out`, an iterator or a range; places outside all segments are not written.
/// Result    for each sequence the bits of the scan of it alone.
/// Cost      each element is read once and written once.
/// Memory    as `inclusive_scan`; besides, for each thread up to 512 KiB where sequences lie like columns.
/// Blocks    until all results are written; on a GPU it returns at once.
/// Throws    usage_error: another shape; an output with a stride of 0; more than 8 axes besides, no two of which lie as
///           one; offsets that decrease or end behind the values, as far as a CPU sees them. Otherwise as
///           `inclusive_scan`.
template <class Acc = void, execution P, class In, class Out, class... Rest>
void inclusive_scan(P const& on, detail::batch::sequences<In> const& in, detail::batch::sequences<Out> const& out,
                    Rest... rest)
{
  detail::batch::scan_along<detail::direction::inclusive, Acc>("tally::inclusive_scan", on, in, out,
                                                               std::move(rest)...);
}

template <class Acc = void, execution P, class Values, class Offsets, class From, class Out, class... Rest>
void inclusive_scan(P const& on, detail::batch::segments_between<Values, Offsets, From> const& in, Out&& out,
                    Rest... rest)
{
  detail::batch::scan_segments<detail::direction::inclusive, Acc>("tally::inclusive_scan", on, in, out,
                                                                  std::move(rest)...);
}

/// The same with the results one place later: the first one is the initial value.
///
///     exclusive_scan([on,] along(axis, in), along(axis, out), init [, op] [, last_to(lasts)])
///     exclusive_scan([on,] segments(values, offsets), out, init [, op] [, last_to(lasts)])
template <class Acc = void, execution P, class In, class Out, class... Rest>
void exclusive_scan(P const& on, detail::batch::sequences<In> const& in, detail::batch::sequences<Out> const& out,
                    Rest... rest)
{
  detail::batch::scan_along<detail::direction::exclusive, Acc>("tally::exclusive_scan", on, in, out,
                                                               std::move(rest)...);
}

template <class Acc = void, execution P, class Values, class Offsets, class From, class Out, class... Rest>
void exclusive_scan(P const& on, detail::batch::segments_between<Values, Offsets, From> const& in, Out&& out,
                    Rest... rest)
{
  detail::batch::scan_segments<detail::direction::exclusive, Acc>("tally::exclusive_scan", on, in, out,
                                                                  std::move(rest)...);
}

/// The calls on a batch that name no execution.
#define TALLY_BATCH_WITHOUT_EXECUTION(name, forms)                                                                     \
  template <class Acc = void, class First, class... Rest>                                                              \
    requires detail::is_batch<std::remove_cvref_t<First>>                                                              \
  void name(First&& first, Rest&&... rest)                                                                             \
  {                                                                                                                    \
    static_assert(                                                                                                     \
        requires { tally::name<Acc>(detail::automatic{}, first, std::forward<Rest>(rest)...); },                       \
        "tally: " #name " of a batch takes " forms);                                                                   \
    tally::name<Acc>(detail::automatic{}, first, std::forward<Rest>(rest)...);                                         \
  }                                                                                                                    \
  static_assert(true)

TALLY_BATCH_WITHOUT_EXECUTION(reduce, "([on,] along(axis, in), out [, init [, op]]) or ([on,] segments(values, "
                                      "offsets), out [, init [, op]])");
TALLY_BATCH_WITHOUT_EXECUTION(inclusive_scan,
                              "([on,] along(axis, in), along(axis, out) [, op [, init]] [, options]) or ([on,] "
                              "segments(values, offsets), out [, op [, init]] [, options]); a scan is along one axis");
TALLY_BATCH_WITHOUT_EXECUTION(exclusive_scan,
                              "([on,] along(axis, in), along(axis, out), init [, op] [, options]) or ([on,] "
                              "segments(values, offsets), out, init [, op] [, options]); a scan is along one axis");
#undef TALLY_BATCH_WITHOUT_EXECUTION

}  // namespace tally
