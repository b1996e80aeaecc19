#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/along_calls.hpp"
#include "tally/detail/batch/arguments.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/host.hpp"
#include "tally/detail/batch/host_recurrences.hpp"
#include "tally/detail/batch/segments_between.hpp"
#include "tally/detail/batch/segments_calls.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/ranks/backend.hpp"
#include "tally/detail/ranks/batches.hpp"
#include "tally/detail/ranks/recurrences.hpp"
#include "tally/detail/ranks/segments.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/detail/recurrence/calls.hpp"
#include "tally/error.hpp"
#include "tally/operators/affine.hpp"
#include "tally/operators/traits.hpp"
#include "tally/sequences.hpp"

/// Segments between offsets, of a sequence whose parts lie on ranks: from the arguments to the protocol of segments.
/// Each rank gives those that begin in its part, by their places in the whole. So only the last one of a rank may cross
/// borders, and ranks know all of these from what they share in one round.
namespace tally::ranks_backend {

/// A rank's part, and its segments. Places are those in the whole.
struct placed_segments {
  std::uint64_t count = 0;  ///< of segments
  std::uint64_t first = 0;  ///< the beginning of the first one
  std::uint64_t last = 0;   ///< the beginning of the last one
  std::uint64_t end = 0;    ///< its end
  std::uint64_t part_begin = 0, part_end = 0;

  bool crosses() const { return count > 0 && end > part_end; }
};

/// The mistakes that a rank can make in its offsets.
enum class misplaced { none, outside_part, they_decrease, before_others, behind_whole };

/// The mistake of one rank. The segments of the ranks before end at `before`; there are `whole` values.
inline misplaced mistake_of(placed_segments const& part, std::uint64_t before, std::uint64_t whole)
{
  using enum misplaced;
  if (part.count == 0) return none;
  if (part.first < part.part_begin || part.part_end < part.last) return outside_part;
  if (part.last < part.first || part.end < part.last) return they_decrease;
  if (part.first < before) return before_others;
  return whole < part.end ? behind_whole : none;
}

/// Throws    usage_error for a mistake.
inline void check_placed(misplaced mistake, placed_segments const& mine, std::uint64_t before, std::uint64_t whole)
{
  using enum misplaced;
  auto const fail = [](std::string const& text) { throw usage_error(text); };
  auto const shown = [](std::uint64_t place) { return std::to_string(static_cast<std::int64_t>(place)); };
  if (mistake == they_decrease)
    fail("offsets do not decrease: the first one is " + shown(mine.first) + ", the last two are " + shown(mine.last) +
         " and " + shown(mine.end));
  if (mistake == outside_part)
    fail("segments begin at " + shown(mine.first) + " to " + shown(mine.last) + ", and this rank's part is from " +
         shown(mine.part_begin) + " to " + shown(mine.part_end) +
         ": each rank gives the segments that begin in its part, by their places in the whole");
  if (mistake == before_others)
    fail("the first offset is " + shown(mine.first) + ", and a segment of a rank before ends at " + shown(before));
  if (mistake == behind_whole)
    fail("the last offset is " + shown(mine.end) + ", and the ranks have " + shown(whole) + " values");
}

/// The pieces of all parts that belong to segments of several ranks.
inline void find_pieces(std::span<placed_segments const> all, std::span<pieces_of_part> pieces)
{
  std::uint64_t end = 0;  // of the segment that crossed a border last
  for (std::size_t r = 0; r < all.size(); ++r) {
    placed_segments const& part = all[r];
    pieces[r] = {.elements = part.part_end - part.part_begin};
    if (end > part.part_begin) pieces[r].entering = std::min(end, part.part_end) - part.part_begin;
    if (!part.crosses()) continue;
    end = part.end;
    pieces[r].leaving = part.part_end - part.last;
    pieces[r].behind = pieces[r].leaving == 0;
  }
}

/// Offsets as places in a part that begins at place `begin` of the whole.
template <class Offsets>
struct places_in_part {
  Offsets offsets;
  std::uint64_t begin;

  TALLY_HD_AS_GIVEN
  TALLY_HD std::size_t operator()(std::size_t s) const
  {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(detail::at_index(offsets, s)) - begin);
  }
};

/// The offsets that a rank gives, and the elements of its part.
template <class Offsets>
struct offsets_of_rank {
  Offsets offsets;
  std::size_t count;  ///< of segments
  std::size_t elements;
};

