#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "src/c/ends.hpp"
#include "src/c/failure.hpp"
#include "src/c/ranks/on_gpus.hpp"
#include "tally/config.hpp"
#include "tally/detail/nccl/segments.hpp"
#include "tally/detail/nccl/segments_between.hpp"
#include "tally/detail/selection/criteria.hpp"

/// Segments and runs of keys that are divided among ranks, on any kind of device: elements of type E are combined as
/// values of type T. This is what crosses borders; `local` does what lies in a part alone.
namespace tally::c {

template <class E>
struct put_element {
  E* to;
  E value;
  TALLY_HD void operator()(std::size_t) const { *to = value; }
};

/// Writes the results of a scan of a piece.
template <class T, class E, class Machine, class Call, class Line>
void scan_piece(nccl_backend::execution<Machine> const& on, segments_call const& call, Call& of_piece,
                typename Machine::work& work, Line const& line)
{
  auto* const out = reinterpret_cast<E*>(call.out) + line.begin();
  of_piece.scan(nccl_backend::one_output<E*>{out}, shift_of(call));
  // The sum of nothing is +0.0, and its identity -0.0.
  bool const has_first = on.all().ranks.offsets[static_cast<std::size_t>(on.rank())] == 0 && line.size() > 0;
  if (call.begins_with_nothing && has_first)
    work.for_each(1, put_element<E>{out, *reinterpret_cast<E const*>(call.nothing)});
}

/// Segments between offsets. `local(begin, count)` does the first `count` ones, whose offsets are larger than places in
/// the part by `begin`.
/// Throws    rank_error on every rank.
template <class T, class E, class Machine, class Op, class Local>
void run_between(nccl_backend::execution<Machine> const& on, segments_on_gpus const& given, Op op, Local const& local)
{
  using namespace nccl_backend;
  segments_call const& call = given.call;
  auto const* const values = reinterpret_cast<E const*>(call.values);
  auto* const out = reinterpret_cast<E*>(call.out);
  auto* const lasts = call.reduces ? nullptr : reinterpret_cast<E*>(call.last);
  auto const* const initial = reinterpret_cast<E const*>(call.initial);
  initial_of_segment<T> first{};
  if (initial != nullptr && !call.initial_for_each)
    first.value = static_cast<working_type<T>>(static_cast<T>(*initial));
  if constexpr (std::is_same_v<T, E>) {
    if (call.initial_for_each) first = {working_type<T>(), initial, call.segments - 1};
  }
  ranks_backend::call_name const name(std::string_view(given.name));
  crossing_segment<T, E const*> line(values, call.elements, initial != nullptr, false);
  int const rank = on.rank();
  with_segments_between<T>(
      on, given.name, name, line,
      ranks_backend::offsets_of_rank<std::int64_t const*>{call.offsets, call.segments, call.elements}, op,
      [&](auto& work) {
        if (!std::is_same_v<T, E> && call.initial_for_each)
          throw not_supported("an initial value for each segment of sums of exponentials, on ranks with GPUs");
        work.template prepare<T>(call.elements, values);
        if (call.segments > 0) work.template check<T>(call.segments, call.offsets);
        if (call.initial_for_each) work.template check<T>(call.segments, initial);
        if (lasts != nullptr) work.template check<T>(call.segments, lasts);
        work.template check<T>(call.reduces ? call.segments : call.elements, out);
      },
      [&] { return first; },
      [&](auto& of_piece, auto& work, auto const& piece) {
        E* const value = call.reduces ? out : lasts;
        if (!call.reduces) scan_piece<T, E>(on, call, of_piece, work, piece);
        if (value != nullptr && piece.begins_on(rank))
          of_piece.reduce(put_value_of_segment<T, E*>{value, call.segments - 1});
      },
      [&](auto&, std::uint64_t begin, std::size_t count) {
        if (count > 0) local(begin, count);
      });
}

/// Puts a value behind others, and its key.
template <class E, class K>
struct put_run {
  E* to;
  E value;
  K* key_to;  ///< or null
  K const* key;
  TALLY_HD void operator()(std::size_t) const
  {
    *to = value;
    if (key_to != nullptr) *key_to = *key;
  }
};

/// Runs of keys of type K. `local(begin, end)` does those in the places [begin, end) of the part, and returns their
/// number.
/// Returns   the number of runs that begin in the part.
/// Throws    rank_error on every rank.
template <class T, class E, class K, class Machine, class Op, class Local>
std::size_t run_by_key(nccl_backend::execution<Machine> const& on, runs_on_gpus const& given, Op op, Local const& local)
{
  using namespace nccl_backend;
  segments_call const& call = given.values.call;
  auto const* const values = reinterpret_cast<E const*>(call.values);
  auto const* const keys = reinterpret_cast<K const*>(given.keys);
  auto* const keys_out = reinterpret_cast<K*>(given.keys_out);
  auto* const out = reinterpret_cast<E*>(call.out);
  std::optional<T> initial;
  if (call.initial != nullptr) initial.emplace(*reinterpret_cast<E const*>(call.initial));
  ranks_backend::call_name const name(std::string_view(given.values.name));
  ranks_backend::keys_of_part<K const*, detail::selection::equal_values> const heads{keys, call.elements, {}};
  int const rank = on.rank();
  std::size_t begin_of_last = 0, count = 0;
  std::optional<E> of_last;  // the run that begins here and goes on
  with_segments<T>(
      on, given.values.name, name, heads, values, initial, op,
      [&](auto& work) {
        work.template check<T>(call.reduces ? given.room : call.elements, out);
        if (keys_out != nullptr) work.template check<T>(given.room, keys_out);
      },
      [&](auto& of_piece, auto& work, auto const& piece) {
        if (!call.reduces) return scan_piece<T, E>(on, call, of_piece, work, piece);
        if (!piece.begins_on(rank)) return;
        begin_of_last = piece.begin();
        E* const value = work.template host_value<E>();
        of_piece.reduce(put_value_of_segment<T, E*>{value, 0});
        on.all().ranks.by.wait();
        of_last.emplace(*value);
      },
      [&](auto& work, std::size_t begin, std::size_t end) {
        if (begin < end) count = local(begin, end);
        std::size_t const all = count + (of_last ? 1 : 0);
        if (call.reduces && all > given.room)
          throw usage_error("there is room for " + std::to_string(given.room) + " runs; there are " +
                            std::to_string(all));
        if (of_last)
          work.for_each(1, put_run<E, K>{out + count, *of_last, keys_out == nullptr ? nullptr : keys_out + count,
                                         keys + begin_of_last});
        count = all;
      });
  return count;
}

}  // namespace tally::c
