#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/cpu/exact.hpp"
#include "tally/detail/cpu/execution.hpp"
#include "tally/detail/cpu/held.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/detail/cpu/single_pass.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tiles.hpp"
#include "tally/detail/path.hpp"
#include "tally/error.hpp"
#include "tally/execution.hpp"
#include "tally/sequences.hpp"

/// The contracts of reduce.hpp and scan.hpp on the CPU, by one of four methods:
///
///   exact sums           exact_plus (exact.hpp)
///   compiled kernels     built-in operators on arithmetic types in contiguous memory, on all threads
///   tiles                anything else that can be copied, in the same order, on several threads if the caller names
///                        tally::cpu
///   left fold            values that cannot be copied, and elements that do not convert to the value type
namespace tally::cpu_backend {

template <class Iterator, class T>
concept contiguous_of = std::contiguous_iterator<Iterator> && std::same_as<std::iter_value_t<Iterator>, T> &&
                        !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<Iterator>>>;

/// The order of docs/order.md is possible: it combines copies of elements with one another.
template <class T, class Element, class Op>
concept orderable = std::copyable<T> && std::is_convertible_v<Element, T> &&
                    std::is_invocable_r_v<working_type<T>, Op&, working_type<T> const&, working_type<T> const&>;

/// Threads may share the work: elements are reached by index, and totals can be copied as bytes.
template <class T, class Iterator>
inline constexpr bool divisible =
    std::random_access_iterator<Iterator> && std::is_trivially_copyable_v<unheld_t<working_type<T>>>;

/// Calls `call` with a carry for the compiled kernels, to which signed and unsigned integers of one width are one type.
/// Where the type differs the operator is exact, so that one value is the whole carry.
template <class Op, class T, class Call>
void with_kernel_carry(order::carry<T, Op>& before, Call&& call)
{
  using element = typename kernel_element<Op, T>::type;
  if constexpr (std::is_same_v<element, T>) {
    call(before);
  } else {
    order::carry<element, Op> carry;
    if (before.last()) carry = order::carry<element, Op>(static_cast<element>(*before.last()));
    call(carry);
    if (carry.last()) before = order::carry<T, Op>(static_cast<T>(*carry.last()));
  }
}

/// Tiles of a random-access iterator.
template <class T, class Op, class Iterator, class Out, class Transform>
class tile_engine {
public:
  static constexpr bool concurrent = true;
  using working = working_type<T>;
  using carry = order::carry<T, Op>;

  tile_engine(Iterator first, std::size_t size, Out out, Transform& transform, Op& op, direction shift)
      : first_(first),
        size_(size),
        tile_size_(tile_size(first, size)),
        out_(out),
        transform_(&transform),
        op_(&op),
        shift_(shift)
  {
  }

  std::size_t tiles() const { return (size_ + tile_size_ - 1) / tile_size_; }
  /// The size of the input that decides the number of threads.
  std::size_t bytes() const { return size_ * std::max(bytes_an_element, detail::bytes_behind<unheld_t<T>>(first_)); }
  /// Whether one thread must use these tiles too, to get the same bits as several.
  bool has_tiles_of_its_own() const { return !exactly_associative<Op, T> && tile_size_ != order::tile<T>; }
  // Iterators do not show whether the output is the input.
  bool in_place() const { return true; }
  void finish() const {}

  working total(std::size_t k) const
  {
    auto in = tile(k);
    return total_tile<T>(in, *op_);
  }
  void scan(std::size_t k, carry& before) const { before.push(scan_one(k, before), *op_); }
  working scan(std::size_t k, carry const& before, std::size_t next) const
  {
    scan_one(k, before);
    return total(next);
  }

private:
  /// The bytes that a compiled kernel handles in the time of one element here, 0.7 ns at least.
  static constexpr std::size_t bytes_an_element = 32;

