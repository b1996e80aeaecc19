#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "tally/detail/backends.hpp"
#include "tally/detail/contract.hpp"

/// Maps, which come before and after reductions and scans.
namespace tally {

/// Calls `f(k)` for each k in [0, n), in any order: a map, whose depth is 1.
///
///     for_each_index([on,] n, f)
///
/// Requires  no call depends on another. Where `on` is named, f may be called from several threads at once; on a GPU it
///           is copied as bytes.
/// Cost      n calls, O(n/p) on p threads.
/// Blocks    until all calls are done; on a GPU it returns at once.
/// Throws    the first exception of `f`, and then some calls may not have been made; usage_error; cuda_error.
template <execution P, class F>
void for_each_index(P const& on, std::size_t n, F f)
{
  static_assert(std::is_invocable_v<F&, std::size_t>, "tally: for_each_index calls f(k) with an index");
  using detail::backend_for_each_index;
  backend_for_each_index(on, n, f);
}
template <class F>
void for_each_index(std::size_t n, F f)
{
  tally::for_each_index(detail::automatic{}, n, std::move(f));
}

/// Calls `f(begin, end)` for [0, block), [block, 2 * block), ... up to n, in any order: for work that is done a block
/// at a time. On a GPU one thread calls `f` for a block.
///
///     for_each_block([on,] n, block, f)
///
/// Requires  block > 0. Otherwise as `for_each_index`.
template <execution P, class F>
void for_each_block(P const& on, std::size_t n, std::size_t block, F f)
{
  static_assert(std::is_invocable_v<F&, std::size_t, std::size_t>,
                "tally: for_each_block calls f(begin, end) with two indices");
  using detail::backend_for_each_block;
  backend_for_each_block(on, n, block, f);
}
template <class F>
void for_each_block(std::size_t n, std::size_t block, F f)
{
  tally::for_each_block(detail::automatic{}, n, block, std::move(f));
}

}  // namespace tally
