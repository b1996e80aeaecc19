#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/selection/selection.hpp"
#include "tally/for_each.hpp"

/// A sequence as its runs of elements that are the same, and back.
namespace tally {

namespace detail {

/// Runs that have begun, and where the last of them did.
template <class Index>
struct runs_so_far {
  Index count;
  Index head;
};
/// Of two neighbouring stretches. Exact: the head is the later one, whatever the brackets.
struct join_runs {
  static constexpr bool exactly_associative = true;

  template <class Index>
  TALLY_HD runs_so_far<Index> operator()(runs_so_far<Index> const& a, runs_so_far<Index> const& b) const
  {
    return {static_cast<Index>(a.count + b.count), b.count != 0 ? b.head : a.head};
  }
};

/// Where runs and their lengths go.
template <class I, class Values, class Lengths>
struct run_output {
  I in;
  Values values;
  Lengths lengths;

  TALLY_HD_AS_GIVEN
  TALLY_HD void begin(std::size_t run, std::size_t k) const
  {
    values[static_cast<std::iter_difference_t<Values>>(run)] = in[static_cast<std::iter_difference_t<I>>(k)];
  }
  TALLY_HD_AS_GIVEN
  TALLY_HD void length(std::size_t run, std::size_t k) const
  {
    lengths[static_cast<std::iter_difference_t<Lengths>>(run)] = static_cast<std::iter_value_t<Lengths>>(k);
  }
};

/// A block's runs. Of runs that lie in several blocks the value is written by the block in which they begin, the length
/// by that in which they end.
template <class Choice, class Output>
void write_runs(Choice const& who, Output const& output, std::size_t n, std::size_t begin, std::size_t end,
                runs_so_far<std::size_t> before, std::size_t count)
{
  at_hand<Choice> choice = who;
  Output const out = output;
  bool const ends_here = end == n || choice(end);
  std::size_t run = before.count;
  std::size_t head = before.head;
  took(count == 0 ? "run lengths: a block in which none begins" : "run lengths: a block in which some begin");
  took(ends_here ? "run lengths: the last one ends with the block" : "run lengths: the last one goes on");
  if (count != 0) {
    std::size_t last = end - 1;
    while (!is_chosen(choice, last)) --last;
    std::size_t k = begin;
    if (k == 0 && last != 0) {
      out.begin(run++, k++);
      out.length(0, 1);
    }
    // No branch: what is not yet complete is written too, and again by the next element. `last` is the block's own, so
    // all of this is.
    for (; k < last; ++k) {
      bool const begins = choice(k);
      out.begin(run, k);
      run += static_cast<std::size_t>(begins);
      head = begins ? k : head;
      out.length(run - 1, k + 1 - head);
    }
    out.begin(run++, last);
    head = last;
  }
  if (ends_here) out.length(run - 1, end - head);
}

template <class Choice, class Index>
struct run_of_one {
  Choice choice;
  TALLY_HD runs_so_far<Index> operator()(std::size_t k) const
  {
    return is_chosen(choice, k) ? runs_so_far<Index>{1, static_cast<Index>(k)} : runs_so_far<Index>{0, 0};
  }
};
template <class Choice, class Output>
struct write_run {
  Choice choice;
  Output out;
  std::size_t n;
  std::size_t* total;

  template <class Index>
  TALLY_HD void operator()(std::size_t k, runs_so_far<Index> const& upto) const
  {
    std::size_t const run = static_cast<std::size_t>(upto.count) - 1;
    if (upto.head == k) out.begin(run, k);
    if (k + 1 == n || is_chosen(choice, k + 1)) out.length(run, k + 1 - static_cast<std::size_t>(upto.head));
    if (k + 1 == n) *total = run + 1;
  }
};

template <class P, class Choice, class Output>
std::size_t encode_runs(P const& on, std::size_t n, std::size_t bytes, Choice const& choice, Output const& out)
{
  if (n == 0) return 0;
  if constexpr (host<P>) {
    using state = runs_so_far<std::size_t>;
    std::size_t const blocks = blocks_of(n);
    temporary<std::uint32_t, P> const counts(on, blocks);
    forget(counts);
    counted_blocks<Choice> const count{&choice, n, counts.data()};
    auto const runs_of_block = [count](std::size_t b) {
      std::size_t const own = count(b);
      std::size_t head = own == 0 ? 0 : count.end(b) - 1;
      if (own != 0)
        while (!is_chosen(*count.choice, head)) --head;
      return state{own, head};
    };
    std::size_t total = 0;
    auto const use = [count, n, blocks, to = &out, sum = &total](std::size_t b, state before) {
      std::size_t const own = count(b);
      write_runs(*count.choice, *to, n, count.begin(b), count.end(b), before, own);
      if (b + 1 == blocks) *sum = before.count + own;
    };
    auto const elements = elements_from(runs_of_block, chosen_block * bytes);
    tally::exclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(blocks), results_to(use), state{0, 0},
                          join_runs{});
    return total;
  } else {
    temporary<std::size_t, P> const total(on, 1);
    auto const scan = [&]<class Index>(Index) {
      auto const elements = elements_from(run_of_one<Choice, Index>{choice});
      tally::inclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(n),
                            results_to(write_run<Choice, Output>{choice, out, n, total.data()}), join_runs{});
    };
    if (n <= std::numeric_limits<std::uint32_t>::max())
      scan(std::uint32_t{});
    else
      scan(std::uint64_t{});
    return value_at(on, total.data());
  }
}

