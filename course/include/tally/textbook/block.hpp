#pragma once

#include <concepts>
#include <type_traits>

#include "tally/config.hpp"

/// What a kernel of the textbook is written against: a block of threads. `tally::model::block` runs it on a CPU and
/// watches it; `tally::textbook::cuda_block` (cuda_block.cuh) is a thread block of a GPU. The kernel is the same text
/// for both.
namespace tally::textbook {

/// The threads of a warp.
inline constexpr int warp_lanes = 32;

/// A block of threads.
///
///     block.size()                    its threads: t is 0 .. size() - 1
///     block.index(), block.count()    which block of the grid this is, and how many there are
///     block.step(f)                   f(t) for every thread t, then a barrier. The step owns the barrier: a kernel
///                                     never writes one, so that an early return from f cannot skip it
///     block.each(f)                   f(t) for every thread t, without a barrier
///     block.shared<E>(n, name)        n elements of shared memory, unset. Outside of steps, alike for all threads
///     block.registers<E>()            a per_thread<E>: a value of each thread that outlives the step; own[t] is that
///                                     of thread t
///     block.shuffle_up(own, d)        a per_thread: in each warp, what the lane d below has; own[t] where there is
///                                     none
///     block.shuffle_down(own, d)      likewise the lane d above
///     block.shuffle_xor(own, d)       likewise the lane across the bits of d
///     block.broadcast(x, k)           x[k] to all threads, which decides how they go on. Outside of steps, after a
///                                     barrier
///     block.atomic_add(x, k, v)       x[k] += v at once, and the value before. Within a step
///     block.store_release(x, k, v)    x[k] = v, seen after all that the thread has written, and its block before the
///                                     last barrier. Within a step
///     block.load_acquire(x, k)        x[k]; what is seen before it is seen as well, by the thread, and by its block
///                                     after the next barrier. Within a step
///     block.pause()                   between two looks at a value that another block will store. Within a step
///
/// Within a step a thread works alone, outside of steps all threads do the same: so memory is read and written, and the
/// operator applied, only within.
template <class B>
concept block = requires(B const& b, void (*f)(int)) {
  { b.size() } -> std::convertible_to<int>;
  { b.index() } -> std::convertible_to<int>;
  { b.count() } -> std::convertible_to<int>;
  b.step(f);
  b.each(f);
};

namespace detail {
template <class Array>
struct array_traits {
  using element = typename Array::element;
  using position = typename Array::position;
};
template <class T>
struct array_traits<T*> {
  using element = std::remove_const_t<T>;
  using position = int;
};
}  // namespace detail

/// What `x[k]` is, as a value: T of a pointer to T. A kernel names it for what it keeps, because on the model machine
/// `x[k]` is a reference, which is read when it becomes a value.
template <class Array>
using element_of = typename detail::array_traits<Array>::element;

/// What stands between the brackets: int; on the model machine it knows its line as well.
template <class Array>
using position_of = typename detail::array_traits<Array>::position;

}  // namespace tally::textbook
