#pragma once

#include <cstddef>
#include <iterator>

#include "tally/config.hpp"
#include "tally/detail/at_index.hpp"

/// Moves of selected elements: where each one goes. A CPU moves blocks (host_moves.hpp). A thread of a GPU moves one
/// element: it reads element k by `take(k)`, and when it knows that `before` elements before k are selected it calls
/// `one(k, before, is_selected, taken)`.
namespace tally::detail::selection {

/// Copies selected elements to `out`.
template <class I, class Out>
struct copy_selected {
  I in;
  Out out;

  TALLY_HD std::iter_value_t<I> take(std::size_t k) const { return at_index(in, k); }
  TALLY_HD void one(std::size_t, std::size_t before, bool is_selected, std::iter_value_t<I> const& taken) const
  {
    if (is_selected) at_index(out, before) = taken;
  }
};

/// Copies selected elements to `selected`, the others to `rest`.
template <class I, class Out, class Rest>
struct copy_both {
  I in;
  Out selected;
  Rest rest;

  TALLY_HD std::iter_value_t<I> take(std::size_t k) const { return at_index(in, k); }
  TALLY_HD void one(std::size_t k, std::size_t before, bool is_selected, std::iter_value_t<I> const& taken) const
  {
    if (is_selected)
      at_index(selected, before) = taken;
    else
      at_index(rest, k - before) = taken;
  }
};

}  // namespace tally::detail::selection
