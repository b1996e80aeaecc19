#pragma once

#include <cstddef>
#include <utility>

#include "tally/config.hpp"
#include "tally/detail/function_iterator.hpp"

/// Outputs that are functions.
namespace tally::detail {

/// The place of result k. An assignment to it calls the function.
template <class F>
struct result_place {
  F use;
  std::size_t k;

  TALLY_HD_AS_GIVEN
  template <class T>
  TALLY_HD result_place const& operator=(T const& value) const
  {
    use(k, value);
    return *this;
  }
  result_place const& operator=(result_place const&) const = delete;
  result_place(result_place const&) = default;
  TALLY_HD result_place(F const& f, std::size_t at) : use(f), k(at) {}
};
template <class F>
struct place_of {
  F use;
  TALLY_HD result_place<F> operator()(std::size_t k) const { return {use, k}; }
};

/// Whether an output is a function. It is called with each result once, and results are not read back.
template <class Out>
inline constexpr bool takes_results = false;
template <class F>
inline constexpr bool takes_results<function_iterator<place_of<F>>> = true;

/// An output on a GPU that is called for each step of a scan: `use(k, before, upto, taken)`. `before` is the exclusive
/// result and `upto` the inclusive one; `before` of the first element is the initial value, or an arbitrary value
/// without one. `taken` is the result of `use.take(k)`, which is called earlier, so that the reads of many steps
/// overlap. `use.end(total)` is called once, at the end.
template <class F>
struct step_place {
  using taken = decltype(std::declval<F const&>().take(std::size_t{}));

  F use;
  std::size_t k;

  TALLY_HD taken take() const { return use.take(k); }
  template <class T>
  TALLY_HD void put(T const& before, T const& upto, taken const& own) const
  {
    use(k, before, upto, own);
  }
  template <class T>
  TALLY_HD void end(T const& total) const
  {
    use.end(total);
  }
  template <class T>
  step_place const& operator=(T const&) const;  // not defined: an output that takes steps is assigned no results
};
template <class F>
struct step_place_of {
  F use;
  TALLY_HD step_place<F> operator()(std::size_t k) const { return {use, k}; }
};
template <class Out>
inline constexpr bool takes_steps = false;
template <class F>
inline constexpr bool takes_steps<function_iterator<step_place_of<F>>> = true;
/// The result of `take` of a step that reads nothing.
struct nothing_taken {};

template <class F>
auto steps_to(F const& use)
{
  return function_iterator<step_place_of<F>>(step_place_of<F>{use}, 0);
}

}  // namespace tally::detail
