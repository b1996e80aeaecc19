#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "tally/counted.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/nccl/call.hpp"
#include "tally/operators/exact_plus.hpp"

/// The contracts of reduce.hpp and scan.hpp for a sequence whose parts lie in the memory of several devices.
namespace tally::nccl_backend {

template <class T, class I, class S, class Op, class Transform>
constexpr void check_arguments()
{
  using element = detail::transformed_t<Transform, std::iter_reference_t<I>>;
  static_assert(std::random_access_iterator<I>, "tally: a call on several GPUs takes random-access iterators");
  static_assert(!detail::is_counted_end<S>, "tally: a call on several GPUs takes no count in memory");
  static_assert(!is_exact_sum<Op>, "tally: a call on several GPUs cannot take exact_plus; one on tally::mpi can");
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<working_type<T>>,
                "tally: a call on several GPUs takes values that can be copied as bytes and default-constructed");
  static_assert(std::is_convertible_v<element, T>,
                "tally: a call on several GPUs takes elements that convert to the accumulator's type");
}

template <class T, class Machine, class I, class S, class Op, class Transform>
std::optional<T> backend_reduce(execution<Machine> const& on, I first, S last, std::optional<T> init, Op& op,
                                Transform& transform)
{
  check_arguments<T, I, S, Op, Transform>();
  auto const size = static_cast<std::size_t>(last - first);
  std::optional<T> result;
  run_call<T>(
      on, "tally::reduce", first, size, init, op, transform, [&](auto& work) { work.template prepare<T>(size, first); },
      [&](auto& call, auto& work) {
        if (call.elements() == 0 && !init) return;
        T* const value = work.template host_value<T>();
        call.reduce(value, T());
        on.all().ranks.by.wait();
        result.emplace(*value);
      });
  return result;
}

template <class T, class Machine, class I, class S, class Out, class Op, class Transform>
Out backend_scan(execution<Machine> const& on, I first, S last, Out out, std::optional<T> init, Op& op,
                 Transform& transform, detail::direction shift)
{
  check_arguments<T, I, S, Op, Transform>();
  static_assert(std::random_access_iterator<Out>, "tally: a scan on several GPUs takes a random-access output");
  auto const size = static_cast<std::size_t>(last - first);
  run_call<T>(
      on, shift == detail::direction::inclusive ? "tally::inclusive_scan" : "tally::exclusive_scan", first, size, init,
      op, transform, [&](auto& work) { work.template prepare<T>(size, first, out); },
      [&](auto& call, auto&) { call.scan(out, shift); });
  return out + static_cast<std::iter_difference_t<Out>>(size);
}

/// A reduction whose value stays in the device's memory: written where `result` is, unless that is null.
template <class T, class Machine, class I, class Result, class Op>
void reduce_into(execution<Machine> const& on, I first, std::size_t size, Result* result, std::optional<T> init, Op& op,
                 T const& nothing)
{
  std::identity transform;
  check_arguments<T, I, I, Op, std::identity>();
  run_call<T>(
      on, "tally::reduce_into", first, size, init, op, transform,
      [&](auto& work) {
        work.template prepare<T>(size, first);
        if (result != nullptr) work.check(result);
      },
      [&](auto& call, auto&) {
        if (result != nullptr) call.reduce(result, nothing);
      });
}

}  // namespace tally::nccl_backend
