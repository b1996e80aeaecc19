#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/detail/at_index.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/ranks/backend.hpp"
#include "tally/detail/ranks/division.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/detail/ranks/wire.hpp"
#include "tally/detail/segments/segments.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// Reductions and scans of segments of a sequence whose parts lie on ranks. Segments within a part are local work. One
/// that crosses borders is divided among its ranks as a sequence is among all, and begins the order anew.
namespace tally::ranks_backend {

/// The pieces of a part that may belong to segments of several ranks.
struct pieces_of_part {
  std::uint64_t elements = 0;  ///< of the whole part
  std::uint64_t entering = 0;  ///< before the first head: all elements if there is none
  std::uint64_t leaving = 0;   ///< from the last head on; 0 if there is none
  std::uint64_t behind = 0;    ///< 1 if a segment begins at the end of the part, with elements of later parts alone

  /// Whether a segment begins here that may go on.
  bool begins_one() const { return leaving > 0 || behind > 0; }
};

/// Calls f(number, first, last) for each segment that lies on several ranks, from `first` to `last`, in their order. A
/// rank has pieces of at most two of them, whose numbers follow each other.
template <class F>
void for_each_crossing(std::span<pieces_of_part const> parts, F const& f)
{
  int first = -1, last = -1, number = 0;
  auto const close = [&] {
    if (first < last) f(number++, first, last);
  };
  for (int r = 0; r < static_cast<int>(parts.size()); ++r) {
    pieces_of_part const& part = parts[static_cast<std::size_t>(r)];
    if (part.entering > 0) {
      if (first < 0) first = r;  // the beginning of the whole is a head
      last = r;
    }
    if (part.begins_one()) {
      close();
      first = last = r;
    }
  }
  close();
}

/// The segments that lie in a rank's part alone are those of [begin, end).
struct own_segments {
  std::size_t begin, end;
  int crossing;  ///< segments of all ranks that lie on several
};
inline own_segments segments_of(std::span<pieces_of_part const> parts, int rank)
{
  pieces_of_part const& mine = parts[static_cast<std::size_t>(rank)];
  auto const n = static_cast<std::size_t>(mine.elements);
  own_segments own{0, n, 0};
  for_each_crossing(parts, [&](int number, int begins, int ends) {
    own.crossing = number + 1;
    if (rank < begins || ends < rank) return;
    if (rank == begins && mine.leaving > 0)
      own.end = n - static_cast<std::size_t>(mine.leaving);
    else if (mine.entering == n)
      own.end = 0;  // all of the part is in one segment
    else
      own.begin = static_cast<std::size_t>(mine.entering);
  });
  own.end = std::max(own.begin, own.end);
  return own;
}

/// This rank's piece of a segment that crosses borders: of one with an even number, or of one with an odd one. Segments
/// may go from the back: then places of ranks, and of elements of a part, count from the last one.
template <class T, class I>
class crossing_line {
public:
  static constexpr bool several = false;
  using iterator = I;

  /// Until `find` is called the piece is all of the part. `init` is read on the rank where a segment begins. `values`
  /// are those of the part, from the last one if `from_back`.
  crossing_line(I values, std::size_t size, std::optional<T> const& init, bool has_init, bool from_back = false)
      : values_(std::move(values)),
        size_(size),
        init_(&init),
        has_init_(has_init),
        from_back_(from_back)
  {
  }

  /// Finds the piece. `odd` is 0 or 1.
  void find(std::span<pieces_of_part const> parts, int rank, int odd)
  {
    parts_ = parts;
    odd_ = odd;
    first_ = -1;
    begin_ = size_ = 0;
    for_each_crossing(parts, [&](int number, int first, int last) {
      if (number % 2 != odd || rank < first || last < rank) return;
      first_ = first;
      last_ = last;
      size_ = static_cast<std::size_t>(piece(first, rank));
      std::size_t const others = static_cast<std::size_t>(parts[static_cast<std::size_t>(rank)].elements) - size_;
      begin_ = (rank == first) != from_back_ ? others : 0;
    });
  }
  bool begins_on(int rank) const { return rank == first_; }
  /// Whether this rank has a piece.
  bool is_here() const { return first_ >= 0; }
  /// The piece's place in the part, from its last element if segments go from the back.
  std::size_t begin() const { return begin_; }

