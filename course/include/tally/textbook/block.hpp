#pragma once

#include <concepts>
#include <type_traits>

#include "tally/config.hpp"

/// The interface that kernels of the textbook are written against: a block of threads. `tally::model::block` runs a
/// kernel on a CPU and records it; `tally::textbook::cuda_block` (cuda_block.cuh) is a thread block of a GPU. The
/// source of the kernel is the same for both.
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
///     block.shuffle_up(own, d)        a per_thread: in each warp, the value of the lane d below; own[t] where there is
///                                     no such lane
///     block.shuffle_down(own, d)      likewise the lane d above
///     block.shuffle_xor(own, d)       likewise the lane across the bits of d
///     block.broadcast(x, k)           x[k] for all threads, which decides how they continue. Outside of steps, after a
///                                     barrier
///     block.atomic_add(x, k, v)       x[k] += v atomically; returns the value before. Within a step
///     block.store_release(x, k, v)    x[k] = v, visible after the earlier writes of the thread, and those of its block
///                                     before the last barrier. Within a step
///     block.load_acquire(x, k)        x[k]; the writes before its release are visible too, to the thread at once, to
///                                     its block after the next barrier. Within a step
///     block.pause()                   between two reads of a value that another block will store. Within a step
///
/// Within a step each thread acts by itself; outside of steps all threads do the same. So a kernel reads and writes
/// memory, and applies the operator, only within steps.
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

/// The type of the value of `x[k]`: T if x is a pointer to T. A kernel names it for values that it keeps, because on
/// the model machine `x[k]` is a reference, which is read when it is converted to a value.
template <class Array>
using element_of = typename detail::array_traits<Array>::element;

/// The type of an index: int; on the model machine an int with its place in the source.
template <class Array>
using position_of = typename detail::array_traits<Array>::position;

}  // namespace tally::textbook
