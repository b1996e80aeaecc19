#pragma once

#include "tally/detail/ranks/backend.hpp"

/// Calls that ranks do not take, so that the compiler's first line says so.
namespace tally::ranks_backend {

template <class... Arguments>
constexpr void refuse()
{
  static_assert(
      sizeof...(Arguments) == static_cast<std::size_t>(-1),
      "tally: ranks take reduce, the scans, histogram, linear_recurrence, batches along one axis or between offsets, "
      "and calls by key and by flag (tally/ranks.hpp). Other calls run on each rank by itself: within "
      "tally::on_each_rank, or pass tally::cpu or tally::cuda instead");
}

template <class T, on_ranks P, class... Rest>
void backend_scan_sequences(P const&, Rest&&...)
{
  refuse<Rest...>();
}
template <class T, on_ranks P, class... Rest>
void backend_reduce_sequences(P const&, Rest&&...)
{
  refuse<Rest...>();
}
template <class T, on_ranks P, class... Rest>
void backend_scan_segments(P const&, Rest&&...)
{
  refuse<Rest...>();
}
template <class T, on_ranks P, class... Rest>
void backend_reduce_segments(P const&, Rest&&...)
{
  refuse<Rest...>();
}
template <class T, on_ranks P, class... Rest>
void backend_recur_sequences(P const&, Rest&&...)
{
  refuse<Rest...>();
}
template <class T, on_ranks P, class... Rest>
void backend_recur_segments(P const&, Rest&&...)
{
  refuse<Rest...>();
}
template <on_ranks P, class... Rest>
void backend_for_each_index(P const&, Rest&&...)
{
  refuse<Rest...>();
}
template <on_ranks P, class... Rest>
void backend_for_each_block(P const&, Rest&&...)
{
  refuse<Rest...>();
}

}  // namespace tally::ranks_backend