  /// Elements in a tile. An element that a function gives or takes may stand for a block of others. Tiles are then
  /// small, so that there are many of them: a reduction has something to share, and a scan still finds a block in the
  /// cache when it comes back to it. The bits of an exact operator do not depend on the tile size. Those of another
  /// operator do, so its tile size depends on the bytes behind an element only, not on the size or the threads.
  static std::size_t tile_size(Iterator const& first, std::size_t size)
  {
    constexpr std::size_t many_tiles = 1024;
    std::size_t const most = detail::tile_by_bytes<unheld_t<T>>(first, order::tile<T>);
    if constexpr (exactly_associative<Op, T>)
      if (detail::takes_results<Out> || detail::bytes_behind<unheld_t<T>>(first) > sizeof(unheld_t<T>))
        return size / many_tiles < 1 ? 1 : size / many_tiles < most ? size / many_tiles : most;
    return most;
  }

  working scan_one(std::size_t k, carry const& before) const
  {
    auto in = tile(k);
    using distance = std::iter_difference_t<Out>;
    sink<T, Out> out(out_ + static_cast<distance>(k * tile_size_), shift_, before.last());
    return scan_tile<T>(in, out, before.next(*op_), *op_);
  }

  auto tile(std::size_t k) const
  {
    using distance = std::iter_difference_t<Iterator>;
    std::size_t const begin = k * tile_size_;
    std::size_t const end = begin + tile_size_ < size_ ? begin + tile_size_ : size_;
    return source<T, Iterator, Iterator, Transform>{first_ + static_cast<distance>(begin),
                                                    first_ + static_cast<distance>(end), transform_};
  }

