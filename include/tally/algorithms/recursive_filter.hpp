#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/elementary/rounding.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/block_results.hpp"
#include "tally/detail/recurrence/delayed.hpp"
#include "tally/execution.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// Linear recurrences of any order with constant coefficients: what signal processing calls an all-pole filter of
/// infinite response.
namespace tally {

namespace detail {

/// The last outputs, the latest first, and how a step or many of them change it: state -> matrix * state + offset.
template <class T, std::size_t Order>
using filter_state = std::array<T, Order>;
template <class T, std::size_t Order>
using filter_matrix = std::array<filter_state<T, Order>, Order>;

template <class T, std::size_t Order>
filter_state<T, Order> applied(filter_matrix<T, Order> const& matrix, filter_state<T, Order> const& state,
                               filter_state<T, Order> sum)
{
  for (std::size_t i = 0; i < Order; ++i)
    for (std::size_t j = 0; j < Order; ++j)
      sum[i] = static_cast<T>(plus{}(sum[i], rounded_product(matrix[i][j], state[j])));
  return sum;
}
template <class T, std::size_t Order>
filter_matrix<T, Order> product(filter_matrix<T, Order> const& a, filter_matrix<T, Order> const& b)
{
  filter_matrix<T, Order> all{};
  for (std::size_t i = 0; i < Order; ++i)
    for (std::size_t k = 0; k < Order; ++k)
      for (std::size_t j = 0; j < Order; ++j)
        all[i][j] = static_cast<T>(plus{}(all[i][j], rounded_product(a[i][k], b[k][j])));
  return all;
}
template <class T, std::size_t Order>
filter_matrix<T, Order> one_matrix()
{
  filter_matrix<T, Order> all{};
  for (std::size_t i = 0; i < Order; ++i) all[i][i] = T(1);
  return all;
}
/// n steps without input.
template <class T, std::size_t Order>
filter_matrix<T, Order> companion_power(std::array<T, Order> const& feedback, std::size_t n)
{
  filter_matrix<T, Order> step{}, all = one_matrix<T, Order>();
  step[0] = feedback;
  for (std::size_t i = 1; i < Order; ++i) step[i][i - 1] = T(1);
  for (; n != 0; n /= 2) {
    if (n % 2 == 1) all = product<T, Order>(all, step);
    step = product<T, Order>(step, step);
  }
  return all;
}

template <class T, std::size_t Order>
struct filter_map {
  filter_matrix<T, Order> matrix;
  filter_state<T, Order> offset;
};

/// Composition, the earlier map first.
struct compose_filters {
  template <class T, std::size_t Order>
  filter_map<T, Order> operator()(filter_map<T, Order> const& earlier, filter_map<T, Order> const& later) const
  {
    return {product<T, Order>(later.matrix, earlier.matrix),
            applied<T, Order>(later.matrix, earlier.offset, later.offset)};
  }
};

/// Blocks of a signal. In a block four quarters run beside each other, since one alone waits for a product and a sum at
/// every step: first from nothing, to know what state each leaves, then from the state that is known.
template <class T, std::size_t Order, class I>
struct filter_blocks {
  static constexpr std::size_t quarter = 320;
  static constexpr std::size_t block = 4 * quarter;
  using state = filter_state<T, Order>;

  std::array<T, Order> feedback;
  filter_matrix<T, Order> of_quarter;
  filter_matrix<T, Order> of_block;
  I in;
  std::size_t size;
  notes<std::array<state, 4>> noted;