  std::size_t count() const { return 1; }
  std::size_t size() const { return size_; }
  I first(std::size_t) const { return values_ + static_cast<std::iter_difference_t<I>>(begin_); }
  std::identity& transform() const { return same_; }
  bool has_init() const { return has_init_; }
  std::optional<T> const& init(std::size_t) const { return *init_; }

  bool goes_back() const { return from_back_; }
  int rank_at(int place) const { return from_back_ ? static_cast<int>(parts_.size()) - 1 - place : place; }
  int first_place() const { return is_here() ? rank_at(from_back_ ? last_ : first_) : -1; }
  int last_place() const { return is_here() ? rank_at(from_back_ ? first_ : last_) : -1; }
  int initial_place() const { return is_here() ? rank_at(first_) : -1; }

  /// Calls f(division) for each segment that is done with this one.
  template <class F>
  void for_each_division(std::size_t tile, F const& f) const
  {
    std::vector<std::uint64_t> offsets;
    for_each_crossing(parts_, [&](int number, int first, int last) {
      if (number % 2 != odd_) return;
      offsets.assign(1, 0);
      for (int k = 0; k <= last - first; ++k)
        offsets.push_back(offsets.back() + piece(first, from_back_ ? last - k : first + k));
      f(division(offsets, tile, order::span_tiles));
    });
  }

  /// Divides this rank's segment among its ranks, and counts the values that all ranks share.
  template <class Ranks>
  void divide(Ranks& ranks, std::size_t tile) const
  {
    std::fill(ranks.counts.begin(), ranks.counts.end(), std::size_t{0});
    std::span<std::uint64_t> const offsets = ranks.offsets;
    // Puts the offsets of a segment at the places of its ranks, and returns the first and the last place.
    auto const put = [&](int first, int last) {
      int const begin = rank_at(from_back_ ? last : first), end = begin + last - first;
      offsets[static_cast<std::size_t>(begin)] = 0;
      for (int place = begin; place <= end; ++place) {
        auto const at = static_cast<std::size_t>(place);
        offsets[at + 1] = offsets[at] + piece(first, rank_at(place));
      }
      return std::pair(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
    };
    for_each_crossing(parts_, [&](int number, int first, int last) {
      if (number % 2 != odd_) return;
      auto const [begin, end] = put(first, last);
      division const of_segment(offsets.subspan(begin, end - begin + 2), tile, order::span_tiles);
      for (std::size_t at = begin; at <= end; ++at) {
        int const rank = rank_at(static_cast<int>(at));
        ranks.counts[static_cast<std::size_t>(rank)] =
            static_cast<std::size_t>(of_segment.totals(static_cast<int>(at - begin)).values()) +
            (rank == first && has_init() ? 1 : 0);
      }
    });
    std::fill(offsets.begin(), offsets.end(), std::uint64_t{0});
    if (first_ < 0) return;
    std::size_t const end = put(first_, last_).second + 1;
    std::fill(offsets.begin() + static_cast<std::ptrdiff_t>(end), offsets.end(), offsets[end]);
  }

private:
  std::uint64_t piece(int first, int rank) const
  {
    pieces_of_part const& part = parts_[static_cast<std::size_t>(rank)];
    return rank == first && part.begins_one() ? part.leaving : part.entering;
  }

  I values_;
  std::size_t size_;
  std::optional<T> const* init_;
  bool has_init_, from_back_;
  std::span<pieces_of_part const> parts_;
  int odd_ = 0, first_ = -1, last_ = -1;
  std::size_t begin_ = 0;
  mutable std::identity same_;
};

/// Does the segments that cross borders, every other one at a time: `of_each(call, line)` with the call and this rank's
/// piece of one with an even number, then of one with an odd one.
template <class Line, class Call, class OfEach>
void cross_borders(std::span<pieces_of_part const> parts, int rank, Line& line, Call& even, Call& odd,
                   OfEach const& of_each)
{
  int crossing = 0;
  for_each_crossing(parts, [&](int number, int, int) { crossing = number + 1; });
  for (int k = 0; k < 2 && k < crossing; ++k) {
    detail::took("ranks: segments that cross borders");
    line.find(parts, rank, k);
    of_each(k == 0 ? even : odd, line);
  }
}

/// Calls local(execution) with that of a rank's own work.
template <transport Transport, class Local>
void with_local_execution(communicator<Transport> const& ranks, Local const& local)
{
  if (ranks.on)
    local(*ranks.on);
  else
    local(detail::automatic{});
}

/// The place of keys in a call without.
struct no_keys {};

/// The heads of this rank's part, between which its segments lie.
template <class Flags>
struct flags_of_part {
  Flags flags;
  std::size_t size;

