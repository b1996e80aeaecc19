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

/// The execution of a rank's own work.
template <transport Transport>
cpu local_execution(execution<Transport> const& on)
{
  return on.ranks().on.value_or(cpu{1});
}

/// An execution whose calls are those of ranks.
template <class P>
concept on_ranks = tally::execution<P> && requires(P const& on) { on.ranks().by; };

/// Parts of a sequence can lie on ranks: its values travel as bytes, and are combined with one another.
template <class T, class Element, class Op>
inline constexpr bool travels = std::is_trivially_copyable_v<T> && cpu_backend::orderable<T, Element, Op>;

template <class T, class Element, class Op>
constexpr void check_travels()
{
  static_assert(std::is_trivially_copyable_v<T>,
                "tally: elements travel between ranks as bytes: the accumulator's type must be trivially copyable");
  static_assert(!std::is_trivially_copyable_v<T> || travels<T, Element, Op>,
                "tally: across ranks elements must convert to the accumulator's type, and the operator take two values "
                "of it");
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
inline constexpr bool in_any_order = exactly_associative<Op, T> || is_exact_sum<Op>;

/// A rank's part of the sequence: what the caller gave, or a copy of elements that can be read only once.
template <class I, class Transform>
struct part_of {
  I first, last;
  Transform* transform;
  std::size_t size;
};

/// Whether nothing of the caller's runs and no memory is needed once totals are shared, so that no rank can fail then.
template <class T, class Op, class Out, class I, class Transform>
bool cannot_fail(part_of<I, Transform> const& part)
{
  return cpu_backend::has_kernels<Op, T> && std::is_same_v<Transform, std::identity> &&
         cpu_backend::contiguous_of<I, T> && cpu_backend::contiguous_of<Out, T> && part.size <= order::tile<T>;
}

/// The call that Op on T needs.
template <class T, transport Transport, class Lines, class Op>
using call_on =
    std::conditional_t<in_any_order<Op, T>, exact_call<T, Transport, Lines, Op>, ordered_call<T, Transport, Lines, Op>>;

template <class T, transport Transport, class Lines, class Op, class Run>
void with_lines(session<Transport>& session, Lines const& lines, std::size_t tile, Op& op, Run const& run)
{
  call_on<T, Transport, Lines, Op> call(session, lines, op, tile);
  run(call);
}

/// Calls run(call, part) on the one sequence of a call.
template <class T, transport Transport, class I, class Op, class Transform, class Run>
void run_call(session<Transport>& session, part_of<I, Transform> const& part, std::optional<T> const& init, Op& op,
              Run const& run)
{
  one_line<T, I, Transform> const line{part.first, part.size, &init, part.transform};
  with_lines<T>(session, line, tile_of<T>(part.first), op, [&](auto& call) { run(call, part); });
}

/// `run_call` on this rank's elements [first, last).
template <class T, transport Transport, class I, class S, class Op, class Transform, class Run>
void with_call(session<Transport>& session, I first, S last, std::optional<T> const& init, Op& op, Transform& transform,
               Run const& run)
{
  if constexpr (std::forward_iterator<I>) {
    part_of<I, Transform> part{first, first, &transform, 0};
    session.attempt([&] {
      part.last = std::ranges::next(first, last);
      part.size = static_cast<std::size_t>(std::ranges::distance(first, part.last));
    });
    run_call<T>(session, part, init, op, run);
  } else {
    detail::took("ranks: elements that can be read only once are kept");
    std::optional<std::deque<T>> kept;  // not a vector, for one of bools has no elements
    std::identity same;
    part_of<typename std::deque<T>::const_iterator, std::identity> part{{}, {}, &same, 0};
    session.attempt([&] {
      kept.emplace();
      for (; first != last; ++first) kept->push_back(static_cast<T>(transform(*first)));
      part = {kept->cbegin(), kept->cend(), &same, kept->size()};
    });
    run_call<T>(session, part, init, op, run);
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

/// The reduction of all parts, on the ranks that want it.
template <class T, transport Transport, class I, class S, class Op, class Transform>
std::optional<T> reduce_parts(execution<Transport> const& on, char const* function, bool wanted, I first, S last,
                              std::optional<T> init, Op& op, Transform& transform)
{
  using element = std::invoke_result_t<Transform&, std::iter_reference_t<I>>;
  check_travels<T, element, Op>();
  std::optional<T> result;
  if constexpr (travels<T, element, Op>) {
    call_name const name = name_of<T, Op>(function, first, init.has_value());
    session<Transport> by(on.ranks(), name);
    with_call<T>(by, std::move(first), std::move(last), init, op, transform, [&](auto& call, auto const&) {
      call.share_totals(!cpu_backend::has_kernels<Op, T>);
      by.attempt([&] {
        if (!wanted) return;
        auto const all = call.after_all();
        if (all.last()) result.emplace(cpu_backend::value_of<T>(*all.last()));
      });
      by.finish();
    });
  }
  return result;
}

/// The reduction of all parts, or `nothing` of no elements, written to `*result` unless that is null.
template <class T, transport Transport, class I, class S, class Result, class Op>
void backend_reduce_into(execution<Transport> const& on, I first, S last, Result* result, std::optional<T> init, Op& op,
                         std::optional<T> const& nothing)
{
  std::identity transform;
  auto const all = reduce_parts<T>(on, "reduce_into", result != nullptr, std::move(first), std::move(last),
                                   std::move(init), op, transform);
  if (result != nullptr) *result = all ? *all : *nothing;
}

template <class T, transport Transport, class I, class S, class Op, class Transform>
std::optional<T> backend_reduce(execution<Transport> const& on, I first, S last, std::optional<T> init, Op& op,
                                Transform& transform)
{
  return reduce_parts<T>(on, "reduce", true, std::move(first), std::move(last), std::move(init), op, transform);
}

template <class T, transport Transport, class I, class S, class Out, class Op, class Transform>
Out backend_scan(execution<Transport> const& on, I first, S last, Out out, std::optional<T> init, Op& op,
                 Transform& transform, detail::direction shift)
{
  using element = std::invoke_result_t<Transform&, std::iter_reference_t<I>>;
  check_travels<T, element, Op>();
  if constexpr (travels<T, element, Op>) {
    bool const inclusive = shift == detail::direction::inclusive;
    call_name const name = name_of<T, Op>(inclusive ? "inclusive_scan" : "exclusive_scan", first, init.has_value());
    session<Transport> by(on.ranks(), name);
    with_call<T>(by, std::move(first), std::move(last), init, op, transform, [&](auto& call, auto const& part) {
      call.share_totals(!cannot_fail<T, Op, Out>(part));
      out = call.scan(
          [&](std::size_t) -> Out {
            if constexpr (std::copy_constructible<Out>)
              return out;
            else
              return std::move(out);
          },
          shift);
      by.finish();
    });
  }
  return out;
}

}  // namespace tally::ranks_backend