  T step(state& last, std::size_t k) const
  {
    T y = static_cast<T>(in[static_cast<std::iter_difference_t<I>>(k)]);
    // The latest output last, since it is what the sum waits for.
    for (std::size_t j = Order; j-- > 0;) y = static_cast<T>(plus{}(y, rounded_product(feedback[j], last[j])));
    for (std::size_t j = Order - 1; j > 0; --j) last[j] = last[j - 1];
    last[0] = y;
    return y;
  }
  /// Asks memory for the lines of the block from `begin` on in their order: quarters side by side are none that a
  /// processor would foresee.
  template <class Iterator>
  void ask_for(Iterator const& of, std::size_t begin) const
  {
    if constexpr (std::contiguous_iterator<Iterator>) {
      std::size_t const end = begin + block < size ? begin + block : size;
      for (std::size_t k = begin; k < end; k += 64 / sizeof(T) + (sizeof(T) > 64))
        __builtin_prefetch(std::to_address(of) + k);
    }
  }
  /// The states that the quarters of the block from `begin` on leave if they begin with nothing.
  std::array<state, 4> responses(std::size_t begin) const
  {
    return noted.get(begin / block, [this, begin] { return found_responses(begin); });
  }
  std::array<state, 4> found_responses(std::size_t begin) const
  {
    auto const at_hand = *this;
    ask_for(in, begin + block);
    state a{}, b{}, c{}, d{};
    for (std::size_t k = begin; k < begin + quarter; ++k) {
      at_hand.step(a, k);
      at_hand.step(b, k + quarter);
      at_hand.step(c, k + 2 * quarter);
      at_hand.step(d, k + 3 * quarter);
    }
    return {a, b, c, d};
  }
  /// The map of block j. That of the last one, which may be shorter, nobody asks for.
  filter_map<T, Order> operator()(std::size_t j) const
  {
    if (size - j * block < block) return {of_block, {}};
    auto const quarters = responses(j * block);
    state all = quarters[0];
    for (std::size_t q = 1; q < 4; ++q) all = applied<T, Order>(of_quarter, all, quarters[q]);
    return {of_block, all};
  }
};

template <class T, std::size_t Order>
bool is_finite(filter_state<T, Order> const& state)
{
  bool all = true;
  for (T const& each : state) all = all && is_finite(each);
  return all;
}

template <class T, std::size_t Order, class I, class Out>
struct filter_run {
  static constexpr std::size_t block = filter_blocks<T, Order, I>::block, quarter = block / 4;
  using state = filter_state<T, Order>;

  filter_blocks<T, Order, I> blocks;
  block_ends<state> ends;
  Out out;
  state before;

  void put(std::size_t k, T const& y) const { out[static_cast<std::iter_difference_t<Out>>(k)] = y; }
  void operator()(std::size_t j, filter_map<T, Order> const& all_before) const
  {
    auto const first = applied<T, Order>(all_before.matrix, before, all_before.offset);
    if (j != 0 && !is_finite<T, Order>(first)) return ends.put_off(j);
    ends.ended(j, run(j, first));
  }

