#pragma once

#include <cstddef>

#include "tally/detail/ranks/refused.hpp"

/// Calls that several GPUs do not take, so that the compiler's first line says so.
namespace tally::nccl_backend {

using ranks_backend::backend_for_each_block;
using ranks_backend::backend_for_each_index;
using ranks_backend::backend_recur_segments;
using ranks_backend::backend_recur_sequences;
using ranks_backend::backend_reduce_segments;
using ranks_backend::backend_reduce_sequences;
using ranks_backend::backend_scan_segments;
using ranks_backend::backend_scan_sequences;

template <class... Arguments>
constexpr void refuse_offsets()
{
  static_assert(sizeof...(Arguments) == static_cast<std::size_t>(-1),
                "tally: tally::nccl has no segments between offsets: give flags or keys, or parts in the memory of "
                "processors and tally::mpi");
}
template <class T, ranks_backend::on_ranks P, class... Rest>
void backend_reduce_between(P const&, Rest&&...)
{
  refuse_offsets<Rest...>();
}
template <class T, ranks_backend::on_ranks P, class... Rest>
void backend_scan_between(P const&, Rest&&...)
{
  refuse_offsets<Rest...>();
}
template <class T, ranks_backend::on_ranks P, class... Rest>
void backend_recur_between(P const&, Rest&&...)
{
  refuse_offsets<Rest...>();
}

}  // namespace tally::nccl_backend
