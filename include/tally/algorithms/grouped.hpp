#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>

#include "tally/algorithms/alone.hpp"
#include "tally/algorithms/segments.hpp"
#include "tally/operators/segmented.hpp"

/// Reductions and scans of segments, whatever says where they begin.
namespace tally::detail {

/// What is done at a segment's head besides: its key is kept, or nothing.
template <class Keys, class Out>
struct keep_key {
  Keys keys;
  Out out;
  TALLY_HD void operator()(std::size_t ordinal, std::size_t k) const
  {
    out[static_cast<std::iter_difference_t<Out>>(ordinal)] = keys[static_cast<std::iter_difference_t<Keys>>(k)];
  }
};
struct keep_nothing {
  TALLY_HD void operator()(std::size_t, std::size_t) const {}
};

template <class T, class Out>
TALLY_HD void store(Out const& out, std::size_t k, T const& value)
{
  out[static_cast<std::iter_difference_t<Out>>(k)] = value;
}

/// On a GPU, for operators whose brackets may be any: heads so far, and the value since the last of them.
template <class T, class Count>
struct headed {
  Count heads;
  T value;
};
template <class Op>
struct join_headed {
  static constexpr bool exactly_associative = true;
  Op op;

  template <class T, class Count>
  TALLY_HD headed<T, Count> operator()(headed<T, Count> const& a, headed<T, Count> const& b) const
  {
    T const both = static_cast<T>(op(a.value, b.value));
    return {static_cast<Count>(a.heads + b.heads), b.heads != 0 ? b.value : both};
  }
};
template <class T, class Count, class Choice, class Values>
struct headed_element {
  Choice choice;
  Values values;
  TALLY_HD headed<T, Count> operator()(std::size_t k) const
  {
    return {static_cast<Count>(is_chosen(choice, k)),
            static_cast<T>(values[static_cast<std::iter_difference_t<Values>>(k)])};
  }
};
template <class Choice, class Out, class Head>
struct store_group {
  Choice choice;
  Out out;
  Head head;
  std::size_t n;
  std::size_t* total;

  template <class T, class Count>
  TALLY_HD void operator()(std::size_t k, headed<T, Count> const& upto) const
  {
    std::size_t const group = static_cast<std::size_t>(upto.heads) - 1;
    if (is_chosen(choice, k)) head(group, k);
    if (k + 1 == n || is_chosen(choice, k + 1)) store(out, group, upto.value);
    if (k + 1 == n) *total = group + 1;
  }
};

/// On a GPU, for other operators: where segments begin, and a thread for each.
template <class Head>
struct note_begin {
  std::size_t* begins;
  Head head;
  TALLY_HD void one(std::size_t k, std::size_t before, bool is_head) const
  {
    if (!is_head) return;
    begins[before] = k;
    head(before, k);
  }
};
template <class T, class Values, class Out, class Op>
struct reduce_on_threads {
  std::size_t const* begins;
  Values values;
  Out out;
  Op op;
  TALLY_HD void operator()(std::size_t s) const
  {
    store(out, s, reduce_on_thread<T>(values, begins[s], begins[s + 1], maybe<T>{}, op).value);
  }
};
template <direction Shift, class T, class Values, class Out, class Op>
struct scan_on_threads {
  std::size_t const* begins;
  Values values;
  Out out;
  maybe<T> init;
  Op op;
  TALLY_HD void operator()(std::size_t s) const
  {
    scan_on_thread<Shift, T>(values, begins[s], begins[s + 1], out, init, op);
  }
};
struct store_end {
  std::size_t* at;
  std::size_t n;
  TALLY_HD void operator()(std::size_t) const { *at = n; }
};

/// Calls `use(begins, segments)` with where segments begin, and at last n.
template <class P, class Choice, class Head, class Use>
std::size_t with_begins(P const& on, std::size_t n, Choice const& choice, Head const& head, Use const& use)
{
  std::size_t const segments = total_chosen(on, n, 1, choice);
  temporary<std::size_t, P> const begins(on, segments + 1);
  move_chosen(on, n, 1, choice, note_begin<Head>{begins.data(), head});
  tally::for_each_index(on, 1, store_end{begins.data() + segments, n});
  use(begins.data(), segments);
  return segments;
}

/// One value for each segment of n values, to `out`; `head(ordinal, k)` at each of their heads. Returns how many there are.
template <class T, class P, class Choice, class Values, class Out, class Head, class Op>
std::size_t reduce_groups(P const& on, std::size_t n, std::size_t bytes, Choice const& choice, Values values, Out out,
                          Head const& head, Op op)
{
  if (n == 0) return 0;
  if constexpr (runs_on_cpu<P>) {
    auto const work = [&](auto const& where, std::size_t ordinal, std::size_t begin, std::size_t end) {
      head(ordinal, begin);
      store(out, ordinal, reduce_alone<T>(where, values, begin, end, std::optional<T>(), op));
    };
    return work_on_segments<true>(on, n, bytes, choice, work);
  } else if constexpr (tally::exactly_associative<Op, T>) {
    temporary<std::size_t, P> const total(on, 1);
    auto const scan = [&]<class Count>(Count) {
      auto const elements = elements_from(headed_element<T, Count, Choice, Values>{choice, values});
      tally::inclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(n),
                            results_to(store_group<Choice, Out, Head>{choice, out, head, n, total.data()}),
                            join_headed<Op>{op});
    };
    if (n <= std::numeric_limits<std::uint32_t>::max())
      scan(std::uint32_t{});
    else
      scan(std::uint64_t{});
    return value_at(on, total.data());
  } else {
    return with_begins(on, n, choice, head, [&](std::size_t const* begins, std::size_t segments) {
      tally::for_each_index(on, segments, reduce_on_threads<T, Values, Out, Op>{begins, values, out, op});
    });
  }
}

