#pragma once

// Makes a test of the standard library's algorithms test Tally. Included before the test (`-include as_std.hpp`), this
// header redirects std::reduce, std::transform_reduce, std::inclusive_scan, std::exclusive_scan,
// std::transform_inclusive_scan and std::transform_exclusive_scan to Tally: the same overloads, the same return types,
// the type of the initial value as accumulator type, value_type{} where the standard starts from it. The test itself
// stays as it is.
//
// Constant evaluation is left to the standard library, since Tally's calls run on threads and vectors and are not
// constexpr. TALLY_AS_STD_EXECUTION adds the overloads with an execution policy (<execution>, which needs oneTBB).

// Every header that a test may include and that contains the names below must be included before they are redefined.
#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <ranges>
#include <type_traits>
#include <utility>
#ifdef TALLY_AS_STD_EXECUTION
#include <execution>
#endif

#include "tally/tally.hpp"

namespace tally::as_std {

template <class I>
using value_of = typename std::iterator_traits<I>::value_type;

template <class I>
constexpr value_of<I> reduce_by_tally(I first, I last)
{
  if (std::is_constant_evaluated()) return std::reduce(first, last);
  return tally::reduce<value_of<I>>(first, last, value_of<I>{});
}
template <class I, class T>
constexpr T reduce_by_tally(I first, I last, T init)
{
  if (std::is_constant_evaluated()) return std::reduce(first, last, std::move(init));
  return tally::reduce<T>(first, last, std::move(init), std::plus<>{});
}
template <class I, class T, class Op>
constexpr T reduce_by_tally(I first, I last, T init, Op op)
{
  if (std::is_constant_evaluated()) return std::reduce(first, last, std::move(init), op);
  return tally::reduce<T>(first, last, std::move(init), op);
}

template <class I1, class I2, class T>
constexpr T transform_reduce_by_tally(I1 first1, I1 last1, I2 first2, T init)
{
  if (std::is_constant_evaluated()) return std::transform_reduce(first1, last1, first2, std::move(init));
  return tally::transform_reduce<T>(first1, last1, first2, std::move(init), std::plus<>{}, std::multiplies<>{});
}
template <class I1, class I2, class T, class Op, class Transform>
constexpr T transform_reduce_by_tally(I1 first1, I1 last1, I2 first2, T init, Op op, Transform transform)
{
  if (std::is_constant_evaluated()) return std::transform_reduce(first1, last1, first2, std::move(init), op, transform);
  return tally::transform_reduce<T>(first1, last1, first2, std::move(init), op, transform);
}
template <class I, class T, class Op, class Transform>
constexpr T transform_reduce_by_tally(I first, I last, T init, Op op, Transform transform)
{
  if (std::is_constant_evaluated()) return std::transform_reduce(first, last, std::move(init), op, transform);
  return tally::transform_reduce<T>(first, last, std::move(init), op, transform);
}

template <class I, class Out>
constexpr Out inclusive_scan_by_tally(I first, I last, Out out)
{
  if (std::is_constant_evaluated()) return std::inclusive_scan(first, last, out);
  return tally::inclusive_scan<value_of<I>>(first, last, out);
}
template <class I, class Out, class Op>
constexpr Out inclusive_scan_by_tally(I first, I last, Out out, Op op)
{
  if (std::is_constant_evaluated()) return std::inclusive_scan(first, last, out, op);
  return tally::inclusive_scan<value_of<I>>(first, last, out, op);
}
template <class I, class Out, class Op, class T>
constexpr Out inclusive_scan_by_tally(I first, I last, Out out, Op op, T init)
{
  if (std::is_constant_evaluated()) return std::inclusive_scan(first, last, out, op, std::move(init));
  return tally::inclusive_scan<T>(first, last, out, op, std::move(init));
}

template <class I, class Out, class T>
constexpr Out exclusive_scan_by_tally(I first, I last, Out out, T init)
{
  if (std::is_constant_evaluated()) return std::exclusive_scan(first, last, out, std::move(init));
  return tally::exclusive_scan<T>(first, last, out, std::move(init), std::plus<>{});
}
template <class I, class Out, class T, class Op>
constexpr Out exclusive_scan_by_tally(I first, I last, Out out, T init, Op op)
{
  if (std::is_constant_evaluated()) return std::exclusive_scan(first, last, out, std::move(init), op);
  return tally::exclusive_scan<T>(first, last, out, std::move(init), op);
}

template <class I, class Out, class Op, class Transform>
constexpr Out transform_inclusive_scan_by_tally(I first, I last, Out out, Op op, Transform transform)
{
  if (std::is_constant_evaluated()) return std::transform_inclusive_scan(first, last, out, op, transform);
  return tally::transform_inclusive_scan(first, last, out, op, transform);
}
template <class I, class Out, class Op, class Transform, class T>
constexpr Out transform_inclusive_scan_by_tally(I first, I last, Out out, Op op, Transform transform, T init)
{
  if (std::is_constant_evaluated())
    return std::transform_inclusive_scan(first, last, out, op, transform, std::move(init));
  return tally::transform_inclusive_scan<T>(first, last, out, op, transform, std::move(init));
}
template <class I, class Out, class T, class Op, class Transform>
constexpr Out transform_exclusive_scan_by_tally(I first, I last, Out out, T init, Op op, Transform transform)
{
  if (std::is_constant_evaluated())
    return std::transform_exclusive_scan(first, last, out, std::move(init), op, transform);
  return tally::transform_exclusive_scan<T>(first, last, out, std::move(init), op, transform);
}

}  // namespace tally::as_std

#ifdef TALLY_AS_STD_EXECUTION
#include "as_std_execution.hpp"
#endif

namespace std {
using tally::as_std::exclusive_scan_by_tally;
using tally::as_std::inclusive_scan_by_tally;
using tally::as_std::reduce_by_tally;
using tally::as_std::transform_exclusive_scan_by_tally;
using tally::as_std::transform_inclusive_scan_by_tally;
using tally::as_std::transform_reduce_by_tally;
}  // namespace std

#define reduce reduce_by_tally
#define transform_reduce transform_reduce_by_tally
#define inclusive_scan inclusive_scan_by_tally
#define exclusive_scan exclusive_scan_by_tally
#define transform_inclusive_scan transform_inclusive_scan_by_tally
#define transform_exclusive_scan transform_exclusive_scan_by_tally
