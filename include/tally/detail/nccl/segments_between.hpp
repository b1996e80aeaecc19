#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/config.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/segments_between.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/nccl/backend.hpp"
#include "tally/detail/nccl/call.hpp"
#include "tally/detail/nccl/plain_array.hpp"
#include "tally/detail/nccl/segments.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/detail/ranks/segments.hpp"
#include "tally/detail/ranks/segments_between.hpp"
#include "tally/error.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/sequences.hpp"

/// Segments between offsets, of a sequence whose parts lie in the memory of several devices, and the offsets too. Each
/// rank gives those that begin in its part, as ranks on processors do (ranks/segments_between.hpp).
namespace tally::nccl_backend {

/// The offsets between which a rank's first and its last segment lie.
struct offsets_at_ends {
  std::uint64_t first, last, end;
};
template <class Offsets>
struct store_offsets {
  Offsets offsets;
  std::size_t count;  ///< of segments
  offsets_at_ends* to;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t) const
  {
    *to = {static_cast<std::uint64_t>(detail::at_index(offsets, 0)),
           static_cast<std::uint64_t>(detail::at_index(offsets, count - 1)),
           static_cast<std::uint64_t>(detail::at_index(offsets, count))};
  }
};

/// The initial value of one of the segments: one for all, or its own in memory.
template <class T>
struct initial_of_segment {
  working_type<T> value;
  T const* each;
  std::size_t segment;

  TALLY_HD working_type<T> operator()(std::size_t) const
  {
    return each == nullptr ? value : static_cast<working_type<T>>(each[segment]);
  }
};

/// This rank's piece of a segment that crosses borders, whose initial value may lie in memory.
template <class T, class I>
class crossing_segment : public ranks_backend::crossing_line<T, I> {
  using line = ranks_backend::crossing_line<T, I>;

public:
  crossing_segment(I values, std::size_t size, bool has_init, bool from_back)
      : line(std::move(values), size, none_, has_init, from_back)
  {
  }
  crossing_segment(crossing_segment const&) = delete;

  void begin_with(initial_of_segment<T> const& initial) { initial_ = initial; }
  initial_of_segment<T> const& initials() const { return initial_; }

private:
  std::optional<T> none_;
  initial_of_segment<T> initial_{};
};

template <class T>
struct store_initial {
  initial_of_segment<T> of;
  T* to;

  TALLY_HD void operator()(std::size_t) const { *to = static_cast<T>(of(0)); }
};

/// Brings the initial value of a segment from the back, which the rank with its first elements has, to that with its
/// last ones, where it begins. `memory` has room for it.
template <class T, class Transport, class Work, class Line>
void bring_initial(Transport& by, Work& work, Line& line, std::byte* memory)
{
  auto* const at = reinterpret_cast<T*>(memory);
  int const from = line.rank_at(line.initial_place()), to = line.rank_at(line.first_place());
  if (by.rank() == from) {
    work.for_each(1, store_initial<T>{line.initials(), at});
    by.send(to, memory, sizeof(T));
  }
  if (by.rank() == to) {
    by.receive(from, memory, sizeof(T));
    line.begin_with({working_type<T>(), at, 0});
  }
  if (by.rank() == from || by.rank() == to) by.exchange();
}

/// Puts the value of a segment to its place, if it has one.
template <class T, class Out>
struct put_value_of_segment {
  Out out;
  std::size_t segment;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t, detail::optional_value<working_type<T>> const& value) const
  {
    if (value.is_present) detail::at_index(out, segment) = static_cast<T>(value.value);
  }
};

/// A call on segments between offsets: first what crosses borders, then what lies in the part alone.
///
///     prepare(work)              checks this rank's arguments, before the first round
///     initial()                  the initial value of the last segment
///     cross(call, work, line)    takes the results of a piece of a segment that crosses borders
///     local(work, begin, count)  does the first `count` ones, in a part that begins at place `begin` of the whole
template <class T, class Machine, class Line, class Offsets, class Op, class Prepare, class Initial, class Cross,
          class Local>