  Iterator first_;
  std::size_t size_;
  std::size_t tile_size_;
  Out out_;
  Transform* transform_;
  Op* op_;
  direction shift_;
};

/// `reduce` of values as they are held: small ones directly, large ones as addresses (held.hpp).
template <class T, class Iterator, class End, class Transform, class Op>
void reduce_held(std::optional<cpu> const& on, Iterator first, End last, Transform& transform, Op& op,
                 order::carry<T, Op>& before)
{
  if constexpr (is_exact_sum<Op>) {
    reduce_exactly<T>(on, std::move(first), std::move(last), transform, before);
    return;
  } else if constexpr (contiguous_of<Iterator, T> && std::sized_sentinel_for<End, Iterator> && has_kernels<Op, T> &&
                       std::is_same_v<Transform, std::identity>) {
    using element = typename kernel_element<Op, T>::type;
    auto const size = static_cast<std::size_t>(last - first);
    auto const* const in = reinterpret_cast<element const*>(std::to_address(first));
    int const threads = on ? on->threads : 0;
    with_kernel_carry<Op, T>(before, [&](auto& carry) {
      // One tile needs nothing but its total. Here the compiler sees that no tile is before it, and drops the fold.
      if (size > 0 && size <= order::tile<T> && threads >= 0) {
        detail::took("cpu: reduction of one tile", "a built-in operator on numbers in memory");
        carry.push(kernels_of<Op, element>().total(in, size), op);
      } else if (size <= tuning_in_use().few_tiles * order::tile<T> &&
                 team_size(threads, size * sizeof(element), (size - 1) / order::tile<T> + 1) == 1) {
        // The pass of the library reaches the operator by pointers, which costs 1 to 6% where there are two tiles.
        detail::took("cpu: reduction of a few tiles", "a built-in operator on numbers in memory, one thread");
        for (std::size_t begin = 0; begin < size; begin += order::tile<T>)
          carry.push(kernels_of<Op, element>().total(in + begin, std::min(order::tile<T>, size - begin)), op);
      } else {
        reduce_contiguous<Op, element>(in, size, carry, threads);
      }
    });
    return;
  } else if constexpr (divisible<T, Iterator> && std::sized_sentinel_for<End, Iterator>) {
    auto const size = static_cast<std::size_t>(last - first);
    tile_engine<T, Op, Iterator, Iterator, Transform> const engine(first, size, first, transform, op,
                                                                   direction::inclusive);
    int const members = team_size(requested_threads(on), engine.bytes(), engine.tiles());
    if (members > 1 || engine.has_tiles_of_its_own()) {
      if (engine.has_tiles_of_its_own())
        detail::took("cpu: tiles of blocks' own size", "an element stands for a block of others");
      reduce_tiles(engine, engine.tiles(), before, op, members);
      return;
    }
  }
  if constexpr (!is_exact_sum<Op>) {
    detail::took("cpu: reduction of an iterator, tile after tile", "one thread");
    source<T, Iterator, End, Transform> in{std::move(first), std::move(last), &transform};
    while (in.more()) before.push(total_tile<T>(in, op), op);
  }
}

/// `scan` of values as they are held.
template <class T, class Iterator, class End, class Out, class Transform, class Op>
Out scan_held(std::optional<cpu> const& on, Iterator first, End last, Out out, Transform& transform, Op& op,
              order::carry<T, Op>& before, direction shift)
{
  if constexpr (is_exact_sum<Op>) {
    return scan_exactly<T>(on, std::move(first), std::move(last), std::move(out), transform, before, shift);
  } else if constexpr (contiguous_of<Iterator, T> && contiguous_of<Out, T> && std::sized_sentinel_for<End, Iterator> &&
                       has_kernels<Op, T> && std::is_same_v<Transform, std::identity>) {
    using element = typename kernel_element<Op, T>::type;
    auto const size = static_cast<std::size_t>(last - first);
    auto const* const in = reinterpret_cast<element const*>(std::to_address(first));
    auto* const results = reinterpret_cast<element*>(std::to_address(out));
    int const threads = on ? on->threads : 0;
    with_kernel_carry<Op, T>(before, [&](auto& carry) {
      if (size > 0 && size <= order::tile<T> && threads >= 0) {
        detail::took("cpu: scan of one tile", "a built-in operator on numbers in memory");
        Op own;
        scan_one_tile(kernels_of<Op, element>(),
                      job_after(carry, own, Op::template identity<element>(), in, results, size, shift), carry, own);
      } else {
        scan_contiguous<Op, element>(in, results, size, carry, shift, threads);
      }
    });
    return out + static_cast<std::iter_difference_t<Out>>(size);
  } else if constexpr (divisible<T, Iterator> && std::random_access_iterator<Out> &&
                       std::sized_sentinel_for<End, Iterator>) {
    auto const size = static_cast<std::size_t>(last - first);
    tile_engine<T, Op, Iterator, Out, Transform> const engine(first, size, out, transform, op, shift);
    int const members = team_size(requested_threads(on), engine.bytes(), engine.tiles());
    if (members > 1 || engine.has_tiles_of_its_own()) {
      if (engine.has_tiles_of_its_own())
        detail::took("cpu: tiles of blocks' own size", "an element stands for a block of others");
      scan_tiles(engine, engine.tiles(), before, op, members);
      return out + static_cast<std::iter_difference_t<Out>>(size);
    }
  }
  if constexpr (!is_exact_sum<Op>) {
    detail::took("cpu: scan of an iterator, tile after tile", "one thread");
    source<T, Iterator, End, Transform> in{std::move(first), std::move(last), &transform};
    sink<T, Out> results(std::move(out), shift, before.last());
    while (in.more()) before.push(scan_tile<T>(in, results, before.next(op), op), op);
    return std::move(results).position();
  }
}

/// Reduces [first, last) on top of `before`.
template <class T, class Iterator, class End, class Transform, class Op>
void reduce(std::optional<cpu> const& on, Iterator first, End last, Transform& transform, Op& op,
            held_carry<T, Op>& before)
{
  if constexpr (large<T>) {
    to_heap<T, Transform> elements{&transform};
    auto combine = hold_operator<T>(op);
    reduce_held<held<T>>(on, std::move(first), std::move(last), elements, combine, before);
  } else {
    reduce_held<T>(on, std::move(first), std::move(last), transform, op, before);
  }
}

/// Scans [first, last) into out on top of `before`.
template <class T, class Iterator, class End, class Out, class Transform, class Op>
Out scan(std::optional<cpu> const& on, Iterator first, End last, Out out, Transform& transform, Op& op,
         held_carry<T, Op>& before, direction shift)
{
  if constexpr (large<T>) {
    to_heap<T, Transform> elements{&transform};
    auto combine = hold_operator<T>(op);
    return scan_held<held<T>>(on, std::move(first), std::move(last), std::move(out), elements, combine, before, shift);
  } else {
    return scan_held<T>(on, std::move(first), std::move(last), std::move(out), transform, op, before, shift);
  }
}

/// The carry before the first element.
template <class T, class Op>
held_carry<T, Op> begin_with(std::optional<T> const& init)
{
  using carry = held_carry<T, Op>;
  return init ? carry(static_cast<typename carry::working>(*init)) : carry();
}

/// Replaces `a` by `op(a, element)`, or by the element if `a` is absent. Elements that do not convert to T require an
/// initial value.
template <class T, class Op, class Element>
void fold_left(std::optional<T>& a, Op& op, Element&& element)
{
  if constexpr (std::is_convertible_v<Element, T>) {
    if (!a) {
      a.emplace(static_cast<T>(std::forward<Element>(element)));
      return;
    }
  }
  a.emplace(static_cast<T>(op(*std::move(a), std::forward<Element>(element))));
}

/// Scans from the left. An element is used before its result is written, so `out` may be `first`.
template <class T, class I, class S, class Out, class Op, class Transform>
Out scan_left(I first, S const& last, Out out, std::optional<T> value, Op& op, Transform& transform, direction shift)
{
  for (; first != last; ++first, ++out) {
    if (shift == direction::exclusive) {
      std::optional<T> next(static_cast<T>(op(*value, transform(*first))));
      *out = *std::move(value);
      value = std::move(next);
    } else {
      fold_left(value, op, transform(*first));
      if constexpr (requires { *out = *value; }) *out = *value;
    }
  }
  return out;
}

}  // namespace tally::cpu_backend

