#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "tally/detail/compare/device.hpp"
#include "tally/detail/compare/elements.hpp"
#include "tally/detail/compare/host.hpp"
#include "tally/detail/contract.hpp"

/// Comparison of two long sequences.
namespace tally {

/// Returns the first places at which `[first1, last1)` and `[first2, last2)` differ, or at which one of them ends. They
/// are the ends of the longest common prefix.
///
///     mismatch([on,] first1, last1, first2, last2 [, same])        mismatch([on,] range1, range2 [, same])
///
/// Requires  random-access iterators. `same(a, b)` depends on its arguments only; it is equality if it is not given.
/// Result    the pair of places, as std::mismatch; the same for every number of threads.
/// Cost      d/p calls of `same` on p threads for a common prefix of length d, and those of at most one block of 64 KiB
///           a thread besides, since blocks behind a known difference are not read. Integers, characters, enumerations
///           and pointers in memory are compared as bytes.
/// Memory    as `reduce`: some bytes for each block.
/// Blocks    until the places are known.
/// Throws    what `same` and the iterators throw; usage_error; std::bad_alloc.
/// Source    a reduction with the least index; Hillis & Steele, Data parallel algorithms (1986), for strings.
template <execution P, std::input_or_output_iterator I1, std::sized_sentinel_for<I1> S1,
          std::input_or_output_iterator I2, std::sized_sentinel_for<I2> S2, class Same = detail::compare::same_elements>
[[nodiscard]] std::pair<I1, I2> mismatch(P const& on, I1 first1, S1 last1, I2 first2, S2 last2, Same same = {})
{
  detail::compare::check<I1, I2, Same>();
  auto const size1 = static_cast<std::size_t>(last1 - first1), size2 = static_cast<std::size_t>(last2 - first2);
  std::size_t const k =
      detail::compare::first_difference(on, first1, first2, size1 < size2 ? size1 : size2, std::move(same));
  return {first1 + static_cast<std::iter_difference_t<I1>>(k), first2 + static_cast<std::iter_difference_t<I2>>(k)};
}

template <execution P, std::ranges::random_access_range R1, std::ranges::random_access_range R2,
          class Same = detail::compare::same_elements>
[[nodiscard]] auto mismatch(P const& on, R1&& range1, R2&& range2, Same same = {})
{
  return tally::mismatch(on, std::ranges::begin(range1), std::ranges::end(range1), std::ranges::begin(range2),
                         std::ranges::end(range2), std::move(same));
}

TALLY_VALUE_WITHOUT_EXECUTION(mismatch, "([on,] first1, last1, first2, last2 [, same]) or ([on,] range1, range2 [, "
                                        "same]), where `on` is an execution such as tally::cpu{}");

/// Whether `[first1, last1)` and `[first2, last2)` have the same length and the same elements. Sequences of different
/// lengths are not read. As `mismatch` otherwise.
///
///     equal([on,] first1, last1, first2, last2 [, same])        equal([on,] range1, range2 [, same])
template <execution P, std::input_or_output_iterator I1, std::sized_sentinel_for<I1> S1,
          std::input_or_output_iterator I2, std::sized_sentinel_for<I2> S2, class Same = detail::compare::same_elements>
[[nodiscard]] bool equal(P const& on, I1 first1, S1 last1, I2 first2, S2 last2, Same same = {})
{
  detail::compare::check<I1, I2, Same>();
  auto const size = static_cast<std::size_t>(last1 - first1);
  return size == static_cast<std::size_t>(last2 - first2) &&
         detail::compare::first_difference(on, first1, first2, size, std::move(same)) == size;
}

template <execution P, std::ranges::random_access_range R1, std::ranges::random_access_range R2,
          class Same = detail::compare::same_elements>
[[nodiscard]] bool equal(P const& on, R1&& range1, R2&& range2, Same same = {})
{
  return tally::equal(on, std::ranges::begin(range1), std::ranges::end(range1), std::ranges::begin(range2),
                      std::ranges::end(range2), std::move(same));
}

TALLY_VALUE_WITHOUT_EXECUTION(equal, "([on,] first1, last1, first2, last2 [, same]) or ([on,] range1, range2 [, "
                                     "same]), where `on` is an execution such as tally::cpu{}");

/// The order of the sequences in a dictionary: that of the first two elements that differ, or that of the lengths if
/// one sequence begins with the other. As `mismatch` otherwise.
///
///     lexicographical_compare_three_way([on,] first1, last1, first2, last2 [, compare])
///     lexicographical_compare_three_way([on,] range1, range2 [, compare])
///
/// Requires  `compare(a, b)` gives an ordering: std::strong_ordering, weak or partial; `a <=> b` if it is not given.
/// Result    as std::lexicographical_compare_three_way: `unordered` if the first two elements that are not equivalent
///           are unordered.
template <execution P, std::input_or_output_iterator I1, std::sized_sentinel_for<I1> S1,
          std::input_or_output_iterator I2, std::sized_sentinel_for<I2> S2, class Compare = std::compare_three_way>
[[nodiscard]] auto lexicographical_compare_three_way(P const& on, I1 first1, S1 last1, I2 first2, S2 last2,
                                                     Compare compare = {})
{
  using ordering = std::invoke_result_t<Compare&, std::iter_value_t<I1> const&, std::iter_value_t<I2> const&>;
  auto const [at1, at2] =
      tally::mismatch(on, first1, last1, first2, last2, detail::compare::same_in_order<Compare>{compare});
  if (at1 == last1 || at2 == last2)
    return static_cast<ordering>((last1 - first1) <=> static_cast<std::iter_difference_t<I1>>(last2 - first2));
  return compare(detail::compare::element_at(on, at1), detail::compare::element_at(on, at2));
}

template <execution P, std::ranges::random_access_range R1, std::ranges::random_access_range R2,
          class Compare = std::compare_three_way>
[[nodiscard]] auto lexicographical_compare_three_way(P const& on, R1&& range1, R2&& range2, Compare compare = {})
{
  return tally::lexicographical_compare_three_way(on, std::ranges::begin(range1), std::ranges::end(range1),
                                                  std::ranges::begin(range2), std::ranges::end(range2),
                                                  std::move(compare));
}

TALLY_VALUE_WITHOUT_EXECUTION(lexicographical_compare_three_way,
                              "([on,] first1, last1, first2, last2 [, compare]) or ([on,] range1, range2 [, compare]), "
                              "where `on` is an execution such as tally::cpu{}");

}  // namespace tally
