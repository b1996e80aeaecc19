#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>

#include "tally/cuda_execution.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/compiled.hpp"
#include "tally/detail/cuda/exact/compiled.hpp"
#include "tally/detail/strided_iterator.hpp"
#include "tally/detail/zip_with.hpp"
#include "tally/operators/exact_plus.hpp"

#ifdef __CUDACC__
#include "tally/detail/cuda/exact/launch.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/maps.cuh"
#endif

/// The contracts of reduce.hpp and scan.hpp on a GPU.
namespace tally::cuda_backend {

/// Always false. It depends on the template's arguments, so that an error appears only when the template is used.
template <class...>
inline constexpr bool never = false;

template <class I>
concept points_into_memory = std::contiguous_iterator<I>;

/// The form of an iterator that the device gets: a pointer if the iterator has one. A zip_iterator points to its
/// transformation on the host, so the device gets the transformation by value.
template <class I>
auto device_iterator(I const& i)
{
  if constexpr (points_into_memory<I>)
    return std::to_address(i);
  else
    return i;
}

/// An array from its end. The functions of std::reverse_iterator are for the host.
template <points_into_memory I>
auto device_iterator(std::reverse_iterator<I> const& i)
{
  auto* const behind = std::to_address(i.base());
  return detail::strided_iterator<std::remove_pointer_t<decltype(std::to_address(i.base()))>>(behind - 1, -1);
}

#ifdef __CUDACC__
template <class I1, class I2, class Transform>
struct zipped {
  using difference_type = std::ptrdiff_t;
  using reference = detail::transformed_t<Transform, std::iter_reference_t<I1>, std::iter_reference_t<I2>>;
  using value_type = std::remove_cvref_t<reference>;

  I1 first;
  I2 second;
  Transform transform;

