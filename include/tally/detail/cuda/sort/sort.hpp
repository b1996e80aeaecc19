#pragma once

#include <cstddef>

#include "tally/detail/cuda/backend.hpp"
#ifdef __CUDACC__
#include "tally/detail/cuda/sort/launch.cuh"
#endif

/// Radix sorts on a GPU (algorithms/radix_sort.hpp).
namespace tally::cuda_backend {

template <class Key, class Value, class Order>
void backend_radix_sort(execution const& on, Key* keys, Value* values, std::size_t n, Order, int first_bit, int end_bit)
{
#ifdef __CUDACC__
  sorting::sort_on_device<Order>(on, keys, values, n, first_bit, end_bit);
#else
  static_assert(never<Key>, "tally: radix_sort on a GPU must be compiled by nvcc, in a .cu file");
#endif
}

}  // namespace tally::cuda_backend
