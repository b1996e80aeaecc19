#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/contract.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/order.hpp"

/// The kernels of the compiled library: built-in operators on arithmetic types in contiguous memory, vectorised for
/// each instruction set that Highway dispatches to at run time.
namespace tally::cpu_backend {

using detail::direction;

/// Whether the results go through the cache or around it.
enum class stores { cached, streaming };

/// One tile to scan, and what else to do on the way through it.
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
inline constexpr bool has_kernels = false;
template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
inline constexpr bool has_kernels<plus, T> = true;
template <class T>
inline constexpr bool has_kernels<multiplies, T> = has_kernels<plus, T>;
template <class T>
inline constexpr bool has_kernels<minimum, T> = has_kernels<plus, T>;
template <class T>
inline constexpr bool has_kernels<maximum, T> = has_kernels<plus, T>;
template <class T>
inline constexpr bool has_kernels<bit_and, T> = has_kernels<plus, T> && std::is_integral_v<T>;
template <class T>
inline constexpr bool has_kernels<bit_or, T> = has_kernels<bit_and, T>;
template <class T>
inline constexpr bool has_kernels<bit_xor, T> = has_kernels<bit_and, T>;

/// Types of the same width share kernels: `long` and `long long`, `char` and `signed char`, and, where the operator
/// does not see the sign, signed and unsigned.
template <class Op, class T>
struct kernel_element {
  static constexpr bool sees_sign = std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>;
  template <std::size_t Bytes, bool Signed>
  static constexpr auto integer()
  {
    if constexpr (Bytes == 1)
      return std::conditional_t<Signed, std::int8_t, std::uint8_t>{};
    else if constexpr (Bytes == 2)
      return std::conditional_t<Signed, std::int16_t, std::uint16_t>{};
    else if constexpr (Bytes == 4)
      return std::conditional_t<Signed, std::int32_t, std::uint32_t>{};
    else
      return std::conditional_t<Signed, std::int64_t, std::uint64_t>{};
  }
  static constexpr auto pick()
  {
    if constexpr (std::is_floating_point_v<T>)
      return T{};
    else
      return integer<sizeof(T), sees_sign && std::is_signed_v<T>>();
  }
  using type = decltype(pick());
};

/// The kernels of one tile, for the best instruction set of this machine (or the one that Highway was told to use).
template <class Op, class T>
tile_kernels<T> const& kernels_of();

/// The job of scanning one tile on top of `before`.
template <class Op, class T>
tile_job<T> job_after(order::carry<T, Op> const& before, T const* in, T* out, std::size_t size, direction shift)
{
  Op op;
  constexpr T identity = Op::template identity<T>();
  return {in, out, size, before.next(op).value_or(identity), before.last().value_or(identity), shift};
}

/// Scans one tile on top of `before`, and takes its total into it.
template <class Op, class T>
void scan_one_tile(tile_job<T> const& job, order::carry<T, Op>& before)
{
  T const last = kernels_of<Op, T>().scan(job).last;
  if constexpr (exactly_associative<Op, T>) {
    before = order::carry<T, Op>(last);
  } else {
    Op op;
    before.push(last, op);
  }
}

/// reduce and scan of `size` contiguous elements of a kernel_element, on `threads` threads (0: choose). `before` is
/// what is known before the first element, and afterwards what is known after the last one.
/// Memory    one thread: none beyond the stack; else 32 KiB a thread (scan), up to 16 bytes for each 32 KiB of input,
///           512 KiB in all (reduce).
/// Blocks    until done. Throws usage_error if `threads` is negative, std::bad_alloc.
template <class Op, class T>
void reduce_contiguous(T const* in, std::size_t size, order::carry<T, Op>& before, int threads);
template <class Op, class T>
void scan_contiguous(T const* in, T* out, std::size_t size, order::carry<T, Op>& before, direction shift, int threads);

}  // namespace tally::cpu_backend