/// Shares in a round where the segments of all ranks lie, and finds the pieces of those that cross borders. Both have a
/// place for each rank, unless this one has failed.
/// Throws    rank_error on every rank, also for a mistake in the offsets of one.
template <class Session>
void share_places(Session& by, placed_segments const& mine, std::size_t elements, std::span<placed_segments> all,
                  std::span<pieces_of_part> pieces)
{
  report first{.elements = by.failed() ? 0 : elements, .may_fail = true};
  static_assert(sizeof(mine) <= report::value_bytes);
  std::memcpy(first.value, &mine, sizeof(mine));
  auto const reports = by.meet(first);
  std::uint64_t whole = 0, before = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    std::memcpy(&all[r], reports[r].value, sizeof(mine));
    all[r].part_begin = whole;
    whole += reports[r].elements;
    all[r].part_end = whole;
  }
  auto const rank = static_cast<std::size_t>(by.rank());
  bool all_placed = true;
  for (std::size_t r = 0; r < all.size(); ++r) {
    misplaced const mistake = mistake_of(all[r], before, whole);
    all_placed = all_placed && mistake == misplaced::none;
    if (r == rank) by.attempt([&] { check_placed(mistake, all[r], before, whole); });
    if (all[r].count > 0) before = std::max(before, all[r].end);
  }
  if (!all_placed) by.meet({});  // which ends the call
  find_pieces(all, pieces);
}

/// A call on segments between offsets: first what crosses borders, then what lies in the part alone.
///
///     prepare()            checks this rank's arguments, before the first round
///     reserve()            takes memory for messages, likewise
///     cross(pieces)        does the segments that cross borders
///     local(begin, count)  does the first `count` ones, in a part that begins at place `begin` of the whole, and all else
template <transport Transport, class Offsets, class Prepare, class Reserve, class Cross, class Local>
void with_segments_between(session<Transport>& by, offsets_of_rank<Offsets> const& in, Prepare const& prepare,
                           Reserve const& reserve, Cross const& cross, Local const& local)
{
  std::vector<placed_segments> all;
  std::vector<pieces_of_part> pieces;
  placed_segments mine{.count = in.count};
  by.attempt([&] {
    all.resize(by.ranks().reports.size());
    pieces.resize(all.size());
    auto const offset = [&](std::size_t s) { return static_cast<std::uint64_t>(detail::at_index(in.offsets, s)); };
    if (in.count > 0) {
      mine.first = offset(0);
      mine.last = offset(in.count - 1);
      mine.end = offset(in.count);
    }
    prepare();
  });
  reserve();
  share_places(by, mine, in.elements, all, pieces);
  cross(std::span<pieces_of_part const>(pieces));
  placed_segments const& own = all[static_cast<std::size_t>(by.rank())];
  by.attempt([&] { local(own.part_begin, in.count - (own.crosses() ? 1 : 0)); });
  by.meet({});
}

/// The same of a batch. `local(cpu, offsets, count)` does the segments that lie in the part, by places in the part, and
/// `end()` the rest of this rank's own work.
template <transport Transport, class Batch, class Prepare, class Reserve, class Cross, class Local, class End>
void with_batch_of_segments(session<Transport>& by, char const* call, Batch const& in, Prepare const& prepare,
                            Reserve const& reserve, Cross const& cross, Local const& local, End const& end)
{
  using offsets = std::remove_cvref_t<decltype(in.offsets)>;
  with_segments_between(
      by, offsets_of_rank<offsets>{in.offsets, in.count, in.elements},
      [&] {
        if (in.elements == batch::unknown_size)
          throw usage_error(std::string(call) +
                            ": on ranks the values of segments are a range, whose size is that of the rank's part");
        prepare();
      },
      reserve, cross,
      [&](std::uint64_t begin_of_part, std::size_t count) {
        auto const places = elements_from(places_in_part<offsets>{in.offsets, begin_of_part});
        if (count > 0) with_local_execution(by.ranks(), [&](auto const& threads) { local(threads, places, count); });
        end();
      });
}

template <class From>
inline constexpr bool are_from_back = std::is_same_v<From, batch::from_back>;

/// The elements of a part, or its results, from the end at which its segments begin.
template <class From, class I>
auto from_end(I const& first, std::size_t size)
{
  if constexpr (are_from_back<From>)
    return std::make_reverse_iterator(first + static_cast<std::iter_difference_t<I>>(size));
  else
    return first;
}
/// The size of a rank's part: 0 if the batch does not tell, which is a mistake.
template <class Batch>
std::size_t size_of_part(Batch const& in)
{
  return in.elements == batch::unknown_size ? 0 : in.elements;
}

template <class T, class From, class Op>
call_name name_of_segments(char const* function, std::size_t tile, char const* initial)
{
  return call_name(function, " of segments between offsets", are_from_back<From> ? " from the back" : "", " of ",
                   type_name<T>(), " (", sizeof(T), " bytes), operator ", type_name<Op>(), initial, ", tiles of ",
                   tile);
}

