#pragma once

#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/cpu/backend.hpp"
#include "tally/detail/ranks/exact_call.hpp"
#include "tally/detail/ranks/ordered_call.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/execution.hpp"

/// The contracts of reduce.hpp and scan.hpp for a sequence whose parts lie on ranks, over any transport. Each rank
/// works on its part by the CPU's backend.
namespace tally::ranks_backend {

/// Calls of all ranks of a transport. A copy stands for the same ranks.
template <transport Transport>
class execution {
public:
  explicit execution(Transport by, std::optional<cpu> on)
      : ranks_(std::make_shared<communicator<Transport>>(std::move(by), on))
  {
  }

  int rank() const { return ranks_->by.rank(); }
  int size() const { return ranks_->by.size(); }

  communicator<Transport>& ranks() const { return *ranks_; }

private:
  std::shared_ptr<communicator<Transport>> ranks_;
};

template <class T, class Element, class Op>
constexpr void check_travels()
{
  static_assert(std::is_trivially_copyable_v<T>,
                "tally: elements travel between ranks as bytes: the accumulator's type must be trivially copyable");
  static_assert(!std::is_trivially_copyable_v<T> || cpu_backend::orderable<T, Element, Op>,
                "tally: across ranks elements must convert to the accumulator's type, and the operator take two values "
                "of it");
}

/// Whether nothing of the caller's runs and no memory is needed once totals are shared, so that no rank can fail then.
template <class T, class Op, class Transform, class... Iterators>
bool cannot_fail(std::size_t size)
{
  return cpu_backend::has_kernels<Op, T> && std::is_same_v<Transform, std::identity> &&
         (cpu_backend::contiguous_of<Iterators, T> && ...) && size <= order::tile<T>;
}

/// Calls f(first, last, transform) with this rank's elements: those of the caller, or a copy of elements that can be
/// read only once.
template <class T, transport Transport, class I, class S, class Transform, class F>
auto with_elements(session<Transport>& session, I first, S last, Transform& transform, F const& f)
{
  if constexpr (!std::forward_iterator<I>) {
    detail::took("ranks: elements that can be read only once are kept");
    std::deque<T> kept;  // not a vector, for one of bools has none
    session.attempt([&] {
      for (; first != last; ++first) kept.push_back(static_cast<T>(transform(*first)));
    });
    std::identity same;
    return f(kept.cbegin(), kept.cend(), same);
  } else if constexpr (std::same_as<I, S>) {
    return f(std::move(first), std::move(last), transform);
  } else {
    I end = first;
    session.attempt([&] { end = std::ranges::next(first, last); });
    return f(std::move(first), std::move(end), transform);
  }
}

/// The elements of a tile: fewer than the order's where an element stands for a block of others.
template <class T, class I>
std::size_t tile_of(I const& first)
{
  if constexpr (cpu_backend::divisible<cpu_backend::held<T>, I>)
    return detail::tile_by_bytes<T>(first, order::tile<T>);
  else
    return order::tile<T>;
}

template <class Op, class T>
inline constexpr bool in_any_order = exactly_associative<Op, T> || cpu_backend::is_exact_sum<Op>;

/// Runs `finish(call)` on the call of ordered_call or exact_call that Op on T needs.
template <class T, transport Transport, class I, class Op, class Transform, class Run>
auto run_call(session<Transport>& session, I first, I last, std::optional<T> const& init, Op& op, Transform& transform,
              std::size_t size, Run const& run)
{
  if constexpr (in_any_order<Op, T>) {
    exact_call<T, Transport, I, Op, Transform> call(session, std::move(first), std::move(last), init, op, transform);
    return run(call);
  } else {
    std::size_t const tile = tile_of<T>(first);
    ordered_call<T, Transport, I, Op, Transform> call(session, std::move(first), size, init, op, transform, tile);
    return run(call);
  }
}

/// The name of a call: ranks that differ in it end the call.
template <class T, class Op, class I>
call_name name_of(char const* function, I const& first, bool has_init)
{
  std::size_t const tile = in_any_order<Op, T> ? 0 : tile_of<T>(first);
  return call_name(function, " of ", type_name<T>(), " (", sizeof(T), " bytes), operator ", type_name<Op>(),
                   has_init ? ", with an initial value" : "", ", tiles of ", tile);
}

template <class T, transport Transport, class I, class S, class Op, class Transform>
std::optional<T> backend_reduce(execution<Transport> const& on, I first, S last, std::optional<T> init, Op& op,
                                Transform& transform)
{
  check_travels<T, std::invoke_result_t<Transform&, std::iter_reference_t<I>>, Op>();
  call_name const name = name_of<T, Op>("reduce", first, init.has_value());
  session<Transport> by(on.ranks(), name);
  return with_elements<T>(by, std::move(first), std::move(last), transform, [&](auto begin, auto end, auto& elements) {
    std::size_t size = 0;
    by.attempt([&] { size = static_cast<std::size_t>(std::ranges::distance(begin, end)); });
    return run_call<T>(by, begin, end, init, op, elements, size, [&](auto& call) {
      call.share_totals(!cpu_backend::has_kernels<Op, T>);
      std::optional<T> result;
      by.attempt([&] {
        auto const all = call.after_all();
        if (all.last()) result.emplace(cpu_backend::value_of<T>(*all.last()));
      });
      by.finish();
      return result;
    });
  });
}

template <class T, transport Transport, class I, class S, class Out, class Op, class Transform>
Out backend_scan(execution<Transport> const& on, I first, S last, Out out, std::optional<T> init, Op& op,
                 Transform& transform, detail::direction shift)
{
  check_travels<T, std::invoke_result_t<Transform&, std::iter_reference_t<I>>, Op>();
  call_name const name = name_of<T, Op>(shift == detail::direction::inclusive ? "inclusive_scan" : "exclusive_scan",
                                        first, init.has_value());
  session<Transport> by(on.ranks(), name);
  return with_elements<T>(by, std::move(first), std::move(last), transform, [&](auto begin, auto end, auto& elements) {
    std::size_t size = 0;
    by.attempt([&] { size = static_cast<std::size_t>(std::ranges::distance(begin, end)); });
    return run_call<T>(by, begin, end, init, op, elements, size, [&](auto& call) {
      call.share_totals(!cannot_fail<T, Op, std::remove_reference_t<decltype(elements)>, decltype(begin), Out>(size));
      Out after = call.scan(std::move(out), shift);
      by.finish();
      return after;
    });
  });
}

}  // namespace tally::ranks_backend