  static constexpr bool needs_round = false;
  /// The action at heads, which are counted from `begin` on.
  detail::segments::keep_nothing keep(std::size_t, no_keys) const { return {}; }
  detail::selection::by_flag<Flags> from(std::size_t k) const
  {
    return {flags + static_cast<std::iter_difference_t<Flags>>(k)};
  }
  template <class Session>
  bool first_is_head(Session&) const
  {
    return size > 0 && static_cast<bool>(detail::at_index(flags, 0));
  }
};

template <class Keys, class Same>
struct keys_of_part {
  using key = std::iter_value_t<Keys>;
  static_assert(std::is_trivially_copyable_v<key>,
                "tally: keys travel between ranks as bytes: their type must be trivially copyable");
  static constexpr bool needs_round = true;

  Keys keys;
  std::size_t size;
  Same same;
  memory<key> own_last = {}, lasts = {};  // the last keys of all ranks, of which some have none

  template <class KeysOut>
  detail::segments::keep_key<Keys, KeysOut> keep(std::size_t begin, KeysOut const& to) const
  {
    return {keys + static_cast<std::iter_difference_t<Keys>>(begin), to};
  }
  detail::selection::by_change<Keys, Same> from(std::size_t k) const
  {
    return {keys + static_cast<std::iter_difference_t<Keys>>(k), same};
  }
  /// Takes memory for the round.
  template <class Session>
  void prepare(Session& by)
  {
    own_last = memory<key>(1);
    lasts = memory<key>(static_cast<std::size_t>(by.by().size()));
    std::memset(own_last.bytes(), 0, sizeof(key));
    if (size > 0) std::construct_at(own_last.get(), detail::at_index(keys, size - 1));
  }
  template <class Session>
  void share(Session& by)
  {
    by.by().allgather(own_last.bytes(), lasts.bytes(), sizeof(key));
  }
  template <class Session>
  bool first_is_head(Session& by) const
  {
    if (size == 0) return false;
    for (auto r = static_cast<std::size_t>(by.rank()); r-- > 0;)
      if (by.ranks().reports[r].elements > 0)
        return from(0).of(lasts.get()[r], static_cast<key>(detail::at_index(keys, 0)));
    return true;
  }
};

/// Shares the pieces of all parts in a round, or in two if heads need one. `reserve()` takes memory before the last.
template <class Session, class Heads, class Reserve>
void share_pieces(Session& by, Heads& heads, std::vector<pieces_of_part>& parts, Reserve const& reserve)
{
  if constexpr (Heads::needs_round) {
    by.attempt([&] { heads.prepare(by); });
    by.meet({.elements = heads.size});
    heads.share(by);
  }
  pieces_of_part mine{.elements = heads.size};
  by.attempt([&] {
    parts.resize(by.ranks().reports.size());
    std::size_t const n = heads.size;
    auto const all = heads.from(0);
    auto const is_head = [&](std::size_t k) { return k == 0 ? heads.first_is_head(by) : all(k); };
    while (mine.entering < n && !is_head(static_cast<std::size_t>(mine.entering))) ++mine.entering;
    if (mine.entering == n) return;
    mine.leaving = 1;
    while (!is_head(n - static_cast<std::size_t>(mine.leaving))) ++mine.leaving;
  });
  reserve();
  report first{.elements = heads.size, .may_fail = true};
  static_assert(sizeof(mine) <= report::value_bytes);
  std::memcpy(first.value, &mine, sizeof(mine));
  auto const reports = by.meet(first);
  for (std::size_t r = 0; r < parts.size(); ++r) std::memcpy(&parts[r], reports[r].value, sizeof(mine));
}

/// The calls on segments: what crosses borders, and then what does not. `use(by, call, line)` takes the results of a
/// piece of a segment that crosses; `local(cpu, begin, end)` does the segments in between.
template <class T, transport Transport, class Heads, class Values, class Op, class Use, class Local>
void with_segments(execution<Transport> const& on, call_name const& name, Heads& heads, Values values,
                   std::optional<T> const& init, Op& op, Use const& use, Local const& local)
{
  check_travels<T, std::iter_reference_t<Values>, Op>();
  session<Transport> by(on.ranks(), name);
  std::vector<pieces_of_part> parts;
  crossing_line<T, Values> line(values, heads.size, init, init.has_value());
  using call = call_on<T, Transport, crossing_line<T, Values>, Op>;
  call even(by, line, op, tile_of<T>(values)), odd(by, line, op, tile_of<T>(values));
  share_pieces(by, heads, parts, [&] {
    even.reserve();
    odd.reserve();
  });
  own_segments const own = segments_of(parts, by.rank());
  cross_borders(parts, by.rank(), line, even, odd, [&](call& of_these, auto const& piece) {
    of_these.share_totals(true);
    use(by, of_these, piece);
  });
  by.attempt(
      [&] { with_local_execution(by.ranks(), [&](auto const& threads) { local(threads, own.begin, own.end); }); });
  by.finish();
}

template <detail::direction Shift, class T, transport Transport, class Heads, class Values, class Out, class Op>
void backend_scan_runs(execution<Transport> const& on, char const* by_what, Heads heads, Values values, Out out,
                       std::optional<T> init, Op op)
{
  call_name const name(Shift == detail::direction::inclusive ? "inclusive_scan_by_" : "exclusive_scan_by_", by_what,
                       " of ", type_name<T>(), " (", sizeof(T), " bytes), operator ", type_name<Op>(), ", tiles of ",
                       tile_of<T>(values));
  with_segments<T>(
      on, name, heads, values, init, op,
      [&](auto&, auto& call, auto const& line) {
        call.scan([&](std::size_t) { return out + static_cast<std::iter_difference_t<Out>>(line.begin()); }, Shift);
      },
      [&](auto const& local, std::size_t begin, std::size_t end) {
        if (begin == end) return;
        detail::segments::scan<Shift, T>(local, end - begin, heads.from(begin),
                                         values + static_cast<std::iter_difference_t<Values>>(begin),
                                         out + static_cast<std::iter_difference_t<Out>>(begin), init, op);
      });
}

/// Writes the values of the segments that begin in this rank's part, and their keys, and returns their number.
template <class T, transport Transport, class Heads, class Values, class Out, class KeysOut, class Op>
std::size_t backend_reduce_runs(execution<Transport> const& on, char const* by_what, Heads heads, std::size_t bytes,
                                Values values, Out out, KeysOut keys_out, Op op)
{
  call_name const name("reduce_by_", by_what, " of ", type_name<T>(), " (", sizeof(T), " bytes), operator ",
                       type_name<Op>(), ", tiles of ", tile_of<T>(values));
  std::optional<T> const none;
  std::optional<T> of_last;  // of the segment that begins here and goes on
  std::size_t begin_of_last = 0, count = 0;
  int const rank = on.rank();
  with_segments<T>(
      on, name, heads, values, none, op,
      [&](auto& by, auto& call, auto const& line) {
        if (!line.begins_on(rank)) return;
        begin_of_last = line.begin();
        by.attempt([&] { of_last.emplace(cpu_backend::value_of<T>(*call.after_all().last())); });
      },
      [&](auto const& local, std::size_t begin, std::size_t end) {
        count = begin == end ? 0
                             : detail::segments::reduce<T>(local, end - begin, bytes, heads.from(begin),
                                                           values + static_cast<std::iter_difference_t<Values>>(begin),
                                                           out, heads.keep(begin, keys_out), op);
        if (!of_last) return;
        heads.keep(begin_of_last, keys_out)(count, 0);
        detail::at_index(out, count++) = *of_last;
      });
  return count;
}

}  // namespace tally::ranks_backend
