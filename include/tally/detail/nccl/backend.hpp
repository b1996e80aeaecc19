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

/// Runs body(call, work, session) on this rank's part of one sequence, after all ranks have met.
template <class T, class Machine, class I, class Op, class Transform, class Prepare, class Body>
void run_call(execution<Machine> const& on, char const* function, I first, std::size_t size,
              std::optional<T> const& init, Op& op, Transform& transform, Prepare const& prepare, Body const& body)
{
  ranks_backend::call_name const name(function, " of ", ranks_backend::type_name<T>(), " (", sizeof(T),
                                      " bytes), operator ", ranks_backend::type_name<Op>(),
                                      init ? ", with an initial value" : "");
  using line_type = ranks_backend::one_line<T, I, Transform>;
  line_type const line{std::move(first), size, &init, &transform};
  group<Machine>& all = on.all();
  typename Machine::work work(all.machine, function);
  ranks_backend::session<typename Machine::transport> by(all.ranks, name);
  begin_call(all, by, size, [&] { prepare(work); });
  call_under<T, Op, Machine, line_type> own(all, work, line, op);
  take_memory(all, by, work, own.bytes());
  own.share_totals();
  body(own, work, by);
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
  run_call<T>(on, "tally::reduce", first, size, init, op, transform, prepare, [&](auto& call, auto& work, auto&) {
    if (call.elements() == 0 && !init) return;
    T* const value = work.template host_value<T>();
    call.reduce(put_value<T, T>{value, T()});
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
  char const* const name = shift == detail::direction::inclusive ? "tally::inclusive_scan" : "tally::exclusive_scan";
  auto const prepare = [&](auto& work) { work.template prepare<T>(size, first, out); };
  run_call<T>(on, name, first, size, init, op, transform, prepare,
              [&](auto& call, auto&, auto& by) { scan_by(on.all(), by, call, one_output<Out>{out}, shift); });
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
  run_call<T>(on, "tally::reduce_into", first, size, init, op, transform, prepare, [&](auto& call, auto&, auto&) {
    if (result != nullptr) call.reduce(put_value<T, Result>{result, no_elements});
  });
}

}  // namespace tally::nccl_backend
