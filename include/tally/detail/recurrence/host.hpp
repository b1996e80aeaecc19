#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "tally/detail/block_cache.hpp"
#include "tally/detail/elementary/finite.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/deferred.hpp"
#include "tally/detail/recurrence/maps.hpp"
#include "tally/operators/affine.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"

/// A first-order recurrence on a CPU: a scan of the maps of blocks, each of which then runs from its first state.
namespace tally::detail::recurrence {

/// Elements in a block: 4 KiB of coefficients. The scan of blocks is then at most a twentieth of the work.
template <class T>
inline constexpr std::size_t block_size = sizeof(T) < 128 ? 2048 / sizeof(T) : 16;

/// The map of block j. It composes four steps at a time. Everything that the state does not enter is computed beside
/// it, so that the state waits for one product and one sum every four steps. The plain loop waits for four of each, and
/// has nothing else to do meanwhile.
template <class T, class A, class B, class Time>
struct block_maps {
  step_maps<T, A, B, Time> steps;
  block_cache_view<affine<T>> cache;

  std::size_t end(std::size_t begin) const
  {
    return steps.size - begin < block_size<T> ? steps.size : begin + block_size<T>;
  }
  affine<T> operator()(std::size_t j) const
  {
    return cache.get(j, [this, j] {
      auto const step = steps;
      std::size_t k = j * block_size<T>;
      std::size_t const last = end(k);
      affine<T> all = step(k++);
      for (; last - k >= 4; k += 4)
        all = composed(all, composed(composed(step(k), step(k + 1)), composed(step(k + 2), step(k + 3))));
      for (; k < last; ++k) all = composed(all, step(k));
      return all;
    });
  }
};

/// Runs block j. Its first state is the map of all blocks before it, applied to the initial state.
template <class T, class A, class B, class Out, class Time>
struct block_runner {
  block_maps<T, A, B, Time> blocks;
  block_ends<T> ends;
  Out out;
  T before;

  void operator()(std::size_t j, affine<T> const& all_before) const
  {
    T const first = all_before(before);
    if (j != 0 && !elementary::is_finite(first)) return ends.defer(j);
    ends.set(j, run(j, first));
  }

  /// Runs block j from state y and returns its last state. If the map of two or four steps overflows, the fourth state
  /// shows it, because an infinity in a map never gives a finite state.
  T run(std::size_t j, T y) const
  {
    auto const step = blocks.steps;
    Out const to = out;
    auto const put = [&](std::size_t at, T const& value) {
      to[static_cast<std::iter_difference_t<Out>>(Time::element(at, step.size))] = value;
    };
    std::size_t k = j * block_size<T>;
    std::size_t const last = blocks.end(k);
    for (; last - k >= 4; k += 4) {
      affine<T> const one = step(k), third = step(k + 2);
      affine<T> const two = composed(one, step(k + 1));
      affine<T> const three = composed(two, third);
      affine<T> const four = composed(two, composed(third, step(k + 3)));
      T const after_three = three(y), after_four = four(y);
      if (!elementary::both_finite(after_three, after_four)) break;
      put(k, one(y));
      put(k + 1, two(y));
      put(k + 2, after_three);
      put(k + 3, after_four);
      y = after_four;
    }
    // The rest of the block: fewer than four steps, or all those from an overflow on.
    for (; k < last; ++k) {
      y = step(k)(y);
      put(k, y);
    }
    return y;
  }
};

/// Writes the n states of a recurrence that begins with `before`.
template <class Time, host P, class A, class B, class Out, class T>
void write_states(P const& on, A a, std::size_t n, B b, Out out, T before)
{
  if (n == 0) return;
  constexpr std::size_t block = block_size<T>;
  std::size_t const count = n / block + (n % block != 0);
  took(n % block == 0 ? "recurrence: whole blocks" : "recurrence: a short block");
  block_cache<affine<T>, P> const cache(on, count);
  block_maps<T, A, B, Time> const blocks{{a, b, n}, cache.view()};
  deferred_blocks<T, P> deferred(on, count);
  block_runner<T, A, B, Out, Time> const runner{blocks, deferred.ends(), out, std::move(before)};
  auto const maps = elements_from(blocks, 2 * block * sizeof(T));
  tally::exclusive_scan(on, maps, maps + static_cast<std::ptrdiff_t>(count), results_to(runner),
                        compose::identity<affine<T>>(), compose{});
  deferred.run([&](std::size_t j, T const& first) { return runner.run(j, first); });
}

}  // namespace tally::detail::recurrence
