#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "tally/config.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/nccl/backend.hpp"
#include "tally/detail/nccl/call.hpp"
#include "tally/detail/nccl/exact_call.hpp"
#include "tally/detail/nccl/plain_array.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/ranks/segments.hpp"
#include "tally/detail/segments/segments.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/reduce.hpp"
#include "tally/sequences.hpp"

/// Reductions and scans of segments of a sequence whose parts lie in the memory of several devices. Segments within a
/// part are work of its GPU. One that crosses borders is divided among its ranks as a sequence is among all, and begins
/// the order anew.
namespace tally::nccl_backend {

/// The first and the last head of a part, as places: `none` if there is none.
struct heads_found {
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t first, last;
};
struct join_heads {
  TALLY_HD heads_found operator()(heads_found const& a, heads_found const& b) const
  {
    return {a.first < b.first ? a.first : b.first, a.last == heads_found::none                      ? b.last
                                                   : b.last == heads_found::none || a.last > b.last ? a.last
                                                                                                    : b.last};
  }
  template <class T>
  static constexpr bool exactly_associative = true;
};
template <class IsHead>
struct head_at {
  IsHead is_head;
  TALLY_HD_AS_GIVEN
  TALLY_HD heads_found operator()(std::size_t k) const
  {
    std::uint64_t const place = is_head(k) ? static_cast<std::uint64_t>(k) : heads_found::none;
    return {place, place};
  }
};

/// Whether element k of a part is a head: by its flag, or by its key, of which the one before the first lies in memory.
template <class Flags>
struct flag_is_set {
  Flags flags;
  TALLY_HD_AS_GIVEN
  TALLY_HD bool operator()(std::size_t k) const { return static_cast<bool>(detail::at_index(flags, k)); }
};
template <class Keys, class Same>
struct key_changes {
  using key = std::iter_value_t<Keys>;
  detail::selection::by_change<Keys, Same> all;
  key const* before;  ///< or null
  TALLY_HD_AS_GIVEN
  TALLY_HD bool operator()(std::size_t k) const
  {
    if (k > 0) return all(k);
    return before == nullptr || all.of(*before, static_cast<key>(detail::at_index(all.values, 0)));
  }
};
template <class Keys>
struct store_key {
  using key = std::iter_value_t<Keys>;
  Keys keys;
  std::size_t place;
  key* to;
  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t) const { *to = detail::at_index(keys, place); }
};

/// The heads of a part, as kernels read them.
template <class Flags>
auto plain_heads(ranks_backend::flags_of_part<Flags> const& heads)
{
  auto const flags = plain_array(heads.flags);
  return ranks_backend::flags_of_part<std::remove_const_t<decltype(flags)>>{flags, heads.size};
}
template <class Keys, class Same>
auto plain_heads(ranks_backend::keys_of_part<Keys, Same> const& heads)
{
  auto const keys = plain_array(heads.keys);
  return ranks_backend::keys_of_part<std::remove_const_t<decltype(keys)>, Same>{keys, heads.size, heads.same};
}
inline ranks_backend::no_keys plain_array(ranks_backend::no_keys none)
{
  return none;
}

template <class Machine, class Flags>
void check_heads(typename Machine::work& work, ranks_backend::flags_of_part<Flags> const& heads)
{
  work.template check<bool>(heads.size, heads.flags);
}
template <class Machine, class Keys, class Same>
void check_heads(typename Machine::work& work, ranks_backend::keys_of_part<Keys, Same> const& heads)
{
  work.template check<bool>(heads.size, heads.keys);
}

/// Calls use(is_head), after ranks have shared their last keys if there are any.
template <class Machine, class Flags, class Use>
void with_heads(group<Machine>&, ranks_backend::session<typename Machine::transport>&, typename Machine::work&,
                ranks_backend::flags_of_part<Flags> const& heads, Use const& use)
{
  use(flag_is_set<Flags>{heads.flags});
}
template <class Machine, class Keys, class Same, class Use>
void with_heads(group<Machine>& all, ranks_backend::session<typename Machine::transport>& by,
                typename Machine::work& work, ranks_backend::keys_of_part<Keys, Same> const& heads, Use const& use)
{
  using key = std::iter_value_t<Keys>;
  constexpr std::size_t each = (sizeof(key) + 255) / 256 * 256;
  auto& transport = all.ranks.by;
  auto const ranks = static_cast<std::size_t>(transport.size());
  take_memory(all, by, work, (ranks + 1) * each);
  std::byte* const own = work.memory() + ranks * each;
  if (heads.size > 0) work.for_each(1, store_key<Keys>{heads.keys, heads.size - 1, reinterpret_cast<key*>(own)});
  transport.gather(own, work.memory(), each);
  auto before = static_cast<std::size_t>(transport.rank());
  while (before > 0 && all.ranks.offsets[before] == all.ranks.offsets[before - 1]) --before;
  auto const* const last = before == 0 ? nullptr : reinterpret_cast<key const*>(work.memory() + (before - 1) * each);
  use(key_changes<Keys, Same>{heads.from(0), last});
}