/// Fills [begin, end) of what runs decode to, which end at `ends`.
template <class Values, class Out>
struct fill_from_runs {
  Values values;
  std::uint64_t const* ends;
  std::size_t runs;
  Out out;

  /// The run in which place k lies: the first that ends behind it. Runs of no length end where the one before them
  /// does, and are never the first.
  TALLY_HD std::size_t run_at(std::size_t k) const
  {
    std::size_t low = 0, size = runs;
    while (size > 0) {
      std::size_t const half = size / 2;
      if (ends[low + half] <= k) {
        low += half + 1;
        size -= half + 1;
      } else {
        size = half;
      }
    }
    return low;
  }
  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t begin, std::size_t end) const
  {
    std::size_t run = run_at(begin);
    for (std::size_t k = begin; k < end; ++run) {
      std::size_t const upto = ends[run] < end ? static_cast<std::size_t>(ends[run]) : end;
      std::iter_value_t<Values> const value = values[static_cast<std::iter_difference_t<Values>>(run)];
      for (; k < upto; ++k) out[static_cast<std::iter_difference_t<Out>>(k)] = value;
    }
  }
  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t k) const
  {
    out[static_cast<std::iter_difference_t<Out>>(k)] = values[static_cast<std::iter_difference_t<Values>>(run_at(k))];
  }
};

}  // namespace detail

/// Writes the first element of every run of elements that are the same to `values`, and how many it is of to `lengths`.
///
///     run_length_encode([on,] first, last, values, lengths [, same])
///
/// Requires  as `unique_copy`; lengths fit into the value type of `lengths`.
/// Result    the number of runs; 0 of nothing.
/// Cost      one pass, as `copy_if`.
/// Blocks    until all is written, on a GPU too: the number of runs is not known before.
/// Throws    as `copy_if`.
/// Source    Golomb, Run-length encodings (1966), of which this is the part before the codes.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Values, detail::iterator Lengths,
          class Same = detail::equal_values>
std::size_t run_length_encode(P const& on, I first, S last, Values values, Lengths lengths, Same same = {})
{
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<Values> &&
                    std::random_access_iterator<Lengths>,
                "tally: run_length_encode reads and writes by index: give it iterators of arrays");
  detail::check_equality<Same, std::iter_reference_t<I>>();
  return detail::encode_runs(on, static_cast<std::size_t>(last - first), sizeof(std::iter_value_t<I>),
                             detail::chosen_if_new<I, Same>{first, std::move(same)},
                             detail::run_output<I, Values, Lengths>{first, values, lengths});
}

TALLY_WITHOUT_EXECUTION(run_length_encode, "([on,] first, last, values, lengths [, same]), where `on` is an execution "
                                           "such as tally::cpu{}, and all but `same` are iterators");

/// Writes value r of [first, last) as often as `lengths[r]` says, one run behind the other.
///
///     run_length_decode([on,] first, last, lengths, out)
///
/// Requires  no length is negative; their sum, for which `out` has room, fits into 64 bits: `tally::reduce(lengths,
///           std::uint64_t{0})` gives it.
/// Result    the end of what was written. A length of 0 writes nothing.
/// Cost      two passes: one over the lengths, one over what is written, of which every thread has its share however
///           long single runs are. On a GPU a binary search for each element that is written.
/// Memory    8 bytes a run.
/// Blocks    until all is written; on a GPU until the sum of the lengths is known.
/// Throws    what the iterators throw, and then `out` is partly written; usage_error; std::bad_alloc; cuda_error.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator Lengths, detail::iterator Out>
Out run_length_decode(P const& on, I first, S last, Lengths lengths, Out out)
{
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<Lengths> &&
                    std::random_access_iterator<Out>,
                "tally: run_length_decode reads and writes by index: give it iterators of arrays");
  static_assert(std::is_integral_v<std::iter_value_t<Lengths>>, "tally: lengths of runs are integers");
  auto const runs = static_cast<std::size_t>(last - first);
  if (runs == 0) return out;
  temporary<std::uint64_t, P> const ends(on, runs);
  tally::inclusive_scan<std::uint64_t>(on, lengths, lengths + static_cast<std::iter_difference_t<Lengths>>(runs),
                                       ends.data());
  auto const total = static_cast<std::size_t>(value_at(on, ends.data() + runs - 1));
  detail::fill_from_runs<I, Out> const fill{first, ends.data(), runs, out};
  if constexpr (detail::host<P>) {
    detail::took("run lengths: decoded by blocks");
    tally::for_each_block(on, total, detail::chosen_block, fill);
  } else {
    tally::for_each_index(on, total, fill);
  }
  return out + static_cast<std::iter_difference_t<Out>>(total);
}

TALLY_WITHOUT_EXECUTION(
    run_length_decode,
    "([on,] first, last, lengths, out), where `on` is an execution such as tally::cpu{}, and all others are iterators");

}  // namespace tally
