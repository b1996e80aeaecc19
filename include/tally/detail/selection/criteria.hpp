#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/at_index.hpp"

/// Criteria of selection: `criterion(k)` says whether element k is selected. A criterion that is `always_first` selects
/// element 0 without being called for it.
namespace tally::detail::selection {

/// std::equal_to<> on a GPU too.
struct equal_values {
  template <class A, class B>
  TALLY_HD constexpr bool operator()(A const& a, B const& b) const
  {
    return static_cast<bool>(a == b);
  }
};

/// Selects element k if `predicate(values[k])`.
template <class I, class Pred>
struct by_predicate {
  static constexpr bool always_first = false;
  I values;
  mutable Pred predicate;

  TALLY_HD bool operator()(std::size_t k) const { return static_cast<bool>(predicate(at_index(values, k))); }
};

/// Selects element k if it differs from the one before it, and the first element always.
template <class I, class Same>
struct by_change {
  static constexpr bool always_first = true;
  I values;
  mutable Same same;

  TALLY_HD_AS_GIVEN
  TALLY_HD bool operator()(std::size_t k) const
  {
    return !static_cast<bool>(same(at_index(values, k - 1), at_index(values, k)));
  }
  /// The same, from what element k and the one before it are.
  TALLY_HD_AS_GIVEN
  template <class V>
  TALLY_HD bool of(V const& before, V const& own) const
  {
    return !static_cast<bool>(same(before, own));
  }
  TALLY_HD I const& elements() const { return values; }
};

/// Selects element k if its flag is set, and the first element always.
template <class I>
struct by_flag {
  static constexpr bool always_first = true;
  I flags;

  TALLY_HD bool operator()(std::size_t k) const { return static_cast<bool>(at_index(flags, k)); }
  template <class V>
  TALLY_HD bool of(V const& /*before*/, V const& own) const
  {
    return static_cast<bool>(own);
  }
  TALLY_HD I const& elements() const { return flags; }
};

/// Whether element k is selected, the first one included.
template <class Criterion>
TALLY_HD bool is_selected(Criterion const& criterion, std::size_t k)
{
  if constexpr (Criterion::always_first)
    return k == 0 || criterion(k);
  else
    return criterion(k);
}

/// Neighbours can be compared.
template <class Same, class Reference>
constexpr void check_equality()
{
  static_assert(std::is_invocable_r_v<bool, Same&, Reference, Reference>,
                "tally: the equality cannot be called with two elements, or its result is no truth value");
}

/// A predicate can be called with an element.
template <class Pred, class Reference>
constexpr void check_predicate()
{
  static_assert(std::is_invocable_r_v<bool, Pred&, Reference>,
                "tally: the predicate cannot be called with an element, or its result is no truth value");
}

/// Elements can be copied from I to Out by index, since several threads begin in the middle.
template <class I, class Out>
constexpr void check_compaction()
{
  static_assert(std::random_access_iterator<I>, "tally: compaction reaches elements by index: give it an array's "
                                                "iterators");
  static_assert(std::random_access_iterator<Out>,
                "tally: compaction writes by index, from several places at once: give "
                "it an array's iterator, not an inserter");
  static_assert(
      requires(I in, Out out) { out[0] = in[0]; },
      "tally: the elements cannot be written through the output iterator (is it const, or of another type?)");
}

}  // namespace tally::detail::selection
