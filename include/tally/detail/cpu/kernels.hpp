#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "tally/detail/built_in.hpp"
#include "tally/detail/contract.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/order.hpp"

/// The kernels of the compiled library: built-in operators on arithmetic types in contiguous memory, vectorised for
/// each instruction set that Highway dispatches to at run time.
namespace tally::cpu_backend {

using detail::direction;

/// Whether the results go through the cache or around it.
enum class stores { cached, streaming };

/// One tile to scan, and the work to do in the same loop.
template <class T>
struct tile_job {
  T const* in;       ///< `size` elements, any alignment of T
  T* out;            ///< may be `in`
  std::size_t size;  ///< 1 .. order::tile<T>
  T carry;           ///< the operator's identity if absent
  T previous;        ///< exclusive scans: the first result
  direction shift = direction::inclusive;
  stores to = stores::cached;
  T const* next = nullptr;   ///< a whole tile to total in the same loop, or none
  T const* ahead = nullptr;  ///< memory to prefetch in the same loop, as far as `in` goes, or none
};

template <class T>
struct tile_totals {
  T last;  ///< the value at the last element: tile-local, or with the carry if the operator is exactly associative
  T next;  ///< the total of `next`; the identity if there was none
};

/// The kernels of one operator on one type, for the instruction set of this machine.
template <class T>
struct tile_kernels {
  /// The tile-local value of the last of `size` elements, 1 <= size <= order::tile<T>.
  T (*total)(T const* in, std::size_t size);
  tile_totals<T> (*scan)(tile_job<T> const& job);
};

/// Which operators on which types are compiled.
template <class Op, class T>
inline constexpr bool has_kernels = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8 &&
                                    detail::built_in::takes<Op, std::is_integral_v<T>>;

/// The type whose kernels Op uses on T.
template <class Op, class T>
using kernel_element = detail::built_in::element<Op, T>;

/// The kernels of every built-in operator on T, in the table's order, for the best instruction set of this machine (or
/// the one that Highway was told to use). Empty for operators that do not take T, or share the kernels of another type.
template <class T>
std::array<tile_kernels<T>, detail::built_in::count> const& all_kernels();

/// The kernels of Op on T, a kernel_element.
template <class Op, class T>
tile_kernels<T> const& kernels_of()
{
  return all_kernels<T>()[detail::built_in::entry<Op>::place];
}

/// The job of scanning one tile on top of `before`.
template <class T, class Op>
tile_job<T> job_after(order::carry<T, Op> const& before, Op& op, T identity, T const* in, T* out, std::size_t size,
                      direction shift)
{
  return {in, out, size, before.next(op).value_or(identity), before.last().value_or(identity), shift};
}

/// Scans one tile on top of `before`, and takes its total into it.
template <class T, class Op>
void scan_one_tile(tile_kernels<T> const& kernels, tile_job<T> const& job, order::carry<T, Op>& before, Op& op)
{
  T const last = kernels.scan(job).last;
  if constexpr (exactly_associative<Op, T>)
    before = order::carry<T, Op>(last);
  else
    before.push(last, op);
}

/// An operator called through pointers. Passes over many tiles are compiled with it, so once for each type and not once
/// for each operator. They apply it only twice for a tile of 32 KiB.
template <class T, class Wide, bool Exact>
struct operator_by_pointer {
  static constexpr bool exactly_associative = Exact;
  using carry = Wide;

  T (*of_elements)(T, T);
  Wide (*of_carries)(Wide, Wide);
  T identity;

  T operator()(T a, T b) const { return of_elements(a, b); }
  Wide operator()(Wide a, Wide b) const
    requires(!std::is_same_v<T, Wide>)
  {
    return of_carries(a, b);
  }
};
template <class Op, class T>
auto by_pointer()
{
  using wide = carry_type<Op, T>;
  return operator_by_pointer<T, wide, exactly_associative<Op, T>>{
      [](T a, T b) { return static_cast<T>(Op{}(a, b)); }, [](wide a, wide b) { return static_cast<wide>(Op{}(a, b)); },
      Op::template identity<T>()};
}

/// Passes over `size` contiguous elements on at most `threads` threads (0: any number). `before` is the carry before
/// the first element, and becomes the one after the last.
template <class T, class Op>
void reduce_by_kernels(tile_kernels<T> const& kernels, T const* in, std::size_t size, order::carry<T, Op>& before,
                       Op op, int threads);
template <class T, class Op>
void scan_by_kernels(tile_kernels<T> const& kernels, T const* in, T* out, std::size_t size, order::carry<T, Op>& before,
                     Op op, direction shift, int threads);

/// reduce and scan of `size` contiguous elements of a kernel_element, as `reduce_by_kernels`.
/// Memory    one thread needs none beyond the stack. Several need 32 KiB each for a scan; a reduction needs up to 16
///           bytes for each 32 KiB of input, 512 KiB in all.
/// Blocks    until done. Throws usage_error if `threads` is negative, std::bad_alloc.
template <class Op, class T>
void reduce_contiguous(T const* in, std::size_t size, order::carry<T, Op>& before, int threads)
{
  auto const op = by_pointer<Op, T>();
  order::carry<T, std::remove_const_t<decltype(op)>> carry(before);
  reduce_by_kernels(kernels_of<Op, T>(), in, size, carry, op, threads);
  before = order::carry<T, Op>(carry);
}
template <class Op, class T>
void scan_contiguous(T const* in, T* out, std::size_t size, order::carry<T, Op>& before, direction shift, int threads)
{
  auto const op = by_pointer<Op, T>();
  order::carry<T, std::remove_const_t<decltype(op)>> carry(before);
  scan_by_kernels(kernels_of<Op, T>(), in, out, size, carry, op, shift, threads);
  before = order::carry<T, Op>(carry);
}

}  // namespace tally::cpu_backend
