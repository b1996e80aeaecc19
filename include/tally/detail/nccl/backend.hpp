#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "tally/config.hpp"
#include "tally/counted.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/nccl/call.hpp"
#include "tally/detail/nccl/exact_call.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/operators/exact_plus.hpp"

/// The contracts of reduce.hpp and scan.hpp for a sequence whose parts lie in the memory of several devices.
namespace tally::nccl_backend {

template <class T, class I, class S, class Op, class Transform>
constexpr void check_arguments()
{
  using element = detail::transformed_t<Transform, std::iter_reference_t<I>>;
  static_assert(std::random_access_iterator<I>, "tally: a call on several GPUs takes random-access iterators");
  static_assert(!detail::is_counted_end<S>, "tally: a call on several GPUs takes no count in memory");
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<working_type<T>>,
                "tally: a call on several GPUs takes values that can be copied as bytes and default-constructed");
  static_assert(std::is_convertible_v<element, T>,
                "tally: a call on several GPUs takes elements that convert to the accumulator's type");
}

/// Puts the value of the only sequence, or `nothing` if there is none.
template <class T, class Result>
struct put_value {
  Result* result;
  T nothing;

  TALLY_HD void operator()(std::size_t, detail::optional_value<working_type<T>> const& last) const
  {
    *result = last.is_present ? static_cast<T>(last.value) : nothing;
  }
};

template <class T, class Machine, class I, class S, class Op, class Transform>
std::optional<T> backend_reduce(execution<Machine> const& on, I first, S last, std::optional<T> init, Op& op,
                                Transform& transform)
{
  check_arguments<T, I, S, Op, Transform>();
  auto const size = static_cast<std::size_t>(last - first);
  std::optional<T> result;
  auto const prepare = [&](auto& work) { work.template prepare<T>(size, first); };
  auto const take = [&](auto const& call, auto& work, auto const& reduce) {
    if (call.elements() == 0 && !init) return;
    T* const value = work.template host_value<T>();
    reduce(value);
    on.all().ranks.by.wait();
    result.emplace(*value);
  };
  if constexpr (is_exact_sum<Op>)
    run_exact_call<T>(on, "tally::reduce", first, size, init, transform, prepare, [&](auto& call, auto& work, auto&) {
      take(call, work, [&](T* value) { call.reduce(value, T()); });
    });
  else
    run_call<T>(on, "tally::reduce", first, size, init, op, transform, prepare, [&](auto& call, auto& work) {
      take(call, work, [&](T* value) { call.reduce(put_value<T, T>{value, T()}); });
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
  char const* const name = shift == detail::direction::inclusive ? "tally::inclusive_scan" : "tally::exclusive_scan";
  auto const prepare = [&](auto& work) { work.template prepare<T>(size, first, out); };
  if constexpr (is_exact_sum<Op>)
    run_exact_call<T>(on, name, first, size, init, transform, prepare, [&](auto& call, auto&, auto& by) {
      by.attempt([&] { call.scan(out, shift); });  // which may need memory
      agree(on.all(), by);
    });
  else
    run_call<T>(on, name, first, size, init, op, transform, prepare,
                [&](auto& call, auto&) { call.scan(one_output<Out>{out}, shift); });
  return out + static_cast<std::iter_difference_t<Out>>(size);
}

/// A reduction whose value stays in the device's memory: written where `result` is, unless that is null.
template <class T, class Machine, class I, class S, class Result, class Op>
void backend_reduce_into(execution<Machine> const& on, I first, S last, Result* result, std::optional<T> init, Op& op,
                         std::optional<T> const& nothing)
{
  std::identity transform;
  check_arguments<T, I, S, Op, std::identity>();
  auto const size = static_cast<std::size_t>(last - first);
  T const no_elements = nothing ? *nothing : T();
  auto const prepare = [&](auto& work) {
    work.template prepare<T>(size, first);
    if (result != nullptr) work.template check<T>(1, result);
  };
  if constexpr (is_exact_sum<Op>)
    run_exact_call<T>(on, "tally::reduce_into", first, size, init, transform, prepare, [&](auto& call, auto&, auto&) {
      if (result != nullptr) call.reduce(result, no_elements);
    });
  else
    run_call<T>(on, "tally::reduce_into", first, size, init, op, transform, prepare, [&](auto& call, auto&) {
      if (result != nullptr) call.reduce(put_value<T, Result>{result, no_elements});
    });
}

}  // namespace tally::nccl_backend