void with_segments_between(execution<Machine> const& on, char const* function, ranks_backend::call_name const& name,
                           Line& line, ranks_backend::offsets_of_rank<Offsets> const& in, Op& op,
                           Prepare const& prepare, Initial const& initial, Cross const& cross, Local const& local)
{
  using namespace ranks_backend;
  group<Machine>& all = on.all();
  typename Machine::work work(all.machine, function);
  session<typename Machine::transport> by(all.ranks, name);
  std::vector<placed_segments> places;
  std::vector<pieces_of_part> pieces;
  placed_segments mine{.count = in.count};
  by.attempt([&] {
    places.resize(all.ranks.reports.size());
    pieces.resize(places.size());
    check_size(all, by.rank(), in.elements);
    prepare(work);
    if (in.count == 0) return;
    auto* const found = work.template host_value<offsets_at_ends>();
    work.for_each(1, store_offsets<Offsets>{in.offsets, in.count, found});
    all.ranks.by.wait();
    mine.first = found->first;
    mine.last = found->last;
    mine.end = found->end;
  });
  share_places(by, mine, in.elements, places, pieces);
  bool const travels = line.has_init() && line.goes_back() && !is_exact_sum<Op>;  // whose initial values all share
  auto const begin = [&](std::byte* memory) {
    line.begin_with(initial());
    if (travels && line.is_here()) bring_initial<T>(all.ranks.by, work, line, memory);
  };
  cross_borders<T>(all, by, work, line, pieces, op, travels ? sizeof(T) : 0, begin, cross);
  placed_segments const& own = places[static_cast<std::size_t>(by.rank())];
  by.attempt([&] { local(work, own.part_begin, in.count - (own.crosses() ? 1 : 0)); });  // which may need memory
  by.meet({});
}

/// A batch as kernels read it.
template <class Values, class Offsets, class From>
auto plain_segments(detail::batch::segments_between<Values, Offsets, From> const& in)
{
  auto const values = plain_array(in.values);
  auto const offsets = plain_array(in.offsets);
  return detail::batch::segments_between<std::remove_const_t<decltype(values)>, std::remove_const_t<decltype(offsets)>,
                                         From>{values, offsets, in.count, in.elements, in.fewer};
}

/// The same of a batch: `local(work, offsets, count)` has offsets that are places in the part.
template <class T, class Machine, class Values, class Offsets, class From, class Op, class Describe, class Check,
          class Cross, class Local>
void combine_segments_between(execution<Machine> const& on, char const* call, char const* function,
                              detail::batch::segments_between<Values, Offsets, From> const& in,
                              detail::batch::ends<T> const& ends, bool has_init, Op& op, Describe const& describe,
                              Check const& check, Cross const& cross, Local const& local)
{
  using namespace ranks_backend;
  check_arguments<T, Values, Values, Op, std::identity>();
  std::size_t const size = size_of_part(in);
  auto const from = from_end<From>(in.values, size);
  crossing_segment<T, std::remove_const_t<decltype(from)>> line(from, size, has_init, are_from_back<From>);
  call_name const name(function, " of segments between offsets", are_from_back<From> ? " from the back" : "", " of ",
                       type_name<T>(), " (", sizeof(T), " bytes), operator ", type_name<Op>(),
                       has_init ? ", with an initial value" : "");
  with_segments_between<T>(
      on, call, name, line, offsets_of_rank<Offsets>{in.offsets, in.count, size}, op,
      [&](auto& work) {
        if (in.elements == detail::batch::unknown_size)
          throw usage_error(std::string(call) +
                            ": on ranks the values of segments are a range, whose size is that of the rank's part");
        if (in.fewer.place != nullptr)
          throw usage_error(std::string(call) + ": on several GPUs the number of segments is one of the host's");
        describe();
        work.template prepare<T>(size, in.values);
        if (in.count > 0) work.template check<T>(in.count, in.offsets);
        if (ends.initials != nullptr) work.template check<T>(in.count, ends.initials);
        if (ends.lasts != nullptr) work.template check<T>(in.count, ends.lasts);
        check(work);
      },
      [&] {
        return initial_of_segment<T>{ends.initial ? static_cast<working_type<T>>(*ends.initial) : working_type<T>(),
                                     ends.initials, in.count - 1};
      },
      cross,
      [&](auto& work, std::uint64_t begin_of_part, std::size_t count) {
        if (count > 0) local(work, elements_from(places_in_part<Offsets>{in.offsets, begin_of_part}), count);
      });
}