  __device__ value_type operator[](difference_type k) const
  {
    Transform own = transform;
    return own(first[static_cast<std::iter_difference_t<I1>>(k)], second[static_cast<std::iter_difference_t<I2>>(k)]);
  }
  __device__ value_type operator*() const { return (*this)[0]; }
};
template <class I1, class I2, class Transform>
auto device_iterator(detail::zip_iterator<I1, I2, Transform> const& i)
{
  auto const first = device_iterator(i.first());
  auto const second = device_iterator(i.second());
  return zipped<std::remove_const_t<decltype(first)>, std::remove_const_t<decltype(second)>, Transform>{first, second,
                                                                                                        i.transform()};
}
#endif

/// An array in memory, from its begin or from its end: element k is `first[k * step]`.
template <class Element>
struct directed_array {
  Element* first;
  std::ptrdiff_t step;
};
template <points_into_memory I>
auto directed(I const& i)
{
  return directed_array<std::remove_pointer_t<decltype(std::to_address(i))>>{std::to_address(i), 1};
}
template <points_into_memory I>
auto directed(std::reverse_iterator<I> const& i)
{
  // Before the first element of an empty array there may be no address.
  auto* const behind = std::to_address(i.base());
  return directed_array<std::remove_pointer_t<decltype(std::to_address(i.base()))>>{
      behind == nullptr ? behind : behind - 1, -1};
}
/// Whether elements of type T lie in memory, in either direction.
template <class I, class T>
concept directed_in_memory = std::is_same_v<std::iter_value_t<I>, T> && requires(I const& i) { directed(i); };

template <class I>
void check_pointers(prepared_call const& call, I const& i, char const* what)
{
  if constexpr (points_into_memory<I>) call.check_pointer(std::to_address(i), what);
}
template <points_into_memory I>
void check_pointers(prepared_call const& call, std::reverse_iterator<I> const& i, char const* what)
{
  call.check_pointer(std::to_address(i.base()) - 1, what);
}
template <class I1, class I2, class Transform>
void check_pointers(prepared_call const& call, detail::zip_iterator<I1, I2, Transform> const& i, char const* what)
{
  check_pointers(call, i.first(), what);
  check_pointers(call, i.second(), what);
}

/// The number of elements from `first` to `last`, or a count in memory.
template <class I, class S>
auto count_between(I const& first, S const& last)
{
  if constexpr (detail::is_counted_end<S>)
    return last.count;
  else
    return static_cast<std::size_t>(last - first);
}
inline std::size_t most_of(std::size_t size)
{
  return size;
}
inline std::size_t most_of(detail::element_count const& size)
{
  return size.most;
}

inline detail::element_count as_count(std::size_t size)
{
  return {size, {}};
}
inline detail::element_count as_count(detail::element_count const& size)
{
  return size;
}

template <class Stored, class T>
beginning<Stored> beginning_as(beginning<T> const& from)
{
  return {reinterpret_cast<Stored const*>(from.init), reinterpret_cast<Stored const*>(from.nothing)};
}

/// A call on an array from its end is that on a batch of one sequence: the kernels of batches step backwards, while
/// iterators are read one element at a time (.95 and .45 of a copy at 2^28 floats).
template <class Op, class In, class Out, class T>
void run_reversed(prepared_call& call, work what, directed_array<In> const& in, std::size_t size,
                  directed_array<Out> const& out, beginning<T> const& from)
{
  using stored = typename compiled_element<Op, T>::type;
  auto const* const elements = reinterpret_cast<stored const*>(in.first);
  auto* const results = reinterpret_cast<stored*>(out.first);
  auto const own = beginning_as<stored>(from);
  if (size == 0) return run_compiled<Op, stored>(call, what, elements, size, results, own);
  detail::batch::layout where;
  where.along = {size, {in.step, what == work::reduce ? 0 : out.step, 0, 0}};
  detail::batch::ends<stored> ends;
  if (own.init != nullptr) std::memcpy(&ends.initial.emplace(), own.init, sizeof(stored));
  run_compiled_sequences<Op, stored>(call, what, where, elements, results, ends);
}

/// Every form of call: `size` elements from `first`, to `out`.
template <class T, class I, class Count, class Out, class Op, class Transform>
void run_call(prepared_call& call, work what, I const& first, Count const& size, Out const& out,
              beginning<T> const& from, [[maybe_unused]] Op& op, [[maybe_unused]] Transform& transform)
{
  static_assert(std::random_access_iterator<I> || std::is_pointer_v<I>,
                "tally: a call on a GPU takes random-access iterators");
  static_assert(!std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<I>>> &&
                    !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<Out>>>,
                "tally: a call on a GPU takes no pointers to volatile values");
  static_assert(std::is_trivially_copyable_v<T>, "tally: a call on a GPU takes values that can be copied as bytes");
  static_assert(std::is_default_constructible_v<working_type<T>>,
                "tally: a call on a GPU takes values that can be default-constructed");
  using element = detail::transformed_t<Transform, std::iter_reference_t<I>>;
  static_assert(std::is_convertible_v<element, T>,
                "tally: a call on a GPU takes elements that convert to the accumulator's type");
  if (most_of(size) != 0) {
    check_pointers(call, first, "input");
    check_pointers(call, out, "output");
  }
  constexpr bool in_memory = [] {
    if constexpr (points_into_memory<I> && points_into_memory<Out>)
      return std::is_same_v<std::iter_value_t<I>, T> && std::is_same_v<std::iter_value_t<Out>, T> &&
             std::is_same_v<Transform, std::identity>;
    else
      return false;
  }();
  constexpr bool is_counted = std::is_same_v<Count, detail::element_count>;
  if constexpr (is_exact_sum<Op>) {
    if constexpr (in_memory) {
      exact::run_compiled_sum(call, std::to_address(first), as_count(size), std::to_address(out), from);
    } else {
#ifdef __CUDACC__
      exact::run_sum<T>(call, device_iterator(first), as_count(size), device_iterator(out), from, transform);
#else
      static_assert(never<T, I>,
                    "tally: only exact sums of arrays of numbers are compiled into the library; a call with "
                    "a transformation or another iterator on a GPU must be compiled by nvcc, in a .cu file");
#endif
    }
  } else if constexpr (in_memory && (is_counted ? is_compiled_counted<Op, T> : is_compiled<Op, T>)) {
    using stored = typename compiled_element<Op, T>::type;
    run_compiled<Op, stored>(call, what, reinterpret_cast<stored const*>(std::to_address(first)), size,
                             reinterpret_cast<stored*>(std::to_address(out)), beginning_as<stored>(from));
  } else if constexpr (directed_in_memory<I, T> && directed_in_memory<Out, T> &&
                       std::is_same_v<Transform, std::identity> && is_compiled<Op, T> && !is_counted) {
    run_reversed<Op>(call, what, directed(first), size, directed(out), from);
  } else {
#ifdef __CUDACC__
    run(call, what, device_iterator(first), size, device_iterator(out), from, op, transform);
#else
    static_assert(
        never<T, I> || is_counted,
        "tally: only built-in operators on arrays of numbers are compiled into the library; a call with "
        "another operator, transformation, type or iterator on a GPU must be compiled by nvcc, in a .cu file");
    static_assert(never<T, I> || !is_counted,
                  "tally: with a count in memory only sums of numbers of 32 and 64 bits are compiled into the library; "
                  "another call on a GPU must be compiled by nvcc, in a .cu file");
#endif
  }
}

/// Exact scans of an array.
template <class T, class I, class Count, class Out, class Transform>
void scan_exactly(execution const& on, prepared_call& call, I first, Count size, Out out, std::optional<T> const& init,
                  [[maybe_unused]] Transform& transform, bool is_exclusive)
{
  using element = detail::transformed_t<Transform, std::iter_reference_t<I>>;
  static_assert(std::is_convertible_v<element, T>,
                "tally: a call on a GPU takes elements that convert to the accumulator's type");
  if (most_of(size) == 0) return;
  check_pointers(call, first, "input");
  check_pointers(call, out, "output");
  constexpr bool in_memory = [] {
    if constexpr (points_into_memory<I> && points_into_memory<Out>)
      return std::is_same_v<std::iter_value_t<I>, T> && std::is_same_v<std::iter_value_t<Out>, T> &&
             std::is_same_v<Transform, std::identity>;
    else
      return false;
  }();
  if constexpr (in_memory) {
    exact::run_compiled_scan(on, call, std::to_address(first), as_count(size), std::to_address(out), init,
                             is_exclusive);
  } else {
#ifdef __CUDACC__
    exact::run_scan<T>(on, call, device_iterator(first), as_count(size), device_iterator(out), init, transform,
                       is_exclusive);
#else
    static_assert(never<T, I>, "tally: only exact scans of arrays of numbers are compiled into the library; a call "
                               "with a transformation or another iterator on a GPU must be compiled by nvcc, in a .cu "
                               "file");
#endif
  }
}

/// Found by argument-dependent lookup on the execution argument.
template <class T, class I, class S, class Op, class Transform>
std::optional<T> backend_reduce(execution const& on, I first, S last, std::optional<T> init, Op& op,
                                Transform& transform)
{
  auto const size = count_between(first, last);
  if (most_of(size) == 0) return init;
  prepared_call call(on, "tally::reduce");
  T* const result = static_cast<T*>(call.host_result(sizeof(T)));
  std::optional<T> nothing;
  if constexpr (detail::is_counted_end<S> && has_identity<Op, T>) nothing.emplace(reduction_of_nothing<T>(op));
  run_call<T>(call, work::reduce, first, size, result, {init ? &*init : nullptr, nothing ? &*nothing : nullptr}, op,
              transform);
  call.wait();
  return *result;
}

template <class T, class I, class S, class Out, class Op, class Transform>
auto backend_scan(execution const& on, I first, S last, Out out, std::optional<T> init, Op& op, Transform& transform,
                  detail::direction shift)
{
  auto const size = count_between(first, last);
  prepared_call call(on, "tally::scan");
  if constexpr (is_exact_sum<Op>)
    scan_exactly(on, call, first, size, out, init, transform, shift == detail::direction::exclusive);
  else
    run_call<T>(call, shift == detail::direction::inclusive ? work::inclusive_scan : work::exclusive_scan, first, size,
                out, {init ? &*init : nullptr}, op, transform);
  if constexpr (!detail::is_counted_end<S>) return out + static_cast<std::iter_difference_t<Out>>(size);
}

template <class F>
void backend_for_each_index(execution const& on, std::size_t n, F& f)
{
#ifdef __CUDACC__
  static_assert(std::is_trivially_copyable_v<F>, "tally: a call on a GPU takes functions that can be copied as bytes");
  prepared_call const call(on, "tally::for_each_index");
  for_each_on_device(call, n, f);
#else
  static_assert(never<F>, "tally: for_each_index on a GPU must be compiled by nvcc, in a .cu file");
#endif
}
#ifdef __CUDACC__
template <class F>
struct call_for_block {
  F f;
  std::size_t n, block;
  __device__ void operator()(std::size_t b) { f(b * block, n - b * block < block ? n : (b + 1) * block); }
};
#endif
template <class F>
void backend_for_each_block(execution const& on, std::size_t n, std::size_t block, F& f)
{
#ifdef __CUDACC__
  call_for_block<F> of_block{f, n, block};
  backend_for_each_index(on, n / block + (n % block != 0), of_block);
#else
  static_assert(never<F>, "tally: for_each_block on a GPU must be compiled by nvcc, in a .cu file");
#endif
}

template <class Work>
void backend_for_each_block_by_team(execution const& on, std::size_t n, std::size_t block, Work const& work)
{
#ifdef __CUDACC__
  prepared_call const call(on, "tally::for_each_block_by_team");
  for_each_block_by_team_on_device(call, n, block, work);
#else
  static_assert(never<Work>, "tally: for_each_block_by_team on a GPU must be compiled by nvcc, in a .cu file");
#endif
}

}  // namespace tally::cuda_backend
