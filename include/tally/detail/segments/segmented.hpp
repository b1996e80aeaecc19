#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>

#include "tally/detail/segments/segments.hpp"
#include "tally/detail/segments/single_segment.hpp"
#include "tally/operators/numbered.hpp"

/// Reductions and scans of segments, whatever says where they begin.
namespace tally::detail {

/// What is done at a segment's head besides: its key is kept, or nothing.
template <class Keys, class Out>
struct keep_key {
  Keys keys;
  Out out;
  TALLY_HD void operator()(std::size_t ordinal, std::size_t k) const { put(ordinal, take(k)); }
  TALLY_HD_AS_GIVEN
  TALLY_HD std::iter_value_t<Keys> take(std::size_t k) const
  {
    return keys[static_cast<std::iter_difference_t<Keys>>(k)];
  }
  TALLY_HD_AS_GIVEN
  TALLY_HD void put(std::size_t ordinal, std::iter_value_t<Keys> const& key) const
  {
    out[static_cast<std::iter_difference_t<Out>>(ordinal)] = key;
  }
};
struct keep_nothing {
  TALLY_HD void operator()(std::size_t, std::size_t) const {}
  TALLY_HD nothing_taken take(std::size_t) const { return {}; }
  TALLY_HD void put(std::size_t, nothing_taken) const {}
};

TALLY_HD_AS_GIVEN
template <class T, class Out>
TALLY_HD void store(Out const& out, std::size_t k, T const& value)
{
  out[static_cast<std::iter_difference_t<Out>>(k)] = value;
}

/// On a GPU, for operators whose brackets may be any.
template <class T, class Count, class Choice, class Values>
struct numbered_element {
  Choice choice;
  Values values;
  TALLY_HD numbered<T, Count> operator()(std::size_t k) const
  {
    return {static_cast<Count>(is_chosen(choice, k)),
            static_cast<T>(values[static_cast<std::iter_difference_t<Values>>(k)])};
  }
};
template <class Out, class Head>
struct store_group {
  Out out;
  Head head;
  std::size_t* total;

  /// A group's value is known where the next one begins.
  TALLY_HD auto take(std::size_t k) const { return head.take(k); }
  template <class T, class Count, class Key>
  TALLY_HD void operator()(std::size_t, numbered<T, Count> const& before, numbered<T, Count> const& upto,
                           Key const& key) const
  {
    auto const groups = static_cast<std::size_t>(before.heads);
    if (before.heads != upto.heads) {
      if (groups != 0) store(out, groups - 1, before.value);
      head.put(groups, key);
    }
  }
  template <class T, class Count>
  TALLY_HD void end(numbered<T, Count> const& all) const
  {
    store(out, static_cast<std::size_t>(all.heads) - 1, all.value);
    *total = static_cast<std::size_t>(all.heads);
  }
};

/// On a GPU, for other operators: where segments begin, and a thread for each.
template <class Head>
struct note_begin {
  std::size_t* begins;
  Head head;
  TALLY_HD auto take(std::size_t k) const { return head.take(k); }
  template <class Key>
  TALLY_HD void one(std::size_t k, std::size_t before, bool is_head, Key const& key) const
  {
    if (!is_head) return;
    begins[before] = k;
    head.put(before, key);
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

/// One value for each segment of n values, to `out`; `head(ordinal, k)` at each of their heads. Returns how many there
/// are.
template <class T, class P, class Choice, class Values, class Out, class Head, class Op>
std::size_t reduce_groups(P const& on, std::size_t n, std::size_t bytes, Choice const& choice, Values values, Out out,
                          Head const& head, Op op)
{
  if (n == 0) return 0;
  if constexpr (host<P>) {
    auto const work = [&](auto const& where, std::size_t ordinal, std::size_t begin, std::size_t end) {
      head(ordinal, begin);
      store(out, ordinal, reduce_alone<T>(where, values, begin, end, std::optional<T>(), op));
    };
    return work_on_segments<true>(on, n, bytes, choice, work);
  } else if constexpr (tally::exactly_associative<Op, T>) {
    temporary<std::size_t, P> const total(on, 1);
    auto const scan = [&]<class Count>(Count) {
      auto const elements = elements_from(numbered_element<T, Count, Choice, Values>{choice, values});
      tally::inclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(n),
                            steps_to(store_group<Out, Head>{out, head, total.data()}), numbered_segments<Op>{op});
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

template <direction Shift, class T, class Out, class Op>
struct store_scanned {
  Out out;
  maybe<T> init;
  Op op;

  TALLY_HD nothing_taken take(std::size_t) const { return {}; }
  TALLY_HD void end(auto const&) const {}
  template <class Count>
  TALLY_HD void operator()(std::size_t k, numbered<T, Count> const& before, numbered<T, Count> const& upto,
                           nothing_taken) const
  {
    Op own = op;
    if (Shift == direction::exclusive && before.heads != upto.heads) {
      store(out, k, init.value);
    } else {
      T const& value = Shift == direction::exclusive ? before.value : upto.value;
      store(out, k, init.there ? static_cast<T>(own(init.value, value)) : value);
    }
  }
};

/// A result for each of n values, to `out`.
template <direction Shift, class T, class P, class Choice, class Values, class Out, class Op>
void scan_groups(P const& on, std::size_t n, std::size_t bytes, Choice const& choice, Values values, Out out,
                 std::optional<T> const& init, Op op)
{
  if (n == 0) return;
  if constexpr (host<P>) {
    auto const work = [&](auto const& where, std::size_t, std::size_t begin, std::size_t end) {
      scan_alone<Shift, T>(where, values, begin, end, out, init, op);
    };
    work_on_segments<false>(on, n, bytes, choice, work);
  } else {
    maybe<T> const start = init ? maybe<T>{*init, true} : maybe<T>{};
    if constexpr (tally::exactly_associative<Op, T>) {
      auto const scan = [&]<class Count>(Count) {
        auto const elements = elements_from(numbered_element<T, Count, Choice, Values>{choice, values});
        tally::inclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(n),
                              steps_to(store_scanned<Shift, T, Out, Op>{out, start, op}), numbered_segments<Op>{op});
      };
      if (n <= std::numeric_limits<std::uint32_t>::max())
        scan(std::uint32_t{});
      else
        scan(std::uint64_t{});
    } else {
      with_begins(on, n, choice, keep_nothing{}, [&](std::size_t const* begins, std::size_t segments) {
        tally::for_each_index(on, segments, scan_on_threads<Shift, T, Values, Out, Op>{begins, values, out, start, op});
      });
    }
  }
}

}  // namespace tally::detail
