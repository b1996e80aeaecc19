#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>

#include "tally/detail/at_index.hpp"
#include "tally/detail/block_cache.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/deferred.hpp"
#include "tally/detail/recurrence/filter_maps.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// A recursive filter on a CPU: a scan of the maps of blocks, each of which then runs from its first state.
namespace tally::detail::recurrence {

/// The map of each block of a signal. A block's four quarters run side by side, because a single one waits for a
/// product and a sum at every step. They run twice: first from zeros, to find the state that each leaves; then from the
/// states found.
template <class T, std::size_t Order, class I>
struct filter_blocks {
  static constexpr std::size_t quarter = filter_quarter;
  static constexpr std::size_t block = 4 * quarter;
  using state = filter_state<T, Order>;

  state feedback;
  filter_matrix<T, Order> of_quarter;
  filter_matrix<T, Order> of_block;
  I in;
  std::size_t size;
  block_cache_view<std::array<state, 4>> cache;

  T step(state& last, std::size_t k) const
  {
    return filter_step<T, Order>(feedback, last, static_cast<T>(at_index(in, k)));
  }
  /// Prefetches the block that starts at `begin`, in its order. A processor does not foresee quarters read side by
  /// side.
  template <class Iterator>
  void prefetch(Iterator const& of, std::size_t begin) const
  {
    if constexpr (std::contiguous_iterator<Iterator>) {
      std::size_t const end = begin + block < size ? begin + block : size;
      for (std::size_t k = begin; k < end; k += 64 / sizeof(T) + (sizeof(T) > 64))
        __builtin_prefetch(std::to_address(of) + k);
    }
  }
  /// The states that the quarters of the block at `begin` leave if each starts from zeros.
  std::array<state, 4> responses(std::size_t begin) const
  {
    return cache.get(begin / block, [this, begin] { return computed_responses(begin); });
  }
  std::array<state, 4> computed_responses(std::size_t begin) const
  {
    auto const at_hand = *this;
    prefetch(in, begin + block);
    state a{}, b{}, c{}, d{};
    for (std::size_t k = begin; k < begin + quarter; ++k) {
      at_hand.step(a, k);
      at_hand.step(b, k + quarter);
      at_hand.step(c, k + 2 * quarter);
      at_hand.step(d, k + 3 * quarter);
    }
    return {a, b, c, d};
  }
  /// The map of block j. A short block is the last one, whose map is never used.
  [[gnu::noinline]] filter_map<T, Order> operator()(std::size_t j) const
  {
    if (size - j * block < block) return {of_block, {}};
    auto const quarters = responses(j * block);
    state all = quarters[0];
    for (std::size_t q = 1; q < 4; ++q) all = applied<T, Order>(of_quarter, all, quarters[q]);
    return {of_block, all};
  }
};

/// Runs block j. Its first state is the map of all blocks before it, applied to the initial state.
template <class T, std::size_t Order, class I, class Out>
struct filter_runner {
  static constexpr std::size_t block = filter_blocks<T, Order, I>::block, quarter = block / 4;
  using state = filter_state<T, Order>;

  filter_blocks<T, Order, I> blocks;
  block_ends<state> ends;
  Out out;
  state before;

  void put(std::size_t k, T const& y) const { at_index(out, k) = static_cast<std::iter_value_t<Out>>(y); }
  [[gnu::noinline]] void operator()(std::size_t j, filter_map<T, Order> const& all_before) const
  {
    auto const first = applied<T, Order>(all_before.matrix, before, all_before.offset);
    if (j != 0 && !all_finite<T, Order>(first)) return ends.defer(j);
    ends.set(j, run(j, first));
  }

  state one_by_one(state last, std::size_t begin, std::size_t end) const
  {
    for (std::size_t k = begin; k < end; ++k) put(k, blocks.step(last, k));
    return last;
  }
  /// Runs block j from state a and returns its last state. If the first state of a quarter overflows, the quarters run
  /// one after the other.
  state run(std::size_t j, state a) const
  {
    std::size_t const begin = j * block;
    bool const is_short = blocks.size - begin < block;
    took(is_short ? "recursive filter: a short block" : "recursive filter: four quarters");
    if (is_short) return one_by_one(a, begin, blocks.size);
    auto const quarters = blocks.responses(begin);
    blocks.prefetch(out, begin + block);
    auto b = applied<T, Order>(blocks.of_quarter, a, quarters[0]);
    auto c = applied<T, Order>(blocks.of_quarter, b, quarters[1]);
    auto d = applied<T, Order>(blocks.of_quarter, c, quarters[2]);
    if (!(all_finite<T, Order>(b) && all_finite<T, Order>(c) && all_finite<T, Order>(d)))
      return one_by_one(a, begin, begin + block);
    auto const blocks_at_hand = blocks;  // a copy that stores to `out` cannot change
    for (std::size_t k = begin; k < begin + quarter; ++k) {
      put(k, blocks_at_hand.step(a, k));
      put(k + quarter, blocks_at_hand.step(b, k + quarter));
      put(k + 2 * quarter, blocks_at_hand.step(c, k + 2 * quarter));
      put(k + 3 * quarter, blocks_at_hand.step(d, k + 3 * quarter));
    }
    return d;
  }
};

/// Writes the n outputs of a filter that starts from the state `before`. Returns the last outputs.
template <host P, class T, std::size_t Order, class I, class Out>
filter_state<T, Order> filter(P const& on, filter_constants<T, Order> const& of, I first, std::size_t n, Out out,
                              filter_state<T, Order> const& before)
{
  using blocks = filter_blocks<T, Order, I>;
  using state = filter_state<T, Order>;
  if (n == 0) return before;
  filter_map<T, Order> const nothing{identity_matrix<T, Order>(), {}};
  if (n <= blocks::block) {  // one block, whose first state needs no scan
    std::array<state, 4> quarters;
    std::uint32_t computed = 0;
    filter_runner<T, Order, I, Out> const runner{
        {of.feedback, of.of_quarter, of.of_block, first, n, {&quarters, &computed}}, {}, out, before};
    auto const last = runner.run(0, applied<T, Order>(nothing.matrix, before, nothing.offset));
    return last_outputs<T, Order>(last, n, before);
  }
  std::size_t const count = n / blocks::block + (n % blocks::block != 0);
  block_cache<std::array<state, 4>, P> const cache(on, count);
  blocks const maps{of.feedback, of.of_quarter, of.of_block, first, n, cache.view()};
  deferred_blocks<state, P> deferred(on, count);
  filter_runner<T, Order, I, Out> const runner{maps, deferred.ends(), out, before};
  auto const elements = elements_from(maps, blocks::block * sizeof(T));
  tally::exclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(count), results_to(runner), nothing,
                        compose_filters{});
  deferred.run([&](std::size_t j, auto const& from) { return runner.run(j, from); });
  return last_outputs<T, Order>(deferred.end(count - 1), n - (count - 1) * blocks::block, deferred.end(count - 2));
}

}  // namespace tally::detail::recurrence