/// Reductions and scans under Op: `cross(call, line)` does a piece of a segment that crosses borders after its totals
/// are shared, with ends set by `prepare`.
template <class T, transport Transport, class Values, class Offsets, class From, class Op, class Prepare, class Cross,
          class Local, class End>
void combine_segments_between(execution<Transport> const& on, char const* call, char const* function,
                              batch::segments_between<Values, Offsets, From> const& in, batch::ends<T> const& ends,
                              bool has_init, Op& op, Prepare const& prepare, Cross const& cross, Local const& local,
                              End const& end)
{
  check_travels<T, std::iter_reference_t<Values>, Op>();
  auto const values = from_end<From>(in.values, size_of_part(in));
  std::size_t const tile = in_any_order<Op, T> ? 0 : tile_of<T>(values);
  call_name const name = name_of_segments<T, From, Op>(function, tile, has_init ? ", with an initial value" : "");
  using line_type = crossing_line<T, std::remove_const_t<decltype(values)>>;
  using call_type = call_on<T, Transport, line_type, Op>;
  session<Transport> by(on.ranks(), name);
  std::optional<T> init;
  line_type line(values, size_of_part(in), init, has_init, are_from_back<From>);
  call_type even(by, line, op, tile), odd(by, line, op, tile);
  with_batch_of_segments(
      by, call, in, prepare,
      [&] {
        even.reserve();
        odd.reserve();
      },
      [&](std::span<pieces_of_part const> pieces) {
        cross_borders(pieces, by.rank(), line, even, odd, [&](call_type& of_piece, line_type const& piece) {
          if (has_init && piece.begins_on(by.rank())) {
            auto const value = cpu_backend::initial_at(ends, static_cast<std::ptrdiff_t>(in.count - 1));
            init.reset();
            init.emplace(*value);
          }
          of_piece.share_totals(true);
          cross(by, of_piece, piece);
        });
      },
      local, end);
}

template <class T, transport Transport, class Values, class Offsets, class From, class Results, class Op,
          class Describe>
void backend_reduce_between(execution<Transport> const& on, char const* call,
                            batch::segments_between<Values, Offsets, From> const& in, Results results, bool has_init,
                            std::optional<T> const& nothing, Op& op, Describe const& describe)
{
  batch::ends<T> ends;
  std::optional<T> of_last;  // of the segment that crosses the end of the part
  combine_segments_between<T>(
      on, call, "reduce", in, ends, has_init, op, [&] { describe(ends); },
      [&](auto& by, auto& of_piece, auto const& piece) {
        if (piece.begins_on(by.rank()))
          by.attempt([&] { of_last.emplace(cpu_backend::value_of<T>(*of_piece.after_all().last())); });
      },
      [&](auto const& threads, auto const& offsets, std::size_t count) {
        detail::backend_reduce_segments<T>(threads, in.values, offsets, count, results, *nothing, ends, op, From{});
      },
      [&] {
        if (of_last) detail::at_index(results, in.count - 1) = *of_last;
      });
}

/// The last values before a scan: empty segments keep them.
template <class T, transport Transport>
void begin_lasts(execution<Transport> const&, T* lasts, std::size_t count, T const& value)
{
  std::fill_n(lasts, count, value);
}

template <class T, transport Transport, class Values, class Offsets, class From, class Results, class Op,
          class Describe>
void backend_scan_between(execution<Transport> const& on, char const* call,
                          batch::segments_between<Values, Offsets, From> const& in, Results results, bool has_init,
                          Op& op, detail::direction shift, Describe const& describe)
{
  batch::ends<T> ends;
  combine_segments_between<T>(
      on, call, shift == detail::direction::inclusive ? "inclusive_scan" : "exclusive_scan", in, ends, has_init, op,
      [&] { describe(ends); },
      [&](auto& by, auto& of_piece, auto const& piece) {
        auto const to = from_end<From>(results, size_of_part(in));
        using distance = std::iter_difference_t<std::remove_const_t<decltype(to)>>;
        of_piece.scan([&](std::size_t) { return to + static_cast<distance>(piece.begin()); }, shift);
        if (ends.lasts != nullptr && piece.begins_on(by.rank()))
          by.attempt([&] { ends.lasts[in.count - 1] = T(cpu_backend::value_of<T>(*of_piece.after_all().last())); });
      },
      [&](auto const& threads, auto const& offsets, std::size_t count) {
        detail::backend_scan_segments<T>(threads, in.values, offsets, count, results, ends, op, shift, From{});
      },
      [] {});
}