/// The pieces of a part.
template <class Local, class IsHead>
ranks_backend::pieces_of_part find_pieces(Local const& local, std::size_t n, IsHead const& is_head)
{
  ranks_backend::pieces_of_part mine{.elements = n};
  if (n == 0) return mine;
  auto const heads = elements_from(head_at<IsHead>{is_head});
  heads_found const found = tally::reduce(local, heads, heads + static_cast<std::ptrdiff_t>(n),
                                          heads_found{heads_found::none, heads_found::none}, join_heads{});
  mine.entering = found.first == heads_found::none ? n : found.first;
  mine.leaving = found.last == heads_found::none ? 0 : n - found.last;
  return mine;
}

/// Does the segments that cross borders, every other one at a time. `begin(memory)` comes first, with `bytes` bytes of
/// the device, and `use(call, work, line)` takes the results of a piece. `line` is all of the part before.
template <class T, class Machine, class Line, class Op, class Begin, class Use>
void cross_borders(group<Machine>& all, ranks_backend::session<typename Machine::transport>& by,
                   typename Machine::work& work, Line& line, std::span<ranks_backend::pieces_of_part const> parts,
                   Op& op, std::size_t bytes, Begin const& begin, Use const& use)
{
  int const crossing = ranks_backend::segments_of(parts, by.rank()).crossing;
  for (int k = 0; k < 2 && k < crossing; ++k) {
    detail::took("nccl: segments that cross borders");
    line.find(parts, by.rank(), k);
    if constexpr (!is_exact_sum<Op>) line.divide(all.ranks, work.template tile<T>());
    call_under<T, Op, Machine, Line> of_these(all, work, line, op);
    take_memory(all, by, work, of_these.bytes() + bytes);
    begin(work.memory() + of_these.bytes());
    of_these.share_totals();
    if (!line.is_here()) continue;
    auto const take = [&] { use(of_these, work, line); };
    if constexpr (decltype(of_these)::scan_may_fail)
      by.attempt(take);
    else
      take();
  }
}

/// The calls on segments: first what crosses borders, then what does not. `use(call, work, line)` takes the results of
/// a piece of a segment that crosses; `local(work, begin, end)` does the segments in between.
template <class T, class Machine, class Heads, class Values, class Op, class Prepare, class Use, class Local>
void with_segments(execution<Machine> const& on, char const* function, ranks_backend::call_name const& name,
                   Heads const& heads, Values const& values, std::optional<T> const& init, Op& op,
                   Prepare const& prepare, Use const& use, Local const& local)
{
  check_arguments<T, Values, Values, Op, std::identity>();
  using namespace ranks_backend;
  group<Machine>& all = on.all();
  typename Machine::work work(all.machine, function);
  session<typename Machine::transport> by(all.ranks, name);
  int const rank = all.ranks.by.rank();
  begin_call(all, by, heads.size, [&] {
    work.template prepare<T>(heads.size, values);
    check_heads<Machine>(work, heads);
    prepare(work);
  });
  pieces_of_part mine;
  with_heads(all, by, work, heads, [&](auto const& is_head) {
    by.attempt([&] { mine = find_pieces(all.machine.local(), heads.size, is_head); });
  });
  report of_pieces{.elements = heads.size};
  std::memcpy(of_pieces.value, &mine, sizeof(mine));
  auto const reports = by.meet(of_pieces);
  std::vector<pieces_of_part> parts(reports.size());
  for (std::size_t r = 0; r < parts.size(); ++r) std::memcpy(&parts[r], reports[r].value, sizeof(mine));
  own_segments const own = segments_of(parts, rank);
  crossing_line<T, Values> line(values, heads.size, init, init.has_value());
  cross_borders<T>(all, by, work, line, parts, op, 0, [](std::byte*) {}, use);
  by.attempt([&] { local(work, own.begin, own.end); });  // which may need memory
  by.meet({});
}