  state one_by_one(state last, std::size_t begin, std::size_t end) const
  {
    for (std::size_t k = begin; k < end; ++k) put(k, blocks.step(last, k));
    return last;
  }
  /// Returns the last state. The quarters run one after the other where the first state of one overflows.
  state run(std::size_t j, state a) const
  {
    std::size_t const begin = j * block;
    bool const is_short = blocks.size - begin < block;
    took(is_short ? "recursive filter: a short block" : "recursive filter: four quarters");
    if (is_short) return one_by_one(a, begin, blocks.size);
    auto const quarters = blocks.responses(begin);
    blocks.ask_for(out, begin + block);
    auto b = applied<T, Order>(blocks.of_quarter, a, quarters[0]);
    auto c = applied<T, Order>(blocks.of_quarter, b, quarters[1]);
    auto d = applied<T, Order>(blocks.of_quarter, c, quarters[2]);
    if (!(is_finite<T, Order>(b) && is_finite<T, Order>(c) && is_finite<T, Order>(d)))
      return one_by_one(a, begin, begin + block);
    auto const blocks_at_hand = blocks;  // which stores to `out` cannot change
    for (std::size_t k = begin; k < begin + quarter; ++k) {
      put(k, blocks_at_hand.step(a, k));
      put(k + quarter, blocks_at_hand.step(b, k + quarter));
      put(k + 2 * quarter, blocks_at_hand.step(c, k + 2 * quarter));
      put(k + 3 * quarter, blocks_at_hand.step(d, k + 3 * quarter));
    }
    return d;
  }
};

}  // namespace detail

/// Writes out[k] = x[k] + feedback[0]*out[k-1] + feedback[1]*out[k-2] + ..., where out[-1], out[-2], ... are `before`,
/// or zeros.
///
///     recursive_filter([on,] feedback, first, last, out [, before])
///
/// What is fed forward is a map of the input, and may be one: `first` can be the iterator of `elements_from`.
///
/// Requires  feedback and before are std::array<T, Order>, Order > 0; random-access iterators; a CPU. `out` may be
///           `first` (in place), otherwise it must not overlap the input. T is a ring with T(1).
/// Result    the end of what was written. The same bits for every number of threads; integers wrap, and are those of
///           the plain loop. Floating-point values differ from that loop's by rounding. Where a filter that is not
///           stable overflows, they go on one by one, as the loop: what grows to infinity is infinite, not NaN.
/// Cost      one pass over memory: each element is read and written once. Twice the loop's work in the cache, of which
///           four steps run at once. O(n/p + log p) on p threads.
/// Memory    as `inclusive_scan`, and 5 states for each 1280 elements.
/// Blocks    until all is written.
/// Throws    what the iterators throw; usage_error; std::bad_alloc.
/// Source    Kogge & Stone, A parallel algorithm for the efficient solution of a general class of recurrence equations
///           (1973); Blelloch (1990), section 1.4.
template <execution P, class T, std::size_t Order, detail::iterator I, detail::end_of<I> S, detail::iterator Out>
Out recursive_filter(P const& on, std::array<T, Order> const& feedback, I first, S last, Out out,
                     std::type_identity_t<std::array<T, Order>> const& before = {})
{
  static_assert(detail::host<P>, "tally: recursive_filter runs on a CPU; on a GPU linear_recurrence does, for order 1");
  static_assert(Order > 0, "tally: a recursive filter feeds back at least one output");
  static_assert(std::random_access_iterator<I> && std::random_access_iterator<Out>,
                "tally: a recursive filter takes random-access iterators: its blocks are reached by index");
  static_assert(!(std::is_integral_v<T> && std::is_floating_point_v<std::iter_value_t<I>>),
                "tally: integer coefficients would truncate every value of a floating-point signal. Write them as 1.0");
  using blocks = detail::filter_blocks<T, Order, I>;
  auto const n = static_cast<std::size_t>(last - first);
  std::size_t const count = n / blocks::block + (n % blocks::block != 0);
  detail::notebook<std::array<detail::filter_state<T, Order>, 4>, P> const noted(on, count);
  blocks const maps{feedback,
                    detail::companion_power(feedback, blocks::quarter),
                    detail::companion_power(feedback, blocks::block),
                    first,
                    n,
                    noted.pages()};
  detail::put_off_blocks<detail::filter_state<T, Order>, P> put_off(on, count);
  detail::filter_run<T, Order, I, Out> const runs{maps, put_off.ends(), out, before};
  auto const elements = elements_from(maps, blocks::block * sizeof(T));
  tally::exclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(count), results_to(runs),
                        detail::filter_map<T, Order>{detail::one_matrix<T, Order>(), {}}, detail::compose_filters{});
  put_off.run([&](std::size_t j, auto const& from) { return runs.run(j, from); });
  return out + static_cast<std::iter_difference_t<Out>>(n);
}
template <class T, std::size_t Order, detail::iterator I, detail::end_of<I> S, detail::iterator Out>
Out recursive_filter(std::array<T, Order> const& feedback, I first, S last, Out out,
                     std::type_identity_t<std::array<T, Order>> const& before = {})
{
  if constexpr (std::is_arithmetic_v<T> && std::contiguous_iterator<I> && std::contiguous_iterator<Out>)
    return tally::recursive_filter(cpu{}, feedback, first, last, out, before);  // nothing of the caller's is called
  else
    return tally::recursive_filter(detail::automatic{}, feedback, first, last, out, before);
}

}  // namespace tally