/// This rank's piece of a recurrence that crosses borders, as maps.
template <class T, class A, class B>
class crossing_recurrence
    : public crossing_line<affine<T>, decltype(elements_from(std::declval<cpu_backend::map_of_step<T, A, B>>()))> {
  using maps = cpu_backend::map_of_step<T, A, B>;
  using line = crossing_line<affine<T>, decltype(elements_from(std::declval<maps>()))>;

public:
  crossing_recurrence(A a, B b, std::size_t size, std::optional<affine<T>> const& init, bool from_back)
      : line(elements_from(part(a, b, size, from_back)), size, init, true, from_back),
        all_(part(a, b, size, from_back))
  {
  }

  maps steps(std::size_t) const { return {{all_.a.array, place(), step()}, {all_.b.array, place(), step()}}; }
  affine<T> total_of_tile(std::size_t s, std::size_t begin) const
    requires has_kernels_for_steps<T, A, B>
  {
    return total_of_steps(steps(s), begin);
  }
  template <class Out>
  cpu_backend::places_along<Out> results(Out const& out, std::size_t) const
  {
    return {out, place(), step()};
  }

private:
  /// The steps of the whole part.
  static maps part(A const& a, B const& b, std::size_t size, bool from_back)
  {
    std::ptrdiff_t const first = from_back ? static_cast<std::ptrdiff_t>(size) - 1 : 0, step = from_back ? -1 : 1;
    return {{a, first, step}, {b, first, step}};
  }
  std::ptrdiff_t step() const { return all_.b.step; }
  std::ptrdiff_t place() const { return all_.b.first + static_cast<std::ptrdiff_t>(this->begin()) * step(); }

  maps all_;
};

/// The recurrences of segments with coefficients `a` and `b`; `in` is the batch that has the offsets.
template <class T, transport Transport, class A, class B, class Values, class Offsets, class From, class Out,
          class Describe>
void backend_recur_between(execution<Transport> const& on, char const* call, A a, B b,
                           batch::segments_between<Values, Offsets, From> const& in, Out out, Describe const& describe)
{
  static_assert(std::is_trivially_copyable_v<affine<T>>,
                "tally: states travel between ranks as bytes: their type must be trivially copyable");
  call_name const name("linear_recurrence of segments between offsets", are_from_back<From> ? " from the back" : "",
                       " of ", type_name<T>(), " (", sizeof(T), " bytes)");
  using line_type = crossing_recurrence<T, A, B>;
  using call_type = call_on<affine<T>, Transport, line_type, recurrence::steps_in_turn>;
  session<Transport> by(on.ranks(), name);
  batch::ends<T> ends;
  std::optional<affine<T>> init;
  recurrence::steps_in_turn op;
  line_type line(a, b, size_of_part(in), init, are_from_back<From>);
  std::size_t const tile = tile_of<affine<T>>(line.first(0));
  call_type even(by, line, op, tile), odd(by, line, op, tile);
  bool const in_place = cpu_backend::may_be_same(a, out) || cpu_backend::may_be_same(b, out);
  with_batch_of_segments(
      by, call, in, [&] { describe(ends); },
      [&] {
        even.reserve();
        odd.reserve();
      },
      [&](std::span<pieces_of_part const> pieces) {
        cross_borders(pieces, by.rank(), line, even, odd, [&](call_type& of_piece, line_type const& piece) {
          bool const begins = piece.begins_on(by.rank());
          if (begins)
            init.emplace(
                recurrence::beginning_with(*cpu_backend::initial_at(ends, static_cast<std::ptrdiff_t>(in.count - 1))));
          recurrences<T, Transport, line_type, Out>(by, piece, out, in_place)
              .run(of_piece, begins && ends.lasts != nullptr,
                   [&](std::size_t, T const& last) { ends.lasts[in.count - 1] = last; });
        });
      },
      [&](auto const& threads, auto const& offsets, std::size_t count) {
        detail::backend_recur_segments<T>(threads, a, b, offsets, count, out, ends, From{});
      },
      [] {});
}