namespace tally::detail {

template <class T, cpu_backend::cpu_execution P, class I, class S, class Op, class Transform>
std::optional<T> backend_reduce(P on, I first, S last, std::optional<T>&& init, Op& op, Transform& transform)
{
  using element = std::invoke_result_t<Transform&, std::iter_reference_t<I>>;
  if constexpr (cpu_backend::orderable<T, element, Op>) {
    cpu_backend::held_carry<T, Op> before = cpu_backend::begin_with<T, Op>(init);
    cpu_backend::reduce<T>(cpu_backend::requested(on), std::move(first), std::move(last), transform, op, before);
    if (!before.last()) return std::nullopt;
    return std::optional<T>(std::in_place, cpu_backend::value_of<T>(*before.last()));
  } else {
    took("cpu: left fold", "values that cannot be copied, or elements that do not convert");
    for (; first != last; ++first) cpu_backend::fold_left(init, op, transform(*first));
    return std::move(init);
  }
}

template <class T, cpu_backend::cpu_execution P, class I, class S, class Out, class Op, class Transform>
Out backend_scan(P on, I first, S last, Out out, std::optional<T>&& init, Op& op, Transform& transform,
                 cpu_backend::direction shift)
{
  using element = std::invoke_result_t<Transform&, std::iter_reference_t<I>>;
  if constexpr (cpu_backend::orderable<T, element, Op>) {
    cpu_backend::held_carry<T, Op> before = cpu_backend::begin_with<T, Op>(init);
    return cpu_backend::scan<T>(cpu_backend::requested(on), std::move(first), std::move(last), std::move(out),
                                transform, op, before, shift);
  } else {
    took("cpu: left fold", "values that cannot be copied, or elements that do not convert");
    return cpu_backend::scan_left<T>(std::move(first), last, std::move(out), std::move(init), op, transform, shift);
  }
}

}  // namespace tally::detail