template <class T, class Op>
ranks_backend::call_name name_of_runs(char const* function, char const* by_what)
{
  return ranks_backend::call_name(function, by_what, " of ", ranks_backend::type_name<T>(), " (", sizeof(T),
                                  " bytes), operator ", ranks_backend::type_name<Op>());
}

template <detail::direction Shift, class T, class Machine, class GivenHeads, class GivenValues, class GivenOut,
          class Op>
void backend_scan_runs(execution<Machine> const& on, char const* by_what, GivenHeads const& given_heads,
                       GivenValues given_values, GivenOut given_out, std::optional<T> init, Op op)
{
  auto const heads = plain_heads(given_heads);
  auto const values = plain_array(given_values);
  auto const out = plain_array(given_out);
  using Values = std::remove_const_t<decltype(values)>;
  using Out = std::remove_const_t<decltype(out)>;
  constexpr bool inclusive = Shift == detail::direction::inclusive;
  with_segments<T>(
      on, inclusive ? "tally::inclusive_scan_by" : "tally::exclusive_scan_by",
      name_of_runs<T, Op>(inclusive ? "inclusive_scan_by_" : "exclusive_scan_by_", by_what), heads, Values(values),
      init, op, [&](auto& work) { work.template check<T>(heads.size, out); },
      [&](auto& call, auto&, auto const& line) {
        call.scan(one_output<Out>{out + static_cast<std::iter_difference_t<Out>>(line.begin())}, Shift);
      },
      [&](auto& work, std::size_t begin, std::size_t end) {
        if (begin == end) return;
        work.template scan_segments<Shift, T>(end - begin, heads.from(begin),
                                              Values(values + static_cast<std::iter_difference_t<Values>>(begin)),
                                              Out(out + static_cast<std::iter_difference_t<Out>>(begin)), init, op);
      });
}

/// Puts a value behind others, and its key.
template <class T, class Out, class Keep>
struct put_behind {
  Out out;
  std::size_t place;
  T value;
  Keep keep;
  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t) const
  {
    keep(place, 0);
    detail::at_index(out, place) = value;
  }
};

template <class T, class Machine, class GivenHeads, class GivenValues, class GivenOut, class GivenKeys, class Op>
std::size_t backend_reduce_runs(execution<Machine> const& on, char const* by_what, GivenHeads const& given_heads,
                                std::size_t bytes, GivenValues given_values, GivenOut given_out, GivenKeys given_keys,
                                Op op)
{
  auto const heads = plain_heads(given_heads);
  auto const values = plain_array(given_values);
  auto const out = plain_array(given_out);
  auto const keys_out = plain_array(given_keys);
  using Values = std::remove_const_t<decltype(values)>;
  using Out = std::remove_const_t<decltype(out)>;
  std::optional<T> const none;
  std::optional<T> of_last;  // of the segment that begins here and goes on
  std::size_t begin_of_last = 0, count = 0;
  int const rank = on.rank();
  with_segments<T>(
      on, "tally::reduce_by", name_of_runs<T, Op>("reduce_by_", by_what), heads, Values(values), none, op,
      [&](auto& work) { work.template check<T>(heads.size, out, keys_out); },
      [&](auto& call, auto& work, auto const& line) {
        if (!line.begins_on(rank)) return;
        begin_of_last = line.begin();
        T* const value = work.template host_value<T>();
        call.reduce(put_value<T, T>{value, T()});
        on.all().ranks.by.wait();
        of_last.emplace(*value);
      },
      [&](auto& work, std::size_t begin, std::size_t end) {
        if (begin != end)
          count = work.template reduce_segments<T>(end - begin, bytes, heads.from(begin),
                                                   Values(values + static_cast<std::iter_difference_t<Values>>(begin)),
                                                   Out(out), heads.keep(begin, keys_out), op);
        if (!of_last) return;
        auto const keep = heads.keep(begin_of_last, keys_out);
        work.for_each(1, put_behind<T, Out, std::remove_const_t<decltype(keep)>>{out, count++, *of_last, keep});
      });
  return count;
}

}  // namespace tally::nccl_backend
