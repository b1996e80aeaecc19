#pragma once

#include <cstddef>
#include <optional>

#include "tally/config.hpp"
#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/count_type.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/detail/segments/begins.hpp"
#include "tally/detail/segments/heads.hpp"
#include "tally/detail/selection/criteria.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/operators/numbered.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Reductions and scans of segments on a device, by the backend's functions for segments between offsets. By key and by
/// flag, a pass finds first where segments begin (begins.hpp): short segments go by these bits, others by offsets that
/// a second pass makes of them, as all do for exact sums. For exactly associative operators one scan of all elements
/// numbers the segments, and does all.
namespace tally::detail::segments {

template <class T>
optional_value<T> value_for_device(std::optional<T> const& value)
{
  return value ? optional_value<T>{*value, true} : optional_value<T>{};
}

/// Element k of the one scan.
template <class T, class Count, class Criterion, class Values>
struct numbered_element {
  Criterion criterion;
  Values values;
  TALLY_HD numbered<T, Count> operator()(std::size_t k) const
  {
    return {static_cast<Count>(selection::is_selected(criterion, k)), static_cast<T>(at_index(values, k))};
  }
};

/// A step of the one scan in a reduction: a segment's value is known where the next segment begins.
template <class Out, class Head>
struct store_reduced {
  Out out;
  Head head;
  std::size_t* total;

  TALLY_HD auto take(std::size_t k) const { return head.take(k); }
  template <class T, class Count, class Key>
  TALLY_HD void operator()(std::size_t, numbered<T, Count> const& before, numbered<T, Count> const& upto,
                           Key const& key) const
  {
    auto const segments = static_cast<std::size_t>(before.heads);
    if (before.heads != upto.heads) {
      if (segments != 0) at_index(out, segments - 1) = before.value;
      head.put(segments, key);
    }
  }
  template <class T, class Count>
  TALLY_HD void end(numbered<T, Count> const& all) const
  {
    at_index(out, static_cast<std::size_t>(all.heads) - 1) = all.value;
    *total = static_cast<std::size_t>(all.heads);
  }
};

/// A step of the one scan in a scan of segments.
template <direction Shift, class T, class Out, class Op>
struct store_scanned {
  Out out;
  optional_value<T> init;
  Op op;

  TALLY_HD nothing_taken take(std::size_t) const { return {}; }
  TALLY_HD void end(auto const&) const {}
  template <class Count>
  TALLY_HD void operator()(std::size_t k, numbered<T, Count> const& before, numbered<T, Count> const& upto,
                           nothing_taken) const
  {
    Op own = op;
    if (Shift == direction::exclusive && before.heads != upto.heads) {
      at_index(out, k) = init.value;
    } else {
      T const& value = Shift == direction::exclusive ? before.value : upto.value;
      at_index(out, k) = init.is_present ? static_cast<T>(own(init.value, value)) : value;
    }
  }
};

/// Runs the one scan of n elements to `use`.
template <class T, class P, class Criterion, class Values, class Use, class Op>
void scan_numbered(P const& on, std::size_t n, Criterion const& criterion, Values values, Use const& use, Op op)
{
  with_count_type(n, [&]<class Count>(Count) {
    auto const elements = elements_from(numbered_element<T, Count, Criterion, Values>{criterion, values});
    tally::inclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(n), steps_to(use),
                          numbered_segments<Op>{op});
  });
}

template <class T, device P, class Criterion, class Values, class Out, class Head, class Op>
std::size_t reduce(P const& on, std::size_t n, std::size_t /*bytes*/, Criterion const& criterion, Values values,
                   Out out, Head const& head, Op op)
{
  if (n == 0) return 0;
  if constexpr (tally::exactly_associative<Op, T>) {
    temporary<std::size_t, P> const total(on, 1);
    scan_numbered<T>(on, n, criterion, values, store_reduced<Out, Head>{out, head, total.data()}, op);
    return value_at(on, total.data());
  } else {
    auto const by_begins = [&](auto const* begins, std::size_t segments) {
      // No segment is empty, so any value serves for one.
      backend_reduce_segments(on, values, begins, {segments}, out, T{}, batch::ends<T>{}, op, batch::from_front{}, n);
    };
    if constexpr (is_exact_sum<Op>) {
      return with_begins(on, n, criterion, head, by_begins);
    } else {
      auto const by_heads = [&](marked_heads const& heads) {
        return backend_reduce_short_runs<T>(on, heads, values, out, head, op);
      };
      return with_begins(on, n, criterion, head, by_begins,
                         attempt_up_to{"cuda: short segments by their heads", most_mean_of_reduced_runs(on), by_heads});
    }
  }
}

template <direction Shift, class T, device P, class Criterion, class Values, class Out, class Op>
void scan(P const& on, std::size_t n, Criterion const& criterion, Values values, Out out, std::optional<T> const& init,
          Op op)
{
  if (n == 0) return;
  if constexpr (tally::exactly_associative<Op, T>) {
    scan_numbered<T>(on, n, criterion, values, store_scanned<Shift, T, Out, Op>{out, value_for_device(init), op}, op);
  } else {
    auto const by_begins = [&](auto const* begins, std::size_t segments) {
      backend_scan_segments(on, values, begins, {segments}, out, batch::ends<T>{init}, op, Shift, batch::from_front{},
                            n);
    };
    if constexpr (is_exact_sum<Op>) {
      with_begins(on, n, criterion, keep_nothing{}, by_begins);
    } else {
      auto const by_heads = [&](marked_heads const& heads) {
        return backend_scan_short_runs<T>(on, heads, values, out, keep_nothing{}, init ? &*init : nullptr, op, Shift);
      };
      with_begins(on, n, criterion, keep_nothing{}, by_begins,
                  attempt_up_to{"cuda: short segments by their heads", most_mean_of_scanned_runs(on), by_heads});
    }
  }
}

}  // namespace tally::detail::segments
