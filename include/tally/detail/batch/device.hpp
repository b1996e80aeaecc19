#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/detail/segments/device_single_segment.hpp"
#include "tally/for_each.hpp"

/// Batches on any device: maps over sequences, and segments, a thread for each. A backend has faster functions of the
/// same names for segments on its own execution.
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
// exclusive scan of one element writes its initial value, and an inclusive one without initial value copies the element.
// (Under nvcc maps are better: a reduction would compile the kernels of scans for them.)

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

/// A segment from its last element to its first.
template <class I>
struct from_last {
  using difference_type = std::ptrdiff_t;
  I last;
  TALLY_HD_AS_GIVEN
  TALLY_HD decltype(auto) operator[](std::ptrdiff_t k) const
  {
    return last[static_cast<std::iter_difference_t<I>>(-k)];
  }
};

/// The first place of the segment that is [begin, end) of `values`.
template <class From, class I>
TALLY_HD auto first_of(I const& values, std::size_t begin, std::size_t end)
{
  using distance = std::iter_difference_t<I>;
  if constexpr (std::is_same_v<From, from_front>)
    return values + static_cast<distance>(begin);
  else
    return from_last<I>{values + static_cast<distance>(end) - 1};
}

/// The values before segments, for a kernel.
template <class T>
struct segment_starts {
  optional_value<T> initial;
  T const* initials;

  explicit segment_starts(ends<T> const& given)
      : initial(given.initial ? optional_value<T>{*given.initial, true} : optional_value<T>{}),
        initials(given.initials)
  {
  }
  TALLY_HD optional_value<T> operator()(std::size_t s) const
  {
    return initials != nullptr ? optional_value<T>{initials[s], true} : initial;
  }
};

/// Reduces segment s.
template <class T, class From, class Values, class Offsets, class Out, class Op>
struct reduce_by_thread {
  Values values;
  Offsets offsets;
  Out out;
  T nothing;
  segment_starts<T> starts;
  Op op;

  TALLY_HD void operator()(std::size_t s) const
  {
    auto const begin = static_cast<std::size_t>(at_index(offsets, s));
    auto const end = static_cast<std::size_t>(at_index(offsets, s + 1));
    optional_value<T> result = starts(s);
    if (begin != end)
      result = segments::reduce_on_thread<T>(first_of<From>(values, begin, end), 0, end - begin, result, op);
    at_index(out, s) = result.is_present ? result.value : nothing;
  }
};

/// Scans segment s, and keeps the value after its last element.
template <direction Shift, class T, class From, class Values, class Offsets, class Out, class Op>
struct scan_by_thread {
  Values values;
  Offsets offsets;
  Out out;
  segment_starts<T> starts;
  T* lasts;
  Op op;

  TALLY_HD void operator()(std::size_t s) const
  {
    auto const begin = static_cast<std::size_t>(at_index(offsets, s));
    auto const end = static_cast<std::size_t>(at_index(offsets, s + 1));
    optional_value<T> const init = starts(s);
    optional_value<T> previous = init;
    if (begin != end) {
      auto const from = first_of<From>(values, begin, end);
      auto const to = first_of<From>(out, begin, end);
      auto const at = [&](std::size_t k) -> decltype(auto) { return at_index(from, k); };
      Op own = op;
      segments::scan_in_order<T>(at, end - begin, init, own, [&](std::size_t k, working_type<T> const& result) {
        at_index(to, k) = Shift == direction::inclusive ? static_cast<T>(result) : previous.value;
        previous = {static_cast<T>(result), true};
      });
    }
    if (lasts != nullptr && previous.is_present) lasts[s] = previous.value;
  }
};

}  // namespace tally::detail::batch

namespace tally::detail {

template <class T, device P, class Values, class Offsets, class Out, class Op, class From = batch::from_front>
void backend_reduce_segments(P const& on, Values values, Offsets offsets, std::size_t segments, Out out,
                             T const& nothing, batch::ends<T> const& ends, Op& op, From = {})
{
  tally::for_each_index(on, segments,
                        batch::reduce_by_thread<T, From, Values, Offsets, Out, Op>{values, offsets, out, nothing,
                                                                                   batch::segment_starts<T>(ends), op});
}

template <class T, device P, class Values, class Offsets, class Out, class Op, class From = batch::from_front>
void backend_scan_segments(P const& on, Values values, Offsets offsets, std::size_t segments, Out out,
                           batch::ends<T> const& ends, Op& op, direction shift, From = {})
{
  batch::segment_starts<T> const starts(ends);
  if (shift == direction::inclusive)
    tally::for_each_index(on, segments,
                          batch::scan_by_thread<direction::inclusive, T, From, Values, Offsets, Out, Op>{
                              values, offsets, out, starts, ends.lasts, op});
  else
    tally::for_each_index(on, segments,
                          batch::scan_by_thread<direction::exclusive, T, From, Values, Offsets, Out, Op>{
                              values, offsets, out, starts, ends.lasts, op});
}

}  // namespace tally::detail
