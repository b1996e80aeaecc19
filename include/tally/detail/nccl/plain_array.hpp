#pragma once

#include <iterator>
#include <memory>

namespace tally::nccl_backend {

/// An array as a pointer: the functions of other iterators may be for the host.
template <class I>
auto plain_array(I const& i)
{
  if constexpr (std::contiguous_iterator<I>)
    return std::to_address(i);
  else
    return i;
}

}  // namespace tally::nccl_backend
