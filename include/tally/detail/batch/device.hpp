#pragma once

#include <cstddef>

#include "tally/config.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/for_each.hpp"

/// Batches on any device: maps over sequences.
namespace tally::detail::batch {

/// Writes the initial value of sequence s.
template <class T, class Out>
struct fill_one {
  layout where;
  Out* out;
  optional_value<T> initial;
  T const* initials;

  TALLY_HD void operator()(std::size_t s) const
  {
    distances const at = where.place(s);
    out[at.out] = initials != nullptr ? initials[at.initial] : initial.value;
  }
};

/// Copies element s.
template <class T, class In>
struct copy_one {
  layout where;
  In const* in;
  T* out;

  TALLY_HD void operator()(std::size_t s) const
  {
    distances const at = where.place(s);
    out[at.out] = static_cast<T>(in[at.in]);
  }
};

// Maps must be compiled by nvcc. In other files only built-in operators are called, whose scans are in the library: an
// exclusive scan of one element writes its initial value, and an inclusive one without initial value copies the
// element. (Under nvcc maps are better: a reduction would compile the kernels of scans for them.)

/// Writes the initial value of each sequence to its place of `out`.
template <class T, device P, class Out, class Op>
void fill_on_device(P const& on, layout const& where, Out* out, ends<T> const& values, [[maybe_unused]] Op& op)
{
#ifdef __CUDACC__
  auto const initial = values.initial ? optional_value<T>{*values.initial, true} : optional_value<T>{};
  tally::for_each_index(on, where.sequences(), fill_one<T, Out>{where, out, initial, values.initials});
#else
  // The element that is read shows in no result; it may be any.
  backend_scan_sequences<T>(on, where, static_cast<Out const*>(out), out, values, op, direction::exclusive);
#endif
}

/// Copies elements from their places to their places.
template <class T, device P, class In, class Op>
void copy_on_device(P const& on, layout const& where, In const* in, T* out, [[maybe_unused]] Op& op)
{
#ifdef __CUDACC__
  tally::for_each_index(on, where.sequences(), copy_one<T, In>{where, in, out});
#else
  backend_scan_sequences<T>(on, where, in, out, ends<T>{}, op, direction::inclusive);
#endif
}

}  // namespace tally::detail::batch