template <class T, class Choice, class Values>
struct flagged_element {
  Choice choice;
  Values values;
  TALLY_HD flagged<T> operator()(std::size_t k) const
  {
    return {static_cast<T>(values[static_cast<std::iter_difference_t<Values>>(k)]), is_chosen(choice, k)};
  }
};
template <direction Shift, class T, class Choice, class Out, class Op>
struct store_scanned {
  Choice choice;
  Out out;
  maybe<T> init;
  Op op;

  TALLY_HD void operator()(std::size_t k, flagged<T> const& upto) const
  {
    Op own = op;
    if (Shift == direction::exclusive && is_chosen(choice, k))
      store(out, k, init.value);
    else
      store(out, k, init.there ? static_cast<T>(own(init.value, upto.value)) : upto.value);
  }
};

/// A result for each of n values, to `out`.
template <direction Shift, class T, class P, class Choice, class Values, class Out, class Op>
void scan_groups(P const& on, std::size_t n, std::size_t bytes, Choice const& choice, Values values, Out out,
                 std::optional<T> const& init, Op op)
{
  if (n == 0) return;
  if constexpr (runs_on_cpu<P>) {
    auto const work = [&](auto const& where, std::size_t, std::size_t begin, std::size_t end) {
      scan_alone<Shift, T>(where, values, begin, end, out, init, op);
    };
    work_on_segments<false>(on, n, bytes, choice, work);
  } else {
    maybe<T> const start = init ? maybe<T>{*init, true} : maybe<T>{};
    if constexpr (tally::exactly_associative<Op, T>) {
      auto const elements = elements_from(flagged_element<T, Choice, Values>{choice, values});
      auto const last = elements + static_cast<std::ptrdiff_t>(n);
      auto const results = results_to(store_scanned<Shift, T, Choice, Out, Op>{choice, out, start, op});
      // What an exclusive scan begins with reaches no result: the first element is a head.
      if constexpr (Shift == direction::inclusive)
        tally::inclusive_scan(on, elements, last, results, segmented<Op>{op});
      else
        tally::exclusive_scan(on, elements, last, results, flagged<T>{T{}, true}, segmented<Op>{op});
    } else {
      with_begins(on, n, choice, keep_nothing{}, [&](std::size_t const* begins, std::size_t segments) {
        tally::for_each_index(on, segments, scan_on_threads<Shift, T, Values, Out, Op>{begins, values, out, start, op});
      });
    }
  }
}

}  // namespace tally::detail