template <class T, class Machine, class GivenValues, class GivenOffsets, class From, class GivenResults, class Op,
          class Describe>
void backend_reduce_between(execution<Machine> const& on, char const* call,
                            detail::batch::segments_between<GivenValues, GivenOffsets, From> const& given,
                            GivenResults given_results, bool has_init, std::optional<T> const& nothing, Op& op,
                            Describe const& describe)
{
  auto const in = plain_segments(given);
  auto const results = plain_array(given_results);
  using Results = std::remove_const_t<decltype(results)>;
  detail::batch::ends<T> ends;
  int const rank = on.rank();
  combine_segments_between<T>(
      on, call, "reduce", in, ends, has_init, op, [&] { describe(ends); },
      [&](auto& work) { work.template check<T>(in.count, results); },
      [&](auto& of_piece, auto&, auto const& line) {
        if (line.begins_on(rank)) of_piece.reduce(put_value_of_segment<T, Results>{results, in.count - 1});
      },
      [&](auto& work, auto const& places, std::size_t count) {
        work.template reduce_between<T, From>(in.values, places, count, results, *nothing, ends, op, in.elements);
      });
}

/// A device's scan writes the last values of empty segments itself.
template <class T, class Machine>
void begin_lasts(execution<Machine> const&, T*, std::size_t, T const&)
{
}

template <class T, class Machine, class GivenValues, class GivenOffsets, class From, class GivenResults, class Op,
          class Describe>
void backend_scan_between(execution<Machine> const& on, char const* call,
                          detail::batch::segments_between<GivenValues, GivenOffsets, From> const& given,
                          GivenResults given_results, bool has_init, Op& op, detail::direction shift,
                          Describe const& describe)
{
  auto const in = plain_segments(given);
  auto const results = plain_array(given_results);
  detail::batch::ends<T> ends;
  int const rank = on.rank();
  combine_segments_between<T>(
      on, call, shift == detail::direction::inclusive ? "inclusive_scan" : "exclusive_scan", in, ends, has_init, op,
      [&] { describe(ends); }, [&](auto& work) { work.template check<T>(in.elements, results); },
      [&](auto& of_piece, auto&, auto const& line) {
        auto const to = ranks_backend::from_end<From>(results, in.elements);
        using Out = std::remove_const_t<decltype(to)>;
        of_piece.scan(one_output<Out>{to + static_cast<std::iter_difference_t<Out>>(line.begin())}, shift);
        if (ends.lasts != nullptr && line.begins_on(rank))
          of_piece.reduce(put_value_of_segment<T, T*>{ends.lasts, in.count - 1});
      },
      [&](auto& work, auto const& places, std::size_t count) {
        work.template scan_between<T, From>(in.values, places, count, results, ends, op, shift, in.elements);
      });
}

/// Recurrences between offsets are refused, so that the compiler's first line says so.
template <class T, ranks_backend::on_ranks P, class... Rest>
void backend_recur_between(P const&, Rest&&...)
{
  static_assert(sizeof...(Rest) == static_cast<std::size_t>(-1),
                "tally: tally::nccl has no recurrences of segments between offsets: give parts in the memory of "
                "processors and tally::mpi");
}

}  // namespace tally::nccl_backend