template <class Acc, on_ranks P, class Values, class Offsets, class From, class Out, class... Rest>
void reduce_between(P const& on, batch::segments_between<Values, Offsets, From> const& given, Out& out, Rest... rest)
{
  using namespace batch;
  constexpr char const* call = "tally::reduce";
  auto const in = with_count(on, given);
  using value = std::iter_value_t<Values>;
  auto arguments = reduce_arguments<detail::accumulator<Acc, value>>(std::move(rest)...);
  using all = decltype(arguments);
  using init_type = decltype(all::init);
  using T = accumulator_of_t<Acc, init_type, value>;
  check_batch<Acc, T, std::iter_reference_t<Values>, decltype(all::op)>();
  auto op = detail::canonical_operator<T>(std::move(arguments.op));
  auto const results = begin_of(out);
  detail::check_output<std::remove_const_t<decltype(results)>, T>();
  std::optional<T> nothing;
  backend_reduce_between<T>(on, call, in, results, is_present<init_type>, nothing, op, [&](ends<T>& values) {
    output_from(call, out, in.count);
    values = initial_of_segments<T>(call, arguments.init, in.count);
    if constexpr (is_present<init_type> && !is_initial_values<init_type>) {
      nothing.emplace(*values.initial);
    } else if constexpr (has_identity<decltype(op), T>) {
      nothing.emplace(reduction_of_nothing<T>(op));
    } else {
      static_assert(is_initial_values<init_type> && std::is_default_constructible_v<T>,
                    "tally: an operator without an identity has no value for an empty segment. Give an initial value: "
                    "tally::reduce(ranks, segments(values, offsets), out, init, op)");
      nothing.emplace();  // no result has it
    }
  });
}

template <detail::direction Shift, class Acc, on_ranks P, class Values, class Offsets, class From, class Out,
          class... Rest>
void scan_between(char const* call, P const& on, batch::segments_between<Values, Offsets, From> const& given, Out& out,
                  Rest... rest)
{
  using namespace batch;
  auto const in = with_count(on, given);
  auto arguments = told_apart<Shift>(std::move(rest)...);
  using all = decltype(arguments);
  using init_type = decltype(all::init);
  using T = accumulator_of_t<Acc, init_type, std::iter_value_t<Values>>;
  static_assert(!all::includes_initial, "tally: include_initial has no place for its results between segments");
  check_batch<Acc, T, std::iter_reference_t<Values>, decltype(all::op)>();
  static_assert(last_fits<decltype(all::last), T>, "tally: last_to(...) takes places of the accumulator's type");
  auto op = detail::canonical_operator<T>(std::move(arguments.op));
  auto const results = begin_of(out);
  detail::check_output<std::remove_const_t<decltype(results)>, T>();
  backend_scan_between<T>(on, call, in, results, is_present<init_type>, op, Shift, [&](ends<T>& values) {
    output_from(call, out, in.elements);
    values = initial_of_segments<T>(call, arguments.init, in.count);
    if constexpr (is_present<decltype(all::last)> && last_fits<decltype(all::last), T>) {
      values.lasts = arguments.last.at.contiguous_for(call, "last_to(...)", in.count);
      if constexpr (!is_present<init_type> && has_identity<decltype(op), T>)
        begin_lasts(on, values.lasts, in.count, reduction_of_nothing<T>(op));
    }
  });
}

template <class Acc, on_ranks P, class A, class B, class Values, class Offsets, class From, class Out, class... Rest>
void recur_between(P const& on, A const& a, B const& b, batch::segments_between<Values, Offsets, From> const& given,
                   Out& out, Rest... rest)
{
  using namespace batch;
  constexpr char const* call = "tally::linear_recurrence";
  auto const in = with_count(on, given);
  auto const arguments = recurrence::told_apart(std::move(rest)...);
  using all = std::remove_const_t<decltype(arguments)>;
  auto const terms = begin_of(b);
  using Terms = std::remove_const_t<decltype(terms)>;
  using T = accumulator_of_t<Acc, decltype(all::before), std::iter_value_t<Terms>>;
  auto const results = begin_of(out);
  detail::check_output<std::remove_const_t<decltype(results)>, T>();
  static_assert(last_fits<decltype(all::last), T>, "tally: last_to(...) takes places of the states' type");
  auto const recur = [&](auto const& coefficients) {
    backend_recur_between<T>(on, call, coefficients, terms, in, results, [&](ends<T>& values) {
      output_from(call, out, in.elements);
      recurrence::terms_from(call, b, in.elements);
      values = recurrence::ends_of<T>(initial_of_segments<T>(call, arguments.before, in.count), arguments);
      if constexpr (is_present<decltype(all::last)> && last_fits<decltype(all::last), T>)
        values.lasts = arguments.last.at.contiguous_for(call, "last_to(...)", in.count);
    });
  };
  if constexpr (std::random_access_iterator<A>) {
    recurrence::check_states<T, std::iter_value_t<A>, std::iter_value_t<Terms>>();
    recur(a);
  } else {
    recurrence::check_states<T, A, std::iter_value_t<Terms>>();
    recur(recurrence::constant<T>{static_cast<T>(a)});
  }
}

}  // namespace tally::ranks_backend
