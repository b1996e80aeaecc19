#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/selection/selection.hpp"

/// Stream compaction: the selected elements of a sequence, side by side and in order.
namespace tally {

/// Copies the elements of [first, last) for which `pred` is true to `out`, in their order; with flags, the elements for
/// whose flag it is true.
///
///     copy_if([on,] first, last, out, pred)          copy_if([on,] first, last, flags, out, pred)
///
/// Requires  random-access iterators (on a GPU pointers, or others that can be copied as bytes). `out` has room for
///           the selected elements and overlaps nothing that is read. `pred` gives the same for the same element at
///           every call.
/// Result    the end of what was written; nothing is written beyond it.
/// Cost      one pass: each element is read from memory once, each selected one is written once. `pred` is called at
///           most twice for an element (on a GPU three times). O(n/p + log p) on p threads.
/// Memory    a bit for each element, and 4 bytes for each 4096.
/// Blocks    until all is written, on a GPU too: the number of selected elements is not known before.
/// Throws    what `pred` and the iterators throw, and then `out` is partly written; usage_error; std::bad_alloc;
///           cuda_error.
/// Source    Blelloch, Prefix sums and their applications (1990), section 1.3: "pack"; in one pass as Merrill & Garland
///           (2016).
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out, class Pred>
Out copy_if(P const& on, I first, S last, Out out, Pred pred)
{
  detail::selection::check_compaction<I, Out>();
  detail::selection::check_predicate<Pred, std::iter_reference_t<I>>();
  auto const n = static_cast<std::size_t>(last - first);
  std::size_t const count = detail::selection::move_selected(
      on, n, sizeof(std::iter_value_t<I>), detail::selection::by_predicate<I, Pred>{first, std::move(pred)},
      detail::selection::copy_selected<I, Out>{first, out});
  return out + static_cast<std::iter_difference_t<Out>>(count);
}

template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Flags, detail::iterator Out,
          class Pred>
Out copy_if(P const& on, I first, S last, Flags flags, Out out, Pred pred)
{
  detail::selection::check_compaction<I, Out>();
  detail::selection::check_predicate<Pred, std::iter_reference_t<Flags>>();
  auto const n = static_cast<std::size_t>(last - first);
  std::size_t const count =
      detail::selection::move_selected(on, n, sizeof(std::iter_value_t<I>) + sizeof(std::iter_value_t<Flags>),
                                       detail::selection::by_predicate<Flags, Pred>{flags, std::move(pred)},
                                       detail::selection::copy_selected<I, Out>{first, out});
  return out + static_cast<std::iter_difference_t<Out>>(count);
}

TALLY_WITHOUT_EXECUTION(copy_if, "([on,] first, last, out, pred) or ([on,] first, last, flags, out, pred), where `on` "
                                 "is an execution such as tally::cpu{}, and first, last, flags and out are iterators");

/// Copies the elements of [first, last) for which `pred` is true to `selected` and the others to `rest`, both in their
/// order.
///
///     partition_copy([on,] first, last, selected, rest, pred)
///
/// Result    the ends of what was written, as a pair. As `copy_if` otherwise.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out, detail::iterator Rest, class Pred>
std::pair<Out, Rest> partition_copy(P const& on, I first, S last, Out selected, Rest rest, Pred pred)
{
  detail::selection::check_compaction<I, Out>();
  detail::selection::check_compaction<I, Rest>();
  detail::selection::check_predicate<Pred, std::iter_reference_t<I>>();
  auto const n = static_cast<std::size_t>(last - first);
  std::size_t const count = detail::selection::move_selected(
      on, n, sizeof(std::iter_value_t<I>), detail::selection::by_predicate<I, Pred>{first, std::move(pred)},
      detail::selection::copy_both<I, Out, Rest>{first, selected, rest});
  return {selected + static_cast<std::iter_difference_t<Out>>(count),
          rest + static_cast<std::iter_difference_t<Rest>>(n - count)};
}

TALLY_WITHOUT_EXECUTION(partition_copy, "([on,] first, last, selected, rest, pred), where `on` is an execution such as "
                                        "tally::cpu{}, and all but pred are iterators");

/// Copies [first, last) to `out`: first the elements for which `pred` is true, then the others, both in their order.
///
///     stable_partition_copy([on,] first, last, out, pred)
///
/// Result    the border: the end of the selected elements, where the others begin.
/// Cost      as `copy_if`, and before it one more pass that reads each element and calls `pred`, to know the border.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out, class Pred>
Out stable_partition_copy(P const& on, I first, S last, Out out, Pred pred)
{
  detail::selection::check_compaction<I, Out>();
  detail::selection::check_predicate<Pred, std::iter_reference_t<I>>();
  auto const n = static_cast<std::size_t>(last - first);
  std::size_t const count = detail::selection::count_selected(on, n, sizeof(std::iter_value_t<I>),
                                                              detail::selection::by_predicate<I, Pred>{first, pred});
  Out const border = out + static_cast<std::iter_difference_t<Out>>(count);
  tally::partition_copy(on, std::move(first), std::move(last), std::move(out), border, std::move(pred));
  return border;
}

TALLY_WITHOUT_EXECUTION(stable_partition_copy, "([on,] first, last, out, pred), where `on` is an execution such as "
                                               "tally::cpu{}, and first, last and out are iterators");

/// Copies the first of every run of elements that are the same to `out`.
///
///     unique_copy([on,] first, last, out [, same])
///
/// An element begins a run if `same` of the one before it and itself is false. So neighbours are compared, where
/// std::unique_copy compares with the run's first element; for an equivalence the results are the same. As `copy_if`
/// otherwise.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Out,
          class Same = detail::selection::equal_values>
Out unique_copy(P const& on, I first, S last, Out out, Same same = {})
{
  detail::selection::check_compaction<I, Out>();
  detail::selection::check_equality<Same, std::iter_reference_t<I>>();
  auto const n = static_cast<std::size_t>(last - first);
  std::size_t const count = detail::selection::move_selected(
      on, n, sizeof(std::iter_value_t<I>), detail::selection::by_change<I, Same>{first, std::move(same)},
      detail::selection::copy_selected<I, Out>{first, out});
  return out + static_cast<std::iter_difference_t<Out>>(count);
}

TALLY_WITHOUT_EXECUTION(unique_copy, "([on,] first, last, out [, same]), where `on` is an execution such as "
                                     "tally::cpu{}, and first, last and out are iterators");

}  // namespace tally
