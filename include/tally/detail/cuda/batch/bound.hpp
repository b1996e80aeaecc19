#pragma once

#include <cstddef>
#include <iterator>
#include <memory>

#include "tally/detail/cuda/backend.hpp"
#include "tally/detail/cuda/call.hpp"

namespace tally::cuda_backend {

/// Elements from a pointer on to the end of its allocation; no bound for another iterator.
inline constexpr std::size_t no_bound = static_cast<std::size_t>(-1);
template <class I>
std::size_t most_elements(prepared_call const& call, I const& values)
{
  if constexpr (points_into_memory<I>)
    return call.bytes_from(std::to_address(values)) / sizeof(std::iter_value_t<I>);
  else
    return no_bound;
}

}  // namespace tally::cuda_backend
