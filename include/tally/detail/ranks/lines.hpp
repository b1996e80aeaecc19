#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>

#include "tally/config.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"

/// The sequences of a call on ranks, of which this rank has a part each. All are divided among the ranks in one way.
///
///     count()          sequences; the same number on all ranks
///     size()           elements of each in this rank's part
///     first(s)         this rank's elements of sequence s
///     transform()      what elements are made by
///     has_init()       whether there are initial values
///     init(s)          the initial value of sequence s; that of rank 0 counts
///     several          whether there may be more than one sequence
///     total_of_tile(s, k)    the total of the tile that begins with element k of this part; lines may leave it out
///
/// Sequences that lie on some ranks only, or go from the last of them to the first, have besides
///
///     goes_back()        whether the last rank is at the first place
///     rank_at(place)     the rank at a place in the order of the sequence; also the place of a rank
///     is_here()          whether this rank has a part of a sequence; if not, the places below are -1
///     first_place(), last_place()    the first and the last place of the sequence
///     initial_place()    the place of the rank whose initial value counts
namespace tally::ranks_backend {

template <class Lines>
concept goes_either_way = requires(Lines const& lines, int place) {
  { lines.rank_at(place) } -> std::same_as<int>;
  lines.goes_back();
  lines.is_here();
  lines.first_place();
  lines.last_place();
  lines.initial_place();
};

/// The places of ranks in the order of sequences. By default these lie on all ranks, in their order.
struct rank_places {
  int ranks;
  int first = 0, last = ranks - 1, initial = 0;
  bool goes_back = false, is_here = true;

  /// The rank at a place; also the place of a rank.
  int rank_at(int place) const { return goes_back ? ranks - 1 - place : place; }
};
template <class Lines>
rank_places places_of(Lines const& lines, int ranks)
{
  if constexpr (goes_either_way<Lines>)
    return {ranks, lines.first_place(), lines.last_place(), lines.initial_place(), lines.goes_back(), lines.is_here()};
  else
    return {.ranks = ranks};
}

/// The one sequence of a call on iterators.
template <class T, class I, class Transform>
struct one_line {
  static constexpr bool several = false;
  using iterator = I;

  I start;
  std::size_t elements;
  std::optional<T> const* initial;
  Transform* transformation;

  std::size_t count() const { return 1; }
  std::size_t size() const { return elements; }
  I const& first(std::size_t) const { return start; }
  Transform& transform() const { return *transformation; }
  bool has_init() const { return initial->has_value(); }
  std::optional<T> const& init(std::size_t) const { return *initial; }
};

/// The sequences of an array along an axis. `Make` makes the iterator of elements from the distances of a sequence.
template <class T, class Make, class Transform>
struct batch_lines {
  static constexpr bool several = true;
  using iterator = decltype(std::declval<Make const&>()(detail::batch::distances()));

  detail::batch::layout where;
  std::size_t sequences;
  detail::batch::ends<T> ends;
  Make make;
  Transform* transformation;

  std::size_t count() const { return sequences; }
  std::size_t size() const { return where.along.extent; }
  /// Without elements there may be no memory either, and no place in it.
  TALLY_HD iterator first(std::size_t s) const
  {
    return make(where.along.extent == 0 ? detail::batch::distances() : where.place(s));
  }
  Transform& transform() const { return *transformation; }
  bool has_init() const { return ends.has_initial(); }
  std::optional<T> init(std::size_t s) const
  {
    return ends.initials != nullptr ? std::optional<T>(ends.initials[where.place(s).initial]) : ends.initial;
  }
};

}  // namespace tally::ranks_backend
